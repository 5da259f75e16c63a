import type { Call } from '../shell/call.ts';
import { optionsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { parseOptions } from '../shell/options.ts';
import { KUBE_GLOBAL, NSPAWN_OPTIONS } from '../shell/wrappers/remote.ts';
import { isRiskyMount } from './containers.ts';
import { asksHelp, fieldHit, isVerb, verbs } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

const INCUS = 'project: c|config: s|storage: n|network: p|profile: t|type: target: d|device: f|format: force-local';

/** Settings of a system container with which its root is the host's. */
const UNCONFINED =
  /^(?:security\.(?:privileged|nesting\.privileged|syscalls\.intercept\.mount)(?:=|$)\s*(?:true|1|yes)?|raw\.(?:lxc|qemu|apparmor|seccomp|idmap)(?:=|$))/;

/** incus and lxc: a folder, a disk or a socket of the host as a device, or a container without its confinement. */
function opensInstance(call: Call): Hit {
  const options = optionsOf(call, INCUS);
  const words = options.operands.map(({ text }) => text);
  if (isVerb(words, ['config|profile device add|set|override'])) return opensDevice(call);
  const settings = isVerb(words, ['config|profile set']) ? call.args : options.values('c');
  const devices = options.values('d').filter(({ text }) => DEVICE_SOURCE.test(text));
  const device = devices.find(({ text }) => isRiskyMount(call, DEVICE_SOURCE.exec(text)?.[1] ?? ''));
  if (device) return fieldHit(device, OPENS);
  const at = settings.findIndex(({ text }) => UNCONFINED.test(text));
  const off =
    /^(?:false|0|no)$/.test(settings[at + 1]?.text ?? '') || /=(?:false|0|no)$/.test(settings[at]?.text ?? '');
  return at >= 0 && !off && fieldHit(settings[at] as Field, 'takes the confinement off a container');
}

const DEVICE_SOURCE = /(?:^|,)(?:source|connect)=(?:unix:)?(\/[^,]*)/;
const OPENS = 'gives a container a folder or a socket of this machine';

function opensDevice(call: Call): Hit {
  const hit = call.args.find(({ text }) => {
    const match = /^(?:source|connect)=(?:unix:)?(\/.*)$/.exec(text);
    return match !== null && isRiskyMount(call, match[1] as string);
  });
  return hit ? fieldHit(hit, OPENS) : false;
}

const KUBE_DEBUG = `${KUBE_GLOBAL} c|container: i|stdin t|tty q|quiet image: target: copy-to: share-processes attach env: f|filename:`;

/** A pod on the node sees all of the node below `/host`. */
function entersNode(call: Call): Hit {
  const cut = call.args.findIndex(({ text }) => text === '--');
  const options = parseOptions(cut < 0 ? call.args : call.args.slice(0, cut), KUBE_DEBUG);
  const [verb, ...rest] = options.operands;
  if (asksHelp(call, true)) return false;
  if (/^(?:node-shell|node_shell|nsenter)$/.test(verb?.text ?? '')) return rest.length > 0;
  if (verb?.text !== 'debug') return false;
  const node = rest.find(({ text }) => /^(?:nodes?|no)\//.test(text));
  if (node) return fieldHit(node);
  return options.values('profile').some(({ text }) => text === 'sysadmin');
}

/** The binds and rights of the smaller container tools, by the options that name them. */
const BINDS: Readonly<Record<string, { readonly verb: RegExp; readonly bind: RegExp; readonly all: RegExp }>> = {
  ctr: { verb: /^(?:run|c|containers?)$/, bind: /^--mount$/, all: /^--privileged$/ },
  apptainer: {
    verb: /^(?:exec|run|shell|instance)$/,
    bind: /^(?:-B|--bind|--mount)$/,
    all: /^--(?:add-caps=all|allow-setuid)$/,
  },
  singularity: {
    verb: /^(?:exec|run|shell|instance)$/,
    bind: /^(?:-B|--bind|--mount)$/,
    all: /^--(?:add-caps=all|allow-setuid)$/,
  },
  buildah: {
    verb: /^(?:bud|build|run|from)$/,
    bind: /^(?:-v|--volume|--mount)$/,
    all: /^--(?:isolation=chroot|privileged|cap-add=all)$/i,
  },
};

function bindsHost(call: Call): Hit {
  const spec = BINDS[call.program];
  const verb = call.args.find(({ text }) => /^[a-z]/.test(text) && spec?.verb.test(text));
  if (!spec || !verb || asksHelp(call, true)) return false;
  return boundHere(call, spec.bind) ?? rightsHere(call, spec.all);
}

function boundHere(call: Call, option: RegExp): Hit | undefined {
  const hit = call.args.find(({ text }, i) => {
    const eq = text.startsWith('--') ? text.indexOf('=') : -1;
    const attached = eq > 0 && option.test(text.slice(0, eq)) ? text.slice(eq + 1) : undefined;
    const value = attached ?? (option.test(call.args[i - 1]?.text ?? '') ? text : undefined);
    return value !== undefined && hostsOf(value).some((host) => isRiskyMount(call, host));
  });
  return hit ? fieldHit(hit) : undefined;
}

function rightsHere(call: Call, all: RegExp): Hit {
  const hit = call.args.find(({ text }) => all.test(text));
  return hit ? fieldHit(hit) : false;
}

/** The folders of this machine in `/a:/b,/c:/d` or `type=bind,src=/a,dst=/b`. */
function hostsOf(value: string): readonly string[] {
  const named = /(?:^|,)"?(?:src|source)=([^,"]+)/.exec(value);
  return named
    ? [named[1] as string]
    : value.split(',').flatMap((bind) => (/^[/.~]/.test(bind) ? [bind.replace(/:.*$/s, '')] : []));
}

function bindsInNspawn(call: Call): Hit {
  const options = parseOptions(call.args, NSPAWN_OPTIONS, { stop: true });
  if (options.has('help', 'version')) return false;
  const bind = options.values('bind').find(({ text }) => isRiskyMount(call, text.replace(/:.*$/s, '')));
  if (bind) return fieldHit(bind);
  const all = options.values('capability').find(({ text }) => /\b(?:all|CAP_SYS_ADMIN)\b/i.test(text));
  return all ? fieldHit(all, 'runs a container with more rights') : false;
}

function reaches(call: Call): Hit {
  switch (call.program) {
    case 'incus':
    case 'lxc':
      return !asksHelp(call, true) && opensInstance(call);
    case 'kubectl':
      return entersNode(call);
    case 'systemd-nspawn':
      return bindsInNspawn(call);
    default:
      return bindsHost(call);
  }
}

const INSTANCE_LOSSES = [
  'delete|rm|stop|restart|pause|restore|rebuild',
  'image|network|profile|project|cluster|storage|snapshot|alias delete|rm|remove',
  'snapshot restore',
  'storage volume|bucket delete|rm|detach',
  'storage volume snapshot delete|rm|restore',
  'config device remove|rm',
  'config trust remove|rm',
];

function losesInstance(call: Call): Hit {
  if (call.program === 'incus' || call.program === 'lxc') return verbs(call, INCUS, INSTANCE_LOSSES);
  return !asksHelp(call);
}

export const hostReachRules: readonly Rule[] = [
  {
    id: 'infra.host-reach',
    grade: 'dangerous',
    programs: ['incus', 'lxc', 'kubectl', 'systemd-nspawn', ...Object.keys(BINDS)],
    test: reaches,
    why: 'opens the machine under a container to it',
    match: [
      'incus config device add c1 root disk source=/ path=/host',
      'lxc launch ubuntu c1 -c security.privileged=true',
      'kubectl debug node/n1 -it --image=busybox',
      'systemd-nspawn -D rootfs --bind=/:/host bash',
      'singularity exec -B /:/h x.sif ls',
      'ctr run --privileged docker.io/library/alpine:latest x sh',
      'buildah bud -v /:/h .',
    ],
    notMatch: [
      'incus config device add c1 eth0 nic network=incusbr0',
      'incus config device add c1 src disk source=/home/user/.hermod/workspace/src path=/src',
      'lxc config set c1 security.privileged false',
      'incus launch images:debian/12 c1 -c limits.cpu=2',
      'kubectl debug pod/web -it --image=busybox',
      'kubectl get node/n1',
      'systemd-nspawn -D rootfs ls',
      'singularity exec x.sif ls /',
      'ctr images ls',
      'buildah bud -t x .',
    ],
  },
  {
    id: 'infra.instance',
    grade: 'dangerous',
    programs: ['incus', 'lxc', 'lxc-stop', 'lxc-destroy'],
    test: losesInstance,
    why: 'stops, removes or rolls back system containers, their volumes or snapshots',
    smart: true,
    match: [
      'incus restore c1 s0',
      'incus snapshot delete c1 s0',
      'lxc storage volume delete pool v1',
      'lxc-stop -n web',
      'lxc-destroy -n web',
    ],
    notMatch: [
      'incus list',
      'incus snapshot create c1 s0',
      'lxc storage volume list pool',
      'lxc-stop --help',
      'incus delete --help',
    ],
  },
];
