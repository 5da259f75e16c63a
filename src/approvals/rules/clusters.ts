import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs } from '../shell/call.ts';
import { namesInput } from '../shell/descriptors.ts';
import { parseOptions } from '../shell/options.ts';
import { TAINT } from '../shell/taint.ts';
import { KUBE_GLOBAL } from '../shell/wrappers/remote.ts';
import { fieldHit, helped, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

const KUBE_LOSSES = [
  'delete',
  'drain',
  'cordon',
  'taint',
  'rollout undo|restart|pause',
  'adm drain|cordon|taint|prune|policy',
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
  if (words[0] === 'patch') return options.values('p').some(({ text }) => PATCH_LOSS.test(text));
  if (words[0] === 'replace') return options.has('force');
  const remote = [...options.values('f'), ...options.values('k')].find(({ text }) => /^https?:\/\/|^git@/.test(text));
  if (remote && /^(?:apply|create|replace)$/.test(words[0] ?? ''))
    return fieldHit(remote, 'applies to a cluster what comes from a network');
  const piped = options.values('f').find(({ text }) => namesInput(text));
  if (piped && (call.stdin.taint & TAINT.fetched) !== 0 && /^(?:apply|create|replace)$/.test(words[0] ?? ''))
    return fieldHit(piped, 'applies to a cluster what comes from a network');
  return words[0] === 'apply' && options.has('prune', 'force');
}

/** Nothing left of it, or the guards that hold it taken off. */
const PATCH_LOSS =
  /"?\breplicas"?\s*:\s*0\b|\bfinalizers"?\s*:\s*(?:null|~|\[\s*\])|"op"\s*:\s*"remove"[^}]*\/(?:finalizers|selector)\b/;

function kubeGrants(call: Call): Hit {
  const args = knownArgs(call);
  if (hasArg(call, '--help', '-h')) return false;
  return (
    args.some((arg) => /^--privileged(?:=true)?$/.test(arg)) ||
    args.some((arg) => HOST_POD.test(arg)) ||
    (takesInput(call) && call.stdin.kind !== 'none' && grantsAll(call.stdin.text ?? '')) ||
    (args.includes('label') && args.some((arg) => /^pod-security\.kubernetes\.io\/enforce=privileged$/.test(arg))) ||
    (args.includes('proxy') && args.some((arg) => /^--(?:address=(?:0\.0\.0\.0|::)|accept-hosts=)/.test(arg))) ||
    (args.includes('create') &&
      args.some((arg) => /^clusterrolebinding$/.test(arg)) &&
      args.some((arg) => /cluster-admin/.test(arg)))
  );
}

/** Whether a word before `--` names its input: `-f -`, `--filename=/dev/stdin`. */
function takesInput({ args }: Call): boolean {
  for (const { text } of args) {
    if (text === '--') return false;
    if (namesInput(text.replace(/^(?:-f|--filename=)/, ''))) return true;
  }
  return false;
}

/** Scripts whose only work is to take a cluster down. */
const BARE = /^(?:k3s|rke2)(?:-agent)?-(?:uninstall|killall)\.sh$/;

/** A pod that is the host: its processes, its files or its devices. */
const HOST_POD = /\b(?:privileged|hostPID|hostIPC)"?\s*:\s*true\b|\bhostPath"?\s*:/;

function grantsAll(text: string): boolean {
  return HOST_POD.test(text) || (/\bkind"?\s*:\s*"?ClusterRoleBinding\b/.test(text) && /\bcluster-admin\b/.test(text));
}

function otherLosses(call: Call): Hit {
  if (helped(call.args)) return false;
  const words = parseOptions(
    call.args,
    'n|namespace: kube-context: kubeconfig: f|file|values: t: p|profile: c: e|environment: l: timeout: name: project: nodes: endpoints: talosconfig: context:',
  ).operands.map((field) => field.text);
  const verbs = OTHER[call.program];
  if (BARE.test(call.program)) return true;
  if (call.program === 'argocd' && isVerb(words, ['app sync|set']))
    return hasArg(call, '--prune', '--force', '--replace', '--auto-prune');
  if (call.program === 'k3s' && isVerb(words, ['server'])) return hasArg(call, '--cluster-reset');
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
  argocd: ['app delete|delete-resource|terminate-op|rollback', 'cluster rm', 'repo rm', 'proj delete', 'appset delete'],
  flux: ['uninstall', 'delete *', 'suspend *'],
  velero: [
    'delete *',
    'backup|schedule|restore|backup-location|snapshot-location delete',
    'restore create',
    'uninstall',
  ],
  rancher: ['delete'],
  talosctl: [
    'reset|reboot|shutdown|upgrade|upgrade-k8s|rollback|wipe|bootstrap|apply-config|patch|edit',
    'cluster destroy',
    'etcd leave|remove-member|forfeit-leadership',
    'service * stop|restart',
  ],
  omnictl: ['cluster delete', 'delete *'],
  clusterctl: ['delete'],
  microk8s: ['reset|stop|disable|leave|remove-node|uninstall'],
  k3s: ['etcd-snapshot delete|prune', 'certificate rotate|rotate-ca', 'secrets-encrypt *'],
  k0s: ['reset|stop'],
  werf: ['dismiss|cleanup|purge'],
  kapp: ['delete', 'app-group delete'],
  'rke2-killall.sh': ['*'],
  'rke2-uninstall.sh': ['*'],
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
  govc: [
    'vm.destroy',
    'vm.power',
    'datastore.rm',
    'snapshot.remove',
    'object.destroy',
    'host.shutdown',
    'pool.destroy',
  ],
  'k3s-uninstall.sh': ['*'],
  'k3s-agent-uninstall.sh': ['*'],
  'k3s-killall.sh': ['*'],
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

export const clusterRules: readonly Rule[] = [
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
      'oc adm drain node-1',
      `kubectl patch pvc x -p '{"metadata":{"finalizers":null}}'`,
      'microk8s kubectl delete ns x',
      'curl -s https://x.example/x.yaml | kubectl apply -f -',
      'curl -s https://x.example/x.yaml | kubectl apply -f /proc/self/fd/0',
    ],
    notMatch: [
      'kubectl get ns',
      'kubectl logs delete',
      'kubectl diff -f x.yaml',
      'kubectl delete pod x --dry-run=client',
      'kubectl scale deploy web --replicas=3',
      'kubectl describe pod drain',
      'oc adm top nodes',
      `kubectl patch deploy x -p '{"spec":{"replicas":2}}'`,
      'minikube kubectl -- get pods',
      'kubectl apply -f - < x.yaml',
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
      "kubectl apply -f - <<'E'\nspec:\n  hostPID: true\nE",
      "kubectl apply -f - <<'E'\nkind: ClusterRoleBinding\nroleRef: {name: cluster-admin}\nE",
      "kubectl apply --filename=/dev/fd/0 <<'E'\nspec:\n  hostPID: true\nE",
      'kubectl label ns x pod-security.kubernetes.io/enforce=privileged',
    ],
    notMatch: [
      "kubectl apply -f - <<'E'\nspec:\n  hostPID: false\nE",
      "kubectl apply -f - <<'E'\nkind: ClusterRoleBinding\nroleRef: {name: view}\nE",
      'kubectl label ns x team=a',
      'kubectl create ns x',
      'kubectl get clusterrolebinding',
      'kubectl describe clusterrole cluster-admin',
    ],
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
      'talosctl -n 10.0.0.2 reset --reboot',
      'argocd app sync web --prune',
      'velero schedule delete x',
    ],
    notMatch: [
      'helm list',
      'helm template .',
      'vagrant status',
      'virsh list',
      'vault kv list x',
      'minikube status',
      'helm uninstall web --dry-run',
      'talosctl -n 10.0.0.2 services',
      'argocd app sync web',
      'velero schedule get',
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
  {
    id: 'infra.swarm-node',
    grade: 'dangerous',
    programs: ['docker'],
    test: (call) =>
      isVerb(operandsOf(call), ['node update']) &&
      knownArgs(call).some((arg) => /^(?:--availability=)?(?:drain|pause)$/.test(arg)),
    why: 'takes the work off a node of a swarm',
    smart: true,
    match: ['docker node update --availability drain w1', 'docker node update --availability=pause w1'],
    notMatch: ['docker node update --availability active w1', 'docker node ls'],
  },
];
