import { plain } from '../../approvals/markdown.ts';
import type { SessionLine, SessionScope } from '../../store/sessions.ts';
import { age } from '../words.ts';
import type { Command, CommandAnswer, CommandContext } from './command.ts';
import { endSession } from './new.ts';

const LISTED = 10;
const LOOKED_AT = 200;
const BEGINNING = 60;

/** Only what the asking person may see here: own direct chats, own sessions of this group, or those of this shared place. */
export const resume: Command = {
  name: 'resume',
  args: '[n | title | words]',
  about: 'List earlier conversations, or go on with one',
  idle: true,
  run(context) {
    const { args, admin, store, clock, scope } = context;
    const wanted = args.trim();
    if (wanted === '--all') return admin ? all(context) : { text: 'Only an admin may list all conversations.' };
    const lines = store.sessions.ended(scope, LOOKED_AT);
    if (wanted === '') return { text: listed(lines.slice(0, LISTED), clock.now()) };
    const found = choose(wanted, lines) ?? byWords(context, wanted, lines, scope);
    if (found.length === 1 && found[0]) return goOn(context, found[0]);
    if (found.length === 0)
      return { text: `I know no earlier conversation "${plain(wanted, 100)}". /resume lists them.` };
    return { text: `Several fit; take one by its number.\n${listed(found, clock.now(), lines)}` };
  },
};

/** A number of the list, or a title. */
function choose(wanted: string, lines: readonly SessionLine[]): readonly SessionLine[] | undefined {
  if (/^\d{1,3}$/.test(wanted)) return lines.slice(Number(wanted) - 1, Number(wanted));
  const same = lines.filter(({ title }) => title?.toLowerCase() === wanted.toLowerCase());
  return same.length > 0 ? same : undefined;
}

function byWords(
  { store }: CommandContext,
  words: string,
  lines: readonly SessionLine[],
  scope: SessionScope,
): readonly SessionLine[] {
  const hits = new Set(store.search.find(words, scope, LOOKED_AT).map(({ session }) => session));
  return lines.filter(({ id }) => hits.has(id)).slice(0, LISTED);
}

function goOn(context: CommandContext, { id, title, begins, lastAt }: SessionLine): CommandAnswer {
  const { store, lanes, session, key, from, clock, endProcesses } = context;
  const ended = session ? endSession(context, session) : '';
  store.sessions.revive(id, key, from.address, from.direct);
  const after = () => {
    if (!session) return;
    lanes.stop(session.id, 'reset');
    endProcesses(session.id);
  };
  return { text: `Going on with ${name({ title, begins })} (${age(clock.now() - lastAt)} ago).${ended}`, after };
}

function all({ store, trail, from, clock }: CommandContext): CommandAnswer {
  trail.write('listed', { actor: from.by, address: from.address, detail: 'conversations of everybody' }, clock.now());
  const lines = store.sessions.ended(undefined, LISTED * 2);
  const rows = lines.map((line) => `${plain(line.owner)}: ${name(line)}, ${age(clock.now() - line.lastAt)} ago`);
  return { text: rows.length === 0 ? 'There are none.' : rows.join('\n') };
}

function listed(lines: readonly SessionLine[], now: number, all = lines): string {
  if (lines.length === 0) return 'There are no earlier conversations here.';
  return lines.map((line) => `${all.indexOf(line) + 1}. ${name(line)}, ${age(now - line.lastAt)} ago`).join('\n');
}

/** Its title, or how it begins, without the line that heads a message. */
function name({ title, begins }: Pick<SessionLine, 'title' | 'begins'>): string {
  return `"${plain(title ?? begins.replace(/^\[[^\n]*\]\n/, ''), BEGINNING)}"`;
}
