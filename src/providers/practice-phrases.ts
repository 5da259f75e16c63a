import { FAILURE_KINDS, type ModelFailureKind } from '../contract/model.ts';

/** What one phrase makes the practice model do. */
export type Act =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'call'; readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  /** The same call again and again, until tools are taken away. */
  | { readonly kind: 'loop'; readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly kind: 'fail'; readonly failure: ModelFailureKind }
  | { readonly kind: 'help' | 'recap' };

/** One row of the table. Rows are tried in order; a row whose tool is not offered, or would refuse the input, is passed over. */
export interface Phrase {
  /** How a person would say it; it matches the row's own pattern. */
  readonly example: string;
  readonly pattern: RegExp;
  /** Left out of `help`. */
  readonly unlisted?: true;
  act(...words: string[]): Act;
}

const LONGEST_SLEEP_S = 570;
const LONGEST_STREAM = 2000;

const CLOCK = String.raw`\d{1,2}(?::\d\d)? ?(?:am|pm)?|noon|midnight`;
/** What comes first, when comes last: `remind me to call Bob at noon`. */
const TEXT_BEFORE_TIME = new RegExp(
  String.raw`^remind me to ([\s\S]+?),? (in \d+ ?[a-z]+(?: \d+ ?[a-z]+)*|(?:(?:on|next) [a-z]+|today|tomorrow|every [a-z, ]+?)(?: at)? (?:${CLOCK})|at (?:${CLOCK}))[.!]?$`,
  'i',
);

export const PHRASES: readonly Phrase[] = [
  {
    example: 'hello',
    pattern: /^(?:hello|hi|hey|good (?:morning|evening|day))(?: (?:there|hermod))?[.!]*$/i,
    act: () => say('Hello! Try one of these: `list files`, `delete the build folder`, `help`.'),
  },
  { example: 'help', pattern: /^(?:help|what can you do)[.!?]*$/i, act: () => ({ kind: 'help' }) },
  { example: 'what happened', pattern: /^what happened[.!?]*$/i, act: () => ({ kind: 'recap' }) },
  { example: 'list files', pattern: /^list (?:the |all )?files$/i, act: () => shell('ls -1A') },
  { example: 'list files', pattern: /^list (?:the |all )?files$/i, act: () => call('list_files', {}) },
  {
    example: 'in background sleep 5',
    pattern: /^in (?:the )?background:? ([\s\S]+)$/i,
    act: (cmd) => call('shell', { command: cmd, background: true }),
  },
  {
    example: 'remind me in 2 minutes to stretch',
    pattern: /^remind me ((?:in|at|on|next|today|tomorrow|every|\d{4}-)[\s\S]*?) to ([\s\S]+)$/i,
    act: (when, what) => reminder(when, `Reminder: ${what}`, what),
  },
  {
    example: 'in 2 minutes remind me to stretch',
    pattern: /^((?:in|at|on|next|today|tomorrow|every) [^\n]+?),? remind me(?: to ([\s\S]+))?$/i,
    unlisted: true,
    act: (when, what) => reminder(when, `Reminder: ${what || 'you asked me to remind you'}`, what || 'reminder'),
  },
  {
    example: 'remind me to stretch in 2 minutes',
    pattern: TEXT_BEFORE_TIME,
    unlisted: true,
    act: (what, when) => reminder(when, `Reminder: ${what}`, what),
  },
  {
    example: 'every weekday at 9am say good morning',
    pattern: /^(every [^\n]+?|daily [^\n]+?),? say:? ([\s\S]+)$/i,
    act: (when, what) => reminder(when, what, `say ${what}`),
  },
  {
    example: 'every 15 minutes run date',
    pattern: /^(every [^\n]+?|daily [^\n]+?),? run:? ([\s\S]+)$/i,
    act: (when, command) => job(when, `run ${command}`, command),
  },
  { example: 'list jobs', pattern: /^list (?:my |the |all )?jobs$/i, act: () => call('schedule', { action: 'list' }) },
  {
    example: 'cancel job 3f9a',
    pattern: /^(?:cancel|delete|remove) (?:the )?job ([\s\S]+)$/i,
    act: (id) => call('schedule', { action: 'remove', job: bare(id) }),
  },
  {
    example: 'Run this command and report its output: ```date```',
    pattern: /^run this command and report its output:\s*(?:```\w*\n?)?([\s\S]+?)\n?(?:```)?$/i,
    unlisted: true,
    act: (cmd) => shell(cmd),
  },
  { example: 'run date', pattern: /^run:? ([\s\S]+)$/i, act: (cmd) => shell(unticked(cmd)) },
  { example: '$ date', pattern: /^\$ ?([\s\S]+)$/, act: (cmd) => shell(cmd) },
  { example: 'slow 20', pattern: /^slow (\d{1,4})$/i, act: (seconds) => sleep(Number(seconds)) },
  {
    example: 'delete notes.txt',
    pattern: /^delete (?:the )?(?:(?:file|folder|directory) )?(.+?)(?: folder| directory)?$/i,
    act: (path) => remove(path),
  },
  {
    example: 'read notes.txt',
    pattern: /^read (?:the )?(?:file )?(.+)$/i,
    act: (path) => call('read_file', { path: bare(path) }),
  },
  {
    example: 'write notes.txt: milk and bread',
    pattern: /^write (?:the )?(?:file )?("[^"]+"|'[^']+'|[^:\n]+?)\s*:\s*([\s\S]+)$/i,
    act: (path, content) => call('write_file', { path: bare(path), content }),
  },
  {
    example: 'change milk to tea in notes.txt',
    pattern: /^change (.+?) to (.+) in (\S+|"[^"]+")$/i,
    act: (old, text, path) => call('patch', { path: bare(path), old: bare(old), new: bare(text) }),
  },
  { example: 'find milk', pattern: /^find (.+)$/i, act: (text) => call('search_files', { pattern: bare(text) }) },
  { example: 'fetch https://example.org/', pattern: /^fetch (\S+)$/i, act: (url) => call('web_fetch', { url }) },
  {
    example: 'ask me Which colour?: red or green',
    pattern: /^ask me (.+?)(?::\s+(\S.*? or \S.*))?$/is,
    act: (question, choices) => ask(question, choices),
  },
  {
    example: 'delegate list files',
    pattern: /^delegate:? ([\s\S]+)$/i,
    act: (goal) => call('delegate', { workers: [{ goal }] }),
  },
  {
    example: 'code console.log(6 * 7)',
    pattern: /^code:?\s+([\s\S]+)$/i,
    act: (code) => call('execute_code', { language: 'js', code: unticked(code) }),
  },
  {
    example: 'stream 100 words',
    pattern: /^stream (\d{1,5}) words?$/i,
    act: (count) => say(countingWords(Number(count))),
  },
  { example: 'say good night', pattern: /^say:? ([\s\S]+)$/i, act: (text) => say(bare(text)) },
  {
    example: 'fail with overloaded',
    pattern: new RegExp(`^fail with (${FAILURE_KINDS.join('|')})$`, 'i'),
    act: (kind) => ({ kind: 'fail', failure: kind.toLowerCase() as ModelFailureKind }),
  },
  { example: 'loop', pattern: /^loop$/i, act: () => ({ kind: 'loop', tool: 'shell', input: { command: 'true' } }) },
];

/** The acts of all rows that read this phrase, in the table's order. */
export function readPhrase(text: string): readonly Act[] {
  const phrase = text.trim();
  return PHRASES.flatMap((row) => {
    const match = row.pattern.exec(phrase);
    return match ? [row.act(...match.slice(1).map((word) => word ?? ''))] : [];
  });
}

function say(text: string): Act {
  return { kind: 'say', text };
}

function call(tool: string, input: Record<string, unknown>): Act {
  return { kind: 'call', tool, input };
}

/** `A, B or C` */
function ask(question: string, choices: string): Act {
  const listed = choices === '' ? [] : choices.split(/\s*,\s*|\s+or\s+/i).filter((choice) => choice !== '');
  return call('clarify', listed.length === 0 ? { question } : { question, choices: listed });
}

function job(when: string, prompt: string, name: string): Act {
  return call('schedule', { action: 'create', when: when.trim(), prompt, name: name.slice(0, 80) });
}

function reminder(when: string, text: string, name: string): Act {
  return call('schedule', { action: 'create', when: when.trim(), text, name: name.slice(0, 80) });
}

function shell(command: string): Act {
  return call('shell', { command });
}

function sleep(seconds: number): Act {
  const length = Math.min(seconds, LONGEST_SLEEP_S);
  return call(
    'shell',
    length > 60 ? { command: `sleep ${length}`, timeout_s: length + 30 } : { command: `sleep ${length}` },
  );
}

function remove(path: string): Act {
  return shell(`rm -r -- ${shellQuoted(bare(path))}`);
}

/** One shell word, whatever the text holds. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Without the quotes or backticks people put around a name. */
function bare(text: string): string {
  const trimmed = text.trim();
  return /^(["'`])((?:(?!\1)[\s\S])+)\1$/.exec(trimmed)?.[2] ?? trimmed;
}

/** Without backticks around the whole; quotes belong to the command. */
function unticked(text: string): string {
  return /^`([^`]+)`$/.exec(text.trim())?.[1] ?? text;
}

function countingWords(count: number): string {
  const words = Array.from({ length: Math.min(Math.max(count, 1), LONGEST_STREAM) }, (_, i) => `word${i + 1}`);
  return words.join(' ');
}
