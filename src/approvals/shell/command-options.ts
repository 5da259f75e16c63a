import type { Call } from './call.ts';
import { optionsOf, remember } from './call.ts';
import type { CommandText, Read } from './command-text.ts';
import { after, behind, isHarmlessCommand, isShell, joinWords, take, unreadCode, valued } from './command-text.ts';
import type { Field } from './field.ts';
import { gitTexts } from './git-commands.ts';
import { byName } from './lookup.ts';
import { UNKNOWN } from './marks.ts';
import { asPrompt } from './parameters.ts';
import { bangLines, databaseTexts, gdbTexts, lldbTexts, makeTexts, sedTexts, vimTexts } from './script-commands.ts';
import {
  aptHooks,
  hookWords,
  latexTexts,
  plusCommands,
  rpmTexts,
  sshConfig,
  sshTexts,
  tarTexts,
  zipTest,
} from './tool-commands.ts';

/** All such texts of a call, harmless ones left out. */
export function commandTexts(call: Call): readonly CommandText[] {
  return remember(call, commandTexts, () => textsOf(call));
}

const NO_TEXTS: readonly CommandText[] = [];

function textsOf(call: Call): readonly CommandText[] {
  const own = READERS.get(call.program)?.(call) ?? NO_TEXTS;
  const set = environmentTexts(call);
  if (own.length === 0 && set.length === 0) return NO_TEXTS;
  return [...own, ...set].filter(({ text }) => !isHarmlessCommand(text.text));
}

const READERS = byName<Read>({
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
  man: valued("man's pager or browser", 'P|pager: H|html? M: m: L: S: e: C: k f w a', 'P', 'H'),
  nano: valued("nano's speller", 's|speller: r: T: Y: o: C: f: Q: X: l i v w B', 's'),
  pandoc: valued(
    'a filter of pandoc',
    'F|filter: L|lua-filter: o|output: f|from: t|to: M: V: pdf-engine: s|standalone c|css: template: H: A: B: metadata-file: d:',
    'F',
    'L',
  ),
  lldb: lldbTexts,
  bind: valued('a command a key runs', 'x: f: m: q: u: r: l p P v V s S X', 'x'),
  complete: valued('a command a completion runs', 'C: o: A: G: W: F: X: P: S: a b c d e f g j k s u v p r D E I', 'C'),
  compgen: valued('a command a completion runs', 'C: o: A: G: W: F: X: P: S: V: a b c d e f g j k s u v', 'C'),
  hash: valued('another file for a program', 'p: l r d t', 'p'),
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
  restic: (call) => {
    const options = optionsOf(
      call,
      'password-command: r|repo: p: o|option: exclude: tag: H|host: keep-last: keep-daily:',
    );
    const set = options.values('o').filter(({ text }) => /^(?:sftp\.(?:command|args)|rclone\.program)=/.test(text));
    return [
      ...take('a command that gives a password', options.values('password-command')),
      ...take(
        'a program restic connects with',
        set.map((field) => after(field, field.text.indexOf('=') + 1)),
      ),
    ];
  },
  rclone: valued(
    'a program rclone starts',
    'password-command: sftp-ssh: webdav-bearer-token-command: config: transfers: exclude: include: filter: P v n',
    'password-command',
    'sftp-ssh',
    'webdav-bearer-token-command',
  ),
  borg: valued('the program borg connects with', 'rsh: remote-path: e|exclude: C|compression: p v', 'rsh'),
  'yt-dlp': (call) =>
    take(
      'a command yt-dlp runs',
      optionsOf(
        call,
        'exec: exec-before-download: downloader|external-downloader: netrc-cmd: o|output: P|paths: f|format: x audio-format:',
      )
        .values('exec')
        .map((field) => after(field, /^(?:[a-z_]+:)?/.exec(field.text)?.[0].length ?? 0)),
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
});

/** Programs whose words may name a command. */
export const OPTION_PROGRAMS: readonly string[] = [...READERS.keys()];

/** Builtins that set variables for what runs later. */
export const EXPORTERS: readonly string[] = ['export', 'declare', 'typeset', 'readonly', 'local', 'setenv'];

const RUN_BY_VARIABLE =
  /^(?:PAGER|MANPAGER|GIT_PAGER|EDITOR|VISUAL|GIT_EDITOR|GIT_SEQUENCE_EDITOR|GIT_SSH|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF|GIT_ASKPASS|SSH_ASKPASS|SUDO_ASKPASS|GIT_PROXY_COMMAND|BROWSER|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|SYSTEMD_PAGER|SYSTEMD_EDITOR|FCEDIT|HISTORY_PAGER|RSYNC_RSH|RSYNC_CONNECT_PROG|CVS_RSH|TAR_OPTIONS|BAT_PAGER|DELTA_PAGER|PSQL_PAGER|PSQL_EDITOR|MERGE_TOOL|FZF_DEFAULT_COMMAND|KUBE_EDITOR|SVN_EDITOR|HGEDITOR|TEXEDIT|RUSTC_WRAPPER|CARGO_BUILD_RUSTC_WRAPPER|RUSTC|AWS_PAGER|GH_PAGER|GLAB_PAGER|KUBECTL_EXTERNAL_DIFF|BORG_RSH|BORG_PASSCOMMAND|RESTIC_PASSWORD_COMMAND|RCLONE_PASSWORD_COMMAND|SHELL|npm_config_script_shell|NPM_CONFIG_SCRIPT_SHELL)$/;

function environmentTexts(call: Call): readonly CommandText[] {
  const pairs = assignedPairs(call);
  if (pairs.length === 0) return NO_TEXTS;
  return pairs
    .filter(([name, value]) => (RUN_BY_VARIABLE.test(name) && !namesShell(name, value)) || runsAsPrompt(name, value))
    .map(([name, value, field]) => ({
      text: { ...field, raw: '', text: runsAsPrompt(name, value) ? asPrompt(value) : value },
      what: `the variable ${name}`,
    }));
}

/** A shell where one is wanted. */
function namesShell(name: string, value: string): boolean {
  return /shell$/i.test(name) && isShell(value);
}

/** Substitutions in a prompt run each time it is shown. */
function runsAsPrompt(name: string, value: string): boolean {
  return /^PS[0-4]$/.test(name) && /\$\(|`/.test(value);
}

const NO_PAIRS: readonly (readonly [string, string, Field])[] = [];

/** Assignments before a command, and those of export and its kin. */
export function assignedPairs(call: Call): readonly (readonly [name: string, value: string, at: Field])[] {
  const exports = EXPORTERS.includes(call.program);
  if (call.assignments.length === 0 && !exports) return NO_PAIRS;
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
