import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs, pathsOf } from '../shell/call.ts';
import { entryOf } from '../shell/lookup.ts';
import { isSysrqTrigger } from '../shell/places.ts';
import { asksHelp, isVerb, operandsOf } from './matching.ts';
import type { Pick } from './picks.ts';
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
    case 'runit-init':
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
  'runit-init',
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
  'sponge',
  'dd',
  'cp',
];

/** Programs that write into what they name, beside redirections. */
const WRITERS: Readonly<Record<string, Pick>> = {
  tee: (call) => call.args,
  sponge: (call) => call.args,
  dd: (call) => call.args.flatMap((arg) => (arg.text.startsWith('of=') ? [{ ...arg, text: arg.text.slice(3) }] : [])),
  cp: (call) => call.args.slice(-1),
};

/** `b` reboots at once, `o` powers off, `c` crashes. */
function writesSysrq(call: Call): boolean {
  const target = [
    ...call.files.filter((file) => file.use !== 'read').map((file) => file.target),
    ...(entryOf(WRITERS, call.program)?.(call) ?? []),
  ];
  const opens = target.some((field) => pathsOf(call, field).some(isSysrqTrigger));
  if (!opens) return false;
  const text = sysrqKeys(call);
  return text === null || /[boc]/.test(text.replace(/^-n\s*/, ''));
}

/** What is written, null where only running it would tell. */
function sysrqKeys(call: Call): string | null {
  if (call.program === 'cp' || call.args.some(({ text }) => text.startsWith('if='))) return null;
  if (Object.hasOwn(WRITERS, call.program)) return call.stdin.text;
  return call.args.map((arg) => arg.text).join(' ') || call.stdin.text;
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
      'printf b | sudo dd of=/proc/sysrq-trigger',
      "python3 -c \"open('/proc/sysrq-trigger','w').write('b')\"",
      'systemctl isolate reboot.target',
      'loginctl reboot',
      'pmset schedule shutdown "12/12/26 10:00:00"',
      `osascript -e 'tell application "Finder" to restart'`,
      `osascript -e 'tell application "loginwindow" to «event aevtrsdn»'`,
      `osascript -l JavaScript -e 'Application("System Events").shutDown()'`,
    ],
    notMatch: [
      'last reboot',
      'echo s | sudo dd of=/proc/sysrq-trigger',
      'python3 -c "print(open(\'/proc/sys/kernel/sysrq\').read())"',
      'shutdown -c',
      'systemctl status reboot.target',
      'echo reboot',
      'reboot --help',
      'systemctl reboot --help',
      'init 3',
      'pmset -g sched',
      'man shutdown',
      `osascript -e 'display alert "They want to restart" message "shut down"'`,
      `osascript -e 'get name of every process whose name contains "restart" -- to restart'`,
      `osascript -l JavaScript -e 'console.log("shutDown()")'`,
    ],
  },
];
