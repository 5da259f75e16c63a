import type { Button, OutboundMessage } from '../contract/message.ts';
import type { PlatformLimits } from '../contract/platform.ts';
import type { ApprovalRow, Choice } from '../store/approvals.ts';
import { letterOf, writeAnswer } from './answer-data.ts';
import { type Marked, narrowed, piece, shown } from './clip.ts';
import { code, codeBlock, cut, plain } from './markdown.ts';
import { minutes } from './wording.ts';

export type CardRow = Omit<
  ApprovalRow,
  'state' | 'choice' | 'decidedBy' | 'surface' | 'reason' | 'decidedAt' | 'begunAt'
>;

export type CardLimits = Pick<PlatformLimits, 'maxText' | 'buttons' | 'forms'>;

/** What a card needs beside its row. */
export interface CardView {
  readonly limits: CardLimits;
  /** Where secrets stand in a text. */
  readonly secrets: (text: string) => Marked['secrets'];
  /** `14:32`, where the readers are. */
  readonly time: (at: number) => string;
  /** A folder as people write it: `~/proj`. */
  readonly folder: (path: string) => string;
}

export interface Card {
  readonly message: OutboundMessage;
  /** The whole command stands on it, unbroken; otherwise only Once and Deny may be offered. */
  readonly whole: boolean;
}

/** The question as a message. A command that does not fit is narrowed and goes along whole as `command.txt`. */
export function card(row: CardRow, nonce: string, view: CardView): Card {
  const marked = mark(row, view);
  const foot = lines(row, marked, view);
  const body = fitted(marked, language(row), view.limits.maxText, (block) => [title(row), block, ...foot].join('\n'));
  const buttons = view.limits.buttons ? buttonRows(row, nonce, view.limits) : [];
  const message = {
    text: body.text,
    ...(buttons.length === 0 ? {} : { buttons }),
    ...(body.whole ? {} : { files: [{ name: 'command.txt', text: shown(marked) }] }),
    ...(row.details.replyTo === undefined ? {} : { replyTo: row.details.replyTo }),
  };
  return { message, whole: body.whole };
}

/** The card after its end: what became of it, then the command; no buttons. `outcome` is Markdown. */
export function closedCard(row: CardRow, outcome: string, view: CardView): OutboundMessage {
  if (row.command === null) return { text: outcome };
  const body = fitted(mark(row, view), language(row), view.limits.maxText, (block) => `${outcome}\n${block}`);
  return { text: body.text };
}

function mark({ command, findings }: CardRow, view: CardView): Marked {
  const text = command ?? '';
  return { text, flagged: findings.map(({ span }) => span), secrets: view.secrets(text) };
}

const language = ({ guard, details }: CardRow) => details.language ?? (guard === 'shell' ? 'sh' : '');

/** The command whole where everything then fits, else as much of it as there is room for. */
function fitted(
  marked: Marked,
  lang: string,
  limit: number,
  compose: (block: string) => string,
): { readonly text: string; readonly whole: boolean } {
  const full = shown(marked);
  const text = compose(codeBlock(full, lang));
  if (text.length <= limit) return { text, whole: true };
  return { text: compose(codeBlock(narrowed(marked, limit - (text.length - full.length)), lang)), whole: false };
}

function title({ kind, runKind, depth, guard, tool, details }: CardRow): string {
  const copies = details.copies > 1 ? ` (x${details.copies})` : '';
  const job = plain(details.job?.name ?? '', 60);
  const what = guard === 'code' ? 'this script' : guard === 'tool' ? `this call of ${plain(tool, 60)}` : 'this';
  if (details.title !== undefined) return `**${plain(details.title, 160)}**${copies}`;
  if (kind === 'offer') return `**Job "${job}" was refused this. Allow it from now on?**`;
  if (runKind === 'cron') return `**Job "${job}" asks: run ${what}?**${copies}`;
  if (depth > 0) return `**For a worker (${plain(details.worker ?? 'no goal given', 80)}): run ${what}?**${copies}`;
  return `**Run ${guard === 'shell' ? 'this command' : what}?**${copies}`;
}

function lines(row: CardRow, marked: Marked, view: CardView): readonly string[] {
  const { details } = row;
  return [
    ...flagged(row, marked),
    ...(details.advised ? ['The guardian advises against it.'] : []),
    ...(details.effect === undefined ? [] : [`Effect: ${plain(details.effect, 160)}`]),
    ...(row.kind === 'offer' && details.bar !== null
      ? [`Cannot be allowed in advance: ${plain(details.bar, 80)}.`]
      : []),
    where(row, view),
    ...(details.people === 2 ? [`Needs two people${progress(row)}.`] : []),
    ...(view.limits.buttons ? [] : [byText(row)]),
  ];
}

function byText({ code: short, choices }: CardRow): string {
  const deny = `\`/deny ${short} <reason>\``;
  return choices.some((choice) => choice !== 'deny') ? `Answer \`/approve ${short}\` or ${deny}` : `Answer ${deny}`;
}

function flagged({ findings }: CardRow, marked: Marked): readonly string[] {
  const told = findings.slice(0, 3).map(({ rule, why, span }) => {
    const part = code(cut(piece(marked, span), 80));
    return `Flagged: ${part === '' ? '' : `${part}: `}${plain(why, 120)} (${plain(rule, 40)})`;
  });
  return findings.length > 3 ? [...told, `and ${findings.length - 3} more`] : told;
}

function where(row: CardRow, view: CardView): string {
  const { backend, cwd, details, requester, kind } = row;
  const user = details.user === undefined ? '' : `, as ${plain(details.user, 40)}`;
  const host = backend === 'local' ? 'host' : plain(backend, 40);
  const slot = details.job?.slot === undefined ? '' : ` At ${plain(details.job.slot, 40)}.`;
  const place = `Where: ${host}, ${plain(view.folder(cwd), 120)}${user}.${slot}`;
  if (kind === 'offer') return `${place} Code ${row.code}`;
  return `${place} Asked by ${plain(requester.name, 60)}. Expires ${view.time(row.expiresAt)}. Code ${row.code}`;
}

function progress({ details }: CardRow): string {
  const [first] = details.votes;
  return first === undefined ? '' : `; ${plain(first.actor.name, 60)} said yes, 1 of 2, waiting for another approver`;
}

const ROWS: readonly (readonly Choice[])[] = [['once', 'timed'], ['session', 'always', 'job'], ['deny']];

function buttonRows(row: CardRow, nonce: string, limits: CardLimits): readonly (readonly Button[])[] {
  const [yes, lasting, no] = ROWS.map((choices) =>
    choices.filter((choice) => row.choices.includes(choice)).map((choice) => button(row, nonce, choice)),
  ) as [Button[], Button[], Button[]];
  if (limits.forms && row.kind === 'call' && no.length > 0) {
    no.push({ label: 'Deny with reason', data: writeAnswer(row.id, nonce, 'r'), style: 'danger' });
  }
  return [yes, lasting, no].filter((made) => made.length > 0);
}

function button(row: CardRow, nonce: string, choice: Choice): Button {
  const style = choice === 'deny' ? 'danger' : choice === 'once' ? 'success' : 'primary';
  return { label: label(row, choice), data: writeAnswer(row.id, nonce, letterOf(choice)), style };
}

function label({ kind, details }: CardRow, choice: Choice): string {
  if (kind === 'offer') return choice === 'deny' ? 'Keep refusing' : 'Allow for this job';
  const timed = minutes(details.timedMinutes);
  return { once: 'Once', timed, session: 'Session', always: 'Always', job: 'Job', deny: 'Deny' }[choice];
}
