import type { Effect, Use } from './effects.ts';
import { gives, opens, reports, writePath, writes } from './effects.ts';
import { asText, constantText } from './values.ts';

const CONTAINER_LOSS = /\.(?:prune\w*|remove\w*|kill|stop)$/;
const CLUSTER_LOSS = /\.(?:delete_\w+|evict\w*)$/;

/** Docker's client. */
const containers: Effect = (use) => {
  if (use.called && CONTAINER_LOSS.test(use.name)) use.sink.report('infra.container', use.at);
  if (use.called && /\.(?:run|create)$/.test(use.name) && isTrue(use, 'privileged'))
    use.sink.report('infra.privileged', use.at);
  return undefined;
};

function isTrue(use: Use, name: string): boolean {
  const value = use.named.get(name);
  return value !== undefined && !(value.kind === 'ref' && value.name === 'False');
}

/** GitPython: `repo.git.reset('--hard')`, `remote.push(force=True)` are the commands of that name. */
const gitCommand: Effect = (use) => {
  const verb = /\.git\.(\w+)$/.exec(use.name)?.[1] ?? /\bremotes?\b.*\.(push)$/.exec(use.name)?.[1];
  if (!use.called || verb === undefined) return undefined;
  const options = [...use.named.keys()]
    .filter((name) => isTrue(use, name))
    .map((name) => `--${name.replaceAll('_', '-')}`);
  use.sink.argv(['git', verb.replaceAll('_', '-'), ...options, ...use.args.map(asText)], use.at);
  return undefined;
};

/** `image.save('x.png')`, of what is a constant path. */
const saves: Effect = (use) => {
  const text = constantText(use.args[0]);
  if (use.called && text !== null && use.args[0]?.kind === 'text') writePath(use, text);
  return undefined;
};

const process = gives(() => ({ kind: 'ref', name: 'psutil.Process()' }));
const logs = writes(0);

/** Libraries around containers, clusters, repositories, processes, logins and logs. */
export const pythonKits: Readonly<Record<string, Effect>> = {
  'docker.*': containers,
  'podman.*': containers,
  'kubernetes.*': (use) => (use.called && CLUSTER_LOSS.test(use.name) ? reports('infra.cluster')(use) : undefined),
  'git.*': gitCommand,
  'psutil.process_iter': process,
  'psutil.Process().send_signal': reports('proc.kill', 'signals a process'),
  'keyring.get_password': reports('secret.print', 'reads a stored password'),
  'keyring.get_credential': reports('secret.print', 'reads a stored password'),
  'logging.FileHandler': logs,
  'logging.handlers.RotatingFileHandler': logs,
  'logging.handlers.TimedRotatingFileHandler': logs,
  'io.FileIO': opens(0, 1, 'mode'),
  'shelve.open': writes(0),
  'dbm.open': opens(0, 1, 'flag'),
  '*.save': saves,
};
