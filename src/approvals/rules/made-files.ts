import type { Call } from '../shell/call.ts';
import { optionsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { parseOptions } from '../shell/options.ts';
import { hasArgs, named, type Pick, values } from './picks.ts';
import { isRemote } from './targets.ts';

/** Compilers, linkers and converters that write what `-o` names. */
export const BUILDERS: Readonly<Record<string, Pick>> = Object.fromEntries(
  [
    'gcc',
    'g++',
    'cc',
    'c++',
    'clang',
    'clang++',
    'ld',
    'as',
    'rustc',
    'go',
    'pandoc',
    'protoc',
    'bison',
    'flex',
    'sass',
    'esbuild',
    'tsc',
    'ghc',
    'nasm',
    'csc',
    'valac',
    'javac',
    'ocamlopt',
    'cython',
    'inkscape',
    'wkhtmltopdf',
    'mmdc',
    'convert',
    'magick',
    'ffmpeg',
    'sox',
    'cwebp',
    'gs',
    'pdftk',
    'qpdf',
  ].map((name) => [name, built]),
);

/** What follows `-o` and its kin; converters also take their last word for it. */
function built(call: Call): readonly Field[] {
  const found = call.args.flatMap((arg, i) => {
    if (/^--?(?:o|out|output|outfile|outDir|outdir|out-file|output-file|export-filename|d)$/.test(arg.text))
      return call.args.slice(i + 1, i + 2);
    const attached =
      /^(?:--?(?:out|output|outfile|outdir|outDir|out-file|output-file|export-filename)=|-sOutputFile=|-o(?=[/~.$\w]))(.+)$/s.exec(
        arg.text,
      );
    return attached ? [{ ...arg, raw: '', text: attached[1] as string }] : [];
  });
  return CONVERTERS.has(call.program) && call.args.length > 1 ? [...found, ...call.args.slice(-1)] : found;
}

const CONVERTERS = new Set(['ffmpeg', 'convert', 'magick', 'sox', 'wkhtmltopdf', 'qpdf']);

/** `docker cp web:/x here`: what lands on this machine. */
export function containerCopy(call: Call): readonly Field[] {
  const operands = optionsOf(
    call,
    'a|archive L|follow-link q|quiet n|namespace: c|container: context: kubeconfig: H|host: retries: no-preserve',
  ).operands;
  const copy = operands[0]?.text === 'container' || operands[0]?.text === 'compose' ? operands.slice(1) : operands;
  const target = copy.at(-1);
  return copy[0]?.text === 'cp' && target && copy.length > 2 && !isRemote(target.text) ? [target] : [];
}

/** Wrappers that write what they saw, and to where. */
export const RECORDERS: Readonly<Record<string, Pick>> = {
  time: named('a|append f|format: o|output: p v q l h', 'o'),
  strace: named(
    'a: b: c C d D e|trace: E: f F i I: k n o|output: O: p: P: q? r? s: S: t T? u: U: v V w x X: y? Y z Z',
    'o',
  ),
  ltrace: named('a: A b c C d D: e: f F: g h i l: L n: o|output: p: r s: S t T u: V w: x:', 'o'),
  valgrind: named(
    'tool: log-file: xml-file: massif-out-file: callgrind-out-file: leak-check: q v',
    'log-file',
    'xml-file',
    'massif-out-file',
    'callgrind-out-file',
  ),
  perf: (call) => {
    const [verb, ...rest] = call.args;
    const grammar = 'e: a g p: o|output: F: r: d v c: t: C: D: i|input:';
    return /^(?:record|stat|script|trace)$/.test(verb?.text ?? '') ? named(grammar, 'o')({ ...call, args: rest }) : [];
  },
  script: (call) => {
    const options = optionsOf(
      call,
      'a|append c|command: e f q t? T|log-timing: I|log-in: O|log-out: B|log-io: m: E: o: F: k r p d',
    );
    return [...options.operands.slice(0, 1), ...['T', 'I', 'O', 'B'].flatMap((name) => options.values(name))];
  },
  logsave: (call) => parseOptions(call.args, 'a s v', { stop: true }).operands.slice(0, 1),
  daemonize: named('a c: e: o: p: l: u: E: v', 'e', 'o', 'p', 'l'),
  parallel: named('j|jobs: joblog: results: tmpdir: a: N: n: I: colsep: k|keep-order', 'joblog', 'results'),
  hyperfine: (call) =>
    ['export-json', 'export-csv', 'export-markdown', 'export-asciidoc', 'export-orgmode'].flatMap((name) =>
      optionsOf(call, 'export-json: export-csv: export-markdown: export-asciidoc: export-orgmode:').values(name),
    ),
  'xvfb-run': named('a e|error-file: f|auth-file: l n: p: s: w:', 'e', 'f'),
  'systemd-run': (call) =>
    call.args.flatMap((arg) => {
      const match = /\bStandard(?:Output|Error)=(?:file|append|truncate):(.+)$/.exec(arg.text);
      return match ? [{ ...arg, raw: '', text: match[1] as string }] : [];
    }),
  'start-stop-daemon': named('S K x|exec: a: p|pidfile: n: u: g: c: s: R: d: O|output: m b', 'p', 'O'),
};

/** Programs that pack, unpack and convert, by the words that name the result. */
export const MAKERS: Readonly<Record<string, Pick>> = {
  tcpdump: values('w: z: i: G: C: W: r: c: s: n v e A X l Z: F: E: y:', 'w'),
  nmap: (call) => call.args.filter((_, i) => /^-o[NXGSA]$/.test(call.args[i - 1]?.text ?? '')),
  ssh: named('B: b: c: D: E: e: F: I: i: J: L: l: m: O: o: P: p: Q: R: S: W: w:', 'E'),
  'ssh-keygen': (call) =>
    hasArgs(call, /^-[a-zA-Z]*[lyFHBeY]/) ? [] : optionsOf(call, 't: b: f: N: C: q m: a: p P:').values('f'),
  psql: (call) => [
    ...values('o|output: L|log-file: c: f: d: h: U: p: v: F: R: P: A t q', 'o', 'L')(call),
    ...databaseFiles(call),
  ],
  csplit: values('f|prefix: b: n: k s z', 'f'),
  uniq: (call) => optionsOf(call, 'c d D u i z f: s: w: all-repeated? group?').operands.slice(1, 2),
  iconv: values('f|from-code: t|to-code: o|output: c s', 'o'),
  uudecode: values('o|output-file: c', 'o'),
  strip: values('o: s g x R: K:', 'o'),
  zip: (call) => optionsOf(call, 'r q j m 9 x: i: u f d P: e y o n: b: t: s: @').operands.slice(0, 1),
  objcopy: (call) =>
    optionsOf(
      call,
      'I: O: B: F: j: R: S g d add-section: set-section-flags: rename-section: redefine-sym:',
    ).operands.slice(-1),
  '7z': sevenZip,
  '7za': sevenZip,
  '7zz': sevenZip,
  unrar: (call) => (/^[xe]$/.test(call.args[0]?.text ?? '') ? call.args.slice(2).slice(-1) : []),
  'dpkg-deb': (call) => (hasArgs(call, /^(?:-[xXR]|--(?:vextract|extract|raw-extract))$/) ? call.args.slice(-1) : []),
  awk: (call) => {
    const dumps = call.args
      .filter(({ text }) => /^-[dop][^-]/.test(text))
      .map((arg) => ({ ...arg, text: arg.text.slice(2) }));
    const options = optionsOf(call, 'i|include: f|file: v|assign: F|field-separator: e|source: E|exec:');
    if (!options.values('i').some(({ text }) => text === 'inplace')) return dumps;
    return [...dumps, ...options.operands.slice(options.has('f', 'e', 'E') ? 0 : 1)];
  },
  sqlite3: databaseFiles,
  mysql: databaseFiles,
  duckdb: databaseFiles,
  'clickhouse-client': databaseFiles,
  clickhouse: databaseFiles,
};

/** Files that lines of a database client write: `.output f`, `.backup 'f'`, `\\o f`, `COPY ... TO 'f'`, `INTO OUTFILE 'f'`. */
function databaseFiles(call: Call): readonly Field[] {
  const piped = call.stdin.text === null ? [] : [{ ...call.argv0, raw: '', text: call.stdin.text }];
  const line =
    /(?:^|[\n;])[ \t]*(?:\.(?:output|once|backup|save|clone)|\\(?:o|out|w|g))[ \t]+['"]?([^'"\n;|]+)|\b(?:to|outfile|dumpfile)\s+'([^'\n]+)'/gi;
  return [...call.args, ...piped].flatMap((field) =>
    [...field.text.matchAll(line)].map((match) => ({
      ...field,
      raw: '',
      text: ((match[1] ?? match[2]) as string).trim(),
    })),
  );
}

/** `7z x a -o/here` puts everything there; `7z a name` makes the archive. */
function sevenZip(call: Call): readonly Field[] {
  const out = call.args.flatMap((arg) => (/^-o./.test(arg.text) ? [{ ...arg, raw: '', text: arg.text.slice(2) }] : []));
  const made = call.args[0]?.text === 'a' ? call.args.filter((arg) => !arg.text.startsWith('-')).slice(1, 2) : [];
  return [...out, ...made];
}
