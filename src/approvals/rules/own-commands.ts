import { foldersFrom } from '../shell/builtins.ts';
import type { Call } from '../shell/call.ts';
import { optionsOf, pathsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { literalField } from '../shell/field.ts';
import { isWithin, resolvePath } from '../shell/paths.ts';
import { asksHelp, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

/** Verbs of hermod's own command line that only look. */
const LOOKS = [
  'status',
  'doctor',
  'explain',
  'logs',
  'version',
  'help',
  'list',
  'show',
  'get',
  'tail',
  'validate',
  'check',
  'open',
  'models',
  'metrics',
  'usage',
];

const LOOKING = [
  'approvals list|show|test',
  'grants list|show',
  'jobs list|show|runs|next|preview',
  'job list|show|runs',
  'schedule list|show|preview|next',
  'sessions list|show|search|export',
  'audit list|verify|show',
  'config get|list|show|path|check|explain|schema',
  'pair list',
  'outbox list|show',
  'backup list|verify',
  'service print|status',
  'memory list|show|search',
  'skills list|show',
  'tools list|show',
  'platforms list|status',
  'access list|show',
];

function commandsHermod(call: Call): Hit {
  const words = operandsOf(call, 'home: set: config: as: cwd: json stdin');
  if (words.length < 2 && asksHelp(call, true)) return false;
  const [first] = words;
  if (first === undefined || LOOKS.includes(first)) return false;
  return !isVerb(words, LOOKING);
}

/** The words hermod's command line would get through an entry of its own: launcher, main file, package script. */
function launched(call: Call): readonly Field[] | undefined {
  const { program, args } = call;
  const script = /^(?:npm|pnpm|yarn|bun|cnpm)$/.test(program) ? packageScript(call) : undefined;
  if (script) return script;
  if (program === 'node') {
    const named = nodeScript(call);
    if (named) return scriptWords(call, named.text, named.rest, call.state.cwds);
  }
  const own = args.findIndex((arg) => isOwnEntry(call, arg));
  if (own >= 0 && RUNTIMES.has(program)) return afterEntry(args.slice(own + 1));
  return isOwnEntry(call, call.argv0) && !/^herm(?:od|es)$/.test(program) ? afterEntry(args) : undefined;
}

const RUNTIMES = new Set(['node', 'bun', 'deno', 'python', 'exec']);

/** launch.mjs knows four words of its own; behind `hermod` stands a command line. */
function afterEntry(words: readonly Field[]): readonly Field[] {
  return words[0]?.text === 'hermod' ? words.slice(1) : words;
}

function isOwnEntry(call: Call, field: Field): boolean {
  if (OWN_ENTRY.test(field.text)) return true;
  const { installation } = call.facts;
  return (
    /\.[cm]?[jt]s$/.test(field.text) &&
    (pathsOf(call, field).some((path) => installation !== undefined && isWithin(path, installation)) ||
      /(?:^|\/)hermod\/(?:src|dist)\/main\.[jt]s$/.test(field.text))
  );
}

/** `node --run script -- words`. */
function nodeScript(call: Call): { readonly text: string; readonly rest: readonly Field[] } | undefined {
  const at = call.args.findIndex((arg) => /^--run(?:=|$)/.test(arg.text));
  const flag = call.args[at];
  if (!flag) return undefined;
  const text = flag.text === '--run' ? call.args[at + 1]?.text : flag.text.slice('--run='.length);
  return { text: text ?? '', rest: call.args.slice(at + (flag.text === '--run' ? 2 : 1)) };
}

function packageScript(call: Call): readonly Field[] | undefined {
  const options = optionsOf(call, 'C|prefix|dir|cwd: w|workspace|filter: F: s|silent if-present y|yes', { stop: true });
  const [verb, ...rest] = options.operands;
  if (!verb) return undefined;
  const folder = options.value('C') ?? prefixAfter(rest);
  const where = folder ? foldersFrom(call.state.cwds, folder.text) : call.state.cwds;
  if (/^(?:run|run-script|rum|urn)$/.test(verb.text))
    return scriptWords(call, rest[0]?.text ?? '', rest.slice(1), where);
  return scriptWords(call, verb.text, rest, where);
}

function prefixAfter(rest: readonly Field[]): Field | undefined {
  const at = rest.findIndex((arg) => /^(?:--prefix|-C|--dir|--cwd)$/.test(arg.text));
  const attached = rest.find((arg) => /^(?:--prefix|--dir|--cwd)=/.test(arg.text));
  return attached
    ? { ...attached, text: attached.text.slice(attached.text.indexOf('=') + 1) }
    : at < 0
      ? undefined
      : rest[at + 1];
}

/** The package script `hermod` is ours anywhere, `start` where hermod itself lies. */
function scriptWords(
  call: Call,
  script: string,
  rest: readonly Field[],
  cwds: Call['state']['cwds'],
): readonly Field[] | undefined {
  const words = rest.filter((arg) => arg.text !== '--');
  if (script === 'hermod') return words;
  const { installation } = call.facts;
  const here =
    installation !== undefined && cwds.some((cwd) => cwd !== null && isWithin(resolvePath('.', cwd), installation));
  return here && script === 'start' ? [literalField('start', call.span), ...words] : undefined;
}

/** The daemon through its launcher or its module: `node scripts/launch.mjs stop`, `python -m hermes_cli gateway restart`. */
function launches(call: Call): Hit {
  const words = launched(call)?.map((field) => field.text);
  const operands = words?.filter((word) => !word.startsWith('-')) ?? [];
  if (!words || (operands.length < 2 && words.includes('--help'))) return false;
  const [first] = operands;
  if (first === undefined) return words.includes('--gateway');
  return first !== 'test' && first !== 'bench' && !LOOKS.includes(first) && !isVerb(words, LOOKING);
}

const OWN_ENTRY = /(?:^|[/\\])(?:launch\.mjs|hermod(?:\.mjs|\.js)?|cli\.py)$|^hermes_cli(?:\.\w+)*$/;

export const ownCommandRules: readonly Rule[] = [
  {
    id: 'self.command',
    grade: 'dangerous',
    programs: ['hermod', 'hermes'],
    test: commandsHermod,
    why: "changes hermod's policy, grants, jobs or state",
    personOnly: true,
    match: [
      'hermod approvals set mode off',
      'hermod stop',
      'hermod grants set x --jobs on',
      'hermod pair approve K7MP',
      'hermod config set approvals.mode off',
      'npx hermod restart',
    ],
    notMatch: [
      'hermod status',
      'hermod --help',
      'hermod approvals list',
      'hermod explain "rm x"',
      'hermod audit verify',
    ],
  },
  {
    id: 'self.launcher',
    grade: 'dangerous',
    programs: [
      'node',
      'bun',
      'deno',
      'python',
      'npm',
      'pnpm',
      'yarn',
      'cnpm',
      'hermes_cli',
      'hermes_cli.main',
      'cli.py',
      'launch.mjs',
      'main.ts',
      'main.js',
    ],
    test: launches,
    why: 'starts or stops hermod through its launcher',
    personOnly: true,
    match: [
      'node scripts/launch.mjs stop',
      'node /opt/hermod/scripts/launch.mjs restart',
      'python -m hermes_cli.main gateway restart',
      'npm run hermod -- approve k7f2',
      'pnpm hermod approve k7f2',
      'node --run hermod -- approve k7f2',
      'cd /opt/hermod && npm start',
      'npm --prefix /opt/hermod start',
      'node /opt/hermod/src/main.ts approve k7f2',
      'cd /opt/hermod && node src/main.ts deny k7f2',
      '/opt/hermod/scripts/launch.mjs hermod stop',
    ],
    notMatch: [
      'node server.js',
      'node scripts/launch.mjs status',
      'node app.js stop',
      'npm start',
      'npm run build',
      'node src/main.ts',
      'node --run start',
      'npm run hermod -- status',
      'cd /opt/hermod && npm test',
    ],
  },
];
