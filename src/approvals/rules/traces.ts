import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs, optionsOf } from '../shell/call.ts';
import { asksHelp, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

function changesJobs(call: Call): Hit {
  if (asksHelp(call)) return false;
  switch (call.program) {
    case 'crontab':
      return (
        optionsOf(call, 'u: l r e i n s V T').has('r', 'e') ||
        (!hasArg(call, '-l', '-V', '-T') && (call.args.length > 0 || call.stdin.kind !== 'none')) ||
        (optionsOf(call, 'u: l r e i').operands.length > 0 && !hasArg(call, '-l', '-T'))
      );
    case 'at':
    case 'batch':
      return !hasArg(call, '-l', '-V', '-c') && (call.args.length > 0 || call.stdin.kind !== 'none');
    case 'atrm':
      return call.args.length > 0;
    case 'schtasks':
      return call.args.some((arg) => /^\/(?:create|delete|change|run|end)$/i.test(arg.text));
    default:
      return true;
  }
}

const HISTORY = /(?:^|\/)\.(?:\w+_history|history|lesshst|viminfo)$/;

function hidesTraces(call: Call): Hit {
  switch (call.program) {
    case 'history':
      return optionsOf(call, 'c d: a n r w p s').has('c', 'd', 'w');
    case 'journalctl':
      return knownArgs(call).some((arg) => /^--(?:vacuum|rotate|flush|relinquish-var|setup-keys)/.test(arg));
    case 'wevtutil':
      return isVerb(operandsOf(call), ['cl', 'clear-log', 'sl']);
    case 'clear-eventlog':
    case 'remove-eventlog':
    case 'clear-history':
      return true;
    case 'ln':
      return call.args.some(({ text }) => text === '/dev/null') && call.args.some(({ text }) => HISTORY.test(text));
    case 'unset':
      return hasArg(call, 'HISTFILE', 'HISTSIZE');
    case 'log':
      return (
        isVerb(operandsOf(call), ['erase']) || (operandsOf(call)[0] === 'config' && hasArg(call, '--mode', '--reset'))
      );
    case 'vssadmin':
    case 'wbadmin':
      return call.args.some((arg) => /^(?:delete|resize)$/i.test(arg.text));
    case 'wmic':
      return call.args.some((arg) => /^(?:delete|call|terminate)$/i.test(arg.text));
    case 'reg':
      return call.args.some((arg) => /^(?:delete|add|import|restore|load|unload|copy)$/i.test(arg.text));
    case 'defaults':
      return isVerb(operandsOf(call), ['delete', 'delete-all', '* delete']) || hasArg(call, '-delete-all');
    case 'dconf':
      return isVerb(operandsOf(call), ['reset']) && hasArg(call, '-f');
    case 'tccutil':
      return operandsOf(call)[0] === 'reset';
    default:
      return call.program !== 'logrotate' || hasArg(call, '-f', '--force');
  }
}

export const traceRules: readonly Rule[] = [
  {
    id: 'host.jobs',
    grade: 'dangerous',
    programs: [
      'crontab',
      'at',
      'batch',
      'atrm',
      'schtasks',
      'register-scheduledtask',
      'unregister-scheduledtask',
      'new-scheduledtask',
    ],
    test: changesJobs,
    why: "changes the machine's scheduled jobs",
    match: [
      'crontab -r',
      'crontab jobs.txt',
      'echo "* * * * * x" | crontab -',
      'crontab -e',
      'schtasks /create /tn x /tr y',
      'echo ls | at now',
    ],
    notMatch: ['crontab -l', 'atq', 'crontab -l -u bob', 'schtasks /query', 'at -l'],
  },
  {
    id: 'host.traces',
    grade: 'dangerous',
    programs: [
      'history',
      'ln',
      'journalctl',
      'wevtutil',
      'clear-eventlog',
      'remove-eventlog',
      'clear-history',
      'unset',
      'log',
      'logrotate',
      'vssadmin',
      'wbadmin',
      'wmic',
      'reg',
      'defaults',
      'dconf',
      'tccutil',
    ],
    test: hidesTraces,
    why: 'clears logs, history or stored settings',
    match: [
      'history -c',
      'ln -sf /dev/null ~/.bash_history',
      'journalctl --vacuum-time=1s',
      'unset HISTFILE',
      'wevtutil cl System',
      'reg delete HKCU\\\\x /f',
      'vssadmin delete shadows /all',
    ],
    notMatch: [
      'history',
      'ln -s /dev/null x',
      'journalctl -u ssh',
      'unset FOO',
      'wevtutil el',
      'reg query HKCU',
      'defaults read com.apple.dock',
    ],
  },
];
