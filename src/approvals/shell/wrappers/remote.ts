import type { Call, Container, Mount } from '../call.ts';
import type { Field } from '../field.ts';
import type { Options, ParseStyle } from '../options.ts';
import { parseOptions } from '../options.ts';
import { formatPath, isProtectedRoot, resolvePath } from '../paths.ts';
import { within } from '../walker.ts';
import type { Inner, Peel } from './inner.ts';
import { bothReadings, holds, plain, RUNS_CODE } from './inner.ts';

export const SSH_OPTIONS =
  'B: b: c: D: E: e: F: I: i: J: L: l: m: O: o: P: p: Q: R: S: W: w: 4 6 A a C f G g K k M N n q s T t V v X x Y y';

/** Its `-M` names a port. */
const AUTOSSH_OPTIONS = SSH_OPTIONS.replace(' M ', ' M: ');

/** The remote shell reads the words again, joined. */
const ssh: Peel = (call) => sshWith(call, SSH_OPTIONS);

function sshWith(call: Call, grammar: string): readonly Inner[] {
  const options = parseOptions(call.args, grammar, { stop: true });
  const [host, ...after] = options.operands;
  if (!host) return [];
  const rest = parseOptions(after, grammar, { stop: true }).operands;
  if (rest.length === 0) return [];
  const wrapper = { program: call.program, identity: `ssh:${host.text}` };
  return bothReadings(rest, call, { wrapper, bar: RUNS_CODE, remote: true, cwds: [null] });
}

export const DOCKER_GLOBAL =
  'config: c|context: D|debug H|host: l|log-level: tls tlscacert: tlscert: tlskey: tlsverify v|version connection: url: root: runroot: storage-driver: log-driver: namespace: n: address: remote cgroup-manager: identity:';
export const COMPOSE_GLOBAL =
  'f|file: p|project-name: profile: env-file: project-directory: parallel: ansi: progress: compatibility dry-run all-resources verbose H|host:';
const EXEC =
  'd|detach e|env: env-file: i|interactive privileged t|tty u|user: w|workdir: detach-keys: T|no-TTY index: dry-run l|latest preserve-fds:';
export const RUN_OPTIONS =
  'a|attach: add-host: annotation: blkio-weight: c|cpu-shares: cap-add: cap-drop: cgroup-parent: cgroupns: cidfile: cpu-period: cpu-quota: cpus: cpuset-cpus: cpuset-mems: d|detach detach-keys: device: device-cgroup-rule: disable-content-trust dns: dns-option: dns-search: domainname: entrypoint: e|env: env-file: expose: gpus: group-add: health-cmd: health-interval: health-retries: health-timeout: h|hostname: help init i|interactive ip: ip6: ipc: isolation: kernel-memory: l|label: label-file: link: log-driver: log-opt: mac-address: m|memory: memory-reservation: memory-swap: mount: name: network|net: network-alias: no-healthcheck oom-kill-disable oom-score-adj: pid: pids-limit: platform: privileged p|publish: P|publish-all pull: q|quiet read-only restart: rm runtime: security-opt: shm-size: sig-proxy stop-signal: stop-timeout: storage-opt: sysctl: tmpfs: t|tty ulimit: u|user: userns: uts: v|volume: volume-driver: volumes-from: w|workdir: T|no-TTY no-deps build use-aliases service-ports remove-orphans pod: systemd: tz: replace secret: requires: rootfs userns: umask: arch: os: authfile: timeout: quiet-pull';

const docker: Peel = (call) => {
  const options = parseOptions(call.args, DOCKER_GLOBAL, { stop: true });
  const [verb, ...rest] = options.operands;
  if (verb?.text === 'unshare') return unshare(call, rest);
  if (verb?.text === 'machine' && rest[0]?.text === 'ssh') return podmanMachine(call);
  if (verb?.text === 'container') return dockerVerb(call, rest[0]?.text, rest.slice(1));
  if (verb?.text === 'compose') return compose(call, rest);
  return dockerVerb(call, verb?.text, rest);
};

function dockerVerb(call: Call, verb: string | undefined, args: readonly Field[]): readonly Inner[] {
  if (verb === 'exec') return inContainer(call, parseOptions(args, EXEC, { stop: true }));
  if (verb === 'run' || verb === 'create') return inContainer(call, parseOptions(args, RUN_OPTIONS, { stop: true }));
  return [];
}

/** `podman unshare words`: on this machine, only the user ids differ. */
function unshare(call: Call, args: readonly Field[]): readonly Inner[] {
  const argv = parseOptions(args, 'm|mount: rootless-netns', { stop: true }).operands;
  const wrapper = { program: call.program, identity: `${call.program}:unshare` };
  return argv.length > 0 ? [{ run: { kind: 'argv', argv }, wrapper }] : [];
}

/** `podman machine ssh [machine] words`: the machine may be left out, so both readings count. */
const podmanMachine: Peel = (call) => [
  ...shellVerb(['machine', 'ssh'], 'username:')(call),
  ...shellVerb(['machine', 'ssh'], 'username:', 1)(call),
];

function compose(call: Call, args: readonly Field[]): readonly Inner[] {
  const options = parseOptions(args, COMPOSE_GLOBAL, { stop: true });
  const [verb, ...rest] = options.operands;
  if (verb?.text === 'exec') return inContainer(call, parseOptions(rest, EXEC, { stop: true }));
  if (verb?.text === 'run') return inContainer(call, parseOptions(rest, RUN_OPTIONS, { stop: true }));
  return [];
}

/** First operand: container, image or service; then the command. `--entrypoint` stands before it. */
function inContainer(call: Call, options: Options): readonly Inner[] {
  const [name, ...words] = options.operands;
  const entry = options.value('entrypoint');
  const argv = entry && entry.text !== '' ? [entry, ...words] : words;
  if (options.has('rootfs')) return inRootfs(call, options);
  if (!name || argv.length === 0) return [];
  const workdir = options.value('w')?.text ?? null;
  return [
    {
      run: { kind: 'argv', argv },
      wrapper: { program: call.program, identity: `container:${name.text}` },
      bar: RUNS_CODE,
      container: containerOf(call, options),
      cwds: [workdir?.startsWith('/') ? workdir : null],
    },
  ];
}

/** `podman run --rootfs folder words`: the folder is what the container sees as `/`. */
function inRootfs(call: Call, options: Options): readonly Inner[] {
  const given = options.value('rootfs');
  const [folder, ...argv] = given ? [given, ...options.operands] : options.operands;
  return folder ? rootedIn(call, folder, argv) : [];
}

function rootedIn(call: Call, folder: Field, argv: readonly Field[]): readonly Inner[] {
  if (argv.length === 0) return [];
  const host = formatPath(resolvePath(folder.text, call.state.cwd));
  const mapped = isProtectedRoot(resolvePath(host, null), call.facts);
  return [
    {
      run: { kind: 'argv', argv },
      wrapper: { program: call.program, identity: `container:${folder.text}` },
      bar: RUNS_CODE,
      container: { mapped, mounts: [{ host, inside: '/' }] },
      cwds: ['/'],
    },
  ];
}

export const NSPAWN_OPTIONS =
  'D|directory: i|image: M|machine: b|boot q|quiet x|ephemeral a|as-pid2 u|user: E|setenv: n|network-veth U U|private-users? S|slice: p|port: j X|capability: bind: bind-ro: bind-user: tmpfs: overlay: overlay-ro: drop-capability: capability: private-network network-bridge: network-interface: chdir: hostname: uuid: property: register: keep-unit template: pipe console: settings: oci-bundle: volatile? read-only pivot-root: as-pid2 link-journal: resolv-conf: timezone: notify-ready: root-hash: no-pager kill-signal: system-call-filter: rlimit: load-credential: set-credential: inaccessible: image-policy: personality: selinux-context:';

/** The container's root is a folder of this machine. */
const nspawn: Peel = (call) => {
  const options = parseOptions(call.args, NSPAWN_OPTIONS, { stop: true });
  const folder = options.value('D');
  if (options.has('b', 'help', 'version')) return [];
  if (folder) return rootedIn(call, folder, options.operands);
  if (options.operands.length === 0) return [];
  const wrapper = { program: call.program, identity: `container:${options.value('M')?.text ?? ''}` };
  return [{ run: { kind: 'argv', argv: options.operands }, wrapper, bar: RUNS_CODE, container: CLOSED, cwds: [null] }];
};

const CLOSED: Container = { mapped: false, mounts: [] };

function containerOf(call: Call, options: Options): Container {
  const found = mounts(options).map((mount) => {
    const text = mount.host.replace(/^~(?=\/|$)/, call.facts.home);
    return { ...mount, host: formatPath(resolvePath(text, call.state.cwd)) };
  });
  return { mapped: found.some(({ host }) => isProtectedRoot(resolvePath(host, null), call.facts)), mounts: found };
}

/** Bind mounts of a run: the folder of the host, and where the container sees it. */
export function mounts(options: Options): readonly Mount[] {
  const short = options.values('v').flatMap((field) => shortMount(field.text));
  const long = options.values('mount').flatMap((field) => longMount(field.text));
  return [...short, ...long];
}

/** `host:inside[:options]`; a plain name before the colon is a volume. */
function shortMount(text: string): readonly Mount[] {
  const match = /^([A-Za-z]:[\\/][^:]*|[^:]*):([^:]+)/.exec(text);
  const [, host = '', inside = ''] = match ?? [];
  return host === '' || /^\w[\w.-]*$/.test(host) ? [] : [{ host, inside }];
}

/** Pairs as in a line of CSV, any of them quoted; a volume of the local driver may name a folder as its device. */
export function longMount(text: string): readonly Mount[] {
  const parts = text.replaceAll('"', '').split(',');
  const pairs = new Map(parts.map((pair) => pair.split('=', 2) as [string, string]));
  const device = parts.find((pair) => pair.startsWith('volume-opt=device='))?.slice('volume-opt=device='.length);
  if (device?.startsWith('/')) return [{ host: device, inside: pairs.get('target') ?? pairs.get('dst') ?? '' }];
  const host = pairs.get('source') ?? pairs.get('src');
  const inside = pairs.get('target') ?? pairs.get('destination') ?? pairs.get('dst') ?? '';
  const bind = pairs.get('type') ?? (host?.startsWith('/') ? 'bind' : 'volume');
  return host === undefined || bind !== 'bind' ? [] : [{ host, inside }];
}

export const KUBE_GLOBAL =
  'n|namespace: context: cluster: user: kubeconfig: s|server: token: as: as-group: as-uid: cache-dir: certificate-authority: client-certificate: client-key: request-timeout: v: insecure-skip-tls-verify match-server-version password: username: profile: profile-output: tls-server-name:';

const kubectl: Peel = (call) => {
  if (call.args[0]?.text === 'rsh')
    return shellVerb(['rsh'], `${KUBE_GLOBAL} c|container: t|tty T|no-tty shell: timeout:`, 1)(call);
  const cut = call.args.findIndex((arg) => arg.text === '--');
  const head = parseOptions(
    cut < 0 ? call.args : call.args.slice(0, cut),
    `${KUBE_GLOBAL} c|container: i|stdin t|tty q|quiet f|filename: pod-running-timeout: image: restart: env: rm attach command l|labels: port: overrides: target: copy-to: share-processes`,
  );
  const [verb, name, ...rest] = head.operands;
  if (verb?.text !== 'exec' && verb?.text !== 'run' && verb?.text !== 'debug') return [];
  const argv = cut < 0 ? (verb.text === 'exec' ? rest : []) : call.args.slice(cut + 1);
  if (argv.length === 0) return [];
  return [
    {
      run: { kind: 'argv', argv },
      wrapper: { program: 'kubectl', identity: `container:${name?.text ?? ''}` },
      bar: RUNS_CODE,
      container: CLOSED,
      cwds: [null],
    },
  ];
};

/** `tool verb machine -- words`. */
function machine(
  verbs: readonly string[],
  options: string,
  kind: 'container' | 'remote' | 'host',
  named = true,
  style: ParseStyle = {},
): Peel {
  return (call) => {
    const cut = call.args.findIndex((arg) => arg.text === '--');
    const head = parseOptions(cut < 0 ? call.args : call.args.slice(0, cut), options, { ...style, stop: cut < 0 });
    const at = verbs.length;
    if (!verbs.every((verb, i) => head.operands[i]?.text === verb)) return [];
    const tail = parseOptions(head.operands.slice(at), options, { ...style, stop: true }).operands;
    const argv = cut >= 0 ? call.args.slice(cut + 1) : tail.slice(named ? 1 : 0);
    if (argv.length === 0) return [];
    const wrapper = { program: call.program, identity: `${kind}:${tail[0]?.text ?? ''}` };
    if (kind === 'host') return [{ run: { kind: 'argv', argv }, wrapper, bar: RUNS_CODE }];
    const place = kind === 'container' ? { container: CLOSED } : { remote: true };
    return [{ run: { kind: 'argv', argv }, wrapper, bar: RUNS_CODE, ...place, cwds: [null] }];
  };
}

/** A machine reached with one option that holds shell text. */
function withText(verbs: readonly string[], option: string, options: string): Peel {
  return (call) => {
    const parsed = parseOptions(call.args, options);
    if (!verbs.every((verb, i) => parsed.operands[i]?.text === verb)) return [];
    const text = parsed.value(option);
    return text
      ? [
          {
            run: { kind: 'shell', text },
            wrapper: { program: call.program, identity: `remote:${parsed.operands[verbs.length]?.text ?? ''}` },
            bar: RUNS_CODE,
            remote: true,
            cwds: [null],
          },
        ]
      : [];
  };
}

const PSSH =
  'h|hosts: H|host: l|user: p|par: o|outdir: e|errdir: t|timeout: O|option: v|verbose A|askpass x|extra-args: X|extra-arg: i|inline inline-stdout I|send-input P|print';

/** `tool verb [machine] words`, joined for a shell there. */
function shellVerb(verbs: readonly string[], grammar: string, skip = 0): Peel {
  return (call) => {
    const head = parseOptions(call.args, grammar, { stop: true }).operands;
    if (!verbs.every((verb, i) => head[i]?.text === verb)) return [];
    const tail = parseOptions(head.slice(verbs.length), grammar, { stop: true }).operands;
    const words = skip === 0 ? tail : parseOptions(tail.slice(skip), grammar, { stop: true }).operands;
    if (words.length === 0) return [];
    const wrapper = { program: call.program, identity: `remote:${tail[0]?.text ?? ''}` };
    return bothReadings(words, call, { wrapper, bar: RUNS_CODE, remote: true, cwds: [null] });
  };
}

/** The first of several readings that runs something. */
function firstOf(...peels: readonly Peel[]): Peel {
  return (call) => {
    for (const peel of peels) {
      const inner = peel(call);
      if (inner.length > 0) return inner;
    }
    return [];
  };
}

/** `tool verb machine -- words`, joined for a shell there. */
function behindDashes(...verbs: readonly string[]): Peel {
  return (call) => {
    const cut = call.args.findIndex((arg) => arg.text === '--');
    if (cut < 0 || cut === call.args.length - 1) return [];
    const head = call.args.slice(0, cut).filter((arg) => !arg.text.startsWith('-'));
    if (!verbs.every((verb, i) => head[i]?.text === verb)) return [];
    const wrapper = { program: call.program, identity: `remote:${head[verbs.length]?.text ?? ''}` };
    return bothReadings(call.args.slice(cut + 1), call, { wrapper, bar: RUNS_CODE, remote: true, cwds: [null] });
  };
}

const AWS = 'profile: region: output: endpoint-url: query:';

/** `--parameters commands="text"`, also as a list of texts in JSON. */
const awsParameters: Peel = (call) => {
  const options = parseOptions(call.args, `${AWS} parameters: targets: instance-ids: document-name: target:`);
  if (options.operands[0]?.text !== 'ssm' || !/^(?:send-command|start-session)$/.test(options.operands[1]?.text ?? ''))
    return [];
  const field = options.value('parameters');
  const list = /["']?\bcommands?["']?\s*[=:]\s*(.*)$/s.exec(field?.text ?? '')?.[1];
  if (!field || list === undefined) return [];
  const quoted = [...list.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1] as string);
  const texts = list.startsWith('[') && quoted.length > 0 ? quoted : [list.replace(/^(["'])(.*)\1$/s, '$2')];
  return within(texts, 200).map((text) => ({
    run: { kind: 'shell', text: { ...field, raw: '', text } },
    wrapper: { program: 'aws', identity: 'remote:ssm' },
    bar: RUNS_CODE,
    remote: true,
    cwds: [null],
  }));
};

/** `bolt command run text --targets web`. */
const boltCommand: Peel = (call) => {
  const [noun, verb, text] = parseOptions(
    call.args,
    't|targets: u|user: p|password: i|inventoryfile: c|concurrency:',
  ).operands;
  if (noun?.text !== 'command' || verb?.text !== 'run' || !text) return [];
  const wrapper = { program: 'bolt', identity: 'remote:bolt' };
  return [{ run: { kind: 'shell', text }, wrapper, bar: RUNS_CODE, remote: true, cwds: [null] }];
};

const AZ = 'g|resource-group: n|name: subscription: command-id: parameters: vmss-name: instance-id: ids:';

const adb: Peel = (call) => {
  const options = parseOptions(call.args, 's: t: H: P: L: d e a', { stop: true });
  const [verb, ...rest] = options.operands;
  if (verb?.text !== 'shell' || rest.length === 0) return [];
  const wrapper = { program: 'adb', identity: 'adb' };
  return bothReadings(rest, call, { wrapper, bar: RUNS_CODE, remote: true, cwds: [null] });
};

const HEROKU = 'a|app: r|remote: s|size: e|env: x|exit-code no-tty type: t: p|port:';

const heroku: Peel = (call) => {
  const options = parseOptions(call.args, HEROKU, { stop: true });
  const [verb, ...words] = options.operands;
  const rest = parseOptions(words, HEROKU, { stop: true }).operands;
  if (verb?.text === 'local:run' && rest.length > 0)
    return [{ run: { kind: 'argv', argv: rest }, wrapper: { program: 'heroku' }, bar: RUNS_CODE }];
  if ((verb?.text !== 'run' && verb?.text !== 'run:detached') || rest.length === 0) return [];
  const wrapper = { program: 'heroku', identity: 'heroku' };
  return bothReadings(rest, call, { wrapper, bar: RUNS_CODE, remote: true, cwds: [null] });
};

/** It sees the home and the working folder of this machine. */
const APPTAINER = machine(
  ['exec'],
  'B|bind: H|home: W|workdir: S|scratch: pwd: env: env-file: overlay: mount: network: nv rocm c|contain C|containall e|cleanenv f|fakeroot w|writable writable-tmpfs p|pid s|silent q|quiet v|verbose d|debug',
  'host',
);
const OCI = machine(
  ['exec'],
  'root: log: log-format: systemd-cgroup cwd: e|env: t|tty u|user: g|additional-gids: p|process: d|detach console-socket: pid-file: process-label: apparmor: no-new-privs c|cap: preserve-fds:',
  'container',
);
const CTR = 'a|address: n|namespace: timeout: exec-id: cwd: t|tty d|detach user: fifo-dir: log-uri:';

export const remotePeels: Readonly<Record<string, Peel>> = {
  ssh,
  rsh: ssh,
  autossh: (call) => sshWith(call, AUTOSSH_OPTIONS),
  mosh: ssh,
  sshpass: (call) => {
    const options = parseOptions(call.args, 'p: f: d: e P: v', { stop: true });
    return options.operands.length > 0
      ? [{ run: { kind: 'argv', argv: options.operands }, wrapper: { program: 'sshpass' }, bar: RUNS_CODE }]
      : [];
  },
  docker,
  'docker-compose': (call) => compose(call, call.args),
  kubectl,
  crictl: (call) => {
    const [verb, ...rest] = parseOptions(call.args, 'r|runtime-endpoint: i|image-endpoint: t|timeout: c|config: D', {
      stop: true,
    }).operands;
    return verb?.text === 'exec' ? inContainer(call, parseOptions(rest, EXEC, { stop: true })) : [];
  },
  devcontainer: (call) => {
    const [verb, ...rest] = call.args;
    const grammar =
      'workspace-folder: container-id: config: id-label: docker-path: log-level: remote-env: override-config: default-user-env-probe:';
    const argv = verb?.text === 'exec' ? parseOptions(rest, grammar, { stop: true }).operands : [];
    return argv.length > 0
      ? [{ run: { kind: 'argv', argv }, wrapper: { program: 'devcontainer' }, bar: RUNS_CODE, cwds: [null] }]
      : [];
  },
  minikube: firstOf(shellVerb(['ssh'], 'p|profile: n|node: native-ssh'), holds('kubectl')),
  'flatpak-spawn': plain({
    options:
      'v|verbose forward-fd: clear-env watch-bus env: unset-env: latest-version sandbox no-network host directory:',
    identity: () => 'flatpak-spawn',
    folder: 'directory',
  }),
  tsh: shellVerb(['ssh'], 'l|login: proxy: user: cluster: i|identity: p|port: A L: D: t|tty N J: o: ttl: d|debug', 1),
  pssh: shellVerb([], PSSH),
  'parallel-ssh': shellVerb([], PSSH),
  et: withText([], 'c', 'c|command: p|port: u|username: t|tunnel: r|reversetunnel: x|kill-other-sessions v:'),
  lxc: machine(['exec'], 'e|env: t|force-interactive T n cwd: user: group: mode: project:', 'container'),
  incus: machine(['exec'], 'e|env: t T n cwd: user: group: mode: project:', 'container'),
  apptainer: APPTAINER,
  singularity: APPTAINER,
  runc: OCI,
  crun: OCI,
  ctr: firstOf(...['t', 'task', 'tasks'].map((noun) => machine([noun, 'exec'], CTR, 'container'))),
  vzctl: machine(['exec'], 'quiet verbose', 'container'),
  pct: machine(['exec'], 'keep-env:', 'container'),
  qm: machine(['guest', 'exec'], 'timeout: synchronous: pass-stdin:', 'container'),
  'lxc-attach': machine([], 'n|name: e|elevated-privileges? clear-env keep-env v|set-var: u: g:', 'container', false),
  multipass: machine(['exec'], 'd|working-directory: n|no-map-working-directory', 'container'),
  limactl: machine(['shell'], 'shell: workdir:', 'container'),
  lima: machine([], '', 'container', false),
  colima: machine(['ssh'], 'p|profile:', 'container', false),
  distrobox: firstOf(
    machine(['enter'], 'n|name: r|root e', 'host'),
    machine(['enter'], 'n|name: r|root e', 'host', false),
  ),
  toolbox: machine(['run'], 'c|container: d|distro: r|release:', 'host', false),
  'lxc-execute': machine([], 'n|name: f|rcfile: s|define: d|daemon u|uid: g|gid: P|lxcpath:', 'host', false),
  'systemd-nspawn': nspawn,
  buildah: (call) => {
    const [verb, ...rest] = call.args;
    if (verb?.text === 'unshare') return unshare(call, rest);
    return verb?.text === 'run' ? inContainer(call, parseOptions(rest, RUN_OPTIONS, { stop: true })) : [];
  },
  aws: firstOf(
    awsParameters,
    withText(['ecs', 'execute-command'], 'command', `${AWS} command: cluster: container: task: interactive`),
  ),
  az: firstOf(
    withText(['vm', 'run-command', 'invoke'], 'scripts', `${AZ} scripts:`),
    withText(['vmss', 'run-command', 'invoke'], 'scripts', `${AZ} scripts:`),
    withText(['vm', 'run-command', 'create'], 'script', `${AZ} script: run-command-name:`),
    withText(['aks', 'command', 'invoke'], 'c', `${AZ} c|command: f|file:`),
    withText(['containerapp', 'exec'], 'command', `${AZ} command: container: replica: revision:`),
    withText(['container', 'exec'], 'exec-command', `${AZ} exec-command: container-name:`),
    behindDashes('ssh', 'vm'),
  ),
  doctl: withText(['compute', 'ssh'], 'ssh-command', 'ssh-command: ssh-key-path: ssh-user: ssh-port: t: context:'),
  eb: withText(['ssh'], 'c', 'c|command: n|number: i|instance: o|keep_open force e|custom: profile: r|region:'),
  'docker-machine': shellVerb(['ssh'], 's|storage-path: D|debug', 1),
  tailscale: shellVerb(['ssh'], 'socket:', 1),
  hcloud: shellVerb(['server', 'ssh'], 'u|user: p|port: ipv6 context:', 1),
  nomad: machine(['alloc', 'exec'], 'i? t? e: task: job address: region: namespace: token:', 'container', true, {
    singleDash: true,
  }),
  knife: shellVerb(['ssh'], 'x|ssh-user: i|ssh-identity-file: a|attribute: C|concurrency: P: c|config: m', 1),
  machinectl: machine(['shell'], 'uid: setenv: E: M:', 'container'),
  vagrant: firstOf(withText(['ssh'], 'c', 'c|command: p|plain t|tty'), behindDashes('ssh')),
  plink: ssh,
  dbclient: ssh,
  mussh: withText([], 'c', 'c: h: H: l: i: o: m? t: b B u U P d? v? q'),
  fab: behindDashes(),
  boundary: behindDashes('connect'),
  balena: shellVerb(['ssh'], 'p|port: t|tty v|verbose noproxy', 1),
  render: behindDashes('ssh'),
  cf: firstOf(
    withText(['ssh'], 'c', 'c|command: i: L: N T t k process:'),
    withText(['run-task'], 'command', 'c|command: k: m: name: process: command:'),
  ),
  bolt: boltCommand,
  gcloud: firstOf(
    withText(
      ['compute', 'ssh'],
      'command',
      'command: zone: project: tunnel-through-iap ssh-flag: internal-ip quiet account: dry-run ssh-key-file:',
    ),
    withText(['beta', 'compute', 'ssh'], 'command', 'command: zone: project: tunnel-through-iap'),
    behindDashes('compute', 'ssh'),
    behindDashes('beta', 'compute', 'ssh'),
    behindDashes('cloud-shell', 'ssh'),
    withText(['cloud-shell', 'ssh'], 'command', 'command: project: authorize-session'),
    behindDashes('app', 'instances', 'ssh'),
  ),
  flyctl: firstOf(
    withText(['ssh', 'console'], 'C', 'C|command: a|app: s|select r|region: u|user: machine: config: pty'),
    shellVerb(['machine', 'exec'], 'a|app: t|access-token: timeout: container:', 1),
    shellVerb(['machines', 'exec'], 'a|app: t|access-token: timeout: container:', 1),
  ),
  railway: firstOf(
    machine(['run'], 's|service: e|environment: p|project: json', 'host', false),
    shellVerb(['ssh'], 's|service: e|environment: p|project: d|deployment-instance: session?'),
  ),
  adb,
  heroku,
};
