import type { Status } from '../gateway/status.ts';
import type { FileState } from '../store/checkup.ts';

/** One thing that was looked at. `bad` is something to mend, `note` something to know. */
export interface Finding {
  readonly id: string;
  readonly level: 'ok' | 'note' | 'bad';
  readonly text: string;
  /** What to do about it. */
  readonly fix?: string;
}

export interface HomeFacts {
  readonly home: string;
  /** Permission bits; undefined: there is no such folder. */
  readonly mode: number | undefined;
  readonly freeBytes: number | undefined;
  /** Sentences of the configuration; empty when it can be used. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  readonly file: FileState;
  /** `down`: no daemon has left word; `silent`: one has, and does not answer. */
  readonly daemon: 'down' | 'silent' | Status;
}

const MB = 1024 * 1024;
const LITTLE_SPACE = 200 * MB;

/** What `hermod doctor` says, in the order in which it helps to mend it. */
export function findings(facts: HomeFacts): readonly Finding[] {
  if (facts.mode === undefined)
    return [bad('home', `There is no home at ${facts.home}.`, 'Start hermod once with npm start, or set HERMOD_HOME.')];
  return [homeMode(facts), space(facts), ...config(facts), database(facts), ...daemon(facts)];
}

function homeMode({ home, mode = 0 }: HomeFacts): Finding {
  if ((mode & 0o077) === 0) return ok('home', `${home} is yours alone.`);
  return bad('home', `Others on this machine may look into ${home}.`, `chmod 700 ${home}`);
}

function space({ home, freeBytes }: HomeFacts): Finding {
  if (freeBytes === undefined) return note('space', 'How much room is left could not be read.');
  const free = `${Math.floor(freeBytes / MB).toLocaleString('en')} MB are free where ${home} lies.`;
  if (freeBytes >= LITTLE_SPACE) return ok('space', free);
  return bad('space', free, 'Make room: what people write cannot be kept on a full disk.');
}

function config({ problems, warnings }: HomeFacts): readonly Finding[] {
  if (problems.length > 0)
    return problems.map((problem) => bad('config', problem, 'Correct this line, then hermod reload, or start hermod.'));
  return [ok('config', 'The configuration can be used.'), ...warnings.map((warning) => note('config', warning))];
}

function database({ file, home }: HomeFacts): Finding {
  switch (file.kind) {
    case 'missing':
      return note('database', 'There is no database yet; the first start makes it.');
    case 'whole':
      return ok('database', `hermod.db is whole: schema ${file.schema}, ${Math.ceil(file.bytes / MB)} MB.`);
    case 'newer':
      return bad(
        'database',
        `hermod.db was written by a newer hermod (schema ${file.schema}, this one knows ${file.known}).`,
        'Install that version or restore a backup.',
      );
    case 'damaged':
      return bad(
        'database',
        `hermod.db cannot be read: ${file.detail}.`,
        `Stop hermod and put a backup of hermod.db into ${home}, without hermod.db-wal and hermod.db-shm; without a backup move the three away, and hermod begins anew. Then start it. What people wrote meanwhile is answered then.`,
      );
  }
}

function daemon({ daemon: found }: HomeFacts): readonly Finding[] {
  if (found === 'down') return [note('daemon', 'hermod is not running.', 'npm start starts it.')];
  if (found === 'silent')
    return [
      bad('daemon', 'hermod has left word that it runs, and does not answer.', 'Its log says why; start it again.'),
    ];
  const dead = found.outbox['dead'] ?? 0;
  return [
    found.ready
      ? ok('daemon', `hermod ${found.version} runs and is ready.`)
      : bad('daemon', `hermod runs and is not ready: ${found.reasons.join(', ')}.`, 'hermod status says more.'),
    ...found.platforms.filter(({ state }) => state !== 'connected').map(platform),
    ...(dead > 0
      ? [note('outbox', `${dead} messages could not be delivered.`, '/status undelivered lists them.')]
      : []),
  ];
}

function platform({ name, state, reason }: Status['platforms'][number]): Finding {
  const text = `${name} is ${state}${reason === '' ? '' : `: ${reason}`}.`;
  const fix =
    state === 'fatal' ? 'Correct its token or rights, then start hermod again.' : 'It is tried again by itself.';
  return bad(name, text, fix);
}

const ok = (id: string, text: string): Finding => ({ id, level: 'ok', text });
const note = (id: string, text: string, fix?: string): Finding => ({ id, level: 'note', text, ...(fix && { fix }) });
const bad = (id: string, text: string, fix: string): Finding => ({ id, level: 'bad', text, fix });
