import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs, pathsOf } from '../shell/call.ts';
import { formatPath } from '../shell/paths.ts';
import { asksHelp, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';
import { SYSTEMCTL } from './services.ts';

const STOP_VERBS = ['reboot', 'poweroff', 'halt', 'kexec', 'soft-reboot'];

const STOP_TARGETS =
  /^(?:reboot|poweroff|halt|kexec|shutdown|runlevel[06]|ctrl-alt-del|umount|exit)\.target$|^(?:systemd-)?(?:reboot|poweroff|halt|kexec)\.service$/;

function stopsHost(call: Call): Hit {
  const args = knownArgs(call);
  switch (call.program) {
    case 'shutdown':
      return (
        !asksHelp(call) &&
        !args.some((arg) => /^(?:-c|-k|-a|\/a|\/\?|--show|-[a-zA-Z]*c[a-zA-Z]*)$/.test(arg)) &&
        (args.length > 0 || call.args.length === 0)
      );
    case 'reboot':
    case 'halt':
    case 'poweroff':
      return !asksHelp(call) && !hasArg(call, '-w', '--wtmp-only');
    case 'init':
    case 'telinit':
      return /^[06]$/.test(operandsOf(call, 't:')[0] ?? '');
    case 'systemctl':
      return systemctlStops(call);
    case 'loginctl':
      return isVerb(operandsOf(call), ['reboot', 'poweroff', 'halt']);
    case 'initctl':
      return isVerb(operandsOf(call), ['reboot', 'poweroff', 'emit shutdown']);
    case 'kexec':
      return hasArg(call, '-e', '--exec', '-f', '--force');
    case 'openrc-shutdown':
    case 'restart-computer':
    case 'stop-computer':
    case 'fasthalt':
    case 'uadmin':
      return !asksHelp(call) && !args.some((arg) => /^-whatif$/i.test(arg));
    case 'dbus-send':
    case 'busctl':
    case 'gdbus':
      return (
        args.some((arg) =>
          /login1\.Manager\.(?:Reboot|PowerOff|Halt)$|ConsoleKit\.Manager\.(?:Stop|Restart)$|systemd1\.Manager\.(?:Reboot|PowerOff|Halt|KExec)$/.test(
            arg,
          ),
        ) ||
        (args.includes('org.freedesktop.login1.Manager') && args.some((arg) => /^(?:Reboot|PowerOff|Halt)$/.test(arg)))
      );
    case 'ipmitool':
      return isVerb(operandsOf(call, 'H: U: P: I: L:'), [
        'chassis|power power|off|reset|cycle|soft',
        'power off|reset|cycle|soft',
      ]);
    case 'pmset':
      return isVerb(operandsOf(call), ['schedule|repeat|relative shutdown|restart|poweron-shutdown']);
    case 'launchctl':
      return isVerb(operandsOf(call), ['reboot']) && !isVerb(operandsOf(call), ['reboot logout|apps']);
    case 'rundll32':
      return args.some((arg) => /ExitWindowsEx|SetSuspendState/i.test(arg));
    default:
      return writesSysrq(call);
  }
}

function systemctlStops(call: Call): boolean {
  if (asksHelp(call, true) || hasArg(call, '--dry-run')) return false;
  const [verb, ...units] = operandsOf(call, SYSTEMCTL);
  if (verb !== undefined && STOP_VERBS.includes(verb)) return true;
  return (
    /^(?:start|isolate|restart|reload-or-restart)$/.test(verb ?? '') &&
    units.some(
      (unit) => STOP_TARGETS.test(unit) || (verb === 'isolate' && /^(?:reboot|poweroff|halt|kexec)$/.test(unit)),
    )
  );
}

const STOPPERS = [
  'shutdown',
  'reboot',
  'halt',
  'poweroff',
  'init',
  'telinit',
  'systemctl',
  'loginctl',
  'initctl',
  'kexec',
  'openrc-shutdown',
  'restart-computer',
  'stop-computer',
  'fasthalt',
  'uadmin',
  'dbus-send',
  'busctl',
  'gdbus',
  'ipmitool',
  'rundll32',
  'pmset',
  'launchctl',
  'tee',
];

/** `b` reboots at once, `o` powers off, `c` crashes. */
function writesSysrq(call: Call): boolean {
  const target = [
    ...call.files.filter((file) => file.use !== 'read').map((file) => file.target),
    ...(call.program === 'tee' ? call.args : []),
  ];
  const opens = target.some((field) => pathsOf(call, field).some((path) => formatPath(path) === '/proc/sysrq-trigger'));
  if (!opens) return false;
  const text = call.program === 'tee' ? call.stdin.text : call.args.map((arg) => arg.text).join(' ') || call.stdin.text;
  return text === null || /[boc]/.test(text.replace(/^-n\s*/, ''));
}

export const hostStopRules: readonly Rule[] = [
  {
    id: 'host.stop',
    grade: 'hardline',
    programs: STOPPERS,
    decorated: true,
    test: stopsHost,
    why: 'stops or restarts the machine',
    match: [
      'sudo reboot',
      'shutdown -h now',
      'init 0',
      'systemctl poweroff -i',
      'echo b > /proc/sysrq-trigger',
      'systemctl isolate reboot.target',
      'loginctl reboot',
      'pmset schedule shutdown "12/12/26 10:00:00"',
    ],
    notMatch: [
      'last reboot',
      'shutdown -c',
      'systemctl status reboot.target',
      'echo reboot',
      'reboot --help',
      'systemctl reboot --help',
      'init 3',
      'pmset -g sched',
      'man shutdown',
    ],
  },
];
