import type { Call } from '../call.ts';
import { optionsOf } from '../call.ts';
import type { Field } from '../field.ts';
import { literalField } from '../field.ts';
import { entryOf } from '../lookup.ts';
import { parseOptions } from '../options.ts';
import type { Inner, Peel, PlainWrapper } from './inner.ts';
import { bothReadings, foldersOf, joinFields, plain, RUNS_CODE, splitWords } from './inner.ts';
import { afterDashes, shellText, textOption } from './peel-makers.ts';

/** What `cmake -E verb` does, as the program that does the same. */
const CMAKE_TOOLS: Readonly<Record<string, readonly string[]>> = {
  rm: ['rm'],
  remove: ['rm', '-f'],
  remove_directory: ['rm', '-r'],
  copy: ['cp'],
  copy_if_different: ['cp'],
  copy_directory: ['cp', '-r'],
  rename: ['mv'],
  touch: ['touch'],
  make_directory: ['mkdir', '-p'],
  create_symlink: ['ln', '-s'],
  create_hardlink: ['ln'],
  cat: ['cat'],
  tar: ['tar'],
  env: ['env'],
  time: [],
};

const cmake: Peel = (call) => {
  const [flag, verb, ...rest] = call.args;
  if (flag?.text !== '-E' || !verb) return [];
  const [folder, ...words] = rest;
  if (verb.text === 'chdir' && folder)
    return words.length > 0 ? [{ ...started(call, words), cwds: foldersOf(call, folder) }] : [];
  const tool = entryOf(CMAKE_TOOLS, verb.text);
  const argv = tool ? [...tool.map((text) => literalField(text, verb.span)), ...rest] : [];
  return argv.length > 0 ? [started(call, argv)] : [];
};

function started(call: Call, argv: readonly Field[]): Inner {
  return { run: { kind: 'argv', argv }, wrapper: { program: call.program }, bar: RUNS_CODE };
}

const DAEMON =
  'S|start K|stop T|status H|help x|exec: a|startas: p|pidfile: n|name: u|user: g|group: c|chuid: r|chroot: s|signal: R|retry: q|quiet t|test o|oknodo b|background m|make-pidfile d|chdir: N|nicelevel: P|procsched: I|iosched: k|umask: O|output: v|verbose C|no-close ppid: pid: notify-await notify-timeout: remove-pidfile';

/** `start-stop-daemon -S -x program -- words`. */
const startDaemon: Peel = (call) => {
  const options = optionsOf(call, DAEMON, { stop: true });
  const program = options.value('a') ?? options.value('x');
  if (options.has('K', 'T') || !program) return [];
  const identity = call.args.map(({ text }) => text).join(' ');
  return [{ ...started(call, [program, ...options.operands]), wrapper: { program: call.program, identity } }];
};

/** `ts words` of task-spooler; `ts format` of moreutils only prints. */
const taskSpooler = plain({ options: 'n f m d E B L: D: N: g:', idle: [...'lKCSkctriwu'] });
const ts: Peel = (call) => (call.args.some(({ text }) => text.includes('%')) ? [] : taskSpooler(call));

const PUEUE =
  'w|working-directory: e|escape i|immediate s|stashed d|delay: g|group: a|after o|priority: l|label: p|print-task-id follow c|config: profile: v|verbose color:';

/** pueue joins the words for a shell. */
const pueue: Peel = (call) => {
  const [verb, ...rest] = parseOptions(call.args, PUEUE, { stop: true }).operands;
  const words = verb?.text === 'add' ? parseOptions(rest, PUEUE, { stop: true }).operands : [];
  return words.length > 0 ? bothReadings(words, call, { wrapper: { program: 'pueue' }, bar: RUNS_CODE }) : [];
};

const gpgAgent: Peel = (call) => {
  const options = optionsOf(
    call,
    'daemon server supervised homedir: options: log-file: pinentry-program: default-cache-ttl: max-cache-ttl: s|sh c|csh v|verbose q|quiet use-standard-socket enable-ssh-support debug-level:',
    { stop: true },
  );
  return options.has('daemon') && options.operands.length > 0 ? [started(call, options.operands)] : [];
};

/** `mvn exec:exec -Dexec.executable=program -Dexec.args=words`. */
const maven: Peel = (call) => {
  const named = (name: RegExp) =>
    call.args.flatMap((arg): readonly Field[] => {
      const value = name.exec(arg.text)?.[1];
      return value === undefined ? [] : [{ ...arg, raw: '', text: value }];
    });
  const [program] = named(/^-Dexec\.executable=(.+)$/s);
  if (!program) return [];
  const words = named(/^-Dexec\.(?:args|commandlineArgs)=(.*)$/s).flatMap(splitWords);
  const listed = named(/^-Dexec\.arguments=(.*)$/s).flatMap((list) =>
    list.text.split(',').map((text) => ({ ...list, text })),
  );
  return [started(call, [program, ...words, ...listed])];
};

const SLURM =
  'A|account: acctg-freq: a|array: b|begin: c|cpus-per-task: C|constraint: cpu-bind: d|dependency: D|chdir: e|error: E|preserve-env export: exclusive? F|nodefile: G|gpus: gpus-per-node: gpus-per-task: gres: H|hold h|help I|immediate? i|input: J|job-name: jobid: k|no-kill K|kill-on-bad-exit? l|label L|licenses: m|distribution: M|clusters: mail-type: mail-user: mem: mem-per-cpu: mem-per-gpu: mem-bind: mpi: n|ntasks: N|nodes: ntasks-per-node: o|output: O|overcommit overlap p|partition: pty? q|qos: Q|quiet r|relative: R|reservation: s|oversubscribe S|core-spec: t|time: time-min: T|threads: u|unbuffered U v|verbose V w|nodelist: W|wait: x|exclude: X Z|no-allocate wrap: parsable';
const LAUNCHED: Readonly<Record<string, PlainWrapper>> = {
  srun: { options: SLURM },
  salloc: { options: SLURM },
  lockf: { options: 'k n s w p t: T', skip: 1 },
  lckdo: { options: 'w W: e E: t q s', skip: 1 },
  pfexec: { options: 'P:' },
  jexec: { options: 'l u: U:', skip: 1 },
  'sandbox-exec': { options: 'f: n: p: D:' },
  minijail0: { options: 'u: g: c: C: P: b: B: k: S: T: i l L n p v U r e? m? M? f: t? h H I K? a:' },
  tcpserver: { options: 'q Q v p P h H r R d D o O U E e l: i: I: t: g: u: c: C: b: B: x: X: k: 1 3', skip: 2 },
  tcpsvd: { options: 'h H p v E l: u: c: C: b: x: i: m: t: K:', skip: 2 },
  tsocks: { options: '' },
  rtprio: { options: 't', skip: 1 },
  idprio: { options: 't', skip: 1 },
  limits: { options: 'S H B E e a v: C: U: P: b: c: d: f: k: l: m: n: o: p: s: t: u: w: y:' },
  cpuset: { options: 'c g i l: n: s: d: j: p: r t: x:', idle: ['g'] },
  qrsh: { options: 'l: q: N: o: e: j: b: now: cwd V v: P: inherit noshell verbose', style: { singleDash: true } },
};

const MPI_VALUE =
  /^--?(?:n|np|c|N|npernode|ppn|perhost|H|host|hosts|f|hostfile|machinefile|x|genvlist|envlist|wdir|wd|path|prefix|tune|am|bind-to|map-by|rank-by|cpu-set|rf|rankfile|output-filename|timeout)$/;
const MPI_PAIR = /^--?(?:g?mca|pmca|prtemca|g?env)$/;

/** `mpirun options words : options words`. */
const mpi: Peel = (call) => {
  const cut = call.args.findIndex(({ text }) => text === ':');
  const part = cut < 0 ? call.args : call.args.slice(0, cut);
  let at = 0;
  while (part[at]?.text.startsWith('-')) {
    const { text } = part[at] as Field;
    at += MPI_PAIR.test(text) ? 3 : MPI_VALUE.test(text) ? 2 : 1;
  }
  const first = at < part.length ? [started(call, part.slice(at))] : [];
  return cut < 0 ? first : [...first, ...mpi({ ...call, args: call.args.slice(cut + 1) })];
};

/** `snap run --shell name words`: a shell in the place of the program. */
const snap: Peel = (call) => {
  const options = optionsOf(call, 'shell command: hook: r|revision: trace-exec strace? gdbserver?', { stop: true });
  const [verb, ...rest] = options.operands;
  const inner = parseOptions(rest, 'shell command: hook: r|revision: trace-exec strace? gdbserver?', { stop: true });
  if (verb?.text !== 'run' || !inner.has('shell') || inner.operands.length < 2) return [];
  return [started(call, [literalField('sh', verb.span), ...inner.operands.slice(1)])];
};

const FLATPAK =
  'command: user system installation: arch: branch: d|devel runtime: runtime-version: cwd: file-forwarding env: env-fd: unset-env: share: unshare: socket: nosocket: device: nodevice: allow: disallow: filesystem: nofilesystem: add-policy: persist: p|die-with-parent sandbox parent-pid: v|verbose';

/** `flatpak run --command=program app words`. */
const flatpak: Peel = (call) => {
  const [verb, ...rest] = optionsOf(call, FLATPAK, { stop: true }).operands;
  const inner = parseOptions(rest, FLATPAK, { stop: true });
  const program = inner.value('command');
  return verb?.text === 'run' && program ? [started(call, [program, ...inner.operands.slice(1)])] : [];
};

/** `newgrp group -c text`. */
const newgrp: Peel = (call) => {
  const at = call.args.findIndex(({ text }) => text === '-c' || text === '--command');
  const words = at < 0 ? [] : call.args.slice(at + 1);
  return words.length > 0 ? [shellText(call, joinFields(words, call))] : [];
};

const LSF = 'q: n: o: e: i: J: W: M: R: m: P: w: I K B N x r H b: t: u: L: app: cwd: env: gpu:';

/** bsub joins the words for a shell. */
const bsub: Peel = (call) => {
  const { operands } = optionsOf(call, LSF, { stop: true });
  return operands.length > 0 ? bothReadings(operands, call, { wrapper: { program: 'bsub' }, bar: RUNS_CODE }) : [];
};

/** `jobs -x words`. */
const jobs: Peel = (call) => (call.args[0]?.text === '-x' && call.args[1] ? [started(call, call.args.slice(1))] : []);

/** `xinit /path/to/client words -- server`. */
const xinit: Peel = (call) => {
  const cut = call.args.findIndex(({ text }) => text === '--');
  const argv = cut < 0 ? call.args : call.args.slice(0, cut);
  return /^[./]/.test(argv[0]?.text ?? '') ? [started(call, argv)] : [];
};

/** The one of libslack and the one of BSD, whose options differ. */
const LIBSLACK = plain({
  options:
    'n|name: X|command: P|pidfiles: F|pidfile: u|user: R|chroot: D|chdir: m|umask: e|env: i|inherit U|unsafe S|safe c|core r|respawn a|acceptable: A|attempts: L|delay: M|limit: f|foreground p|pty B|bind l|errlog: b|dbglog: o|output: O|stdout: E|stderr: N|noconfig C|config: v|verbose d|debug running restart stop signal: list',
  idle: ['running', 'restart', 'stop', 'signal', 'list'],
});
const BSD_DAEMON = plain({ options: 'c f S H r p: P: l: m: o: R: s: t: T: u:' });
const daemon: Peel = (call) => [...LIBSLACK(call), ...BSD_DAEMON(call)];

/** Programs that only start another one: of build tools, schedulers, sandboxes and daemons. */
export const launcherPeels: Readonly<Record<string, Peel>> = {
  ...Object.fromEntries(Object.entries(LAUNCHED).map(([name, spec]) => [name, plain(spec)])),
  cmake,
  'start-stop-daemon': startDaemon,
  ts,
  pueue,
  'gpg-agent': gpgAgent,
  mvn: maven,
  mvnw: maven,
  mvnd: maven,
  mpirun: mpi,
  mpiexec: mpi,
  orterun: mpi,
  prterun: mpi,
  sbatch: textOption(SLURM, 'wrap'),
  bsub,
  jobs,
  xinit,
  startx: xinit,
  daemon,
  nsjail: afterDashes(),
  execlineb: textOption('c: P p s: S: w W: q', 'c'),
  newgrp,
  snap,
  flatpak,
};
