import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs } from '../shell/call.ts';
import { parseOptions } from '../shell/options.ts';
import { KUBE_GLOBAL } from '../shell/wrappers/remote.ts';
import { fieldHit, helped, isVerb } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

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
  if (words[0] === 'patch') return options.values('p').some(({ text }) => /"?\breplicas"?\s*:\s*0\b/.test(text));
  if (words[0] === 'replace') return options.has('force');
  const remote = [...options.values('f'), ...options.values('k')].find(({ text }) => /^https?:\/\/|^git@/.test(text));
  if (remote && /^(?:apply|create|replace)$/.test(words[0] ?? ''))
    return fieldHit(remote, 'applies to a cluster what comes from a network');
  if (words[0] === 'apply') return options.has('prune', 'force');
  return words[0] === 'adm' && words[1] === 'policy';
}

function kubeGrants(call: Call): Hit {
  const args = knownArgs(call);
  if (hasArg(call, '--help', '-h')) return false;
  return (
    args.some((arg) => /^--privileged(?:=true)?$/.test(arg)) ||
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
