import type { Effect, Use } from './effects.ts';
import {
  choicesOf,
  deletes,
  deletesSelf,
  dynamic,
  folderNow,
  folderOf,
  gives,
  globbed,
  joinsPath,
  native,
  opens,
  readPath,
  reads,
  reports,
  shells,
  signals,
  systemWords,
  writePath,
  writes,
  writesSelf,
} from './effects.ts';
import { printsFormat } from './formats.ts';
import type { Language } from './language.ts';
import { readOperator } from './quote-operators.ts';
import { sqlEffect } from './sql.ts';
import type { Token } from './tokens.ts';
import { copiesTree, entersFolder, walks } from './tree-effects.ts';
import type { Value } from './values.ts';
import { asText, constantText, textValue } from './values.ts';
import { opensEither, requests, sends } from './web-effects.ts';

/** `%w[]`, `%x()`, `%(..)`, `:symbol`, `?c`, `=begin`. */
function special(source: string, at: number, before: Token | undefined): Token | null {
  const char = source[at];
  if (char === '=' && source.startsWith('=begin', at) && (at === 0 || source[at - 1] === '\n')) {
    const end = source.indexOf('\n=end', at);
    return { kind: 'newline', text: '\n', pos: at, end: end < 0 ? source.length : end + 5 };
  }
  if (source.startsWith('__END__', at) && (at === 0 || source[at - 1] === '\n'))
    return { kind: 'newline', text: '\n', pos: at, end: source.length };
  if (char === ':' && /[A-Za-z_]/.test(source[at + 1] ?? '') && source[at - 1] !== ':' && before?.text !== '?') {
    const name = /^:[\w]+[?!]?/.exec(source.slice(at, at + 60))?.[0] ?? ':';
    if (source[at + name.length] !== ':')
      return { kind: 'string', text: name.slice(1), pos: at, end: at + name.length };
  }
  if (
    char !== '%' ||
    (before && (before.kind === 'number' || before.kind === 'string' || before.text === ')' || before.text === ']'))
  )
    return null;
  const match = /^%([qQwWxirsI]?)(?=[^\w\s=])/.exec(source.slice(at, at + 4));
  if (!match) return null;
  const letter = match[1] as string;
  const kind = letter === 'x' ? 'command' : letter === 'r' ? 'regex' : /[wWiI]/.test(letter) ? 'words' : 'string';
  return readOperator(
    source,
    at,
    at + match[0].length,
    { kind, interpolates: letter !== 'q' && letter !== 'w' && letter !== 'i' },
    true,
  );
}

const send: Effect = (use) => {
  const text = constantText(use.args[0]);
  if (text === null) use.sink.report('code.dynamic', use.at, 'picks what it calls when it runs');
  else if (/^(?:system|exec|spawn|eval|`|fork|instance_eval|class_eval|open)$/.test(text))
    use.sink.report('code.spawn', use.at);
  else return knownAs(use, text);
  return undefined;
};

/** `File.method(:delete)`, `File.send(:delete, path)`. */
function knownAs(use: Use, method: string): Value | undefined {
  const name = `${use.name.slice(0, use.name.lastIndexOf('.') + 1)}${method}`;
  const args = use.args.slice(1);
  return Object.hasOwn(EFFECTS, name) ? EFFECTS[name]?.({ ...use, name, args, called: args.length > 0 }) : undefined;
}

/** `File.open(path, 'w')`, and `open("|cmd")`. */
const open: Effect = (use) => {
  const text = asText(use.args[0]);
  if (/^\s*\|/.test(text)) return shells(0)({ ...use, args: [textValue(text.replace(/^\s*\|/, ''))] });
  return opens(0, 1, 'mode')(use);
};

const evaluates: Effect = (use) => {
  if (use.args.length > 0 || !use.called) dynamic(use);
  return undefined;
};

const each =
  (effect: (use: Use, text: string) => void): Effect =>
  (use) => {
    for (const arg of use.called ? use.args : [undefined]) for (const text of choicesOf(arg)) effect(use, text);
    return undefined;
  };

const removesEach: Effect = (use) => {
  if (!use.called || use.args.length === 0) return deletes()(use);
  for (const arg of use.args) if (arg.kind !== 'record') deletes()({ ...use, args: [arg] });
  return undefined;
};

const kills: Effect = (use) => {
  const [signal, ...pids] = use.args;
  if (signal?.kind === 'number' && signal.number === 0) return undefined;
  for (const pid of pids) signals(0, 1)({ ...use, args: [pid] });
  return undefined;
};

const FILE_UTILS: Readonly<Record<string, Effect>> = {
  rm: removesEach,
  rm_f: removesEach,
  rm_r: removesEach,
  rm_rf: removesEach,
  rmtree: removesEach,
  remove: removesEach,
  remove_dir: removesEach,
  remove_entry: removesEach,
  remove_entry_secure: removesEach,
  remove_file: removesEach,
  safe_unlink: removesEach,
  rmdir: removesEach,
  cp: copiesTree(),
  cp_r: copiesTree(),
  copy: copiesTree(),
  copy_file: copiesTree(),
  copy_entry: copiesTree(),
  install: copiesTree(),
  mv: writes(0, 1),
  move: writes(0, 1),
  ln: copiesTree(),
  ln_s: copiesTree(),
  ln_sf: copiesTree(),
  symlink: copiesTree(),
  mkdir: writes(0),
  mkdir_p: writes(0),
  makedirs: writes(0),
  touch: each(writePath),
  chmod: writes(1),
  chmod_R: writes(1),
  chown: writes(2),
  chown_R: writes(2),
};

const EFFECTS: Readonly<Record<string, Effect>> = {
  sprintf: printsFormat,
  format: printsFormat,
  system: systemWords,
  exec: systemWords,
  spawn: systemWords,
  'Kernel.system': systemWords,
  'Kernel.exec': systemWords,
  'Kernel.spawn': systemWords,
  'Process.spawn': systemWords,
  'Process.exec': systemWords,
  'IO.popen': systemWords,
  'PTY.spawn': systemWords,
  'Shell.*': reports('code.spawn'),
  '*.public_method': send,
  '*.singleton_method': send,
  '*.instance_method': send,
  'Open3.capture2': systemWords,
  'Open3.capture2e': systemWords,
  'Open3.capture3': systemWords,
  'Open3.popen3': systemWords,
  'Open3.popen2': systemWords,
  'Open3.popen2e': systemWords,
  'Open3.pipeline': systemWords,
  ...Object.fromEntries(Object.entries(FILE_UTILS).map(([name, effect]) => [`FileUtils.${name}`, effect])),
  rm_rf: removesEach,
  rm_r: removesEach,
  rm_f: removesEach,
  'File.delete': removesEach,
  'File.unlink': removesEach,
  'Dir.rmdir': removesEach,
  'Dir.delete': removesEach,
  'Dir.unlink': removesEach,
  'File.truncate': removesEach,
  'File.rename': writes(0, 1),
  'File.symlink': copiesTree(),
  'File.link': copiesTree(),
  'File.chmod': writes(1),
  'File.chown': writes(2),
  'File.write': writes(0),
  'IO.write': writes(0),
  'File.binwrite': writes(0),
  'IO.binwrite': writes(0),
  'Dir.mkdir': writes(0),
  'File.open': open,
  'File.new': open,
  open: opensEither(open),
  'Kernel.open': opensEither(open),
  'File.read': reads(),
  'File.readlines': reads(),
  'File.foreach': reads(),
  'IO.read': each(readPath),
  'IO.readlines': reads(),
  'Pathname.new': gives((use) => ({ kind: 'ref', name: 'Pathname.of', of: use.args[0] ?? textValue('') })),
  Pathname: gives((use) => ({ kind: 'ref', name: 'Pathname.of', of: use.args[0] ?? textValue('') })),
  'Pathname.of.delete': deletesSelf,
  'Pathname.of.unlink': deletesSelf,
  'Pathname.of.rmtree': deletesSelf,
  'Pathname.of.rmdir': deletesSelf,
  'Pathname.of.write': writesSelf,
  '*.rmtree': deletesSelf,
  'Dir.glob': walks(0, globbed),
  'Dir.[]': walks(0, globbed),
  'Dir.entries': walks(),
  'Dir.children': walks(),
  'Dir.each_child': walks(),
  'Find.find': walks(),
  'Dir.chdir': entersFolder,
  Dir: gives(() => undefined),
  'Dir.pwd': folderNow,
  'Dir.getwd': folderNow,
  'File.dirname': folderOf,
  'Dir.home': gives((use) => textValue(use.sink.facts.home)),
  'File.join': joinsPath,
  'File.expand_path': gives((use) => textValue(asText(use.args[0]).replace(/^~(?=\/|$)/, use.sink.facts.home))),
  'Process.kill': kills,
  fork: gives(() => undefined),
  'Process.fork': gives(() => undefined),
  'Process.daemon': reports('code.spawn'),
  eval: evaluates,
  instance_eval: evaluates,
  class_eval: evaluates,
  module_eval: evaluates,
  '*.instance_eval': evaluates,
  '*.class_eval': evaluates,
  '*.module_eval': evaluates,
  '*.eval': evaluates,
  'Marshal.load': dynamic,
  'YAML.unsafe_load': dynamic,
  '*.send': send,
  '*.__send__': send,
  '*.public_send': send,
  send,
  __send__: send,
  '*.const_get': dynamic,
  '*.method': send,
  method: send,
  load: (use) => {
    if (constantText(use.args[0]) === null) dynamic(use);
    return undefined;
  },
  require: (use) => {
    if (constantText(use.args[0]) === null) dynamic(use);
    return undefined;
  },
  syscall: native,
  'Fiddle.*': native,
  'FFI.*': native,
  'DL.*': native,
  'TCPSocket.*': sends,
  'TCPServer.*': sends,
  'UDPSocket.*': sends,
  'UNIXSocket.*': sends,
  'Socket.*': sends,
  'Net.HTTP.get': requests(),
  'Net.HTTP.get_response': requests(),
  'Net.HTTP.post': sends,
  'Net.HTTP.post_form': sends,
  'Net.HTTP.Post.new': sends,
  'Net.HTTP.Put.new': sends,
  'Net.HTTP.Delete.new': sends,
  'Net.HTTP.start': gives(() => undefined),
  'Net.SMTP.*': sends,
  'Net.FTP.*': sends,
  'Net.SSH.*': sends,
  'URI.open': requests(),
  'Resolv.getaddress': requests(),
  'Addrinfo.ip': requests(),
  'HTTParty.get': requests(),
  'HTTParty.post': sends,
  'HTTParty.put': sends,
  'HTTParty.delete': sends,
  'Faraday.get': requests(),
  'Faraday.post': sends,
  'RestClient.get': requests(),
  'RestClient.post': sends,
  'RestClient.delete': sends,
  '*.delete_all': reports('sql.loss', 'deletes every row of a table'),
  '*.destroy_all': reports('sql.loss', 'deletes every row of a table'),
  '*.drop_table': reports('sql.loss', 'drops a table'),
  '*.execute': sqlEffect,
  '*.exec_query': sqlEffect,
  '*.exec_update': sqlEffect,
};

export const ruby: Language = {
  name: 'ruby',
  givesSeveral: true,
  lexicon: {
    heredoc: /^<<[~-]?(["'`]?)([A-Z_][A-Z0-9_]*)\1/,
    line: ['#'],
    quotes: '\'"`',
    backtickRuns: true,
    newlines: true,
    regex: true,
    interpolation: { open: '#{', close: '}', in: '"`' },
    nameStart: /[\p{L}_$@]/u,
    namePart: /[\p{L}\p{N}_?!]/u,
    special,
  },
  effects: EFFECTS,
  modules: {},
  joins: ['+'],
  skipped:
    /^(?:return|puts|print|p|pp|not|and|or|if|elsif|else|unless|while|until|for|in|do|end|then|begin|rescue|ensure|raise|yield|self|super|def|class|module|case|when|new|lambda|proc|defined\?|alias|BEGIN|END|loop|break|next|redo|nil|include|extend)$/,
  bareCalls: true,
  adjacent: true,
  percentFills: true,
  sensitive: /^$/,
  endless:
    /\bloop\s*(?:do|\{)|\bwhile\s+(?:true|1)\b|\buntil\s+false\b|\bfork\s+(?:while|until)\b|\bfork\s*\{\s*(?:fork|loop)/,
};
