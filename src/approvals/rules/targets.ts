import type { Call } from '../shell/call.ts';
import { optionsOf, pathsOf, remember } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { CURL_OPTIONS, WGET_OPTIONS } from '../shell/file-effects.ts';
import { inlineCode } from '../shell/inline-code.ts';
import { entryOf } from '../shell/lookup.ts';
import { parseOptions } from '../shell/options.ts';
import type { Path } from '../shell/paths.ts';
import { sedFiles } from '../shell/script-commands.ts';
import { trimEnd } from '../shell/trim.ts';

/** A path a call touches, with the word that names it. */
export interface Target {
  readonly field: Field;
  readonly path: Path;
}

export const RM_OPTIONS =
  'r|R|recursive f|force i I interactive? one-file-system no-preserve-root preserve-root? d|dir v|verbose help version P W x';
const COPY =
  't|target-directory: T|no-target-directory m|mode: o|owner: g|group: S|suffix: a|archive r|R|recursive f|force i|interactive n|no-clobber v|verbose s|symbolic b backup? D d p u|update? x H L P l|link reflink? sparse? parents remove-destination strip-trailing-slashes no-preserve: preserve? attributes-only C c Z context?';

export function targetsOf(call: Call, fields: readonly Field[]): readonly Target[] {
  const targets: Target[] = [];
  for (const field of fields) for (const path of pathsOf(call, field)) targets.push({ field, path });
  return targets;
}

/** Every path the call would write, as far as its words say. */
export function writeTargets(call: Call): readonly Target[] {
  return remember(call, writeTargets, () => writesOf(call));
}

function writesOf(call: Call): readonly Target[] {
  const redirected = call.files.filter((file) => file.use !== 'read').map((file) => file.target);
  return targetsOf(call, [...redirected, ...(entryOf(WRITERS, call.program)?.(call) ?? [])]);
}

type Pick = (call: Call) => readonly Field[];

const operands =
  (grammar: string, skip = 0): Pick =>
  (call) =>
    optionsOf(call, grammar).operands.slice(skip);

const values =
  (grammar: string, ...names: readonly string[]): Pick =>
  (call) => {
    const options = optionsOf(call, grammar);
    return names.flatMap((name) => options.values(name));
  };

const SED_IN_PLACE: Pick = inPlace(
  'e|expression: f|file: i|in-place? n|quiet|silent E r s|separate z u l: b posix debug sandbox follow-symlinks',
  'i',
  'e',
  'f',
);

/** Compilers, linkers and converters that write what `-o` names. */
const BUILDERS: Readonly<Record<string, Pick>> = Object.fromEntries(
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
function containerCopy(call: Call): readonly Field[] {
  const operands = optionsOf(
    call,
    'a|archive L|follow-link q|quiet n|namespace: c|container: context: kubeconfig: H|host: retries: no-preserve',
  ).operands;
  const copy = operands[0]?.text === 'container' || operands[0]?.text === 'compose' ? operands.slice(1) : operands;
  const target = copy.at(-1);
  return copy[0]?.text === 'cp' && target && copy.length > 2 && !isRemote(target.text) ? [target] : [];
}

function hasArgs(call: Call, pattern: RegExp): boolean {
  return call.args.some(({ text }) => pattern.test(text));
}

/** Options that name a file a program writes; a program that runs another reads none behind it. */
const named =
  (grammar: string, ...names: readonly string[]): Pick =>
  (call) => {
    const options = parseOptions(call.args, grammar, { stop: true });
    return names.flatMap((name) => options.values(name));
  };

/** Wrappers that write what they saw, and to where. */
const RECORDERS: Readonly<Record<string, Pick>> = {
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
const MAKERS: Readonly<Record<string, Pick>> = {
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
    const edited = hasArgs(call, /^inplace$/) ? optionsOf(call, 'i|include: F: v: f: e:').operands.slice(1) : [];
    return [...dumps, ...edited];
  },
  sqlite3: databaseFiles,
  mysql: databaseFiles,
};

/** Files that lines of a database client write: `.output f`, `.backup 'f'`, `\\o f`, `COPY ... TO 'f'`, `INTO OUTFILE 'f'`. */
function databaseFiles(call: Call): readonly Field[] {
  const piped = call.stdin.text === null ? [] : [{ ...call.argv0, raw: '', text: call.stdin.text }];
  const line =
    /(?:^|[\n;])[ \t]*(?:\.(?:output|once|backup|save|clone)|\\(?:o|out|w|g))[ \t]+['"]?([^'"\n;|]+)|\b(?:to|outfile|dumpfile)\s+'([^'\n]+)'/gi;
  return [...call.args, ...piped].flatMap((field) =>
    [...field.text.slice(0, 8000).matchAll(line)].map((match) => ({
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

const WRITERS: Readonly<Record<string, Pick>> = {
  ...BUILDERS,
  ...RECORDERS,
  ...MAKERS,
  tee: operands('a|append i|ignore-interrupts p output-error?'),
  sponge: operands('a'),
  cp: copyTargets,
  mv: (call) => [...copyTargets(call), ...moveSources(call)],
  install: (call) => (optionsOf(call, COPY).has('d') ? optionsOf(call, COPY).operands : copyTargets(call)),
  ln: copyTargets,
  dd: (call) =>
    call.args.filter((arg) => arg.text.startsWith('of=')).map((arg) => ({ ...arg, text: arg.text.slice(3) })),
  sed: (call) => [...SED_IN_PLACE(call), ...sedFiles(call, 'write')],
  perl: inPlace('e: E: i? p n a l? 0? F? M: m: I: w s', 'i', 'e', 'E'),
  ruby: inPlace('e: i? p n a l r: I: w s', 'i', 'e', 'e'),
  yq: inPlace('i|inplace e|expression: P o|output-format: p|input-format: r|raw-output', 'i', 'e', 'e'),
  touch: operands('a c|no-create d|date: f h m r|reference: t: time:'),
  truncate: operands('s|size: r|reference: c|no-create o'),
  mkdir: operands('m|mode: p|parents v Z'),
  mknod: (call) => optionsOf(call, 'm: Z').operands.slice(0, 1),
  mkfifo: operands('m:'),
  curl: values(CURL_OPTIONS, 'o', 'c', 'D', 'output-dir', 'trace', 'trace-ascii', 'stderr'),
  wget: values(WGET_OPTIONS, 'O', 'P', 'o', 'a'),
  aria2c: values('o|out: d|dir:', 'o', 'd'),
  rsync: (call) => {
    const options = optionsOf(call, TRANSFERS['rsync'] as string);
    const logged = [...options.values('log-file'), ...options.values('backup-dir'), ...options.values('partial-dir')];
    return options.has('n') ? [] : [...localLast(call, TRANSFERS['rsync'] as string), ...logged];
  },
  scp: (call) => localLast(call, TRANSFERS['scp'] as string),
  sort: values('o|output: k: t: T: S: parallel: compress-program: u r n c', 'o'),
  shuf: values('o|output: n: e i: r z', 'o'),
  tar: (call) => {
    const folder = optionsOf(call, 'C|directory: f|file: x|extract z j J v p strip-components:').values('C');
    const bundled = /^-?[a-zA-Z]*x/.test(call.args[0]?.text ?? '');
    return bundled || call.args.some((arg) => /^(?:--extract|--get|-[a-zA-Z]*x[a-zA-Z]*)$/.test(arg.text))
      ? folder
      : [];
  },
  cpio: (call) => {
    const options = optionsOf(
      call,
      'i|extract o|create p|pass-through D|directory: d m u v F|file: H|format: I: O: E: R: B',
    );
    if (options.has('p')) return options.operands.slice(-1);
    return options.has('i') ? options.values('D') : options.values('O');
  },
  pax: (call) => (hasArgs(call, /^-[a-zA-Z]*rw/) ? call.args.slice(-1) : []),
  docker: containerCopy,
  kubectl: containerCopy,
  pg_dump: values('f|file: F: t: n: h: U: p: d: j:', 'f'),
  pg_dumpall: values('f|file: h: U: p: l:', 'f'),
  mysqldump: values('r|result-file: T|tab: u: h: P: p?', 'r', 'T'),
  zstd: values('o: d|decompress c k f r T: D: q v', 'o'),
  age: values('o|output: r|recipient: R: i|identity: d|decrypt e p a', 'o'),
  dot: values('o: T: K: G: N: E: n? l: v', 'o'),
  xmllint: values('o|output: xpath: schema: format noout', 'o'),
  'yt-dlp': values('o|output: P|paths: f: x', 'o', 'P'),
  gh: (call) => {
    const options = optionsOf(call, 'D|dir: O|output: p|pattern: R|repo: n|name: A:');
    return options.operands[1]?.text === 'download' ? [...options.values('D'), ...options.values('O')] : [];
  },
  unzip: values('d: o q n', 'd'),
  split: operands('a: b: C: d e l: n: t: u filter: x? numeric-suffixes? additional-suffix:', 1),
  patch: (call) => {
    const options = optionsOf(call, 'p|strip: i|input: R N d|directory: b f s o|output: r: E dry-run');
    const written = [...options.operands.slice(0, 1), ...options.values('o')];
    return options.has('dry-run') ? [] : [...options.values('d'), ...written];
  },
  chmod: permissionTargets,
  chown: permissionTargets,
  chgrp: permissionTargets,
  setfacl: operands('m: x: M: X: R b k d', 0),
  chattr: (call) => call.args.filter((arg) => !/^[-+=]/.test(arg.text)),
  vim: editorTargets,
  nano: editorTargets,
  emacs: editorTargets,
  ed: editorTargets,
  micro: editorTargets,
  code: editorTargets,
  sudoedit: editorTargets,
  sudo: (call) => (optionsOf(call, 'e|edit u: g:', { stop: true }).has('e') ? editorTargets(call) : []),
  dos2unix: operands('n k q o'),
  find: (call) => call.args.filter((_, i) => /^-(?:fprint0?|fprintf|fls)$/.test(call.args[i - 1]?.text ?? '')),
  xxd: (call) => optionsOf(call, 'r p c: l: s: o: g: u i b').operands.slice(1, 2),
  gpg: values('o|output: d r: u:', 'o'),
  openssl: (call) =>
    call.args.filter((_, i) => /^-(?:out|keyout|writerand|CAserial)$/.test(call.args[i - 1]?.text ?? '')),
  'out-file': (call) => call.args.filter((arg) => !arg.text.startsWith('-')),
  'set-content': (call) => call.args.filter((arg) => !arg.text.startsWith('-')).slice(0, 1),
  'add-content': (call) => call.args.filter((arg) => !arg.text.startsWith('-')).slice(0, 1),
  'copy-item': (call) => call.args.filter((arg) => !arg.text.startsWith('-')).slice(1, 2),
  'move-item': (call) => call.args.filter((arg) => !arg.text.startsWith('-')).slice(0, 2),
  crudini: (call) => call.args.slice(1, 2),
  git: (call) => gitWrites(call),
};

/** Programs whose words name what they write. */
export const WRITING_PROGRAMS: readonly string[] = Object.keys(WRITERS);

/** `git config -f file`, `git archive -o file`, `git clone url folder`, `git log --output=file`. */
function gitWrites(call: Call): readonly Field[] {
  const options = optionsOf(call, 'C: c: f|file: o|output: output-directory: b|branch: depth: m|message:');
  const [verb, ...rest] = options.operands;
  if (
    /^(?:log|diff|show|diff-(?:tree|index|files)|format-patch|range-diff|shortlog|stash|whatchanged|bundle)$/.test(
      verb?.text ?? '',
    )
  )
    return gitOutputs(call, verb?.text ?? '', rest);
  if (verb?.text === 'config') return rest.length > 1 ? options.values('f') : [];
  if (verb?.text === 'archive') return options.values('o');
  if (verb?.text === 'apply' || verb?.text === 'am')
    return optionsOf(call, 'C: c: directory: p: exclude: include: check stat').values('directory');
  if (verb?.text === 'init') return rest.filter((field) => !field.text.startsWith('-')).slice(0, 1);
  if (verb?.text === 'clone') return rest.slice(1, 2);
  return [];
}

function gitOutputs(call: Call, verb: string, rest: readonly Field[]): readonly Field[] {
  if (verb === 'bundle') return rest[0]?.text === 'create' ? rest.slice(1, 2) : [];
  const options = optionsOf(call, 'C: c: output: o|output-directory:');
  return [...options.values('output'), ...(verb === 'format-patch' ? options.values('o') : [])];
}

function editorTargets(call: Call): readonly Field[] {
  if (call.argv0.text.endsWith('view') || call.args.some((arg) => arg.text === '-R')) return [];
  return optionsOf(call, 'c: S: u: T: t: w: W: cmd: eval: l: f: R n b d e s g: p').operands.filter(
    (arg) => !arg.text.startsWith('+'),
  );
}

/** The target of a copy, and the name each source would get in it. */
function copyTargets(call: Call): readonly Field[] {
  const options = optionsOf(call, COPY);
  const list = [...options.operands];
  const target = options.value('t') ?? (list.length > 1 ? list.pop() : undefined);
  if (!target) return [];
  const named = list.map((source) => ({
    ...target,
    text: `${target.text}/${trimEnd(source.text, '/').split('/').at(-1) ?? ''}`,
  }));
  return options.has('T') ? [target] : [target, ...named];
}

export function copySources(call: Call): readonly Field[] {
  const options = optionsOf(call, COPY);
  return options.has('t') ? options.operands : options.operands.slice(0, -1);
}

function moveSources(call: Call): readonly Field[] {
  return copySources(call);
}

function inPlace(grammar: string, flag: string, ...code: readonly string[]): Pick {
  return (call) => {
    const options = optionsOf(call, grammar);
    if (!options.has(flag)) return [];
    return options.has(...code) ? options.operands : options.operands.slice(1);
  };
}

function localLast(call: Call, grammar: string): readonly Field[] {
  const options = optionsOf(call, grammar);
  const last = options.operands.at(-1);
  return last && options.operands.length > 1 && !isRemote(last.text) && !options.has('n') ? [last] : [];
}

const TRANSFERS: Readonly<Record<string, string>> = {
  scp: 'P: i: F: o: c: l: S: J: D: X: r p q v C T O B 3 4 6 A R s',
  rsync:
    'e|rsh: exclude: include: filter|f: files-from: exclude-from: include-from: rsync-path: chmod: chown: partial-dir: backup-dir: log-file: T|temp-dir: password-file: port: bwlimit: B: M: a v z r P n|dry-run',
};

/** Sources and, last, the target of scp and rsync. */
export function transferOperands(call: Call): readonly Field[] {
  return optionsOf(call, TRANSFERS[call.program] ?? '').operands;
}

/** `host:path`, but not a Windows drive. */
export function isRemote(text: string): boolean {
  return (
    /^(?:[\w.-]+@)?[\w.-]+:(?!\\)/.test(text) ||
    text.startsWith('rsync://') ||
    /^[\w.-]+::/.test(text) ||
    /^[\w-]+@[^/]+$/.test(text)
  );
}

/** Owner and mode changes write; tightening a key's mode does not. */
function permissionTargets(call: Call): readonly Field[] {
  const options = optionsOf(
    call,
    'R|recursive v c f h H L P reference: from: preserve-root no-preserve-root dereference no-dereference',
  );
  const [mode, ...rest] = options.operands;
  const files = options.has('reference') ? options.operands : rest;
  if (
    call.program === 'chmod' &&
    /^0?[4-7]00$|^(?:u[+=][rwx]+,)?(?:go|g|o|og)[-=][rwx]*(?:,.*)?$/.test(mode?.text ?? '')
  )
    return [];
  return files;
}

const READERS = new Set([
  'cat',
  'tac',
  'less',
  'more',
  'head',
  'tail',
  'bat',
  'nl',
  'grep',
  'rg',
  'ag',
  'ack',
  'sed',
  'awk',
  'cut',
  'sort',
  'uniq',
  'tr',
  'paste',
  'join',
  'comm',
  'diff',
  'cmp',
  'colordiff',
  'vimdiff',
  'cp',
  'mv',
  'install',
  'ln',
  'scp',
  'rsync',
  'tar',
  'zip',
  '7z',
  '7za',
  'rar',
  'cpio',
  'pax',
  'gzip',
  'bzip2',
  'xz',
  'zstd',
  'dd',
  'base64',
  'base32',
  'xxd',
  'od',
  'hexdump',
  'hd',
  'strings',
  'rev',
  'fold',
  'fmt',
  'pr',
  'column',
  'expand',
  'jq',
  'yq',
  'xmllint',
  'vim',
  'nano',
  'emacs',
  'code',
  'micro',
  'ed',
  'open',
  'xdg-open',
  'pbcopy',
  'xclip',
  'xsel',
  'wl-copy',
  'clip',
  'split',
  'csplit',
  'shuf',
  'tee',
  'pv',
  'gpg',
  'mail',
  'mailx',
  'mutt',
  'sendmail',
  'nc',
  'socat',
  'rclone',
  'gsutil',
  'lpr',
  'lp',
  'enscript',
  'iconv',
  'dos2unix',
  'look',
  'source',
  '.',
  'highlight',
  'pygmentize',
  'glow',
  'mdcat',
  'view',
  'zcat',
  'zgrep',
  'get-content',
  'gc',
  'type',
  'copy',
  'copy-item',
  'move-item',
  'certutil',
  'ul',
  'unexpand',
  'ptx',
  'tsort',
  'hexyl',
  'most',
  'date',
  'arp',
  'as',
  'nmap',
  'wget',
  'curl',
  'msgattrib',
  'uudecode',
  'redcarpet',
  'soelim',
  'troff',
  'nroff',
  'eqn',
  'tbl',
  'pic',
  'cowsay',
  'dialog',
  'whiptail',
  'readelf',
  'ss',
  'update-alternatives',
  'qrencode',
  'puttygen',
  'ssh2john',
  'john',
  'sqlite3',
  'plutil',
  'hashcat',
  'uuencode',
  'xargs',
  'python',
  'perl',
  'ruby',
  'node',
  'php',
  'lua',
]);

/** Programs that show, copy or send on what they read. */
export const READING_PROGRAMS: readonly string[] = [...READERS];

/** Paths whose content the call would show, copy or send on. Unknown programs do not count: a name is no reading. */
export function readTargets(call: Call): readonly Target[] {
  return remember(call, readTargets, () => readsOf(call));
}

/** As `readTargets`, without what `find` puts in: its names are judged by where and what it looks for (tree-reads.ts). */
export function knownReads(call: Call): readonly Target[] {
  const targets = readTargets(call);
  return call.frame.found ? targets.filter(({ field }) => !field.expanded) : targets;
}

function readsOf(call: Call): readonly Target[] {
  const redirected = call.files.filter((file) => file.use === 'read').map((file) => file.target);
  return targetsOf(call, READERS.has(call.program) ? [...redirected, ...readOperands(call)] : redirected);
}

export function readOperands(call: Call): readonly Field[] {
  switch (call.program) {
    case 'cp':
    case 'mv':
    case 'install':
    case 'scp':
    case 'rsync':
      return transferOperands(call).slice(0, -1);
    case 'ln':
      return copySources(call);
    case 'sed':
      return [...afterPattern(call), ...sedFiles(call, 'read')];
    case 'grep':
    case 'rg':
    case 'ag':
    case 'ack':
    case 'zgrep':
    case 'awk':
    case 'jq':
    case 'yq':
      return afterPattern(call);
    case 'curl':
    case 'wget':
      return localUrls(call);
    case 'dd':
      return call.args.filter((arg) => arg.text.startsWith('if=')).map((arg) => ({ ...arg, text: arg.text.slice(3) }));
    case 'tee':
    case 'tr':
      return [];
    case 'xargs':
      return optionsOf(call, 'a|arg-file: I: J: L: n: P: s: d: E: 0 r t x i? l? e?', { stop: true }).values('a');
    case 'python':
    case 'perl':
    case 'ruby':
    case 'node':
    case 'php':
    case 'lua':
      return givenToCode(call);
    default:
      return call.args
        .map((arg) =>
          /^--?[\w-]+=/.test(arg.text) ? { ...arg, text: arg.text.slice(arg.text.indexOf('=') + 1) } : arg,
        )
        .filter((arg) => !arg.text.startsWith('-'));
  }
}

/** What inline code is given as words, it reads: `perl -ne print file`. */
function givenToCode(call: Call): readonly Field[] {
  const { texts, stdin } = inlineCode(call);
  return texts.length > 0 || (stdin && call.args.length > 0)
    ? call.args.filter((arg) => !arg.text.startsWith('-') && !texts.includes(arg))
    : [];
}

/** `file:///path`, and a file of addresses (`wget -i`). */
function localUrls(call: Call): readonly Field[] {
  const urls = call.args.filter((arg) => /^file:\/\//i.test(arg.text));
  const lists = call.program === 'wget' ? optionsOf(call, WGET_OPTIONS).values('i') : [];
  return [...urls.map((arg) => ({ ...arg, text: arg.text.replace(/^file:\/\/(?:localhost)?/i, '') })), ...lists];
}

/** The operands behind a pattern or script. */
function afterPattern(call: Call): readonly Field[] {
  const options = optionsOf(
    call,
    'e|regexp|expression: f|file: A|after-context: B|before-context: C|context: m|max-count: g|glob: t|type: T: F: v|assign: exclude: include: exclude-dir: color? r R n i l c o w x E P q s h H L z a arg: args: slurpfile: rawfile: argjson:',
  );
  return options.has('e', 'f') && call.program !== 'jq' ? options.operands : options.operands.slice(1);
}
