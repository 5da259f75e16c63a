import { plain } from '../../approvals/markdown.ts';
import type { InboundMessage } from '../../contract/message.ts';
import type { BusyMode } from '../../store/chat-settings.ts';
import { nearest } from '../words.ts';
import { retry, undo } from './again.ts';
import { approve, deny } from './answer.ts';
import { queue, steer, verbose } from './busy.ts';
import type { Command } from './command.ts';
import { doctor } from './doctor.ts';
import { explain } from './explain.ts';
import { jobs } from './jobs.ts';
import { model, usage } from './model.ts';
import { fresh } from './new.ts';
import { grants, yolo } from './policy.ts';
import { reasoning } from './reasoning.ts';
import { restart } from './restart.ts';
import { resume } from './resume.ts';
import { status } from './status.ts';
import { stop } from './stop.ts';
import { sethome, title, whoami } from './who.ts';

/** Of what somebody else called something. */
const NAME = 60;

const start: Command = {
  name: 'start',
  about: 'Say hello',
  late: true,
  run: ({ from }) => ({
    text: `Hello ${plain(from.by.name, NAME)}. Write what you need; I ask you before I run anything dangerous. /help lists the commands.`,
  }),
};

const help: Command = {
  name: 'help',
  args: '[command]',
  about: 'List the commands, or explain one',
  late: true,
  run: ({ args, usable }) => ({ text: helpText(args.trim().replace(/^\//, '').toLowerCase(), usable) }),
};

/** Matched whole, in any case; menus and /help come from this table. */
export const COMMANDS: readonly Command[] = [
  start,
  help,
  status,
  stop,
  queue,
  steer,
  retry,
  undo,
  fresh,
  resume,
  title,
  approve,
  deny,
  jobs,
  yolo,
  grants,
  explain,
  model,
  reasoning,
  usage,
  verbose,
  whoami,
  sethome,
  restart,
  doctor,
];

/** What somebody may use. */
export function usableBy(admin: boolean): readonly Command[] {
  return COMMANDS.filter((command) => admin || !command.admin);
}

export function findCommand(name: string): Command | undefined {
  const word = name.toLowerCase();
  return COMMANDS.find((command) => command.name === (word === 'reset' ? fresh.name : word));
}

/** The command a message is. A path like `/etc/hosts` is words. */
export function commandOf({ command, text }: InboundMessage): InboundMessage['command'] {
  return /^\/[^\s/]+\//.test(text) ? undefined : command;
}

/** Words behind a command that takes words, as a message of their own; everything else as it is. */
export function wordsOf(message: InboundMessage): { readonly message: InboundMessage; readonly mode?: BusyMode } {
  const command = commandOf(message);
  const mode = command && findCommand(command.name)?.words;
  if (!command || !mode || (command.args.trim() === '' && message.attachments.length === 0)) return { message };
  const { command: _, ...rest } = message;
  return { message: { ...rest, text: command.args }, mode };
}

export function unknownCommand(name: string): string {
  const near = nearest(
    name,
    COMMANDS.map((command) => command.name),
  );
  const said = plain(name, NAME);
  return near
    ? `Unknown command /${said}. Did you mean /${near}?`
    : `Unknown command /${said}. /help lists the commands.`;
}

function helpText(name: string, usable: readonly Command[]): string {
  if (name !== '') {
    const one = findCommand(name);
    return one ? line(one) : unknownCommand(name);
  }
  return usable.map(line).join('\n');
}

function line({ name, args, about }: Command): string {
  return `/${name}${args ? ` ${args}` : ''} - ${about}`;
}
