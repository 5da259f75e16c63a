import type { Call } from '../call.ts';
import { hasArg, optionsOf } from '../call.ts';
import { parseOptions } from '../options.ts';
import type { Inner, Peel } from './inner.ts';
import { exportedFunctions, foldersOf, joinFields, plain, RUNS_CODE, UNKNOWN_OPTION } from './inner.ts';

export const SUDO_OPTIONS =
  'A|askpass b|background B|bell C|close-from: D|chdir: E preserve-env? e|edit g|group: H|set-home h|host: i|login K|remove-timestamp k|reset-timestamp l|list n|non-interactive N|no-update P|preserve-groups p|prompt: R|chroot: r|role: S|stdin s|shell T|command-timeout: t|type: U|other-user: u|user: V|version v|validate help a: c:';

/** sudo also takes assignments; with `-i` or `-s` a shell reads the words again. */
const sudo: Peel = (call) => {
  const options = parseOptions(call.args, SUDO_OPTIONS, { stop: true });
  if (options.has('l', 'v', 'V', 'help', 'e')) return [];
  const rest = [...options.operands];
  const assignments = [];
  while (rest[0] && /^[A-Za-z_][^=]*=/.test(rest[0].text)) assignments.push(rest.shift() as (typeof rest)[number]);
  if (rest.length === 0) return [];
  const group = options.value('g');
  const user = options.value('u')?.text ?? (group ? call.facts.user : 'root');
  const folder = options.value('D');
  const inner: Inner = {
    run: options.has('i', 's') ? { kind: 'shell', text: joinFields(rest, call) } : { kind: 'argv', argv: rest },
    wrapper: {
      program: call.program,
      identity: `sudo:${user}${group ? `:${group.text}` : ''}${options.has('R') ? `@${options.value('R')?.text}` : ''}`,
    },
    ...(options.unknown ? { bar: UNKNOWN_OPTION } : {}),
    ...(assignments.length > 0 ? { assignments } : {}),
    ...(folder ? { cwds: foldersOf(call, folder) } : {}),
    ...(options.has('i') ? { cwds: [null] } : {}),
  };
  return [...exportedFunctions(call, assignments), inner];
};

const SU_OPTIONS =
  'c|command|session-command: s|shell: l|login m p|preserve-environment P|pty g|group: G|supp-group: f|fast w|whitelist-environment: u|user: T h V';

/** `su [-] user -c text`: options anywhere, the user is an operand; `runuser -u user words`: what follows belongs to the words. */
const su: Peel = (call) => {
  const ahead = optionsOf(call, SU_OPTIONS, { stop: true });
  const direct = call.program === 'runuser' && ahead.has('u');
  const options = direct ? ahead : optionsOf(call, SU_OPTIONS);
  const operands = options.operands.filter((field) => field.text !== '-');
  const user = (direct ? options.value('u')?.text : operands[0]?.text) ?? 'root';
  const wrapper = { program: call.program, identity: `${call.program}:${user}` };
  const text = options.value('c');
  if (text)
    return [
      {
        run: { kind: 'shell', text },
        wrapper,
        bar: RUNS_CODE,
        ...(hasArg(call, '-', '-l', '--login') ? { cwds: [null] } : {}),
      },
    ];
  if (direct && operands.length > 0) return [{ run: { kind: 'argv', argv: operands }, wrapper }];
  return [];
};

function target(call: Call): string {
  return parseOptions(call.args, 'userspec: groups: skip-chdir u: g: G: n:', { stop: true }).operands[0]?.text ?? '';
}

export const identityPeels: Readonly<Record<string, Peel>> = {
  sudo,
  please: sudo,
  su,
  runuser: su,
  doas: plain({
    options: 'a: C: L n s u:',
    identity: (options) => `doas:${options.value('u')?.text ?? 'root'}`,
    assigns: true,
  }),
  run0: plain({
    options:
      'u|user: g|group: D|chdir: unit: slice: slice-inherit property: description: nice: setenv: background: machine: via-shell no-ask-password pty pipe shell-prompt-prefix: lightweight: i|empower a|area: version h|help',
    identity: (options) => `run0:${options.value('u')?.text ?? 'root'}`,
    folder: 'D',
  }),
  pkexec: plain({
    options: 'user: disable-internal-agent keep-cwd',
    identity: (options) => `pkexec:${options.value('user')?.text ?? 'root'}`,
  }),
  chroot: plain({
    options: 'userspec: groups: skip-chdir u: g: G: n:',
    skip: 1,
    identity: (_, call) => `chroot:${target(call)}`,
  }),
  unshare: plain({
    options:
      'm mount? u uts? i ipc? n net? p pid? U user? C cgroup? T time? f|fork mount-proc? mount-binfmt? r|map-root-user c|map-current-user map-auto map-users: map-groups: map-user: map-group: propagation: setgroups: R|root: w|wd: S|setuid: G|setgid: kill-child? keep-caps monotonic: boottime: load-interp:',
    identity: () => 'unshare',
    folder: 'w',
  }),
  nsenter: plain({
    options:
      'a|all t|target: m|mount? u|uts? i|ipc? n|net? p|pid? C|cgroup? U|user? T|time? S|setuid: G|setgid: r|root? w|wd? W|wdns: e|env F|no-fork Z preserve-credentials user-parent',
    identity: (options) => `nsenter:${options.value('t')?.text ?? ''}`,
  }),
  'aws-vault': plain({
    options: 'd|duration: n|no-session j s: region:',
    skip: 2,
    identity: (_, call) => `aws-vault:${call.args[1]?.text ?? ''}`,
  }),
};
