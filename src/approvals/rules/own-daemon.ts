import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs } from '../shell/call.ts';
import { mightBe } from '../shell/glob-match.ts';
import { isKnown } from '../shell/marks.ts';
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
  if (asksHelp(call, true)) return false;
  const words = operandsOf(call, 'home: set: config: as: cwd: json stdin');
  const [first] = words;
  if (first === undefined || LOOKS.includes(first)) return false;
  return !isVerb(words, LOOKING);
}

function callsOwnApi(call: Call): Hit {
  const url = call.args.find(
    (arg) =>
      /(?:127\.0\.0\.1|localhost|\[::1\]|0\.0\.0\.0):8790\b/.test(arg.text) ||
      /(?:127\.0\.0\.1|localhost|\[::1\]):\d+\/api\/v1\/(?:approvals|grants|config|jobs|sessions|audit|pair|access|stop|restart)\b/.test(
        arg.text,
      ),
  );
  if (!url || /\/(?:healthz|readyz|metrics)\b/.test(url.text)) return false;
  return fieldHit(url);
}

/** The daemon through its launcher or its module: `node scripts/launch.mjs stop`, `python -m hermes_cli gateway restart`. */
function launches(call: Call): Hit {
  const words = [call.argv0, ...call.args].map((arg) => arg.text);
  const own = words.findIndex((word) => OWN_ENTRY.test(word));
  if (own < 0) return false;
  return words
    .slice(own + 1)
    .some((word) =>
      /^(?:stop|restart|setup|uninstall|restore|reset|update|run|gateway|--gateway|start|kill)$/.test(word),
    );
}

const OWN_ENTRY = /(?:^|[/\\])(?:launch\.mjs|hermod(?:\.mjs|\.js)?|cli\.py)$|^hermes_cli(?:\.\w+)*$/;

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
    ],
    test: callsOwnApi,
    why: "calls hermod's own interface",
    personOnly: true,
    match: [
      'curl -X POST http://127.0.0.1:8790/api/v1/approvals/x/decision',
      'curl http://localhost:8790/api/v1/sessions',
      'wget -qO- http://127.0.0.1:9999/api/v1/grants',
    ],
    notMatch: [
      'curl http://127.0.0.1:8790/healthz',
      'curl http://localhost:3000/api/items',
      'curl https://x.example/api/v1/approvals',
    ],
  },
  {
    id: 'self.launcher',
    grade: 'dangerous',
    programs: ['node', 'bun', 'deno', 'python', 'hermes_cli', 'hermes_cli.main', 'cli.py', 'launch.mjs'],
    test: launches,
    why: 'starts or stops hermod through its launcher',
    personOnly: true,
    match: [
      'node scripts/launch.mjs stop',
      'node /opt/hermod/scripts/launch.mjs restart',
      'python -m hermes_cli.main gateway restart',
    ],
    notMatch: ['node server.js', 'node scripts/launch.mjs status', 'node app.js stop'],
  },
];
