import type { Peel, PlainWrapper } from './inner.ts';
import { plain, RUNS_CODE } from './inner.ts';

const DIGITS = '0 1 2 3 4 5 6 7 8 9';
const PERSONALITY = 'B 3 F I L R S T X Z v|verbose';

/** Wrappers that change neither who nor where the command is, nor read it as shell text. */
const WRAPPERS: Readonly<Record<string, PlainWrapper>> = {
  env: {
    options:
      'i|ignore-environment 0|null u|unset: C|chdir: v|debug block-signal? default-signal? ignore-signal? list-signal-handling a|argv0: P:',
    assigns: true,
    folder: 'C',
  },
  nice: { options: `n|adjustment: ${DIGITS} help version` },
  renice: { options: 'n: p: g: u:', idle: ['n', 'p', 'g', 'u'], skip: 99 },
  nohup: { options: 'help version' },
  timeout: { options: 'k|kill-after: s|signal: p|preserve-status f|foreground v|verbose help version', skip: 1 },
  time: { options: 'a|append f|format: o|output: p|portability v|verbose q|quiet l h' },
  ionice: { options: 'c|class: n|classdata: t|ignore p|pid: P|pgid: u|uid:', idle: ['p', 'P', 'u'] },
  chrt: {
    options: 'a|all-tasks b|batch d|deadline f|fifo i|idle o|other r|rr e R|reset-on-fork m|max p|pid T: P: D: v',
    idle: ['p', 'm'],
    skip: 1,
  },
  taskset: { options: 'a|all-tasks c|cpu-list p|pid', idle: ['p'], skip: 1 },
  stdbuf: { options: 'i|input: o|output: e|error:' },
  setsid: { options: 'c|ctty f|fork w|wait' },
  setarch: {
    options: `${PERSONALITY} uname-2.6 show?`,
    skip: 1,
    skipped: /^(?:linux(?:32|64)|uname26|i\d86|x86_64|a(?:arch64|rm\w*)|ppc\w*|s390x?|sparc\w*|mips\w*)$/,
  },
  linux32: { options: PERSONALITY },
  linux64: { options: PERSONALITY },
  i386: { options: PERSONALITY },
  x86_64: { options: PERSONALITY },
  uname26: { options: PERSONALITY },
  arch: { options: 'x86_64 arm64 i386 32 64 c d: e: h', style: { singleDash: true } },
  strace: {
    options:
      'a: b: c|summary-only C|summary d|debug D e|trace: E: f|follow-forks F i I: k|stack-trace n o|output: O: p|attach: P: q quiet? r relative-timestamps? s|string-limit: S: t T syscall-times? u: U: v V w x X: y decode-fds? Y z Z h',
    idle: ['p'],
  },
  ltrace: { options: 'a: A b c C d D: e: f F: g h i l: L n: o: p: r s: S t T u: V w: x:', idle: ['p'] },
  catchsegv: { options: '' },
  valgrind: {
    options:
      'tool: leak-check: log-file: q v track-origins: error-exitcode: suppressions: show-leak-kinds: trace-children: xml: xml-file:',
  },
  caffeinate: { options: 'd i m s u t: w:' },
  fakeroot: { options: 'l|lib: f|faked: s: i: u|unknown-is-real b: h v' },
  faketime: { options: 'm f p: exclude-monotonic', skip: 1 },
  unbuffer: { options: 'p' },
  chronic: { options: 'v e' },
  ifne: { options: 'n' },
  rlwrap: { options: 'a? A b: c C: f: H: i I l: m? n N p? P: q: r R s: S: t: w: W: z:' },
  numactl: {
    options: 'i|interleave: m|membind: N|cpunodebind: C|physcpubind: l|localalloc p|preferred: H|hardware s|show',
    idle: ['H', 's'],
  },
  prlimit: {
    options:
      'n|nofile? u|nproc? c|core? d|data? e|nice? f|fsize? i l m|rss? o|output: p|pid: q r s t|cpu? v|as? raw noheadings verbose',
    idle: ['p'],
  },
  cgexec: { options: 'g: sticky' },
  'systemd-inhibit': { options: 'what: who: why: mode: list', idle: ['list'] },
  'dbus-run-session': { options: 'dbus-daemon: config-file:' },
  'xvfb-run': {
    options:
      'a|auto-servernum e|error-file: f|auth-file: l|listen-tcp n|server-num: p|xauth-protocol: s|server-args: w|wait:',
  },
  proxychains: { options: 'q f:' },
  proxychains4: { options: 'q f:' },
  torsocks: { options: 'i|isolate a|address: P|port: u: p: d q' },
  torify: { options: '' },
  noglob: { options: '' },
  nocorrect: { options: '' },
  builtin: { options: '' },
  exec: { options: 'a: c l' },
  command: { options: 'p v V', idle: ['v', 'V'] },
  'aa-exec': { options: 'p|profile: n|namespace: i|immediate d v h' },
  choom: { options: 'n|adjust: p|pid:', idle: ['p'] },
  cpulimit: { options: 'l|limit: p|pid: e|exe: P|path: c: f|foreground m i z v b', idle: ['p', 'e', 'P'] },
  distcc: { options: '' },
  grc: { options: 'e|stderr s|stdout c|config: colour: pty' },
  'ld.so': { options: 'list verify inhibit-cache library-path: inhibit-rpath: audit: preload: argv0:', bar: RUNS_CODE },
  logsave: { options: 'a s v', skip: 1 },
  multitime: { options: 'n: r: i: o: q f: s: I: l v b:' },
  pexec: { options: 'n: o: e: i: j c m' },
  setlock: { options: 'n N x X', skip: 1 },
  timelimit: { options: 'q p t: T: s: S:' },
  'ssh-agent': { options: 'a: t: E: P: c s k d D', idle: ['k'] },
  ccache: { options: '' },
  sccache: { options: '' },
  'systemd-run': {
    options:
      'scope user system u|unit: p|property: description: slice: slice-inherit r|remain-after-exit send-sighup service-type: uid: gid: nice: working-directory: d|same-dir E|setenv: t|pty P|pipe q|quiet G|collect on-active: on-boot: on-startup: on-calendar: timer-property: path-property: wait S|shell no-block M|machine: H|host: no-ask-password',
    folder: 'working-directory',
  },
  firejail: {
    options: 'net: private? noprofile quiet profile: whitelist: blacklist: noroot appimage name: caps? seccomp?',
  },
  setpriv: {
    options:
      'reuid: regid: init-groups clear-groups keep-groups groups: inh-caps: ambient-caps: bounding-set: no-new-privs securebits: reset-env selinux-label: apparmor-profile: d pdeathsig:',
    identity: (options) => `setpriv:${options.value('reuid')?.text ?? ''}`,
  },
  perf: { options: 'e: a g p: o: F: r: d v', skip: 1 },
  'cross-env': { options: '', assigns: true },
  'cross-env-shell': { options: '', assigns: true },
  dotenv: { options: 'e|env: f|file: c|cascade? v: p: o|override q', bar: RUNS_CODE },
  chpst: {
    options: 'u: U: e: / : n: l: L: v P 0 1 2 b: C: m: d: o: p: f: c: r: t:',
    identity: (options) => `chpst:${options.value('u')?.text ?? ''}`,
  },
  setuidgid: { options: '', skip: 1, identity: (_, call) => `setuidgid:${call.args[0]?.text ?? ''}` },
  softlimit: { options: 'a: c: d: f: l: m: o: p: r: s: t:' },
  schedtool: { options: 'B I F R N n: p: a: e' },
  's6-setuidgid': { options: '', skip: 1, identity: (_, call) => `setuidgid:${call.args[0]?.text ?? ''}` },
  's6-envuidgid': { options: 'u g U n', skip: 1 },
  's6-applyuidgid': { options: 'u: g: G: U z', identity: (options) => `setuidgid:${options.value('u')?.text ?? ''}` },
  's6-softlimit': { options: 'a: c: d: f: l: m: o: p: r: s: t: H h' },
  's6-envdir': { options: 'I i f n L C:', skip: 1, bar: RUNS_CODE },
  envdir: { options: '', skip: 1, bar: RUNS_CODE },
  envuidgid: { options: '', skip: 1 },
  eatmydata: { options: '' },
  daemonize: { options: 'a c: e: o: p: l: u: E: v' },
  dtach: { options: 'n A c e: E r: z', skip: 1 },
  abduco: { options: 'e: f r n c A a l p q', skip: 1 },
  nq: { options: 'a c q w t' },
  tsp: { options: 'n f m d E B L: D: N: g:', idle: ['l', 'K', 'C', 'S', 'k', 'c', 't', 'r', 'i', 'w', 'u', 'p'] },
  'prime-run': { options: '' },
  gamemoderun: { options: '' },
  mangohud: { options: 'dlsym' },
  optirun: { options: 'b: c: d: f n v q' },
  vglrun: { options: 'c: d: nodl sp' },
  'dbus-launch': {
    options: 'sh-syntax csh-syntax auto-syntax exit-with-session exit-with-x11 close-stderr config-file:',
  },
  gosu: { options: '', skip: 1, identity: (_, call) => `gosu:${call.args[0]?.text ?? ''}` },
  'su-exec': { options: '', skip: 1, identity: (_, call) => `su-exec:${call.args[0]?.text ?? ''}` },
  tini: { options: 's g v w p: e: h' },
  'dumb-init': { options: 'c|single-child r|rewrite: v h' },
  rootlesskit: {
    options:
      'net: copy-up: copy-up-mode: port-driver: p|publish: mtu: cidr: disable-host-loopback pidns cgroupns utsns ipcns propagation: state-dir: subid-source: reaper: debug slirp4netns-binary:',
  },
  'distrobox-host-exec': { options: 'v|verbose Y|yes' },
  'vault-env': { options: '' },
  proot: { options: 'r|rootfs: b|bind|m: w|pwd|cwd: q: k: 0|root-id i: S: R: v: p: n', folder: 'w' },
};

/** Those that only change the clock, the priority or the terminal. `env` and `exec` show what they set as assignments. */
const NEUTRAL = new Set(
  'env nice nohup timeout time ionice chrt taskset stdbuf setsid caffeinate unbuffer chronic systemd-inhibit noglob nocorrect builtin exec command choom cpulimit timelimit numactl'.split(
    ' ',
  ),
);

export const plainPeels: Readonly<Record<string, Peel>> = Object.fromEntries(
  Object.entries(WRAPPERS).map(([name, spec]) => [name, plain({ ...spec, neutral: NEUTRAL.has(name) })]),
);
