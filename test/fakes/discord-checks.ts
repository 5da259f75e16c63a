import { invalidForm, Refusal } from './discord-refusal.ts';
import type { Body, Upload, WireMessage, WireRow, WireUser } from './discord-wire.ts';

export const MAX_CONTENT = 2000;
const MAX_ROWS = 5;
const MAX_BUTTONS = 5;
const MAX_LABEL = 80;
const MAX_CUSTOM_ID = 100;
const MAX_FILES = 10;
const BASE_LENGTH = 'BASE_TYPE_BAD_LENGTH';

export interface CheckedMessage {
  readonly content: string;
  readonly components: readonly WireRow[];
  readonly flags: number;
}

/** The message as Discord keeps it, or the refusal it answers with. `before`: what an edit leaves as it is. */
export function checkMessage(body: Body, uploads: readonly Upload[], before?: WireMessage): CheckedMessage {
  const content = checkContent(body['content'] ?? before?.content ?? '');
  const components =
    body['components'] === undefined ? (before?.components ?? []) : checkComponents(body['components']);
  checkFlags(body['flags']);
  if (uploads.length > MAX_FILES) throw invalidForm('files', BASE_LENGTH, 'Must be 10 or fewer in length.');
  const files = uploads.length + (before?.attachments.length ?? 0);
  if (content === '' && files === 0) throw new Refusal(400, 50006, 'Cannot send an empty message');
  return { content, components, flags: Number(body['flags'] ?? before?.flags ?? 0) };
}

/** Components v2 can never be taken off a message again; nobody here may use it. */
function checkFlags(flags: unknown): void {
  if (flags === undefined || flags === null) return;
  if (typeof flags !== 'number' || (flags & ~(4 | 64 | 4096)) !== 0)
    throw invalidForm('flags', 'MESSAGE_FLAGS_INVALID', `The flags ${String(flags)} are not for bots here.`);
}

function checkContent(content: unknown): string {
  if (typeof content !== 'string')
    throw invalidForm('content', 'STRING_TYPE_CONVERT', 'Could not interpret as string.');
  if (content.length > MAX_CONTENT)
    throw invalidForm('content', BASE_LENGTH, `Must be ${MAX_CONTENT} or fewer in length.`);
  return content.trim();
}

function checkComponents(given: unknown): readonly WireRow[] {
  if (!Array.isArray(given)) throw invalidForm('components', 'LIST_TYPE_CONVERT', 'Only iterables may be used.');
  const rows = given as readonly WireRow[];
  if (rows.length > MAX_ROWS) throw invalidForm('components', BASE_LENGTH, 'Must be between 1 and 5 in length.');
  for (const [i, row] of rows.entries()) checkRow(row, `components.${i}`);
  const ids = rows.flatMap(({ components }) => components.map(({ custom_id }) => custom_id));
  if (new Set(ids).size < ids.length)
    throw invalidForm('components', 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated');
  return rows;
}

function checkRow({ type, components }: WireRow, at: string): void {
  if (type !== 1) throw invalidForm(at, 'UNION_TYPE_CHOICES', 'Value of field "type" must be one of (1,).');
  if (components.length < 1 || components.length > MAX_BUTTONS)
    throw invalidForm(`${at}.components`, BASE_LENGTH, 'Must be between 1 and 5 in length.');
  for (const [i, button] of components.entries()) checkButton(button, `${at}.components.${i}`);
}

function checkButton({ type, style, label, custom_id }: WireRow['components'][number], at: string): void {
  if (type !== 2) throw invalidForm(at, 'UNION_TYPE_CHOICES', 'Value of field "type" must be one of (2,).');
  if (style === undefined || style < 1 || style > 4)
    throw invalidForm(`${at}.style`, 'BASE_TYPE_CHOICES', 'Value must be one of {1, 2, 3, 4}.');
  if (!label || label.length > MAX_LABEL)
    throw invalidForm(`${at}.label`, BASE_LENGTH, 'Must be between 1 and 80 in length.');
  if (!custom_id || custom_id.length > MAX_CUSTOM_ID)
    throw invalidForm(`${at}.custom_id`, BASE_LENGTH, 'Must be between 1 and 100 in length.');
}

interface AllowedMentions {
  readonly parse?: readonly string[];
  readonly users?: readonly string[];
  readonly roles?: readonly string[];
  readonly replied_user?: boolean;
}

/** Whom a message pings: what its text mentions and its `allowed_mentions` let through, and the author it replies to. */
export function pingedBy(content: string, given: unknown, repliedTo: WireUser | undefined): readonly string[] {
  const allowed = given as AllowedMentions | undefined;
  const parse = (kind: string) => !allowed || (allowed.parse ?? []).includes(kind);
  const found = (pattern: RegExp) => [...content.matchAll(pattern)].map((match) => match[1] as string);
  const users = found(/<@!?(\d+)>/g).filter((id) => parse('users') || allowed?.users?.includes(id));
  const roles = found(/<@&(\d+)>/g).filter((id) => parse('roles') || allowed?.roles?.includes(id));
  const everyone = parse('everyone') ? found(/(@everyone|@here)/g) : [];
  const replied = repliedTo && (allowed ? allowed.replied_user === true : true) ? [repliedTo.id] : [];
  return [...new Set([...users, ...roles, ...everyone, ...replied])];
}

/** Ids of people a person's text mentions. */
export function mentionedIn(content: string): readonly string[] {
  return [...content.matchAll(/<@!?(\d+)>/g)].map((match) => match[1] as string);
}

const COMMAND_NAME = /^[-_'\p{L}\p{N}]{1,32}$/u;

export function checkCommands(given: unknown): void {
  if (!Array.isArray(given) || given.length > 100) throw new Refusal(400, 30032, 'Maximum number of commands reached');
  for (const [i, command] of (given as { name: string; description: string; options?: unknown[] }[]).entries()) {
    if (!COMMAND_NAME.test(command.name) || command.name !== command.name.toLowerCase())
      throw invalidForm(`${i}.name`, 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
    if (!command.description || command.description.length > 100)
      throw invalidForm(`${i}.description`, BASE_LENGTH, 'Must be between 1 and 100 in length.');
    if ((command.options?.length ?? 0) > 25) throw invalidForm(`${i}.options`, BASE_LENGTH, 'Must be 25 or fewer.');
  }
}
