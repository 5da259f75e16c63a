import type { Call } from '../shell/call.ts';
import { hasArg, optionsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { entryOf } from '../shell/lookup.ts';
import { isKnown } from '../shell/marks.ts';
import { TAINT } from '../shell/taint.ts';
import { asksHelp, fieldHit } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

/** Signals that give a process no say, or are meant to break it. */
const FORCED = /^(?:SIG)?(?:KILL|STOP|ABRT|QUIT|SEGV|BUS|ILL|FPE|SYS|TRAP|IOT|9|19|6|3|11|7|4|8|31|5|17|23)$/i;
const GENTLE_NUMBERS = new Set(['0', '1', '2', '10', '12', '15', '18', '28', '17']);

interface Kill {
  readonly signal: string;
  readonly pids: readonly Field[];
  /** It only lists or checks. */
  readonly idle: boolean;
}

/** `kill -9 pid`, `kill -s KILL pid`, `kill -n 9 -- -1`; the first word may be a signal and a negative number a group. */
function readKill(call: Call): Kill {
  let signal = 'TERM';
  let named = false;
  const pids: Field[] = [];
  let open = true;
  for (let i = 0; i < call.args.length; i++) {
    const field = call.args[i] as Field;
    const text = field.text;
    if (open && text === '--') open = false;
    else if (open && !named && /^-(?:s|n|-signal|q|-queue)$/.test(text)) {
      signal = call.args[++i]?.text ?? signal;
      named = !/q/.test(text);
    } else if (open && !named && /^--signal=/.test(text)) {
      signal = text.slice(9);
      named = true;
    } else if (open && pids.length === 0 && /^-(?:l|L|-list|-table|V|-help|-version|h)/.test(text))
      return { signal, pids: [], idle: true };
    else if (
      open &&
      !named &&
      pids.length === 0 &&
      /^-(?:[A-Za-z][A-Za-z0-9+-]*|\d+)$/.test(text) &&
      (call.args.length > i + 1 || /[A-Za-z]/.test(text))
    ) {
      signal = text.slice(1).replace(/^[sn](?=[A-Z0-9])/, '');
      named = true;
    } else if (!/^--(?:timeout|verbose|all|pid)/.test(text) && text !== '-a' && text !== '-p') pids.push(field);
  }
  return { signal, pids, idle: signal === '0' || /^EXIT$/i.test(signal) };
}

function isForced(signal: string): boolean {
  return FORCED.test(signal) && !GENTLE_NUMBERS.has(signal);
}

function killsAll(call: Call): Hit {
  if (call.program === 'killall5') return !asksHelp(call);
  const kill = readKill(call);
  if (kill.idle) return false;
  const all = kill.pids.find((pid) => /^-0*1$/.test(pid.text));
  return all ? fieldHit(all) : false;
}

function killsHard(call: Call): Hit {
  if (asksHelp(call)) return false;
  switch (call.program) {
    case 'kill':
    case 'skill':
    case 'tkill':
      return killsPid(call);
    case 'pkill':
    case 'killall':
    case 'pidwait':
      return forcedByName(call) || killsBroadly(call);
    case 'fuser':
      return optionsOf(call, 'k|kill i s v m n: a c f u 4 6 l M w').has('k');
    case 'taskkill':
      return call.args.some((arg) => /^[/-]f$/i.test(arg.text));
    case 'stop-process':
      return call.args.some((arg) => /^-f(?:o(?:r(?:ce?)?)?)?$/i.test(arg.text)) || call.stdin.kind !== 'none';
    case 'kill-port':
    case 'fkill':
    case 'xkill':
    case 'slay':
      return true;
    default:
      return false;
  }
}

function killsPid(call: Call): Hit {
  const kill = readKill(call);
  if (kill.idle) return false;
  if (call.frame.appended && kill.pids.some((pid) => !isKnown(pid.text)))
    return { why: 'signals processes that are only known when it runs' };
  const open = kill.pids.find((pid) => !isKnown(pid.text) || pid.expanded);
  if (open && !isOwnChild(call, open)) return fieldHit(open, 'signals a process that is only known when it runs');
  const group = kill.pids.find((pid) => /^-\d+$/.test(pid.text) || pid.text === '0');
  if (group) return fieldHit(group, 'signals a whole process group');
  if (!isForced(kill.signal)) return false;
  const foreign = kill.pids.find((pid) => !isOwnChild(call, pid));
  return foreign ? fieldHit(foreign, 'ends a process without giving it a chance to finish') : false;
}

/** A job of this shell (`%1`, `$!`) or a process the session's tools started. */
function isOwnChild(call: Call, pid: Field): boolean {
  if (/^%/.test(pid.text) || (pid.taint & TAINT.child) !== 0) return true;
  return isKnown(pid.text) && call.facts.childPids.includes(Number(pid.text));
}

const PKILL =
  'signal: f|full g|pgroup: G|group: i|ignore-case n|newest o|oldest P|parent: s|session: t|terminal: u|euid: U|uid: v|inverse x|exact F|pidfile: L q|queue: e|echo c|count r|runstates: ns: nslist: l a d: O|older: A H|require-handler mrelease';
const KILLALL =
  'e|exact I|ignore-case g|process-group i|interactive l|list n|ns: q|quiet r|regexp s|signal: u|user: v|verbose V|version w|wait y|younger-than: o|older-than: Z: m d c: t: z';

export function signalNames(call: Call): readonly string[] {
  const grammar = call.program === 'killall' ? KILLALL : PKILL;
  const options = optionsOf({ ...call, args: call.args.filter((arg) => !isSignalFlag(arg.text)) }, grammar);
  return options.operands.map((field) => field.text);
}

function isSignalFlag(text: string): boolean {
  return /^-(?:\d+|(?:SIG)?(?:HUP|INT|QUIT|ILL|TRAP|ABRT|BUS|FPE|KILL|USR1|SEGV|USR2|PIPE|ALRM|TERM|STKFLT|CHLD|CONT|STOP|TSTP|TTIN|TTOU|URG|XCPU|XFSZ|VTALRM|PROF|WINCH|IO|PWR|SYS))$/i.test(
    text,
  );
}

function forcedByName(call: Call): boolean {
  const flag = call.args.find((arg) => isSignalFlag(arg.text));
  const value = optionsOf(call, call.program === 'killall' ? KILLALL : PKILL).value(
    call.program === 'killall' ? 's' : 'signal',
  );
  return isForced(flag?.text.slice(1) ?? '') || isForced(value?.text ?? '');
}

/** Everything of a person, a terminal, or every name. */
function killsBroadly(call: Call): boolean {
  if (hasArg(call, '-l', '--list', '-V', '--version', '-0')) return false;
  const options = optionsOf(
    { ...call, args: call.args.filter((arg) => !isSignalFlag(arg.text)) },
    call.program === 'killall' ? KILLALL : PKILL,
  );
  const names = options.operands;
  if (options.has('u', 'U', 'G', 't', 'g', 'v', 's', 'P') && names.length === 0) return true;
  return names.some((name) => name.expanded || !isKnown(name.text) || /^(?:\.|\.\*|\.\+|\^|\$|)$/.test(name.text));
}

/** Programs that read another process, and how they are told which. */
const ATTACHERS: Readonly<Record<string, (call: Call) => readonly Field[]>> = {
  gdb: (call) => {
    const options = optionsOf(
      call,
      'p|pid: x|command: ex|eval-command: batch q|quiet nx args s: e: c|core: d: cd: tui iex: ix:',
      {
        singleDash: true,
      },
    );
    return [...options.values('p'), ...options.operands.slice(1, 2).filter(({ text }) => /^\d+$/.test(text))];
  },
  lldb: (call) => optionsOf(call, 'p|attach-pid: n|attach-name: o|one-line: b|batch f|file: c|core:').values('p'),
  strace: (call) => optionsOf(call, STRACE).values('p'),
  ltrace: (call) => optionsOf(call, STRACE).values('p'),
  gcore: (call) => optionsOf(call, 'o: a').operands,
  criu: (call) =>
    call.args[0]?.text === 'dump' || call.args[0]?.text === 'pre-dump'
      ? optionsOf(call, 't|tree: D: W: o:').values('t')
      : [],
  reptyr: (call) => optionsOf(call, 'T s l L v V').operands,
};
const STRACE = 'p|attach: e|trace: o|output: s: a: S: u: E: I: P: O: f F c C t r q v x y T i k z Z d';

function attaches(call: Call): Hit {
  if (asksHelp(call)) return false;
  const pid = entryOf(ATTACHERS, call.program)?.(call).find((field) => !isOwnChild(call, field));
  return pid ? fieldHit(pid) : false;
}

/** BSD's `e` shows the environment with each process; `-e` shows every process. */
function showsEnvironment(call: Call): Hit {
  const word = call.args.find(
    ({ text }, i) => /^[a-zA-Z]+$/.test(text) && /e/.test(text) && !/[oOUutkpqCGgNs]$/.test(bundle(call.args[i - 1])),
  );
  if (word) return fieldHit(word);
  const flag = call.facts.os === 'darwin' ? call.args.find(({ text }) => /^-[a-zA-Z]*E/.test(text)) : undefined;
  return flag ? fieldHit(flag) : false;
}

/** The word before, where its last letter can take this one as its value. */
function bundle(before: Field | undefined): string {
  return before && /^(?:--?)?[a-zA-Z]+$/.test(before.text) ? before.text : '';
}

export const processRules: readonly Rule[] = [
  {
    id: 'proc.all',
    grade: 'hardline',
    programs: ['kill', 'killall5'],
    test: killsAll,
    why: 'signals every process of the machine',
    match: ['kill -9 -1', 'kill -KILL -- -1', 'kill -s TERM -1', 'sudo kill -1 -1', 'killall5 -9'],
    notMatch: ['kill -1 1234', 'kill -9 1', 'kill 1', 'kill -l', 'echo kill -9 -1'],
  },
  {
    id: 'proc.kill',
    grade: 'dangerous',
    programs: [
      'kill',
      'skill',
      'tkill',
      'pkill',
      'killall',
      'pidwait',
      'fuser',
      'taskkill',
      'stop-process',
      'kill-port',
      'fkill',
      'xkill',
      'slay',
    ],
    test: killsHard,
    why: 'ends processes by force or by a pattern',
    smart: true,
    match: [
      'kill -9 1234',
      'kill $(pidof node)',
      'killall -9 firefox',
      'pkill -KILL x',
      'pgrep x | xargs kill',
      'fuser -k 80/tcp',
      'pkill -u bob',
    ],
    notMatch: [
      'kill 1234',
      'kill -0 1234',
      'pkill -f nginx',
      'sleep 9 & kill $!',
      'kill -l',
      'killall -V',
      'kill -HUP 1234',
    ],
  },
  {
    id: 'proc.attach',
    grade: 'dangerous',
    programs: Object.keys(ATTACHERS),
    test: attaches,
    why: 'reads the memory of another process, with all its secrets',
    match: [
      'gdb -p 1234',
      'gdb --pid=1234 -batch',
      'strace -f -p 1234',
      'gcore 1234',
      'gdb ./app 1234',
      'criu dump -t 1234 -D d',
    ],
    notMatch: ['gdb ./app', 'gdb -batch -ex bt ./app core', 'strace ls', 'strace -f -o log make', 'criu check'],
  },
  {
    id: 'proc.environ',
    grade: 'dangerous',
    programs: ['ps'],
    test: showsEnvironment,
    why: 'shows the environment of processes, with all its secrets',
    match: ['ps e', 'ps auxe', 'ps eww 1234', 'ps axewww'],
    notMatch: ['ps -e', 'ps -ef', 'ps aux', 'ps axo pid,etime', 'ps -C node', 'ps -o etime 1', 'ps -p 1'],
  },
];

export function killTargets(call: Call): readonly Field[] {
  return readKill(call).idle ? [] : readKill(call).pids;
}
