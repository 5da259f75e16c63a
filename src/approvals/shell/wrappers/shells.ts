import type { Call } from '../call.ts';
import type { Field } from '../field.ts';
import { literalField } from '../field.ts';
import { entryOf } from '../lookup.ts';
import type { Options } from '../options.ts';
import { parseOptions } from '../options.ts';
import type { Inner, Peel } from './inner.ts';
import {
  bothReadings,
  exportedFunctions,
  foldersOf,
  joinFields,
  RUNS_CODE,
  splitWords,
  UNKNOWN_OPTION,
} from './inner.ts';

const SHELL_OPTIONS =
  'c i l|login r s v x e u n f a b h k m p t B C E H P T o: O: norc noprofile posix rcfile|init-file: restricted verbose version help noediting dump-strings wordexp debugger';

/** Shells whose options are followed by the text: `c` is run, `C` before it or before the prompt. */
const VALUED_SHELLS: Readonly<Record<string, string>> = {
  fish: 'c|command: C|init-command: d|debug: o|debug-output: f|features: p|profile: profile-startup: D|debug-stack-frames: i|interactive l|login N|no-config n|no-execute P|private print-rusage-self print-debug-categories v|version h|help',
  nu: 'c|commands: C|e|execute: config: env-config: plugin-config: plugins: I|include-path: m|table-mode: t|threads: log-level: log-target: error-style: i|interactive l|login no-config-file|n stdin testbin: v|version h|help',
};

/** Options that name a file the shell reads first. */
export const START_FILES: readonly string[] = ['rcfile', 'config', 'env-config'];

/** What a shell is started with. */
export function shellOptions(call: Call): Options {
  return parseOptions(unplus(call.args), entryOf(VALUED_SHELLS, call.program) ?? SHELL_OPTIONS, { stop: true });
}

/** `sh -c text name args`: `-c` may stand in a bundle; the text is the first operand. */
const shell: Peel = (call) => {
  const options = shellOptions(call);
  if (options.has('n')) return [];
  if (Object.hasOwn(VALUED_SHELLS, call.program)) return valuedTexts(call, options);
  const [text, zero, ...args] = options.operands;
  if (!options.has('c') || !text) return [];
  const main = given(call, text, args);
  return [...startFiles(call, options), zero ? { ...main, run: { ...main.run, zero } } : main];
};

function given(call: Call, text: Field, args: readonly Field[]): Inner & { readonly run: { readonly kind: 'shell' } } {
  const values = args.map((arg) => ({ text: arg.text, taint: arg.taint }));
  return { run: { kind: 'shell', text, args: values }, wrapper: { program: call.program }, bar: RUNS_CODE };
}

/** `fish -C text file`, `fish -c text words`. */
function valuedTexts(call: Call, options: Options): readonly Inner[] {
  const texts = [...options.values('C'), ...options.values('c')].map((text) => given(call, text, options.operands));
  if (texts.length === 0) return [];
  const file = options.has('c') ? undefined : options.operands[0];
  return [...startFiles(call, options), ...texts, ...(file ? [sourced(call, file)] : [])];
}

/** `bash --rcfile file -ic text` reads the file first. */
function startFiles(call: Call, options: Options): readonly Inner[] {
  return START_FILES.flatMap((name) => options.values(name)).map((file) => sourced(call, file));
}

function sourced(call: Call, file: Field): Inner {
  const argv = [literalField('source', file.span), file];
  return { run: { kind: 'argv', argv }, wrapper: { program: call.program }, bar: RUNS_CODE };
}

/** `+x` and `+o name` switch options off. */
function unplus(args: readonly Field[]): readonly Field[] {
  return args.map((arg) => (/^\+[A-Za-z]+$/.test(arg.text) ? { ...arg, text: `-${arg.text.slice(1)}` } : arg));
}

const evaluate: Peel = (call) => {
  const args = call.args[0]?.text === '--' ? call.args.slice(1) : call.args;
  if (args.length === 0) return [];
  return [
    {
      run: { kind: 'shell', text: joinFields(args, call), sameShell: true },
      wrapper: { program: 'eval' },
      bar: RUNS_CODE,
    },
  ];
};

const WATCH =
  'b|beep c|color C|no-color d|differences? e|errexit f|follow g|chgexit n|interval: p|precise q|equexit: r|no-rerun s|shotsdir: t|no-title w|no-wrap x|exec help version';

const watch: Peel = (call) => {
  const options = parseOptions(call.args, WATCH, { stop: true });
  if (options.operands.length === 0) return [];
  const wrapper = { program: 'watch' };
  const bar = options.unknown ? UNKNOWN_OPTION : RUNS_CODE;
  if (options.has('x')) return [{ run: { kind: 'argv', argv: options.operands }, wrapper, bar }];
  return bothReadings(options.operands, call, { wrapper, bar });
};

const flock: Peel = (call) => {
  const options = parseOptions(
    call.args,
    's|shared x|e|exclusive u|unlock n|nb|nonblock w|wait|timeout: o|close E|conflict-exit-code: F|no-fork c|command: v|verbose fcntl',
    { stop: true },
  );
  const direct = options.value('c');
  const rest = options.operands.slice(1);
  const wrapper = { program: 'flock' };
  if (direct) return [{ run: { kind: 'shell', text: direct }, wrapper, bar: RUNS_CODE }];
  if (rest[0]?.text === '-c' || rest[0]?.text === '--command')
    return rest[1] ? [{ run: { kind: 'shell', text: rest[1] }, wrapper, bar: RUNS_CODE }] : [];
  return rest.length > 0
    ? [{ run: { kind: 'argv', argv: rest }, wrapper, ...(options.unknown ? { bar: UNKNOWN_OPTION } : {}) }]
    : [];
};

const SCRIPT =
  'a|append c|command: e|return f|flush F: k q|quiet r p d t? T|log-timing: I|log-in: O|log-out: B|log-io: m|logging-format: E|echo: o|output-limit: h V';

/** util-linux `script -c text file`, the options on either side of the file; BSD `script file words`. */
const script: Peel = (call) => {
  const options = parseOptions(call.args, SCRIPT, { stop: true });
  const after = options.operands.slice(1);
  const behind = after[0]?.text.startsWith('-') ? parseOptions(after, SCRIPT).value('c') : undefined;
  const text = options.value('c') ?? behind;
  const wrapper = { program: 'script' };
  if (text) return [{ run: { kind: 'shell', text }, wrapper, bar: RUNS_CODE }];
  const words = call.args.slice(0, call.args.length - after.length).map((field) => field.text);
  const identity = ['script', ...words].join(' ');
  return after.length > 0 ? [{ run: { kind: 'argv', argv: after }, wrapper: { ...wrapper, identity } }] : [];
};

/** `busybox words`; coreutils takes the name in an option. */
const busybox: Peel = (call) => {
  const [first, ...rest] = call.args;
  const name = /^--coreutils-prog=(.+)$/s.exec(first?.text ?? '')?.[1];
  if (!first || (name === undefined && first.text.startsWith('-'))) return [];
  const argv = name === undefined ? call.args : [{ ...first, raw: '', text: name }, ...rest];
  return [{ run: { kind: 'argv', argv }, wrapper: { program: call.program } }];
};

/** capsh runs bash with what stands behind `--` or `==`. */
const capsh: Peel = (call) => {
  const at = call.args.findIndex((arg) => arg.text === '--' || arg.text === '==');
  if (at < 0) return [];
  const argv = [literalField('bash', call.span), ...call.args.slice(at + 1)];
  return [{ run: { kind: 'argv', argv }, wrapper: { program: 'capsh', identity: 'capsh' }, bar: RUNS_CODE }];
};

const trap: Peel = (call) => {
  const options = parseOptions(call.args, 'l p P', { stop: true });
  const [text, signal] = options.operands;
  if (!text || !signal || text.text === '-' || text.text === '' || options.has('l', 'p')) return [];
  return [{ run: { kind: 'shell', text, sameShell: true }, wrapper: { program: 'trap' }, bar: RUNS_CODE }];
};

/** `env -S 'words'` splits by itself. */
const env: Peel = (call) => {
  const options = parseOptions(
    call.args,
    'i|ignore-environment 0|null u|unset: C|chdir: S|split-string: v|debug block-signal? default-signal? ignore-signal?',
    { stop: true },
  );
  const text = options.value('S');
  if (!text) return [];
  const argv = [...splitWords(text), ...options.operands];
  let at = 0;
  while (argv[at] && /^[^=]+=/.test((argv[at] as Field).text)) at++;
  const folder = options.value('C');
  return [
    ...exportedFunctions(call, argv.slice(0, at)),
    {
      run: { kind: 'argv', argv: argv.slice(at) },
      wrapper: { program: 'env' },
      assignments: argv.slice(0, at),
      bar: RUNS_CODE,
      ...(folder ? { cwds: foldersOf(call, folder) } : {}),
    },
  ];
};

export const shellPeels: Readonly<Record<string, Peel>> = {
  eval: evaluate,
  watch,
  flock,
  script,
  busybox,
  capsh,
  trap,
};
export { env as envSplit, shell as shellPeel };
