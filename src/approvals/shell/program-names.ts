import { charClass, isAllOf, WORD_CHARACTERS } from './char-class.ts';
import { entryOf } from './lookup.ts';
import { isKnown } from './marks.ts';

/** Other names of the same program. */
const SAME: Readonly<Record<string, string>> = {
  gawk: 'awk',
  mawk: 'awk',
  nawk: 'awk',
  original_awk: 'awk',
  'original-awk': 'awk',
  bioawk: 'awk',
  goawk: 'awk',
  frawk: 'awk',
  nodejs: 'node',
  tsx: 'node',
  'ts-node': 'node',
  iojs: 'node',
  cperl: 'perl',
  mruby: 'ruby',
  truffleruby: 'ruby',
  rbx: 'ruby',
  'php-cli': 'php',
  'php-cgi': 'php',
  'php-legacy': 'php',
  texlua: 'lua',
  pypy: 'python',
  pypy3: 'python',
  pypy2: 'python',
  micropython: 'python',
  graalpy: 'python',
  jython: 'python',
  bpython: 'python',
  ptpython: 'python',
  rustpython: 'python',
  pythonw: 'python',
  ipython: 'python',
  ipython3: 'python',
  IPython: 'python',
  mariadb: 'mysql',
  'mariadb-admin': 'mysqladmin',
  pwsh: 'powershell',
  'pwsh-preview': 'powershell',
  powershell_ise: 'powershell',
  tofu: 'terraform',
  opentofu: 'terraform',
  terragrunt: 'terraform',
  fly: 'flyctl',
  oc: 'kubectl',
  k: 'kubectl',
  kubecolor: 'kubectl',
  k3s_kubectl: 'kubectl',
  microk8s_kubectl: 'kubectl',
  nerdctl: 'docker',
  podman: 'docker',
  finch: 'docker',
  'docker.io': 'docker',
  'podman-remote': 'docker',
  'nerdctl.lima': 'docker',
  'docker-compose': 'docker-compose',
  'podman-compose': 'docker-compose',
  rbash: 'sh',
  dash: 'sh',
  ash: 'sh',
  ksh: 'sh',
  ksh93: 'sh',
  mksh: 'sh',
  yash: 'sh',
  posh: 'sh',
  hush: 'sh',
  zsh: 'sh',
  bash: 'sh',
  'bash-static': 'sh',
  'zsh-static': 'sh',
  'mksh-static': 'sh',
  rzsh: 'sh',
  rksh: 'sh',
  oksh: 'sh',
  loksh: 'sh',
  lksh: 'sh',
  pdksh: 'sh',
  sash: 'sh',
  bosh: 'sh',
  pbosh: 'sh',
  brush: 'sh',
  ysh: 'osh',
  netcat: 'nc',
  ncat: 'nc',
  'nc.openbsd': 'nc',
  'nc.traditional': 'nc',
  nvim: 'vim',
  vi: 'vim',
  view: 'vim',
  rvim: 'vim',
  gvim: 'vim',
  vimdiff: 'vim',
  ex: 'vim',
  nvi: 'vim',
  elvis: 'vim',
  'vim.basic': 'vim',
  'vim.tiny': 'vim',
  'vim.nox': 'vim',
  'vim.gtk': 'vim',
  'vim.gtk3': 'vim',
  'vim.athena': 'vim',
  'vim.huge': 'vim',
  mvim: 'vim',
  evim: 'vim',
  eview: 'vim',
  gview: 'vim',
  rview: 'vim',
  rgvim: 'vim',
  egrep: 'grep',
  fgrep: 'grep',
  rgrep: 'grep',
  'apt-get': 'apt',
  aptitude: 'apt',
  nala: 'apt',
  dnf: 'yum',
  dnf5: 'yum',
  microdnf: 'yum',
  tdnf: 'yum',
  yay: 'pacman',
  paru: 'pacman',
  pamac: 'pacman',
  fdfind: 'fd',
  toybox: 'busybox',
  'busybox-static': 'busybox',
  'busybox.static': 'busybox',
  'sbase-box': 'busybox',
  coreutils: 'busybox',
  uutils: 'busybox',
  bfs: 'find',
  remake: 'make',
  bmake: 'make',
  'mingw32-make': 'make',
  slogin: 'ssh',
  tssh: 'ssh',
  ddpt: 'dd',
  sdd: 'dd',
  'redis-cli': 'redis-cli',
  'valkey-cli': 'redis-cli',
  'keydb-cli': 'redis-cli',
  sqlite: 'sqlite3',
  sqlcipher: 'sqlite3',
  mongo: 'mongosh',
  batcat: 'bat',
  bsdtar: 'tar',
  chromium: 'chromium',
  wget2: 'wget',
  'trash-put': 'trash',
  dzdo: 'sudo',
  'sudo-rs': 'sudo',
  opendoas: 'doas',
  zf_rm: 'rm',
  zf_rmdir: 'rmdir',
  zf_mv: 'mv',
  zf_ln: 'ln',
  zf_chmod: 'chmod',
  zf_chown: 'chown',
  zf_chgrp: 'chgrp',
  'trash-empty': 'trash-empty',
  py: 'python',
  most: 'less',
  zless: 'less',
  bzless: 'less',
  xzless: 'less',
};

const CMDLET =
  /^(?:remove|stop|restart|invoke|clear|set|format|start|new|disable|uninstall|get|out|add|copy|move|initialize|suspend|enable|unregister|write|read|expand|test|select|where|foreach|convertto|convertfrom|reset|rename)-[a-z]+$/i;
const LOADER = /^ld(?:-linux|-musl)?[\w.-]*\.so(?:\.\d+)*$/;
const VERSIONED =
  /^(python|pypy|ipython|ruby|irb|perl|php|pip|lua|luajit|node|nodejs|tclsh|guile|java|clang|gcc|gawk|mawk|bash|zsh|fish|mksh|dash|tcsh)-?\d[\d.]*[a-z]?(?:-(?:\d[\w.]*|dbg|beta\d*|(?:x86_64|aarch64|i\d86)[\w-]*))?$/;
const GNU = new Set([
  'awk',
  'cat',
  'chmod',
  'chown',
  'chgrp',
  'chroot',
  'cp',
  'dd',
  'du',
  'env',
  'find',
  'grep',
  'install',
  'kill',
  'ln',
  'ls',
  'make',
  'mv',
  'nice',
  'nohup',
  'rm',
  'rmdir',
  'sed',
  'shred',
  'sort',
  'split',
  'stat',
  'tac',
  'tail',
  'tar',
  'tee',
  'timeout',
  'touch',
  'tr',
  'truncate',
  'unlink',
  'xargs',
  'stdbuf',
  'mktemp',
  'base64',
  'head',
  'time',
]);

/** The name rules know a program by: no folder, no `.exe`, no version, `gfind` and `gnufind` as `find`. */
export function canonicalProgram(written: string, os: string): string {
  const names = knownOf(os);
  const before = names.get(written);
  if (before !== undefined) return before;
  const name = canonical(written, os);
  if (names.size < MAX_KNOWN && written.length < 64) names.set(written, name);
  return name;
}

const NAME = charClass(`${WORD_CHARACTERS}.+-[:`);

/** Whether a word is a name as it is written: no path, no pattern, nothing unknown, no letters beyond ASCII. */
export function isPlainName(word: string): boolean {
  return isAllOf(word, NAME);
}

/** The letters a name looks like: NFKC, which leaves ASCII alone. */
export function plainLetters(name: string): string {
  for (let i = 0; i < name.length; i++) if (name.charCodeAt(i) > LAST_ASCII) return name.normalize('NFKC');
  return name;
}

const LAST_ASCII = 0x7f;

const known = new Map<string, Map<string, string>>();
const MAX_KNOWN = 4_000;

function knownOf(os: string): Map<string, string> {
  const before = known.get(os);
  if (before) return before;
  const names = new Map<string, string>();
  known.set(os, names);
  return names;
}

function canonical(written: string, os: string): string {
  const cut = Math.max(written.lastIndexOf('/'), written.lastIndexOf('\\'));
  let name = written.slice(cut + 1);
  const windows = /\.(?:exe|cmd|bat|com|ps1)$/i;
  if (windows.test(name) && name.length > 4) name = name.replace(windows, '').toLowerCase();
  else if (os === 'win32') name = name.toLowerCase();
  if (!isKnown(name)) return name;
  if (CMDLET.test(name)) name = name.toLowerCase();
  if (LOADER.test(name)) return 'ld.so';
  const version = VERSIONED.exec(name);
  if (version) name = version[1] as string;
  if (name.startsWith('g') && GNU.has(name.slice(1))) name = name.slice(1);
  else if (name.startsWith('gnu') && GNU.has(name.slice(3))) name = name.slice(3);
  return entryOf(SAME, name) ?? name;
}

/** Programs that run shell text. */
export const SHELLS: ReadonlySet<string> = new Set(['sh', 'fish', 'csh', 'tcsh', 'xonsh', 'nu', 'elvish', 'osh', 'rc']);

/** Programs that run code of another language given inline, on stdin or in a file. */
export const INTERPRETERS: Readonly<Record<string, string>> = {
  python: 'python',
  node: 'js',
  deno: 'js',
  bun: 'js',
  qjs: 'js',
  d8: 'js',
  perl: 'perl',
  ruby: 'ruby',
  jruby: 'ruby',
  php: 'php',
  lua: 'lua',
  luajit: 'lua',
  Rscript: 'r',
  R: 'r',
  osascript: 'applescript',
  tclsh: 'tcl',
  wish: 'tcl',
  expect: 'tcl',
  guile: 'scheme',
  racket: 'scheme',
  sbcl: 'lisp',
  clisp: 'lisp',
  emacs: 'lisp',
  emacsclient: 'lisp',
  kak: 'kakoune',
  bpftrace: 'bpftrace',
  stap: 'systemtap',
  julia: 'julia',
  groovy: 'groovy',
  jshell: 'java',
  scala: 'scala',
  kotlin: 'kotlin',
  elixir: 'elixir',
  iex: 'elixir',
  erl: 'erlang',
  escript: 'erlang',
  ghci: 'haskell',
  runghc: 'haskell',
  ocaml: 'ocaml',
  swift: 'swift',
  crystal: 'crystal',
  raku: 'raku',
  perl6: 'raku',
  swipl: 'prolog',
  gprolog: 'prolog',
  csi: 'scheme',
  chicken: 'scheme',
  chibi: 'scheme',
  gosh: 'scheme',
  ecl: 'lisp',
  ccl: 'lisp',
  abcl: 'lisp',
  ros: 'lisp',
  hy: 'lisp',
  fennel: 'lisp',
  gforth: 'forth',
  maxima: 'maxima',
  sage: 'python',
  gap: 'gap',
  matlab: 'octave',
  m4: 'm4',
  zx: 'js',
  octave: 'octave',
  gnuplot: 'gnuplot',
  bc: 'bc',
  powershell: 'powershell',
  coffee: 'js',
  pry: 'ruby',
  irb: 'ruby',
  janet: 'lisp',
  bb: 'lisp',
  clojure: 'lisp',
  clj: 'lisp',
  nim: 'nim',
};
