import type { Call } from './call.ts';
import { knownArgs, optionsOf, remember } from './call.ts';
import type { Field } from './field.ts';
import { entryOf } from './lookup.ts';
import { UNKNOWN } from './marks.ts';
import { parseOptions } from './options.ts';
import { SSH_OPTIONS } from './wrappers/remote.ts';
import { GIT_GLOBAL } from './wrappers/runners.ts';

/** Text that an ordinary program hands to a shell or runs as a program because an option, a script line or a variable says so. */
export interface CommandText {
  readonly text: Field;
  readonly what: string;
}

/** All such texts of a call, harmless ones left out. */
export function commandTexts(call: Call): readonly CommandText[] {
  return remember(call, commandTexts, () => textsOf(call));
}

function textsOf(call: Call): readonly CommandText[] {
  const read = entryOf(READERS, call.program);
  const found = [...(read?.(call) ?? []), ...environmentTexts(call)];
  return found.length === 0 ? found : found.filter(({ text }) => !isHarmlessCommand(text.text));
}

const HARMLESS =
  /^(?:cat|less|more|most|bat|delta|diff-so-fancy|vim?|nvim|nano|emacs|code|subl|micro|true|false|:|ssh|head|tail|col|ul|gpg2?|vimdiff|meld|opendiff|kdiff3|difft|difftastic|gzip|pigz|bzip2|pbzip2|lbzip2|xz|pxz|zstd|zstdmt|lz4|lzop|brotli|compress|lzma|lzip|plzip|echo|manager|manager-core|osxkeychain|store|cache|libsecret|wincred|input|always|never|auto|none|no|yes|0|1|wsl-open|xdg-open|open|firefox|google-chrome|chromium|safari|w3m|lynx|colordiff|diff|cmp|icdiff|riff|splice|tig|column|fold|fmt|pygmentize|highlight|git|gh)(?:\.exe)?$/;

/** A known pager, editor or compressor with plain options, or nothing. `ssh -W %h:%p host` is how jump hosts work. */
export function isHarmlessCommand(text: string): boolean {
  const clean = text.trim();
  if (clean === '') return true;
  if (!/^[\w./%:@=+, ~-]+$/.test(clean)) return false;
  const [program = '', ...rest] = clean.split(/\s+/);
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (program.includes('/') && !/^(?:\/usr(?:\/local)?\/bin\/|\/bin\/|\/opt\/homebrew\/bin\/)/.test(program))
    return false;
  if (!HARMLESS.test(name)) return false;
  if (name === 'git' || name === 'gh')
    return rest[0] === 'credential-manager' || rest[0] === 'credential-osxkeychain' || rest[0] === 'auth';
  if (name === 'ssh')
    return (
      !rest.some((word) => /ProxyCommand|LocalCommand|KnownHosts/i.test(word)) &&
      (rest.every((word, i) => word.startsWith('-') || /^-[A-Za-z]$/.test(rest[i - 1] ?? '')) || rest.includes('-W'))
    );
  return (
    rest.every((word) => word.startsWith('-') || word.startsWith('+') === false) &&
    !rest.some((word) => /^[+]|^-(?:c|-cmd|-exec|e)$/.test(word))
  );
}

type Read = (call: Call) => readonly CommandText[];

function take(what: string, fields: readonly (Field | undefined)[]): readonly CommandText[] {
  return fields.filter((field): field is Field => field !== undefined).map((text) => ({ text, what }));
}

function valued(what: string, grammar: string, ...names: readonly string[]): Read {
  return (call) => {
    const options = optionsOf(call, grammar);
    return take(
      what,
      names.flatMap((name) => options.values(name)),
    );
  };
}

/** The part of a word behind a prefix, as a word of its own. */
function after(field: Field, length: number): Field {
  return { ...field, raw: '', text: field.text.slice(length) };
}

const READERS: Readonly<Record<string, Read>> = {
  git: gitTexts,
  ssh: sshTexts,
  scp: (call) => [
    ...sshConfig(call, 'P: i: F: o: c: l: S: J: D: X: r p q v C T O B'),
    ...valued('the program scp connects with', 'P: i: F: o: S: l: c: J:', 'S')(call),
  ],
  sftp: (call) => [
    ...sshConfig(call, 'b: B: c: D: F: i: J: l: o: P: R: S: s: X: a f p r q v C 4 6 N'),
    ...valued('the program sftp connects with', 'b: B: c: D: F: i: J: l: o: P: R: S: s:', 'S', 'D')(call),
  ],
  rsync: (call) => [
    ...valued(
      'the program rsync connects with',
      'e|rsh: rsync-path: exclude: include: filter|f: chmod: a v z r P n',
      'e',
    )(call),
    ...valued(
      'the program rsync starts on the other side',
      'e|rsh: rsync-path: exclude: include:',
      'rsync-path',
    )(call).filter(({ text }) => !/^(?:sudo )?(?:\/usr\/bin\/)?rsync$/.test(text.text)),
  ],
  tar: tarTexts,
  man: valued("man's pager", 'P|pager: H|html? M: m: L: S: e: C: k f w a', 'P'),
  sort: valued("sort's compressor", 'compress-program: k: t: T: S: o: parallel: batch-size: u r n', 'compress-program'),
  rg: valued(
    'a program ripgrep starts',
    'pre: hostname-bin: pre-glob: e: f: g: t: T: A: B: C: m: M: r: j: E: colors: sort: max-depth: type-add: iglob:',
    'pre',
    'hostname-bin',
  ),
  ag: valued("ag's pager", 'pager: A: B: C: G: m: ignore: depth:', 'pager'),
  ack: valued("ack's pager", 'pager: A: B: C: m: type:', 'pager'),
  split: valued('a filter split starts', 'a: b: C: d l: n: t: u filter: additional-suffix:', 'filter'),
  zip: (call) =>
    optionsOf(call, 'TT|unzip-command: T r q').has('TT')
      ? valued('the test command of zip', 'unzip-command: r q T', 'unzip-command')(call)
      : zipTest(call),
  tcpdump: valued('a program tcpdump starts', 'z: w: i: G: C: W: r: c: s: n v e A X l Z: F: E: y:', 'z'),
  wget: valued('a program wget asks for a password', 'use-askpass: O: P: o:', 'use-askpass'),
  less: plusCommands,
  more: plusCommands,
  vim: vimTexts,
  gdb: gdbTexts,
  make: makeTexts,
  nmap: (call) =>
    take(
      'a script nmap runs',
      optionsOf(call, 'script: p: o: iL: oN: oX: oG: oA: interactive')
        .values('script')
        .filter((field) => /\/|\.nse$/.test(field.text)),
    ),
  apt: (call) => aptHooks(call),
  dpkg: valued('a hook of dpkg', 'pre-invoke: post-invoke: i r P l L s S', 'pre-invoke', 'post-invoke'),
  go: (call) => {
    const options = optionsOf(call, 'exec: toolexec: o: tags: run: count: v x race C:', { singleDash: true });
    return take('a program go starts', [...options.values('exec'), ...options.values('toolexec')]);
  },
  cargo: (call) =>
    take(
      'a program cargo starts',
      optionsOf(call, 'config: p: F: manifest-path: target:')
        .values('config')
        .filter((field) => /(?:runner|linker|rustc|wrapper)\s*=/.test(field.text)),
    ),
  npm: valued('the shell npm runs scripts with', 'script-shell: prefix: w:', 'script-shell'),
  svn: valued(
    'a program svn starts',
    'diff-cmd: diff3-cmd: editor-cmd: m: r: F:',
    'diff-cmd',
    'diff3-cmd',
    'editor-cmd',
  ),
  hg: (call) =>
    take(
      'a hook or extension of hg',
      optionsOf(call, 'config: R: b: m: r:')
        .values('config')
        .filter((field) => /^(?:hooks|alias|extensions|ui\.(?:ssh|editor|merge)|pager|merge-tools)/.test(field.text)),
    ),
  fzf: valued('a program fzf starts', 'preview: bind: q: f: d: n: m', 'preview', 'bind'),
  xterm: (call) => behind(call, /^-e$/),
  alacritty: (call) => behind(call, /^(?:-e|--command)$/),
  kitty: (call) => behind(call, /^-e$/),
  konsole: (call) => behind(call, /^-e$/),
  'gnome-terminal': (call) => behind(call, /^(?:--|-x|-e)$/),
  urxvt: (call) => behind(call, /^-e$/),
  ansible: (call) => ansibleTexts(call),
  salt: (call) => {
    const at = call.args.findIndex((arg) => arg.text === 'cmd.run' || arg.text === 'cmd.shell');
    return at < 0 ? [] : take('a command on other machines', call.args.slice(at + 1, at + 2));
  },
  pdsh: (call) =>
    take('a command on other machines', optionsOf(call, 'w: x: g: l: u: t: f:', { stop: true }).operands.slice(-1)),
  clush: (call) =>
    take('a command on other machines', optionsOf(call, 'w: x: g: l: u: t: f: b', { stop: true }).operands.slice(-1)),
  sed: sedTexts,
  strace: (call) =>
    take(
      'the program strace writes to',
      optionsOf(call, 'o: e: p: s:', { stop: true })
        .values('o')
        .filter((field) => field.text.startsWith('|') || field.text.startsWith('!')),
    ),
  psql: databaseTexts,
  mysql: databaseTexts,
  sqlite3: databaseTexts,
  aria2c: (call) =>
    take(
      'a hook of aria2c',
      call.args.filter((arg) => /^--on-[\w-]+=/.test(arg.text)).map((arg) => after(arg, arg.text.indexOf('=') + 1)),
    ),
  bat: valued(
    "bat's pager",
    'pager: l|language: H|highlight-line: r|line-range: style: theme: color: paging: wrap: tabs: file-name:',
    'pager',
  ),
  bpftrace: valued('a command bpftrace starts', 'c: e: p: o: d v unsafe', 'c'),
  certbot: valued(
    'a hook of certbot',
    'pre-hook: post-hook: deploy-hook: renew-hook: manual-auth-hook: manual-cleanup-hook: d: w: m: email: n|non-interactive dry-run',
    'pre-hook',
    'post-hook',
    'deploy-hook',
    'renew-hook',
    'manual-auth-hook',
    'manual-cleanup-hook',
  ),
  dc: bangLines,
  ed: bangLines,
  ftp: bangLines,
  lftp: bangLines,
  telnet: bangLines,
  smbclient: bangLines,
  enscript: valued('a filter of enscript', 'I|filter: o: p: P: E? f: q', 'I'),
  gem: (call) =>
    take(
      'an editor gem opens',
      optionsOf(call, 'e|editor: v:').operands[0]?.text === 'open' ? optionsOf(call, 'e|editor: v:').values('e') : [],
    ),
  mail: valued('a command mail runs', 'exec: s: a: A: c: b: r: S: f: u: q:', 'exec'),
  openvpn: (call) =>
    hookWords(
      call,
      /^--(?:up|down|route-up|ipchange|tls-verify|auth-user-pass-verify|client-connect|client-disconnect|learn-address)$/,
    ),
  restic: valued(
    'a command that gives a password',
    'password-command: r|repo: p: o: exclude: tag: H|host: keep-last: keep-daily:',
    'password-command',
  ),
  rpm: rpmTexts,
  scrot: valued('a command scrot runs', 'e|exec: d: q: o u s', 'e'),
  sqlmap: valued('code sqlmap runs', 'eval: u|url: r: p: D: T: data: cookie: batch os-cmd:', 'eval', 'os-cmd'),
  task: (call) =>
    call.args[0]?.text.startsWith('exec') ? take('a command task runs', [joinWords(call.args.slice(1))]) : [],
  service: (call) =>
    take(
      'a program service starts',
      call.args.filter((arg) => arg.text.includes('/')),
    ),
  busctl: (call) =>
    take(
      'a program busctl starts',
      call.args.filter((arg) => /unixexec:/.test(arg.text)),
    ),
  jrunscript: (call) => take('code jrunscript runs', optionsOf(call, 'e: f: cp: l: J:').values('e').map(unreadCode)),
  ghc: (call) => take('code ghc runs', optionsOf(call, 'e: o: O?').values('e').map(unreadCode)),
  slsh: (call) => take('code slsh runs', optionsOf(call, 'e: n v t').values('e').map(unreadCode)),
  pdflatex: latexTexts,
  latex: latexTexts,
  xelatex: latexTexts,
  lualatex: latexTexts,
  gcc: (call) => behind(call, /^-wrapper$/).slice(0, 1),
};

/** Programs whose words may name a command. */
export const OPTION_PROGRAMS: readonly string[] = Object.keys(READERS);
/** Builtins that set variables for what runs later. */
export const EXPORTERS: readonly string[] = ['export', 'declare', 'typeset', 'readonly', 'local', 'setenv'];

function behind(call: Call, flag: RegExp): readonly CommandText[] {
  const at = call.args.findIndex((arg) => flag.test(arg.text));
  const rest = at < 0 ? [] : call.args.slice(at + 1);
  const [first] = rest;
  if (!first) return [];
  return take(`a command ${call.program} starts`, [
    { ...first, raw: rest.length === 1 ? first.raw : '', text: rest.map((field) => field.text).join(' ') },
  ]);
}

const GIT_KEYS =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|hookspath|gitproxy|alternaterefscommand|worktree)|alias\..+|pager\..+|diff\.(?:external|.+\.(?:command|textconv))|merge\..+\.driver|mergetool\..+\.cmd|difftool\..+\.cmd|filter\..+\.(?:clean|smudge|process)|credential(?:\..+)?\.helper|gpg\.(?:.+\.)?program|sequence\.editor|sendemail\.(?:smtpserver|tocmd|cccmd|sendmailcmd)|protocol\.(?:ext\.)?allow|uploadpack\.packobjectshook|receive\..*hook|web\.browser|browser\..+\.cmd|interactive\.difffilter|remote\..+\.(?:uploadpack|receivepack|proxy|vcs)|submodule\..+\.update|trailer\..+\.(?:command|cmd)|man\..+\.cmd|instaweb\.httpd|imap\.tunnel|init\.templatedir|include\.path|includeif\..+\.path|tar\..+\.command|guitool\..+\.cmd|hook\..+\.command)$/i;

/** What a git configuration key would run; aliases only behind `!`. */
function configText(key: string, value: Field, what: string): readonly CommandText[] {
  if (!GIT_KEYS.test(key)) return [];
  if (/^alias\./i.test(key)) return value.text.startsWith('!') ? take(what, [after(value, 1)]) : [];
  if (/^submodule\..+\.update$/i.test(key) || /^credential/i.test(key))
    return value.text.startsWith('!')
      ? take(what, [after(value, 1)])
      : /^credential/i.test(key) && value.text.includes('/')
        ? take(what, [value])
        : [];
  if (/^protocol\./i.test(key))
    return value.text === 'always' && /ext/i.test(key) ? [{ text: { ...value, text: 'ext::' }, what }] : [];
  if (/^pager\./i.test(key) && /^(?:true|false)$/.test(value.text)) return [];
  if (/^core\.fsmonitor$/i.test(key) && /^(?:true|false)$/.test(value.text)) return [];
  return take(what, [value]);
}

function gitTexts(call: Call): readonly CommandText[] {
  const options = parseOptions(call.args, GIT_GLOBAL, { stop: true });
  const [verb, ...rest] = options.operands;
  const out: CommandText[] = [];
  for (const pair of options.values('c')) {
    const eq = pair.text.indexOf('=');
    if (eq > 0) out.push(...configText(pair.text.slice(0, eq), after(pair, eq + 1), `git's ${pair.text.slice(0, eq)}`));
  }
  if (verb?.text === 'config') out.push(...configCall(rest));
  if (verb) out.push(...verbTexts(verb.text, rest));
  const url = rest.find((field) => field.text.startsWith('ext::'));
  if (url) out.push({ text: after(url, 5), what: 'a git transport' });
  return out;
}

function configCall(rest: readonly Field[]): readonly CommandText[] {
  const options = parseOptions(
    rest,
    'global local system worktree add replace-all unset unset-all get get-all get-regexp l|list e|edit f|file: type: bool int path default: name-only show-origin show-scope z|null fixed-value comment:',
  );
  if (options.has('get', 'get-all', 'get-regexp', 'l', 'unset', 'unset-all')) return [];
  const words = /^(?:set|get|list|unset|edit)$/.test(options.operands[0]?.text ?? '')
    ? options.operands.slice(1)
    : options.operands;
  if (/^(?:get|list|unset)$/.test(options.operands[0]?.text ?? '')) return [];
  const [key, value] = words;
  return key && value ? configText(key.text, value, `git's ${key.text}`) : [];
}

function verbTexts(verb: string, rest: readonly Field[]): readonly CommandText[] {
  switch (verb) {
    case 'clone':
    case 'fetch':
    case 'pull':
    case 'ls-remote':
    case 'fetch-pack':
      return take(
        'the program git starts on the other side',
        parseOptions(rest, 'u|upload-pack: b|branch: depth: o: c|config: j: origin: reference: template: filter:')
          .values('u')
          .concat(parseOptions(rest, 'upload-pack: exec:').values('upload-pack')),
      );
    case 'push':
    case 'send-pack':
      return take(
        'the program git starts on the other side',
        parseOptions(rest, 'receive-pack: exec: o: u f').values('receive-pack'),
      );
    case 'grep':
      return take('a pager', parseOptions(rest, 'O|open-files-in-pager? e: f: A: B: C: m: n i l c w').values('O'));
    case 'difftool':
    case 'mergetool':
      return take('a diff tool', parseOptions(rest, 'x|extcmd: t|tool: y d g').values('x'));
    case 'archive':
      return take('a program git starts', parseOptions(rest, 'exec: remote: format: o: prefix:').values('exec'));
    default:
      return [];
  }
}

const SSH_COMMANDS = /^(ProxyCommand|LocalCommand|KnownHostsCommand|Match\s+.*exec)\s*[= ]\s*(.*)$/is;

function sshTexts(call: Call): readonly CommandText[] {
  return sshConfig(call, SSH_OPTIONS, true);
}

function sshConfig(call: Call, grammar: string, stop = false): readonly CommandText[] {
  const options = parseOptions(call.args, grammar, { stop });
  const later = stop ? parseOptions(options.operands.slice(1), grammar, { stop: true }).values('o') : [];
  return [...options.values('o'), ...later].flatMap((field) => {
    const match = SSH_COMMANDS.exec(field.text);
    return match
      ? [{ text: after(field, field.text.length - (match[2] as string).length), what: `ssh's ${match[1]}` }]
      : [];
  });
}

const TAR =
  'f|file: C|directory: I|use-compress-program: F|info-script|new-volume-script: to-command: checkpoint-action: checkpoint? rsh-command: T|files-from: X|exclude-from: exclude: x c t r u z j J v p k m O one-file-system strip-components: transform|xform: owner: group: mode: rmt-command:';

function tarTexts(call: Call): readonly CommandText[] {
  const first = call.args[0];
  const args =
    first && /^[a-zA-Z]+$/.test(first.text) ? [{ ...first, text: `-${first.text}` }, ...call.args.slice(1)] : call.args;
  const options = parseOptions(args, TAR);
  return [
    ...take("tar's compressor", options.values('I')),
    ...take('a script tar starts', options.values('F')),
    ...take('a command tar pipes into', [
      ...options.values('to-command'),
      ...options.values('rsh-command'),
      ...options.values('rmt-command'),
    ]),
    ...options
      .values('checkpoint-action')
      .flatMap((field) =>
        /^exec=/.test(field.text) ? [{ text: after(field, 5), what: "tar's checkpoint action" }] : [],
      ),
  ];
}

function zipTest(call: Call): readonly CommandText[] {
  const at = call.args.findIndex((arg) => arg.text === '-TT');
  return at < 0 ? [] : take('the test command of zip', call.args.slice(at + 1, at + 2));
}

function plusCommands(call: Call): readonly CommandText[] {
  return call.args.flatMap((arg) => {
    const match = /^\+{1,2}[^!]*!(.*)$/s.exec(arg.text);
    return match
      ? [{ text: after(arg, arg.text.length - (match[1] as string).length), what: `a command ${call.program} runs` }]
      : [];
  });
}

/** `-c ':!cmd'`, `+!cmd`, `--cmd`; scripting languages inside vim count as a command hermod cannot read. */
function vimTexts(call: Call): readonly CommandText[] {
  const options = optionsOf(
    call,
    'c: cmd: S: s: u: i: t: T: w: W: p o O R n N e E d Z es headless clean noplugin remote: servername:',
  );
  const lines = [
    ...options.values('c'),
    ...options.values('cmd'),
    ...call.args.filter((arg) => arg.text.startsWith('+')).map((arg) => after(arg, 1)),
  ];
  return lines.flatMap((line) => {
    const bang =
      /^[\s:]*(?:silent!?\s+|sil!?\s+|exe(?:cute)?\s+["'])?(?:\d*,?\$?%?[\d,]*|r(?:ead)?\s*|w(?:rite)?\s*|te(?:rminal)?\s+)?!(.*)$/s.exec(
        line.text,
      );
    if (bang) return [{ text: after(line, line.text.length - (bang[1] as string).length), what: 'a command vim runs' }];
    return /\b(?:system(?:list)?|libcall|job_start|jobstart|termopen|term_start)\s*\(|^[\s:]*(?:py|pyx|python|lua|perl|ruby|tcl|mz|term)\w*\s|luafile|pyfile/.test(
      line.text,
    )
      ? [{ text: { ...line, text: UNKNOWN }, what: 'code vim runs' }]
      : [];
  });
}

function gdbTexts(call: Call): readonly CommandText[] {
  const options = optionsOf(call, 'ex|eval-command: iex: x|command: ix: p|pid: batch q args', { singleDash: true });
  return [...options.values('ex'), ...options.values('iex')].flatMap((line) => {
    const match = /^\s*(?:!|shell\s+|(?:py|python|pipe|make)\b)(.*)$/s.exec(line.text);
    return match
      ? [{ text: after(line, line.text.length - (match[1] as string).length), what: 'a command gdb runs' }]
      : [];
  });
}

/** A makefile from stdin, `--eval`, or a shell of its own. */
function makeTexts(call: Call): readonly CommandText[] {
  const options = optionsOf(
    call,
    'f|file|makefile: C|directory: I: j? l? n|just-print|dry-run o: W: eval|E: B d e i k p q r R s S t v w',
  );
  const eval_ = options.values('eval').flatMap((field) => recipes(field.text, field));
  const shell = call.args
    .filter((arg) => /^(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|MAKE)=/.test(arg.text))
    .map((arg) => after(arg, arg.text.indexOf('=') + 1));
  const stdin = options.values('f').some((field) => field.text === '-' || field.text === '/dev/stdin');
  const text = call.stdin.text;
  const piped: readonly CommandText[] =
    !stdin || options.has('n')
      ? []
      : text === null
        ? [{ text: { ...(call.argv0 as Field), text: UNKNOWN }, what: 'a makefile from stdin' }]
        : recipes(text, call.argv0);
  return [
    ...take(
      'code make evaluates',
      eval_.map(({ text: field }) => field),
    ),
    ...take("make's shell", shell),
    ...piped,
  ];
}

/** Recipe lines and `$(shell ...)` of a makefile. */
function recipes(text: string, at: Field): readonly CommandText[] {
  const out: CommandText[] = [];
  const add = (line: string) => {
    const clean = line.replace(/^[\s@+-]+/, '');
    if (clean !== '')
      out.push({ text: { ...at, raw: '', text: clean.replaceAll('$$', '$') }, what: 'a recipe of a makefile' });
  };
  for (const line of text.split('\n').slice(0, 400)) {
    const inline = /^[^\t#=]+:[^=]*?;(.*)$/.exec(line);
    if (line.startsWith('\t')) add(line);
    else if (inline) add(inline[1] as string);
    const shell = /\$\(shell\s+([^)]*)\)|!=\s*(.+)$/.exec(line);
    if (shell) add((shell[1] ?? shell[2]) as string);
  }
  return out;
}

function aptHooks(call: Call): readonly CommandText[] {
  return optionsOf(call, 'o|option: c|config-file: t: y q')
    .values('o')
    .flatMap((field) => {
      const match =
        /^(?:APT::Update::(?:Pre|Post)-Invoke|Dpkg::(?:Pre-Invoke|Post-Invoke|Pre-Install-Pkgs)|DPkg::Pre[\w-]*|Binary::.*|Dir::Bin::\w+|APT::.*Invoke\w*)[^=]*=(.*)$/is.exec(
          field.text,
        );
      return match
        ? [{ text: after(field, field.text.length - (match[1] as string).length), what: 'a hook of apt' }]
        : [];
    });
}

function ansibleTexts(call: Call): readonly CommandText[] {
  const options = optionsOf(
    call,
    'i|inventory: m|module-name: a|args: u|user: b|become K k f: l|limit: e|extra-vars: t: o',
  );
  const module = options.value('m')?.text ?? 'command';
  return /^(?:ansible\.builtin\.)?(?:shell|command|raw|script|win_shell|win_command)$/.test(module)
    ? take('a command on other machines', options.values('a'))
    : [];
}

/** GNU sed runs what follows `e`, and `s///e` runs the result. */
function sedTexts(call: Call): readonly CommandText[] {
  const options = optionsOf(
    call,
    'e|expression: f|file: i|in-place? n|quiet E r s|separate z u l: b posix debug sandbox',
  );
  if (options.has('sandbox')) return [];
  const scripts = options.has('e', 'f') ? options.values('e') : options.operands.slice(0, 1);
  return scripts.flatMap((script) => {
    const run = /(?:^|[;{\n]|\d|\/[IM]*|\$)\s*e(?:\s+([^\n]+))?\s*(?=$|[\n};])/s.exec(stripSubstitutions(script.text));
    const flag =
      /(?:^|[;{\n]|[\d$/,!]\s*)\s*s([^\w\s\\;])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[gpImM\d]*e/s.test(
        script.text.slice(0, 2000),
      );
    if (run?.[1]) return [{ text: { ...script, raw: '', text: run[1] }, what: 'a command sed runs' }];
    return run || flag ? [{ text: { ...script, text: UNKNOWN }, what: 'a command sed runs' }] : [];
  });
}

/** `s/a/b/` and `y/a/b/` hold data in which an `e` means nothing. */
function stripSubstitutions(script: string): string {
  return script
    .slice(0, 4000)
    .replace(
      /(^|[;{\n]|[\d$/,!]\s*)\s*[sy]([^\w\s\\;])(?:\\.|(?!\2)[^\\])*\2(?:\\.|(?!\2)[^\\])*\2[gpImM\d]*/gs,
      '$1p',
    );
}

/** Code of a language that is not read. */
function unreadCode(field: Field): Field {
  return { ...field, text: UNKNOWN };
}

function joinWords(fields: readonly Field[]): Field | undefined {
  const [first] = fields;
  return first ? { ...first, raw: '', text: fields.map((field) => field.text).join(' ') } : undefined;
}

/** The words behind options that name scripts. */
function hookWords(call: Call, flag: RegExp): readonly CommandText[] {
  return take(
    `a hook of ${call.program}`,
    call.args.filter((_, i) => flag.test(call.args[i - 1]?.text ?? '')),
  );
}

/** Lines beginning with `!` leave these programs for a shell. */
function bangLines(call: Call): readonly CommandText[] {
  const texts = [
    ...call.args,
    ...(call.stdin.text === null ? [] : [{ ...call.argv0, raw: '', text: call.stdin.text }]),
  ];
  return texts.flatMap((field) =>
    [...field.text.matchAll(/(?:^|[\n;])!([^\n]*)/g)].map((match) => ({
      text: { ...field, raw: '', text: match[1] as string },
      what: `a line of ${call.program}`,
    })),
  );
}

function rpmTexts(call: Call): readonly CommandText[] {
  const options = optionsOf(call, 'eval|E: pipe: root: define|D: q i a f: p: l e U v h');
  const macros = options.values('eval').flatMap((field) => {
    const match = /%\(([^)]*)\)|%\{lua:/.exec(field.text);
    return match
      ? [
          {
            text: match[1] === undefined ? unreadCode(field) : { ...field, raw: '', text: match[1] },
            what: "rpm's macros",
          },
        ]
      : [];
  });
  return [...macros, ...take('a command rpm pipes into', options.values('pipe'))];
}

/** Lines with which a database client leaves for a shell: `\\! cmd`, `.shell cmd`, `system cmd`. */
function databaseTexts(call: Call): readonly CommandText[] {
  const texts = [
    ...call.args,
    ...(call.stdin.text === null ? [] : [{ ...call.argv0, raw: '', text: call.stdin.text }]),
  ];
  return texts.flatMap((field) =>
    [...field.text.matchAll(/(?:^|[\n;])\s*(?:\\!|\.shell\b|\.system\b|system\s)\s*([^\n]*)/g)].map((match) => ({
      text: { ...field, raw: '', text: match[1] as string },
      what: 'a line of a database client',
    })),
  );
}

function latexTexts(call: Call): readonly CommandText[] {
  const args = knownArgs(call);
  return args.some((arg) => /^--?(?:shell-escape|enable-write18)$/.test(arg))
    ? [{ text: { ...call.argv0, text: UNKNOWN }, what: 'commands a document names' }]
    : [];
}

const RUN_BY_VARIABLE =
  /^(?:PAGER|MANPAGER|GIT_PAGER|EDITOR|VISUAL|GIT_EDITOR|GIT_SEQUENCE_EDITOR|GIT_SSH|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF|GIT_ASKPASS|SSH_ASKPASS|SUDO_ASKPASS|GIT_PROXY_COMMAND|BROWSER|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|SYSTEMD_PAGER|SYSTEMD_EDITOR|FCEDIT|HISTORY_PAGER|RSYNC_RSH|RSYNC_CONNECT_PROG|CVS_RSH|TAR_OPTIONS|BAT_PAGER|DELTA_PAGER|PSQL_PAGER|PSQL_EDITOR|MERGE_TOOL|FZF_DEFAULT_COMMAND|KUBE_EDITOR|SVN_EDITOR|HGEDITOR|TEXEDIT|RUSTC_WRAPPER|CARGO_BUILD_RUSTC_WRAPPER|RUSTC|npm_config_script_shell)$/;

function environmentTexts(call: Call): readonly CommandText[] {
  return assignedPairs(call)
    .filter(([name]) => RUN_BY_VARIABLE.test(name))
    .map(([name, value, field]) => ({ text: { ...field, raw: '', text: value }, what: `the variable ${name}` }));
}

/** Assignments before a command, and those of export and its kin. */
export function assignedPairs(call: Call): readonly (readonly [name: string, value: string, at: Field])[] {
  const exports = EXPORTERS.includes(call.program);
  if (call.assignments.length === 0 && !exports) return [];
  const before = call.assignments.map(
    ([name, value]) => [name, value ?? UNKNOWN, { ...call.argv0, span: call.span }] as const,
  );
  if (!exports) return before;
  const own = call.args.flatMap((arg) => {
    const eq = arg.text.indexOf('=');
    return eq > 0 ? [[arg.text.slice(0, eq), arg.text.slice(eq + 1), arg] as const] : [];
  });
  return [...before, ...own];
}
