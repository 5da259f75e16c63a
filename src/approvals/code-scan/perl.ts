import type { Effect, Use } from './effects.ts';
import {
  choicesOf,
  deletes,
  dynamic,
  gives,
  globbed,
  native,
  readPath,
  reports,
  runsProcess,
  signals,
  systemWords,
  writePath,
  writes,
} from './effects.ts';
import { printsFormat } from './formats.ts';
import type { Language, Reading } from './language.ts';
import type { Operator } from './quote-operators.ts';
import { readOperator } from './quote-operators.ts';
import { sqlEffect } from './sql.ts';
import type { Token } from './tokens.ts';
import { copiesTree, entersFolder, walks } from './tree-effects.ts';
import { asText, constantText } from './values.ts';
import { requests, sends } from './web-effects.ts';

const OPERATORS: Readonly<Record<string, Operator>> = {
  q: { kind: 'string', interpolates: false },
  qq: { kind: 'string', interpolates: true },
  qx: { kind: 'command', interpolates: true },
  qw: { kind: 'words', interpolates: false },
  qr: { kind: 'regex', interpolates: true },
  m: { kind: 'regex', interpolates: true },
  s: { kind: 'regex', two: true, interpolates: true },
  tr: { kind: 'regex', two: true, interpolates: false },
  y: { kind: 'regex', two: true, interpolates: false },
};

/** Where a term is expected `%s` is the hash of that name; elsewhere it is a remainder, by what `s///` comes to. */
const TERM_FOLLOWS =
  /(?:^|[;{(,=!&|?:]|\b(?:keys|values|each|my|our|local|scalar|return|delete|defined|sort|map|grep|foreach|if|unless|and|or|not))\s*$/;

/** Quote operators, POD, `__END__` and `$#x`. */
function special(source: string, at: number, before: Token | undefined): Token | null {
  if (source[at] === '=' && (at === 0 || source[at - 1] === '\n') && /[a-z]/.test(source[at + 1] ?? '')) {
    const end = source.indexOf('\n=cut', at);
    return { kind: 'newline', text: ';', pos: at, end: end < 0 ? source.length : end + 5 };
  }
  if (source.startsWith('__END__', at) || source.startsWith('__DATA__', at))
    return { kind: 'newline', text: ';', pos: at, end: source.length };
  if (source.startsWith('$#', at) || (source[at] === '$' && /[^\w\s{(:]/.test(source[at + 1] ?? ' ')))
    return { kind: 'name', text: source.slice(at, at + 2), pos: at, end: at + 2 };
  const word = /^(?:qq|qx|qw|qr|tr|q|m|s|y)(?![\w])/.exec(source.slice(at, at + 3))?.[0];
  if (!word || before?.text === '->' || before?.text === '{' || before?.text === '&' || /\w/.test(source[at - 1] ?? ''))
    return null;
  if (source[at - 1] === '%' && TERM_FOLLOWS.test(source.slice(Math.max(0, at - 20), at - 1))) return null;
  return readOperator(source, at, at + word.length, OPERATORS[word] as Operator, false);
}

/** `open(F, '>', file)`, `open F, ">file"`, `open F, "cmd|"`. */
const open: Effect = (use) => {
  const [, mode, target] = use.args;
  const text = constantText(mode);
  if (!use.called) return undefined;
  if (text === null) {
    if (mode !== undefined)
      use.sink.report('code.write', use.at, 'opens a file or a command that is only known when it runs');
    return undefined;
  }
  const piped = /^\s*\|(.*)$/s.exec(text) ?? /^(.*)\|\s*$/s.exec(text);
  if (/^(?:-\||\|-)/.test(text)) systemWords({ ...use, args: use.args.slice(2) });
  else if (piped && target === undefined) runs(use, piped[1] as string);
  else if (/^\s*\+?>/.test(text) || /^\s*\+</.test(text))
    writePath(use, target ? asText(target) : text.replace(/^\s*\+?[<>]{1,2}\s*/, ''));
  else readPath(use, target ? asText(target) : text.replace(/^\s*<\s*/, ''));
  return undefined;
};

function runs(use: Use, text: string): void {
  if (text.includes('\uE000')) use.sink.report('code.spawn', use.at);
  use.sink.shell(text, use.at);
}

/** `eval { }` catches errors; `eval "text"` runs it. */
const evaluates: Effect = (use) => {
  if (use.called) dynamic(use);
  return undefined;
};

const removesEach: Effect = (use) => {
  if (!use.called) return deletes()(use);
  for (const arg of use.args) deletes()({ ...use, args: [arg] });
  if (use.args.length === 0) use.sink.report('fs.delete', use.at, 'deletes what is only known when it runs');
  return undefined;
};

/** `kill SIGNAL, pids`. */
const kills: Effect = (use) => {
  const [signal, ...pids] = use.args;
  if (signal?.kind === 'number' && signal.number === 0) return undefined;
  for (const pid of pids) signals(0, 1)({ ...use, args: [pid] });
  if (pids.length === 0) use.sink.report('proc.kill', use.at, 'signals a process');
  return undefined;
};

/** `open3(in, out, err, 'cmd')`. */
const behind =
  (count: number): Effect =>
  (use) =>
    systemWords({ ...use, args: use.args.slice(count) });

/** `run ['rm', 'x']` of IPC::Run. */
const runsList: Effect = (use) => (use.args[0]?.kind === 'list' ? runsProcess(use) : undefined);

/** `->can('unlink')`: a function by its name. */
const picks: Effect = (use) => {
  if (use.args.some((arg) => Object.hasOwn(EFFECTS, constantText(arg) ?? '')))
    use.sink.report('code.dynamic', use.at, 'picks what it calls when it runs');
  return undefined;
};

/** Functions that a module has under their own names, and agents that were just made. */
function perlName(name: string): string {
  return name
    .replace(/^(?:POSIX|CORE|CORE\.GLOBAL)\.(?=\w+$)/, '')
    .replace(/^(?:HTTP\.Tiny|LWP\.UserAgent|Mojo\.UserAgent|WWW\.Mechanize)\.new(?:\(\))?\.(?=\w+$)/, 'LWP.agent.');
}

const modesOf: Effect = (use) => {
  for (const arg of use.args.slice(1)) for (const text of choicesOf(arg)) writePath(use, text);
  return undefined;
};

const EFFECTS: Readonly<Record<string, Effect>> = {
  sprintf: printsFormat,
  system: systemWords,
  exec: systemWords,
  'CORE.system': systemWords,
  readpipe: systemWords,
  open3: behind(3),
  open2: behind(2),
  'IPC.Open3.open3': behind(3),
  'IPC.Open2.open2': behind(2),
  run: runsList,
  run3: runsList,
  'IPC.Run.run': runsList,
  'IPC.Run3.run3': runsList,
  can: picks,
  '*.can': picks,
  '*.do': sqlEffect,
  '*.prepare': sqlEffect,
  open,
  sysopen: (use) => {
    writePath(use, asText(use.args[1]));
    return undefined;
  },
  unlink: removesEach,
  rmdir: removesEach,
  rmtree: removesEach,
  remove_tree: removesEach,
  'File.Path.rmtree': removesEach,
  'File.Path.remove_tree': removesEach,
  truncate: removesEach,
  rename: writes(0, 1),
  symlink: copiesTree(),
  link: copiesTree(),
  mkdir: writes(0),
  mkpath: writes(0),
  make_path: writes(0),
  chmod: modesOf,
  chown: (use) => {
    for (const arg of use.args.slice(2)) for (const text of choicesOf(arg)) writePath(use, text);
    return undefined;
  },
  copy: copiesTree(),
  move: writes(0, 1),
  'File.Copy.copy': copiesTree(),
  'File.Copy.move': writes(0, 1),
  glob: walks(0, globbed),
  opendir: walks(1),
  chdir: entersFolder,
  kill: kills,
  fork: gives(() => undefined),
  eval: evaluates,
  do: (use) => {
    if (use.args.some((arg) => arg.kind === 'text')) dynamic(use);
    return undefined;
  },
  require: (use) => {
    if (use.args.some((arg) => arg.kind === 'text' && constantText(arg) === null)) dynamic(use);
    return undefined;
  },
  syscall: native,
  dump: native,
  'DynaLoader.*': native,
  socket: sends,
  connect: sends,
  'IO.Socket.*': sends,
  'IO.Socket.INET.new': sends,
  'Net.SMTP.new': sends,
  'Net.FTP.new': sends,
  'LWP.UserAgent.new': gives(() => ({ kind: 'ref', name: 'LWP.agent' })),
  'LWP.agent.post': sends,
  'LWP.agent.put': sends,
  'LWP.agent.patch': sends,
  'LWP.agent.delete': sends,
  'LWP.agent.post_form': sends,
  'LWP.agent.get': requests(),
  'HTTP.Tiny.new': gives(() => ({ kind: 'ref', name: 'LWP.agent' })),
  'LWP.Simple.get': requests(),
  get: requests(),
  getprint: requests(),
  gethostbyname: requests(),
  getstore: writes(1),
  'POSIX._exit': gives(() => undefined),
  '*.spew': reports('code.write', 'writes to a path that is only known when it runs'),
};

/** `use`, `no`, `package` and the `&$name` call. */
function statement(scan: Reading): boolean {
  if (scan.is('use') || scan.is('no') || scan.is('package')) {
    while (scan.peek() && !scan.is(';')) scan.take();
    return true;
  }
  const token = scan.peek();
  if (scan.is('&') && (scan.is('$', 1) || /^\$/.test(scan.peek(1)?.text ?? '') || scan.is('{', 1)) && token) {
    scan.sink.report('code.dynamic', token, 'picks what it calls when it runs');
    scan.take();
    return true;
  }
  return false;
}

export const perl: Language = {
  name: 'perl',
  lexicon: {
    heredoc: /^<<~?(["']?)([A-Za-z_]\w*)\1/,
    line: ['#'],
    quotes: '\'"`',
    backtickRuns: true,
    regex: true,
    sigilInterpolation: true,
    nameStart: /[\p{L}_$@]/u,
    namePart: /[\p{L}\p{N}_]/u,
    special,
  },
  effects: EFFECTS,
  sameAs: perlName,
  modules: {},
  statement,
  joins: ['.'],
  skipped:
    /^(?:return|my|our|local|not|and|or|xor|if|elsif|else|unless|while|until|for|foreach|print|printf|say|die|warn|defined|ref|scalar|sub|BEGIN|END|last|next|redo|lc|uc|chomp|push|shift|keys|values|sort|reverse|map|grep|join|split|exists|delete|wantarray|x|eq|ne|lt|gt|le|ge|cmp)$/,
  bareCalls: true,
  braced: '$ENV',
  sensitive: /^$/,
  endless:
    /\bwhile\s*\(?\s*(?:1|true)\b|\bfor\s*\(\s*;\s*;|\bfork\s+(?:while|until)\b|\b1\s+while\s+fork|\bwhile\s*\(?\s*fork|\bfork\s*(?:and|&&|or|\|\|)\s*fork|\bfork\s*while|until\s*\(?\s*0/,
};
