import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import type { Options } from '../shell/options.ts';
import { parseOptions } from '../shell/options.ts';
import { belowHome, formatPath, isAbove, isPlain, isProtectedRoot, resolvePath, staysInRoots } from '../shell/paths.ts';
import { ownPlace, protectedPlace, secretAt } from '../shell/places.ts';
import { COMPOSE_GLOBAL, DOCKER_GLOBAL, KUBE_GLOBAL, mounts, RUN_OPTIONS } from '../shell/wrappers/remote.ts';
import { DRY, isVerb } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

interface Verb {
  readonly words: readonly string[];
  readonly args: readonly Field[];
}

function helped(args: readonly Field[]): boolean {
  return (
    args.some((arg) => arg.text === '--help' || arg.text === '-h' || arg.text === 'help') ||
    args.some((arg) => DRY.includes(arg.text))
  );
}

function dockerVerb(call: Call): Verb | null {
  const options = parseOptions(call.args, DOCKER_GLOBAL, { stop: true });
  const rest = call.program === 'docker-compose' ? call.args : options.operands;
  const compose = call.program === 'docker-compose' || rest[0]?.text === 'compose';
  if (options.has('help')) return null;
  if (!compose)
    return { words: rest.filter((arg) => !arg.text.startsWith('-')).map((arg) => arg.text), args: rest.slice(1) };
  const inner = parseOptions(call.program === 'docker-compose' ? rest : rest.slice(1), COMPOSE_GLOBAL, { stop: true });
  if (inner.has('dry-run')) return null;
  return {
    words: ['compose', ...inner.operands.filter((arg) => !arg.text.startsWith('-')).map((arg) => arg.text)],
    args: inner.operands.slice(1),
  };
}

const DOCKER_LOSSES = [
  'rm|rmi|stop|kill|restart|pause',
  'container rm|remove|stop|kill|prune|restart|pause',
  'image|images rm|remove|prune',
  'volume rm|remove|prune',
  'network rm|remove|prune|disconnect',
  'system prune|reset',
  'builder prune',
  'buildx rm|prune',
  'compose down|stop|kill|rm|restart|pause',
  'stack rm|remove|down',
  'service rm|remove|rollback',
  'swarm leave',
  'node rm|remove|demote',
  'secret rm|remove',
  'config rm|remove',
  'context rm|remove',
  'plugin rm|remove|disable',
  'manifest rm',
  'trust revoke',
  'pod rm|stop|kill|prune|restart',
  'machine rm|stop|reset',
  'play kube',
  'kube down',
  'namespace rm|remove',
];

function dockerLosses(call: Call): Hit {
  const verb = dockerVerb(call);
  if (!verb || helped(verb.args)) return false;
  if (isVerb(verb.words, ['service scale *', 'compose scale *'])) return verb.words.some((word) => /=0$/.test(word));
  if (isVerb(verb.words, ['service update']) && verb.args.some((arg) => /--replicas(?:=|$)/.test(arg.text)))
    return verb.args.some((arg) => /^(?:--replicas=)?0$/.test(arg.text));
  if (isVerb(verb.words, ['compose up']) && verb.args.some((arg) => /^--scale(?:=|$)/.test(arg.text)))
    return verb.args.some((arg) => /=0$/.test(arg.text));
  return isVerb(verb.words, DOCKER_LOSSES) && !isVerb(verb.words, ['play kube']);
}

function runOptions(call: Call): Options | null {
  const options = parseOptions(call.args, DOCKER_GLOBAL, { stop: true });
  let rest = options.operands;
  if (rest[0]?.text === 'container') rest = rest.slice(1);
  if (rest[0]?.text === 'compose') {
    rest = parseOptions(rest.slice(1), COMPOSE_GLOBAL, { stop: true }).operands;
  }
  const [verb, ...args] = rest;
  if (verb?.text !== 'run' && verb?.text !== 'create' && verb?.text !== 'exec') return null;
  const run = parseOptions(args, RUN_OPTIONS, { stop: true });
  return run.has('help') ? null : run;
}

/** Rights or folders with which a container is the host. */
function reachesHost(call: Call): Hit {
  const run = runOptions(call);
  if (!run) return false;
  if (run.has('privileged')) return { why: 'runs a container with all rights on this machine' };
  const values = (name: string) => run.values(name).map((field) => field.text);
  if (
    [...values('pid'), ...values('ipc'), ...values('uts'), ...values('userns'), ...values('cgroupns')].some(
      (value) => value === 'host',
    )
  )
    return { why: "runs a container in the host's namespaces" };
  if (
    values('cap-add').some((cap) =>
      /^(?:CAP_)?(?:ALL|SYS_ADMIN|SYS_PTRACE|SYS_MODULE|SYS_RAWIO|SYS_BOOT|DAC_READ_SEARCH|DAC_OVERRIDE|NET_ADMIN|BPF|SYS_CHROOT|MKNOD)$/i.test(
        cap,
      ),
    )
  )
    return { why: 'runs a container with more rights' };
  if (values('security-opt').some((value) => /unconfined|disable|no-new-privileges[:=]false/.test(value)))
    return { why: 'runs a container without its confinement' };
  if (values('device').some((value) => /^\/dev\/(?:sd|nvme|vd|hd|mem|kmem|mapper|dm-|disk)/.test(value)))
    return { why: 'gives a container a disk of this machine' };
  return mounts(run).some(({ host }) => isRiskyMount(call, host))
    ? { why: 'gives a container a folder of this machine outside the work folders, secrets or the container socket' }
    : false;
}

function isRiskyMount(call: Call, text: string): boolean {
  const path = resolvePath(text.startsWith('~') ? call.facts.home + text.slice(1) : text, call.state.cwd);
  if (isProtectedRoot(path, call.facts) || isAbove(path, call.facts.hermodHome) || ownPlace(path, call.facts) !== null)
    return true;
  if (secretAt(path, call.facts) !== null) return true;
  if (isPlain(path) && /(?:docker|containerd|podman|crio)\.sock$/.test(formatPath(path))) return true;
  if (path.absolute && /^(?:proc|sys|dev|run)$/.test(path.parts[0] ?? '') && path.parts.length === 1) return true;
  const place = protectedPlace(path, call.facts);
  if (place !== null && /^(?:ssh|credential|cron)$/.test(place.kind)) return true;
  const inHome = path.absolute && belowHome(path, call.facts) !== null;
  return (
    isPlain(path) &&
    !inHome &&
    path.parts[0] !== 'tmp' &&
    !staysInRoots(path, call.facts) &&
    !HARMLESS_MOUNT.test(formatPath(path))
  );
}

/** Read by many images, and nothing to lose. */
const HARMLESS_MOUNT = /^\/etc\/(?:localtime|timezone)$|^\/tmp$|^\/dev\/(?:shm|null|dri\/?.*|snd\/?.*)$/;

const KUBE_LOSSES = [
  'delete',
  'drain',
  'cordon',
  'taint',
  'rollout undo|restart|pause',
  'auth reconcile',
  'certificate approve|deny',
  'config delete-context|delete-cluster|delete-user|unset',
];

function kubeLosses(call: Call): Hit {
  const options = parseOptions(
    call.args,
    `${KUBE_GLOBAL} f|filename: l|selector: o|output: replicas: c|container: k|kustomize: field-selector: grace-period: timeout: force all now ignore-daemonsets delete-emptydir-data prune dry-run? overwrite p|patch: type: t:`,
  );
  if (helped(call.args) || (options.has('dry-run') && options.value('dry-run')?.text !== 'none')) return false;
  const words = options.operands.map((field) => field.text);
  if (isVerb(words, KUBE_LOSSES)) return true;
  if (words[0] === 'scale' || words[0] === 'autoscale') return options.value('replicas')?.text === '0';
  if (words[0] === 'replace') return options.has('force');
  if (words[0] === 'apply') return options.has('prune', 'force');
  return words[0] === 'adm' && words[1] === 'policy';
}

function kubeGrants(call: Call): Hit {
  const args = knownArgs(call);
  if (hasArg(call, '--help', '-h')) return false;
  return (
    args.some((arg) => /"privileged"\s*:\s*true|"hostPID"\s*:\s*true|"hostPath"/.test(arg)) ||
    (args.includes('create') &&
      args.some((arg) => /^clusterrolebinding$/.test(arg)) &&
      args.some((arg) => /cluster-admin/.test(arg)))
  );
}

function otherLosses(call: Call): Hit {
  if (helped(call.args)) return false;
  const words = parseOptions(
    call.args,
    'n|namespace: kube-context: kubeconfig: f|file|values: t: p|profile: c: e|environment: l: timeout: name: project:',
  ).operands.map((field) => field.text);
  const verbs = OTHER[call.program];
  return verbs !== undefined && isVerb(words, verbs);
}

const OTHER: Readonly<Record<string, readonly string[]>> = {
  helm: ['uninstall|delete|del|un|rollback', 'repo remove|rm'],
  helmfile: ['destroy|delete'],
  minikube: ['delete|stop'],
  kind: ['delete *'],
  k3d: ['cluster delete|stop|rm', 'node delete', 'registry delete'],
  kubeadm: ['reset'],
  eksctl: ['delete *', 'drain *'],
  kops: ['delete *'],
  istioctl: ['uninstall', 'experimental uninstall'],
  skaffold: ['delete'],
  tilt: ['down'],
  argocd: ['app delete|terminate-op|rollback', 'cluster rm', 'repo rm', 'proj delete', 'appset delete'],
  flux: ['uninstall', 'delete *', 'suspend *'],
  velero: ['delete *', 'backup delete', 'restore delete', 'uninstall'],
  rancher: ['delete'],
  nomad: [
    'job stop|purge',
    'stop',
    'node drain',
    'system gc',
    'namespace delete',
    'alloc stop',
    'node-drain',
    'volume delete',
  ],
  consul: ['kv delete', 'leave', 'services deregister', 'force-leave', 'snapshot restore', 'acl * delete'],
  vault: [
    'delete',
    'secrets disable',
    'kv delete|destroy',
    'kv metadata delete',
    'auth disable',
    'lease revoke',
    'operator seal|step-down|rekey|rotate',
    'policy delete',
    'token revoke',
    'namespace delete',
    'audit disable',
  ],
  etcdctl: ['del', 'member remove', 'snapshot restore', 'user delete', 'role delete'],
  vagrant: ['destroy|halt|suspend', 'box remove|prune', 'snapshot delete|restore', 'reload'],
  multipass: ['delete|purge|stop|suspend'],
  lxc: [
    'delete|stop|rm',
    'image delete',
    'storage delete',
    'network delete',
    'profile delete',
    'snapshot delete',
    'restore',
  ],
  incus: ['delete|stop|rm', 'image delete', 'storage delete', 'network delete', 'profile delete'],
  'lxc-destroy': ['*'],
  'lxc-stop': ['*'],
  virsh: [
    'destroy|undefine|shutdown|reset|reboot|vol-delete|vol-wipe|pool-delete|pool-destroy|net-destroy|net-undefine|snapshot-delete|suspend|managedsave-remove',
  ],
  VBoxManage: [
    'unregistervm',
    'controlvm * poweroff|reset|acpipowerbutton|savestate',
    'closemedium',
    'snapshot * delete|restore',
    'natnetwork remove',
  ],
  prlctl: ['delete|stop|suspend|reset'],
  vmrun: ['stop|deleteVM|reset|suspend|deleteSnapshot'],
  qm: ['destroy|stop|shutdown|reset|delsnapshot|rollback'],
  pct: ['destroy|stop|shutdown|delsnapshot|rollback'],
  limactl: ['delete|stop|prune|factory-reset'],
  colima: ['delete|stop|prune'],
  distrobox: ['rm|stop'],
  toolbox: ['rm', 'rmi'],
  machinectl: [],
  wsl: [],
  crictl: ['rm|rmi|stop|stopp|rmp'],
  ctr: [
    'images|i|image rm|remove|delete|prune',
    'containers|c|container rm|delete|remove',
    'tasks|t|task kill|rm|delete',
    'snapshots|snapshot rm|remove',
  ],
  buildah: ['rm|rmi|prune'],
  dokku: ['apps:destroy', '*:destroy', 'ps:stop', 'cleanup'],
  kompose: ['down'],
};

function wslLosses(call: Call): Hit {
  return knownArgs(call).some((arg) => /^(?:--unregister|--shutdown|--terminate|-t)$/.test(arg));
}

export const containerRules: readonly Rule[] = [
  {
    id: 'infra.container',
    grade: 'dangerous',
    programs: ['docker', 'docker-compose'],
    test: dockerLosses,
    why: 'stops or removes containers, images or volumes',
    smart: true,
    match: [
      'docker rm -f web',
      'docker system prune -af',
      'docker volume rm data',
      'docker compose down -v',
      'docker -H ssh://p stop app',
      'podman rmi x',
      'docker-compose -f x.yml kill',
    ],
    notMatch: [
      'docker ps',
      'docker images',
      'docker run --rm alpine echo hi',
      'docker compose logs',
      'docker build .',
      'docker rm --help',
      'docker compose up -d',
      'docker inspect rm',
    ],
  },
  {
    id: 'infra.privileged',
    grade: 'dangerous',
    programs: ['docker'],
    test: reachesHost,
    why: 'runs a container that can reach into this machine',
    match: [
      'docker run --privileged alpine',
      'docker run -v /:/host alpine ls',
      'docker run -v /var/run/docker.sock:/s x',
      'docker run --pid=host x',
      'docker run --mount type=bind,source=/etc,target=/e x',
    ],
    notMatch: [
      'docker run -v "$PWD":/app node',
      'docker run -v data:/var/lib/x x',
      'docker run --rm alpine',
      'docker run -p 80:80 nginx',
      'docker run -h privileged alpine',
    ],
  },
  {
    id: 'infra.cluster',
    grade: 'dangerous',
    programs: ['kubectl'],
    test: kubeLosses,
    why: 'deletes, drains or stops parts of a cluster',
    smart: true,
    match: [
      'kubectl delete ns prod',
      'kubectl drain n1',
      'kubectl scale deploy web --replicas=0',
      'kubectl -n x delete pod y',
      'kubectl rollout undo deploy/x',
      'oc delete project x',
    ],
    notMatch: [
      'kubectl get ns',
      'kubectl logs delete',
      'kubectl diff -f x.yaml',
      'kubectl delete pod x --dry-run=client',
      'kubectl scale deploy web --replicas=3',
      'kubectl describe pod drain',
    ],
  },
  {
    id: 'infra.cluster-rights',
    grade: 'dangerous',
    programs: ['kubectl'],
    test: kubeGrants,
    why: 'gives all rights in a cluster',
    match: [
      'kubectl create clusterrolebinding x --clusterrole=cluster-admin --user=y',
      'kubectl run x --image=y --overrides=\'{"hostPath":"/"}\'',
    ],
    notMatch: ['kubectl create ns x', 'kubectl get clusterrolebinding', 'kubectl describe clusterrole cluster-admin'],
  },
  {
    id: 'infra.machine',
    grade: 'dangerous',
    programs: Object.keys(OTHER).filter((name) => (OTHER[name] as readonly string[]).length > 0),
    test: otherLosses,
    why: 'deletes or stops machines, clusters or what runs in them',
    smart: true,
    match: [
      'helm uninstall web',
      'vagrant destroy -f',
      'minikube delete',
      'virsh undefine vm',
      'vault kv destroy x',
      'nomad job stop x',
      'helm -n x rollback web 1',
    ],
    notMatch: [
      'helm list',
      'helm template .',
      'vagrant status',
      'virsh list',
      'vault kv list x',
      'minikube status',
      'helm uninstall web --dry-run',
    ],
  },
  {
    id: 'infra.wsl',
    grade: 'dangerous',
    programs: ['wsl'],
    test: wslLosses,
    why: 'stops or removes a Linux installation under Windows',
    match: ['wsl --shutdown', 'wsl --unregister Ubuntu'],
    notMatch: ['wsl --list', 'wsl ls -la'],
  },
];
