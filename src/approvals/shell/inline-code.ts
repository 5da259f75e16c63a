import type { Call } from './call.ts';
import { optionsOf } from './call.ts';
import { descriptorIn, namesInput } from './descriptors.ts';
import type { Field } from './field.ts';
import type { Options } from './options.ts';
import { parseOptions } from './options.ts';
import { TAINT } from './taint.ts';

/** Where an interpreter call gets its code from. */
export interface InlineCode {
  readonly texts: readonly Field[];
  readonly script?: Field;
  /** Without text and script it reads stdin. */
  readonly stdin: boolean;
}

interface Shape {
  readonly options: string;
  /** Options whose value is code. */
  readonly code: readonly string[];
  /** Options with which it only answers. */
  readonly idle?: readonly string[];
  /** Options that name a module, so no script operand follows. */
  readonly module?: readonly string[];
  readonly singleDash?: boolean;
  /** Without script it opens a prompt and does not read code from a pipe. */
  readonly prompt?: boolean;
  /** Its operands are files to look at. */
  readonly edits?: boolean;
}

const LISP: Pick<Shape, 'options' | 'prompt'> = {
  options:
    'eval: e: load: noinform non-interactive no-userinit no-sysinit disable-debugger quit script: core: dynamic-space-size: batch shell: norc version',
  prompt: true,
};

const CLOJURE: Shape = {
  options: 'e|eval: i|init: m|main: r|repl M? X? T? A? S? J: P h|help',
  code: ['e'],
  idle: ['P', 'h'],
  module: ['m', 'X', 'T'],
};

const SHAPES: Readonly<Record<string, Shape>> = {
  python: {
    options: 'c: m: b B d E h i I O q s S u v V W: X: x P check-hash-based-pycs: version help',
    code: ['c'],
    idle: ['V', 'h', 'version', 'help'],
    module: ['m'],
  },
  node: {
    options:
      'e|eval: p|print: c|check h|help i|interactive v|version r|require: C|conditions: import: loader: experimental-loader: input-type: inspect? inspect-brk? test watch watch-path: env-file: max-old-space-size: stack-size: no-warnings trace-warnings enable-source-maps title: run: experimental-strip-types test-reporter: test-name-pattern: unhandled-rejections: preserve-symlinks prof cpu-prof',
    code: ['e', 'p'],
    idle: ['v', 'h', 'c', 'version', 'help'],
    module: ['test', 'run'],
  },
  deno: {
    options:
      'A|allow-all allow-read? allow-write? allow-net? allow-run? allow-env? q|quiet c|config: import-map: r|reload? e|eval: ext: no-check',
    code: [],
  },
  bun: { options: 'e|eval: p|print: watch hot cwd: config: b|bun silent smol', code: ['e', 'p'] },
  perl: {
    options: 'e: E: n p a F? i? 0 1 2 3 4 5 6 7 l M: m: I: c v V? w W X s S t T u U d? D? x? C? g h f',
    code: ['e', 'E'],
    idle: ['v', 'V', 'c', 'h'],
  },
  ruby: {
    options: 'e: r: I: n p a F: i? 0? l c v w W? s S x? C: d E: K: U T? version help yjit disable: enable:',
    code: ['e'],
    idle: ['c', 'version', 'help'],
  },
  php: {
    options: 'r: B: R: E: F: f: c: d: n a i l m q s S: t: v w z: H rf: rc: re: ini version help',
    code: ['r', 'B', 'R', 'E'],
    idle: ['v', 'i', 'm', 'l', 'S', 'version', 'help'],
  },
  lua: { options: 'e: l: i v E W', code: ['e'], idle: [] },
  luajit: { options: 'e: l: i v j: O: b', code: ['e'] },
  Rscript: { options: 'e: version verbose vanilla default-packages:', code: ['e'] },
  osascript: { options: 'e: l: i s:', code: ['e'] },
  julia: {
    options: 'e|eval: E|print: L|load: t: p: project? q v h i J: O? startup-file:',
    code: ['e', 'E'],
    idle: ['v', 'h'],
  },
  emacs: {
    options: 'batch eval: execute: l|load: f|funcall: Q q nw no-init-file script: insert: visit: daemon kill',
    code: ['eval', 'execute'],
    prompt: true,
  },
  emacsclient: {
    options:
      'e|eval c|create-frame r|reuse-frame t|tty|nw n|no-wait s|socket-name: f|server-file: a|alternate-editor: d|display: F|frame-parameters: q|quiet u|suppress-output',
    code: ['e'],
    edits: true,
  },
  kak: {
    options: 'e: E: f: s: c: p: i: ui: d n q l clear ro version help',
    code: ['e', 'E'],
    singleDash: true,
    edits: true,
  },
  bpftrace: {
    options: 'e: p: c: B: f: o: I: include: l v d: k q unsafe V|version h|help',
    code: ['e'],
    idle: ['l', 'V', 'h'],
    prompt: true,
  },
  stap: {
    options: 'e: E: p: g x: c: o: m: d: I: D: B: G: S: s: r: R: t w u k v F L: l: V|version h|help',
    code: ['e', 'E'],
    idle: ['L', 'l', 'V', 'h'],
    prompt: true,
  },
  tclsh: { options: '', code: [] },
  groovy: { options: 'e: n p i? l? cp: v h', code: ['e'], idle: ['v', 'h'] },
  elixir: { options: 'e|eval: r: S: pr: pa: pz: v|version h', code: ['e'], idle: ['v'] },
  octave: { options: 'eval: q|quiet no-gui f|norc W H p: path: persist', code: ['eval'] },
  swift: { options: 'e: version', code: ['e'], prompt: true },
  crystal: { options: 'version', code: [], prompt: true },
  bc: { options: 'l q i s w e: f:', code: [], idle: ['l', 'q'] },
  guile: {
    options: 'c: e: l: L: C: x: s: q ds debug no-debug auto-compile fresh-auto-compile use-srfi: version',
    code: ['c'],
  },
  sbcl: { ...LISP, code: ['eval'] },
  ecl: { ...LISP, code: ['eval'] },
  ccl: { ...LISP, code: ['eval', 'e'] },
  abcl: { ...LISP, code: ['eval'] },
  ros: { ...LISP, code: ['e', 'eval'] },
  clisp: { options: 'x: i: c: K: M: E: q q ansi norc on-error:', code: ['x'] },
  hy: { options: 'c: m: i: v version', code: ['c'], module: ['m'] },
  fennel: { options: 'e|eval: l: c|compile version', code: ['e'] },
  swipl: { options: 'g: t: f: s: l: q x: c o: version', code: ['g', 't'], prompt: true },
  gprolog: {
    options: 'init-goal: entry-goal: query-goal: consult-file:',
    code: ['init-goal', 'entry-goal', 'query-goal'],
  },
  clojure: CLOJURE,
  clj: CLOJURE,
  gforth: { options: 'e|evaluate: m: p: version', code: ['e'] },
  maxima: {
    options: 'batch-string: r|run-string: b|batch: p: q|quiet very-quiet version',
    code: ['batch-string', 'r'],
    prompt: true,
  },
  sage: { options: 'c: python: pip: n version', code: ['c'], prompt: true },
  gap: { options: 'c: q b T r l: m: o: version', code: ['c'], prompt: true },
  matlab: {
    options: 'batch: r: nodisplay nosplash nodesktop sd: logfile:',
    code: ['batch', 'r'],
    singleDash: true,
    prompt: true,
  },
  m4: { options: 'D: U: I: P E Q s G F: R: L: d? t: o: version', code: [] },
  gnuplot: { options: 'e: p|persist c d s version', code: ['e'] },
  zx: { options: 'e|eval: quiet verbose shell: prefix: cwd: ext: install i version', code: ['e'] },
  erl: {
    options: 'eval: noshell s: pa: pz: run: noinput name: sname: setcookie: config: version',
    code: ['eval'],
    singleDash: true,
    prompt: true,
  },
  coffee: { options: 'e|eval: c p s: o: b w', code: ['e'] },
};

/** The code a call brings along, the script it names, or that it reads stdin. */
export function inlineCode(call: Call): InlineCode {
  if (call.program === 'awk') return awkCode(call);
  if (call.program === 'powershell') return powershellCode(call);
  if (call.program === 'deno' || call.program === 'bun' || call.program === 'crystal') return runtimeCode(call);
  if (call.program === 'nim') return nimCode(call);
  if (call.program === 'bc') return { texts: [], stdin: false };
  const shape = SHAPES[call.program] ?? { options: 'e: c: version help', code: ['e'] };
  const options = parseOptions(unbundled(call), shape.options, { stop: true, singleDash: shape.singleDash ?? false });
  if (shape.idle && options.has(...shape.idle) && !options.has(...shape.code)) return { texts: [], stdin: false };
  const texts = shape.code.flatMap((name) => options.values(name));
  if (options.has(...shape.code))
    return { texts: texts.length > 0 ? texts : options.operands.slice(0, 1), stdin: false };
  if (shape.module && options.has(...shape.module)) return { texts: moduleCode(options), stdin: false };
  return scriptOrStdin(options, shape);
}

/** node's `-pe` is `-e` that also prints; there `-p` takes no value. */
function unbundled(call: Call): readonly Field[] {
  if (call.program !== 'node') return call.args;
  return call.args.map((arg) => (arg.text === '-pe' ? { ...arg, text: '-e' } : arg));
}

function scriptOrStdin(options: Options, shape: Shape): InlineCode {
  if (shape.edits) return { texts: [], stdin: false };
  const script = options.operands[0];
  if (script && !namesInput(script.text)) return { texts: [], script, stdin: false };
  return { texts: [], stdin: !shape.prompt || (script !== undefined && descriptorIn(script.text) === 0) };
}

/** nim takes `--eval:text`. */
function nimCode(call: Call): InlineCode {
  const code = call.args.flatMap((arg) => {
    const match = /^--?eval[:=](.*)$/s.exec(arg.text);
    return match ? [{ ...arg, raw: '', text: match[1] as string }] : [];
  });
  return { texts: code, stdin: false };
}

/** `python -m timeit code` and `-m pdb script` run what follows. */
function moduleCode(options: Options): readonly Field[] {
  if (options.value('m')?.text !== 'timeit') return [];
  return parseOptions(options.operands, 'n: r: s: p v u:').operands;
}

function awkCode(call: Call): InlineCode {
  const options = parseOptions(
    call.args,
    'F|field-separator: v|assign: f|file: e|source: i|include: E|exec: b c C d? D? g h k l: L? M n N o? O p? P r s S t V version help posix re-interval',
    { stop: true },
  );
  if (options.has('V', 'version', 'h', 'help')) return { texts: [], stdin: false };
  const sources = options.values('e');
  const file = options.value('f') ?? options.value('E');
  if (sources.length > 0) return { texts: sources, ...(file ? { script: file } : {}), stdin: false };
  if (file) return namesInput(file.text) ? { texts: [], stdin: true } : { texts: [], script: file, stdin: false };
  const program = options.operands[0];
  return { texts: program ? [program] : [], stdin: false };
}

/** `powershell -Command words`, `-EncodedCommand x`, `-File x`; abbreviations and any case. */
function powershellCode(call: Call): InlineCode {
  for (let i = 0; i < call.args.length; i++) {
    const text = (call.args[i] as Field).text.toLowerCase();
    const rest = call.args.slice(i + 1);
    if (/^[-/]c(?:o(?:m(?:m(?:a(?:nd?)?)?)?)?)?$/.test(text))
      return rest.length > 0 ? { texts: [joined(rest)], stdin: rest[0]?.text === '-' } : { texts: [], stdin: true };
    if (/^[-/]f(?:i(?:le?)?)?$/.test(text))
      return rest[0] && rest[0].text !== '-'
        ? { texts: [], script: rest[0], stdin: false }
        : { texts: [], stdin: true };
    if (/^[-/]e(?:c|n[a-z]*)?$/.test(text)) return { texts: rest.slice(0, 1).map(encoded), stdin: false };
    if (
      /^[-/](?:executionpolicy|ex|ep|windowstyle|w|version|psconsolefile|inputformat|outputformat|configurationname|workingdirectory|wd)$/.test(
        text,
      )
    )
      i++;
    else if (!/^[-/]/.test(text))
      return /\.ps1$/.test(text)
        ? { texts: [], script: call.args[i] as Field, stdin: false }
        : { texts: [joined(call.args.slice(i))], stdin: false };
    else if (/^[-/](?:version|help|h|\?)$/.test(text)) return { texts: [], stdin: false };
  }
  return { texts: [], stdin: true };
}

/** Base64 of UTF-16; it counts as decoded text. */
function encoded(field: Field): Field {
  const text = Buffer.from(field.text, 'base64').toString('utf16le');
  return { ...field, raw: '', text, taint: field.taint | TAINT.decoded };
}

function joined(fields: readonly Field[]): Field {
  const first = fields[0] as Field;
  if (fields.length === 1) return first;
  const last = fields.at(-1) as Field;
  return {
    ...first,
    raw: '',
    text: fields.map((field) => field.text).join(' '),
    span: [first.span[0], last.span[1]],
    taint: fields.reduce((all, field) => all | field.taint, 0),
  };
}

function runtimeCode(call: Call): InlineCode {
  const shape = SHAPES[call.program] as Shape;
  const options = parseOptions(call.args, shape.options, { stop: true });
  if (options.has('e', 'p') && call.program === 'bun')
    return { texts: [...options.values('e'), ...options.values('p')], stdin: false };
  const [verb, ...rest] = options.operands;
  if (verb?.text === 'eval')
    return { texts: optionsOf({ ...call, args: rest }, 'p|print ext: T').operands.slice(0, 1), stdin: false };
  if (verb?.text === 'run') {
    const script = parseOptions(rest, shape.options, { stop: true }).operands[0];
    return script?.text === '-'
      ? { texts: [], stdin: true }
      : { texts: [], ...(script && /[./]/.test(script.text) ? { script } : {}), stdin: false };
  }
  if (verb && /\.[cm]?[jt]sx?$/.test(verb.text)) return { texts: [], script: verb, stdin: false };
  return { texts: [], stdin: !verb && call.program === 'bun' };
}
