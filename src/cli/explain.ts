import type { Analysis, Facts } from '../approvals/analysis.ts';
import { analyze } from '../approvals/analyze.ts';
import type { ApprovalsConfig } from '../approvals/policy-config.ts';
import { resolvePath } from '../approvals/shell/paths.ts';
import { AUTHORITIES, type AuthorityName, type Explained, explained } from './explain-decisions.ts';
import { explainedJson, explainedLines, ruleLines } from './explain-output.ts';

/** Where `explain` reads and writes; it looks at nothing else and changes nothing. */
export interface ExplainPlace {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  readonly stdin: AsyncIterable<string | Uint8Array>;
  readonly facts: Facts;
  readonly config: ApprovalsConfig;
}

interface Asked {
  readonly command: string;
  readonly as: AuthorityName | undefined;
  readonly cwd: string | undefined;
  readonly json: boolean;
  readonly stdin: boolean;
  readonly rules: boolean;
}

const EXIT = { allow: 0, ask: 2, block: 3 } as const;
const USAGE = `hermod explain 'COMMAND' [--as ${AUTHORITIES.join('|')}] [--cwd FOLDER] [--json], --stdin, or --rules`;

/**
 * What the detector finds in a command and what would be decided for every authority under the present configuration.
 * Exit 0: it would run; 2: somebody would be asked; 3: it would be refused (`--as`, else a person in a chat); 64: wrong usage.
 * With `--stdin` each line is a command or a JSON string of one, each answer one JSON line, and the exit is 0.
 */
export async function explain(args: readonly string[], place: ExplainPlace): Promise<number> {
  const wanted = readArguments(args);
  if (typeof wanted === 'string') {
    place.err(`${wanted} Use ${USAGE}.`);
    return 64;
  }
  if (wanted.rules) {
    for (const line of ruleLines(wanted.json)) place.out(line);
    return 0;
  }
  const facts = wanted.cwd === undefined ? place.facts : { ...place.facts, cwd: folder(wanted.cwd, place.facts) };
  if (wanted.stdin) return explainLines(place, facts);
  const result = judge(wanted.command, facts, place.config);
  if (wanted.json) place.out(explainedJson(result));
  else for (const line of explainedLines(result, wanted.as)) place.out(line);
  return EXIT[result.decisions[wanted.as ?? 'chat'].kind];
}

function judge(command: string, facts: Facts, config: ApprovalsConfig): Explained {
  const analysis: Analysis = analyze(command, facts);
  return explained(command, analysis, config);
}

function folder(text: string, facts: Facts): string {
  const home = text === '~' || text.startsWith('~/') ? facts.home + text.slice(1) : text;
  return `/${resolvePath(home, facts.cwd).parts.join('/')}`;
}

/** Our own options stand anywhere before `--`; every other word belongs to the command. */
function readArguments(args: readonly string[]): Asked | string {
  const words: string[] = [];
  const flags = new Set<string>();
  const values = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const [name, attached] = splitOption(args[i] as string);
    if (name === '--') {
      words.push(...args.slice(i + 1));
      break;
    }
    if (name === '--as' || name === '--cwd') {
      const value = attached ?? args[++i];
      if (value === undefined) return `${name} needs a value.`;
      values.set(name, value);
    } else if (name === '--json' || name === '--stdin' || name === '--rules') flags.add(name);
    else if (words.length === 0 && name.startsWith('--')) return `There is no option ${name}.`;
    else words.push(args[i] as string);
  }
  return asked(words, flags, values);
}

function splitOption(arg: string): readonly [name: string, value: string | undefined] {
  const eq = arg.startsWith('--') ? arg.indexOf('=') : -1;
  return eq < 0 ? [arg, undefined] : [arg.slice(0, eq), arg.slice(eq + 1)];
}

function asked(
  words: readonly string[],
  flags: ReadonlySet<string>,
  values: ReadonlyMap<string, string>,
): Asked | string {
  const as = values.get('--as');
  const [stdin, rules] = [flags.has('--stdin'), flags.has('--rules')];
  if (as !== undefined && !isAuthority(as)) return `There is no authority "${as}".`;
  if (words.length === 0 && !stdin && !rules) return 'There is no command to explain.';
  return { command: words.join(' '), as, cwd: values.get('--cwd'), json: flags.has('--json'), stdin, rules };
}

function isAuthority(text: string): text is AuthorityName {
  return (AUTHORITIES as readonly string[]).includes(text);
}

/** One command a line; a line that is a JSON string is that string. */
async function explainLines(place: ExplainPlace, facts: Facts): Promise<number> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of place.stdin) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) answerLine(line, place, facts);
  }
  answerLine(rest, place, facts);
  return 0;
}

function answerLine(line: string, place: ExplainPlace, facts: Facts): void {
  const text = line.replace(/\r$/, '');
  if (text.trim() === '') return;
  place.out(explainedJson(judge(commandOf(text), facts, place.config)));
}

function commandOf(line: string): string {
  if (!line.startsWith('"')) return line;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? value : line;
  } catch {
    return line;
  }
}
