import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs, optionsOf } from '../shell/call.ts';
import { mightBe } from '../shell/glob-match.ts';
import { isKnown } from '../shell/marks.ts';
import { matchesDaemon, matchesRuntime } from './daemon-names.ts';
import { asksHelp, fieldHit } from './matching.ts';
import { killTargets, signalNames } from './processes.ts';
import type { Hit, Rule } from './rule.ts';
import { CHANNEL_PROGRAMS, stopsThroughChannel } from './session-stops.ts';

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
      return stopsThroughChannel(call);
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
    if (/hermod|hermes|gateway/i.test(raw) || matchesDaemon(commandWord(raw), call.facts)) return fieldHit(field);
  }
  return false;
}

/** The pattern inside `$(pgrep pattern)`. */
function commandWord(raw: string): string {
  const match = /(?:pgrep|pidof|pkill)\s+(?:-\S+\s+)*["']?([^"'`)|]+)/.exec(raw);
  return match?.[1]?.trim() ?? '';
}

/** More than a person names at once. */
const MAX_NAMES = 40;

function namesDaemon(call: Call): Hit {
  const names =
    call.program === 'pkill' || call.program === 'killall'
      ? signalNames(call)
      : knownArgs(call).filter((arg) => !/^[-/]/.test(arg));
  const full = hasArg(call, '-f', '--full') || knownArgs(call).some((arg) => /^-[a-zA-Z]*f/.test(arg));
  if (hasArg(call, '-l', '--list', '-0', '-V', '--version')) return false;
  if (names.length > MAX_NAMES) return true;
  const whole = call.program === 'killall' ? !hasArg(call, '-r', '--regexp') : hasArg(call, '-x', '--exact');
  return names.some(
    (name) =>
      matchesDaemon(whole ? `^(${name})$` : name, call.facts) ||
      (call.program === 'pkill' && matchesRuntime(whole ? `^(${name})$` : name, full)) ||
      (!full && ['node', 'nodejs', 'node.exe'].some((own) => name === own || (!isKnown(name) && mightBe(name, own)))),
  );
}

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
      ...CHANNEL_PROGRAMS,
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
      "pkill -f 'her(mod|mes)'",
      "pkill -f 'node.*herm[o]d'",
      'pkill -f /opt/herm',
      'tmux send-keys -t hermod C-c',
      'screen -S hermod -X quit',
      'gdbus call --session -d org.freedesktop.systemd1 -o /org/freedesktop/systemd1 -m org.freedesktop.systemd1.Manager.KillUnit hermod.service all 9',
      'start-stop-daemon -K -n hermod',
      'prlimit --pid $PPID --nofile=1',
      'renice 19 -p $PPID',
    ],
    notMatch: [
      'tmux attach -t hermod',
      'screen -r hermod',
      'start-stop-daemon -K -n nginx',
      'prlimit --pid 999 --nofile=1',
      'renice 19 -p 1234',
      "pkill -f 'node.*(vite|webpack)'",
      'pkill -f /opt/app',
      'kill 1234',
      'pkill -f nginx',
      'systemctl status hermod',
      'pgrep hermod',
      'killall firefox',
    ],
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
];
