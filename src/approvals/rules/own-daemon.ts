import { enterFolder } from '../shell/builtins.ts';
import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs, optionsOf, pathsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { literalField } from '../shell/field.ts';
import { mightBe } from '../shell/glob-match.ts';
import { isLoopback, isOwnUrl, ownPort } from '../shell/loopback.ts';
import { CLOSE, isKnown, OPEN } from '../shell/marks.ts';
import { isWithin, resolvePath } from '../shell/paths.ts';
import { asksHelp, fieldHit, isVerb, operandsOf } from './matching.ts';
import { killTargets, matchesDaemon, signalNames } from './processes.ts';
import type { Hit, Rule } from './rule.ts';

function stopsDaemon(call: Call): Hit {
  if (asksHelp(call)) return false;
  switch (call.program) {
    case 'kill':
    case 'skill':
      return killsDaemon(call);
    case 'pkill':
    case 'killall':
    case 'taskkill':
    case 'stop-process':
      return namesDaemon(call);
    case 'systemctl':
    case 'service':
    case 'launchctl':
    case 'supervisorctl':
    case 'pm2':
    case 'brew':
    case 'rc-service':
    case 'initctl':
    case 'sv':
    case 'monit':
    case 'docker':
    case 'docker-compose':
    case 'sc':
    case 'nssm':
      return (
        changesState(call) &&
        knownArgs(call)
          .slice(1)
          .some((arg) =>
            /(?:^|[\W_])(?:hermod|hermes)(?:$|[\W_])|hermod|hermes-gateway|^gateway(?:\.service)?$/i.test(arg),
          )
      );
    default:
      return false;
  }
}

function changesState(call: Call): boolean {
  return call.args.some((arg) =>
    /^(?:stop|restart|kill|disable|mask|try-restart|reload-or-restart|unload|bootout|remove|kickstart|delete|del|rm|down|pause|reload|isolate|revert|edit)$/.test(
      arg.text,
    ),
  );
}

function killsDaemon(call: Call): Hit {
  const { pid, parentPid, hermodHome } = call.facts;
  for (const field of killTargets(call)) {
    if (isKnown(field.text) && [pid, parentPid].some((own) => own > 1 && Math.abs(Number(field.text)) === own))
      return fieldHit(field);
    if (/\$\{?PPID\b/.test(field.raw)) return fieldHit(field);
    if (!field.expanded) continue;
    const raw = field.raw.replaceAll('~/.hermod', hermodHome);
    if (/hermod|hermes|gateway/i.test(raw) || matchesDaemon(commandWord(raw))) return fieldHit(field);
  }
  return false;
}

/** The pattern inside `$(pgrep pattern)`. */
function commandWord(raw: string): string {
  const match = /(?:pgrep|pidof|pkill)\s+(?:-\S+\s+)*["']?([^"'`)|]+)/.exec(raw);
  return match?.[1]?.trim() ?? '';
}

function namesDaemon(call: Call): Hit {
  const names =
    call.program === 'pkill' || call.program === 'killall'
      ? signalNames(call)
      : knownArgs(call).filter((arg) => !/^[-/]/.test(arg));
  const full = hasArg(call, '-f', '--full') || knownArgs(call).some((arg) => /^-[a-zA-Z]*f/.test(arg));
  if (hasArg(call, '-l', '--list', '-0', '-V', '--version')) return false;
  return names.some(
    (name) =>
      matchesDaemon(name) ||
      (!full && ['node', 'nodejs', 'node.exe'].some((own) => name === own || (!isKnown(name) && mightBe(name, own)))) ||
      (full && /^\^?node\$?$/.test(name)),
  );
}

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

/** hermod's interface as a URL, as host and port apart, or through a proxy of any name. */
function callsOwnApi(call: Call): Hit {
  const url = call.args.find((arg) => isOwnUrl(withoutFlag(arg.text), call.facts));
  if (url) return fieldHit(url);
  const port = String(ownPort(call.facts));
  const at = call.args.findIndex((arg) => arg.text === port);
  const host = call.args[at - 1];
  if (at > 0 && host && isLoopback(host.text)) return fieldHit(host);
  const routed = call.args.find((arg) => /^(?:--(?:resolve|connect-to)(?:=|$))/.test(arg.text));
  const target = routed && call.args.find((arg) => arg.text.includes(`:${port}`));
  if (target) return fieldHit(target);
  return socatTarget(call, port);
}

/** `--url=http://..`, `-Xhttp://..` do not hide what is called. */
function withoutFlag(text: string): string {
  const plain = text.replaceAll(OPEN, '[').replaceAll(CLOSE, ']');
  return /^--?[\w-]+=/.test(plain) ? plain.slice(plain.indexOf('=') + 1) : plain;
}

/** `TCP:127.1:8790`. */
function socatTarget(call: Call, port: string): Hit {
  if (call.program !== 'socat') return false;
  const target = call.args.find((arg) => {
    const match = /^(?:tcp|udp|openssl|ssl)[46]?(?:-connect)?:(\[[^\]]*\]|[^:,]*):(\d+)/i.exec(arg.text);
    return match?.[2] === port && isLoopback(match[1] as string);
  });
  return target ? fieldHit(target) : false;
}

/** `/dev/tcp/127.1/8790` as a file. */
function opensOwnSocket(call: Call): Hit {
  const file = call.files.find(({ target }) => {
    const match = /^\/dev\/(?:tcp|udp)\/([^/]+)\/([^/]+)/.exec(target.text);
    return match !== null && Number(match[2]) === ownPort(call.facts) && isLoopback(match[1] as string);
  });
  return file ? fieldHit(file.target) : false;
}

/** The words hermod's command line would get through an entry of its own: launcher, main file, package script. */
function launched(call: Call): readonly Field[] | undefined {
  const { program, args } = call;
  const script = /^(?:npm|pnpm|yarn|bun|cnpm)$/.test(program) ? packageScript(call) : undefined;
  if (script) return script;
  if (program === 'node') {
    const named = nodeScript(call);
    if (named) return scriptWords(call, named.text, named.rest);
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
  const where = folder ? { ...call, state: inFolder(call, folder) } : call;
  if (/^(?:run|run-script|rum|urn)$/.test(verb.text)) return scriptWords(where, rest[0]?.text ?? '', rest.slice(1));
  return scriptWords(where, verb.text, rest);
}

function prefixAfter(rest: readonly Field[]): Field | undefined {
  const at = rest.findIndex((arg) => /^(?:--prefix|-C|--dir|--cwd)$/.test(arg.text));
  const attached = rest.find((arg) => /^(?:--prefix|--dir|--cwd)=/.test(arg.text));
  return attached ? { ...attached, text: withoutFlag(attached.text) } : at < 0 ? undefined : rest[at + 1];
}

function inFolder(call: Call, folder: Field): Call['state'] {
  const state = call.state.fork();
  enterFolder(state, folder.text);
  return state;
}

/** The package script `hermod` is ours anywhere, `start` where hermod itself lies. */
function scriptWords(call: Call, script: string, rest: readonly Field[]): readonly Field[] | undefined {
  const words = rest.filter((arg) => arg.text !== '--');
  if (script === 'hermod') return words;
  const { installation } = call.facts;
  const here =
    installation !== undefined &&
    call.state.cwds.some((cwd) => cwd !== null && isWithin(resolvePath('.', cwd), installation));
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

/** What hermod gives to all it starts, and what says who may be asked. */
const MARK = /^(?:HERMOD|HERMES)_(?:PROC|CRON_SESSION|GATEWAY_SESSION|EXEC_ASK|INTERACTIVE|YOLO_MODE)$/;

/** Takes the mark off, or sets another. */
function changesMark(call: Call): Hit {
  if (call.assignments.some(([name]) => MARK.test(name))) return true;
  const named = (text: string) => MARK.test(text.split('=')[0] as string);
  switch (call.program) {
    case 'unset': {
      const hit = call.args.find((arg) => named(arg.text) || /HERM(?:OD|ES)_/.test(arg.raw));
      return hit ? fieldHit(hit) : false;
    }
    case 'env': {
      const options = optionsOf(call, 'i u|unset: C|chdir: S|split-string: v', { stop: true });
      const set = options.operands.find((arg) => arg.text.includes('=') && named(arg.text));
      const hit = options.values('u').find((arg) => /^HERM(?:OD|ES)_/.test(arg.text)) ?? set;
      return hit ? fieldHit(hit) : false;
    }
    case 'export':
    case 'declare':
    case 'typeset':
    case 'readonly': {
      const hit = call.args.find((arg) => named(arg.text));
      return hit ? fieldHit(hit) : false;
    }
    default:
      return false;
  }
}

export const ownDaemonRules: readonly Rule[] = [
  {
    id: 'self.stop',
    grade: 'dangerous',
    programs: [
      'kill',
      'skill',
      'pkill',
      'killall',
      'taskkill',
      'stop-process',
      'systemctl',
      'service',
      'launchctl',
      'supervisorctl',
      'pm2',
      'brew',
      'rc-service',
      'initctl',
      'sv',
      'monit',
      'docker',
      'docker-compose',
      'sc',
      'nssm',
    ],
    test: stopsDaemon,
    why: 'stops or restarts hermod itself',
    personOnly: true,
    match: [
      'kill $PPID',
      'pkill -f hermod',
      'killall hermes',
      'systemctl --user restart hermod',
      'kill -9 $(pgrep -f "hermes.*gateway")',
      'pkill -f "cli.py --gateway"',
      'pkill -f herm[o]d',
    ],
    notMatch: ['kill 1234', 'pkill -f nginx', 'systemctl status hermod', 'pgrep hermod', 'killall firefox'],
  },
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
    id: 'self.api',
    grade: 'dangerous',
    programs: [
      'curl',
      'wget',
      'http',
      'https',
      'xh',
      'nc',
      'websocat',
      'iwr',
      'irm',
      'invoke-webrequest',
      'invoke-restmethod',
      'socat',
      'telnet',
      'openssl',
      'lynx',
      'w3m',
      'links',
      'elinks',
      'aria2c',
      'curlie',
      'wscat',
      'ab',
      'hey',
      'wrk',
      'fetch',
    ],
    test: callsOwnApi,
    why: "calls hermod's own interface",
    personOnly: true,
    match: [
      'curl -X POST http://127.0.0.1:8790/api/v1/approvals/x/decision',
      'curl http://localhost:8790/api/v1/sessions',
      'wget -qO- http://127.0.0.1:9999/api/v1/grants',
      'curl -d x 127.1:8790/api/v1/approvals/x/decision',
      'curl http://[::ffff:127.0.0.1]:8790/',
      'curl http://0x7f.1:8790/x',
      'curl http://localhost.:8790/x',
      'nc 127.0.0.1 8790',
      'socat - TCP:localhost:8790',
      'curl --connect-to x:8790:127.0.0.1:8790 http://x:8790/',
      "node -e \"fetch('http://127.1:8790/api/v1/approvals', { method: 'POST' })\"",
      'python3 -c "import urllib.request as u; u.urlopen(\'http://0.0.0.0:8790/api/v1/grants\')"',
    ],
    notMatch: [
      'curl http://127.0.0.1:8790/healthz',
      'curl http://localhost:3000/api/items',
      'curl https://x.example/api/v1/approvals',
      'curl http://10.0.0.7:8790/',
      'nc -zv localhost 5432',
      'node -e "fetch(\'http://localhost:3000/api/items\')"',
    ],
  },
  {
    id: 'self.socket',
    grade: 'dangerous',
    programs: [],
    decorated: true,
    test: opensOwnSocket,
    why: "calls hermod's own interface",
    personOnly: true,
    match: ['exec 3<>/dev/tcp/127.1/8790', 'echo x > /dev/tcp/localhost/8790'],
    notMatch: ['echo x > /dev/tcp/h/80', 'echo x > out.txt'],
  },
  {
    id: 'self.mark',
    grade: 'dangerous',
    programs: ['unset', 'env', 'export', 'declare', 'typeset', 'readonly'],
    decorated: true,
    test: changesMark,
    why: 'changes the mark by which hermod knows what it started',
    personOnly: true,
    match: [
      'env -u HERMOD_PROC setsid hermod status',
      'unset HERMOD_PROC',
      'HERMOD_PROC= sh x.sh',
      'export HERMOD_YOLO_MODE=1',
      'export -n HERMOD_PROC',
      'unset $(compgen -v HERMOD_)',
    ],
    notMatch: [
      'env -u FOO npm test',
      'unset FOO',
      'echo $HERMOD_PROC',
      'export HERMOD_URL=x',
      'HERMOD_HOME=/tmp/x true',
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
