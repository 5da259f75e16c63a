import type { Call } from '../call.ts';
import { literalField } from '../field.ts';
import { parseOptions } from '../options.ts';
import type { Inner, Peel, PlainWrapper } from './inner.ts';
import { joinFields, plain, RUNS_CODE } from './inner.ts';
import { afterDashes, afterVerb, either, textOption } from './peel-makers.ts';

const TIME = 'a|append f|format: o|output: p|portability v|verbose q|quiet l h';

/** Profilers, init programs, terminals and waiters: options, perhaps an operand or two, then the command as it is. */
const STARTERS: Readonly<Record<string, PlainWrapper>> = {
  fakechroot: { options: 's|use-system-libs l|lib: d|elfloader: c|config-dir: e|environment: b|bindir: h v' },
  'arch-chroot': { options: 'N S r u: h', skip: 1 },
  'steam-run': { options: '' },
  'host-spawn': { options: 'no-pty cwd: env:' },
  catatonit: { options: 'g P L v h' },
  dockerize: {
    options: 'wait: timeout: wait-retry-interval: wait-http-header: template: stdout: stderr: delims: no-overwrite',
    style: { singleDash: true },
  },
  'systemd-cat': { options: 't|identifier: p|priority: stderr-priority: level-prefix: namespace:' },
  runcon: { options: 't|type: u|user: r|role: l|range: c|compute', skip: 1, skipped: /:/ },
  heaptrack: { options: 'o|output: r|raw d|debug p|pid: a|analyze: i|interpret', idle: ['p', 'a'] },
  viddy: { options: 'n|interval: d|differences p|precise c|clockwork t|no-title b x s|shell: shell-options: pty' },
  hwatch: { options: 'n|interval: c|color b|batch B|beep t|no-title d|differences? l|logfile: s|shell: x|exec L: N' },
  foot: { options: 'a|app-id: T|title: W: w: e F m c|config: o|override: t|term: H|hold D|working-directory: L' },
  kitty: { options: 'T|title: o|override: c|config: d|directory: 1|single-instance hold detach class: name: session:' },
  'env-cmd': { options: 'f|file: e|environments: r|rc-file: fallback no-override silent x|expand-envs use-shell' },
  envconsul: {
    options:
      'prefix: secret: consul-addr: vault-addr: config: once pristine sanitize upcase log-level: kill-signal: no-prefix',
    style: { singleDash: true },
  },
  'wait-for-it': { options: 'h|host: p|port: t|timeout: s|strict q|quiet', skip: 1, skipped: /:\d/ },
  retry: { options: 't|times: d|delay: i|interval: m|max-time: u|until: b|backoff: a|attempts: w:' },
  zrun: { options: '' },
};

/** `tool [verb] .. -- words`. */
const DASHED: Readonly<Record<string, readonly string[]>> = {
  schroot: [],
  'distrobox-enter': [],
  tox: ['exec'],
  opam: ['exec'],
  dune: ['exec'],
  stack: ['exec'],
  cabal: ['exec'],
  reflex: [],
  cset: ['shield', 'proc'],
  flamegraph: [],
  zellij: ['run'],
  wezterm: ['start', 'cli'],
  spack: ['build-env', 'env'],
  'wait-on': [],
  vercel: ['env'],
};

/** `tool verb [options] words`. */
const VERBED: Readonly<Record<string, readonly [verbs: readonly string[], options: string, skip?: number]>> = {
  opam: [['exec'], 'switch: set-root set-switch'],
  stack: [['exec'], 'package: cwd: plain'],
  cabal: [['exec'], 'v:'],
  rr: [['record'], 'n c: M S h'],
  samply: [['record'], 'o: r: d: p: s n'],
  uftrace: [['record', 'live'], 'a F: N: d: A: R: D: k P: T: C:'],
  netlify: [['dev:exec'], 'context: filter:'],
  consul: [['lock'], 'name: n: timeout: http-addr: token: pass-stdin monitor-retry: verbose shell', 1],
  zellij: [['run'], 'f|floating i|in-place c|close-on-exit n|name: cwd: d|direction:'],
  mix: [['cmd'], 'app: cd:'],
};

/** Options whose value is a text for a shell. */
const TEXTS: Readonly<Record<string, readonly [grammar: string, ...names: string[]]>> = {
  asciinema: ['c|command: t|title: i|idle-time-limit: e|env: q|quiet y|yes overwrite append cols: rows:', 'c'],
  ttyrec: ['e: a u h', 'e'],
  chokidar: ['c|command: d|debounce: t|throttle: i|ignore: initial p|polling silent verbose', 'c'],
  'chokidar-cli': ['c|command: d|debounce: t|throttle: i|ignore: initial p|polling silent verbose', 'c'],
  bpftrace: ['c: e: p: o: f: v d', 'c'],
};

/** The same for options of one dash. */
const LONG_TEXTS: Readonly<Record<string, RegExp>> = {
  'consul-template': /^--?exec(?:=|$)/,
  air: /^--?build\.(?:cmd|bin|full_bin)(?:=|$)/,
};

function longTexts(option: RegExp): Peel {
  return (call) =>
    call.args.flatMap((arg, i): readonly Inner[] => {
      if (!option.test(arg.text)) return [];
      const eq = arg.text.indexOf('=');
      const text = eq < 0 ? call.args[i + 1] : { ...arg, raw: '', text: arg.text.slice(eq + 1) };
      return text ? [{ run: { kind: 'shell', text }, wrapper: { program: call.program }, bar: RUNS_CODE }] : [];
    });
}

function argvOf(call: Call, argv: Call['args']): readonly Inner[] {
  return argv.length > 0 ? [{ run: { kind: 'argv', argv }, wrapper: { program: call.program }, bar: RUNS_CODE }] : [];
}

/** Window managers and terminals under control: the words behind the verb, joined for a shell. */
function toldTo(...verbs: readonly RegExp[]): Peel {
  return (call) => {
    const at = verbs.length;
    if (!verbs.every((verb, i) => verb.test(call.args[i]?.text ?? ''))) return [];
    const words = call.args.slice(at).filter(({ text }, i) => i > 0 || !text.startsWith('--no-startup-id'));
    if (words.length === 0) return [];
    return [
      { run: { kind: 'shell', text: joinFields(words, call) }, wrapper: { program: call.program }, bar: RUNS_CODE },
    ];
  };
}

/** `i3-msg exec text`, also as one word: `i3-msg 'exec text'`. */
const windowManager: Peel = (call) => {
  const inner = toldTo(/^exec(?:_always)?$/)(call);
  const [only] = call.args;
  const match = /^exec(?:_always)?\s+(?:--no-startup-id\s+)?(.+)$/s.exec(only?.text ?? '');
  if (inner.length > 0 || !only || !match) return inner;
  const text = literalField(match[1] as string, only.span, { taint: only.taint, expanded: only.expanded });
  return [{ run: { kind: 'shell', text }, wrapper: { program: call.program }, bar: RUNS_CODE }];
};

/** `ip netns exec name words`, `ip vrf exec name words`. */
const ip: Peel = (call) => {
  const [family, verb, , ...words] = parseOptions(call.args, 'n|netns: 4 6 j|json b|batch: o d s', {
    stop: true,
  }).operands;
  return /^(?:netns|vrf)$/.test(family?.text ?? '') && verb?.text === 'exec' ? argvOf(call, words) : [];
};

/** `cargo watch -s text`, `-x subcommand`, `-- words`. */
const cargo: Peel = (call) => {
  const [verb, ...rest] = call.args;
  if (verb?.text !== 'watch') return [];
  const options = parseOptions(rest, 's|shell: x|exec: w|watch: i|ignore: d|delay: C|workdir: q c B: N why postpone', {
    stop: true,
  });
  const texts = options
    .values('s')
    .map((text): Inner => ({ run: { kind: 'shell', text }, wrapper: { program: 'cargo' }, bar: RUNS_CODE }));
  return texts.length > 0 ? texts : argvOf(call, options.operands);
};

/** `gdb --args words`: what it would debug. */
const gdb: Peel = (call) => {
  const at = call.args.findIndex(({ text }) => text === '--args' || text === '-args');
  return at < 0 ? [] : argvOf(call, call.args.slice(at + 1));
};

const just: Peel = (call) => {
  const at = call.args.findIndex(({ text }) => text === '--command' || text === '-c');
  return at < 0 ? [] : argvOf(call, call.args.slice(at + 1));
};

/** Where `time` is no word of the shell, what follows it begins with an option. */
const optionOfTime: Readonly<Record<string, Peel>> = {
  '-v': plain({ options: TIME, neutral: true }),
  '-l': plain({ options: TIME, neutral: true }),
  '-f': plain({ options: TIME, skip: 1, neutral: true }),
  '-o': plain({ options: TIME, skip: 1, neutral: true }),
};

export const starterPeels: Readonly<Record<string, Peel>> = {
  ...Object.fromEntries(Object.entries(STARTERS).map(([name, spec]) => [name, plain(spec)])),
  ...Object.fromEntries(Object.entries(VERBED).map(([name, spec]) => [name, afterVerb(...spec)])),
  ...Object.fromEntries(
    Object.entries(DASHED).map(([name, verbs]) => {
      const verbed = VERBED[name];
      return [name, verbed ? either(afterDashes(...verbs), afterVerb(...verbed)) : afterDashes(...verbs)];
    }),
  ),
  ...Object.fromEntries(Object.entries(TEXTS).map(([name, spec]) => [name, textOption(...spec)])),
  ...Object.fromEntries(Object.entries(LONG_TEXTS).map(([name, option]) => [name, longTexts(option)])),
  ...optionOfTime,
  ip,
  cargo,
  gdb,
  just,
  'i3-msg': windowManager,
  swaymsg: windowManager,
  hyprctl: toldTo(/^dispatch$/, /^exec$/),
};
