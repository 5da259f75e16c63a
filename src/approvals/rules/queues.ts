import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs } from '../shell/call.ts';
import { asksHelp, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

/** Verbs that empty, delete or stop queues and what keeps them, or change who may use them. */
const QUEUES: Readonly<Record<string, readonly string[]>> = {
  nats: [
    'stream|str|s del|rmm',
    'consumer|con del',
    'kv|object delete',
    'server request|req shutdown|reload',
    'server raft|cluster step-down|peer-remove',
    'account purge',
  ],
  nsc: ['delete *', 'revocations *'],
  confluent: [
    'kafka topic|cluster|acl|link|mirror delete',
    'schema-registry schema|cluster|subject delete',
    'environment|iam|connect|ksql * delete',
    'environment|api-key delete',
  ],
  'pulsar-admin': [
    'topics|persistent delete|delete-partitioned-topic|clear-backlog|skip-all|truncate|terminate|unload',
    'namespaces delete|clear-backlog|unload|set-retention',
    'tenants|clusters|functions|sinks|sources|schemas|subscriptions delete',
  ],
  zkCli: ['delete|deleteall|rmr|setAcl'],
  'zookeeper-shell': ['* delete|deleteall|rmr|setAcl'],
  kaf: ['topic|group delete'],
  rabbitmqctl: [
    'eval|eval_file|exec',
    'add_user|set_user_tags|change_password|clear_password|set_user_limits',
    'set_permissions|set_topic_permissions|clear_permissions',
    'delete_*|clear_*|close_connection|remove_member',
  ],
  'rabbitmq-plugins': ['disable|set'],
  'rabbitmq-queues': ['delete|delete_member|shrink'],
  'rabbitmq-upgrade': ['drain'],
  'kafka-server-stop': [],
  'zookeeper-server-stop': [],
  'kafka-configs': [],
  'kafka-acls': [],
  'kafka-storage': ['format'],
  rq: ['empty'],
};

const NAMES: readonly string[] = Object.keys(QUEUES);
const WITH_SCRIPTS: readonly string[] = NAMES.flatMap((name) =>
  /^(?:kafka|zookeeper)-|^zkCli$/.test(name) ? [name, `${name}.sh`] : [name],
);

function losesQueue(call: Call): Hit {
  if (asksHelp(call, true) || hasArg(call, '--dry-run')) return false;
  const name = call.program.replace(/\.sh$/, '');
  const words = operandsOf(
    call,
    's|server: context: creds: user: password: admin-url: auth-plugin: auth-params: n|node: p: t: q|quiet environment: cluster: b: c: u: url:',
  );
  switch (name) {
    case 'kafka-server-stop':
    case 'zookeeper-server-stop':
      return true;
    case 'kafka-configs':
      return (
        hasArg(call, '--alter') &&
        knownArgs(call).some((arg) => /\bretention\.(?:ms|bytes)=\d{1,6}\b|\bcleanup\.policy=delete\b/.test(arg))
      );
    case 'kafka-acls':
      return (
        hasArg(call, '--remove') ||
        (hasArg(call, '--add') && call.args.some(({ text }) => /^User:(?![\w.@-]+$)/.test(text)))
      );
    case 'zkCli':
      return isVerb(
        operandsOf(call, 'server: r: timeout:').filter((word) => !/:\d+$/.test(word)),
        QUEUES['zkCli'] ?? [],
      );
    default:
      return isVerb(words, QUEUES[name] ?? []);
  }
}

export const queueRules: readonly Rule[] = [
  {
    id: 'infra.queue',
    grade: 'dangerous',
    programs: WITH_SCRIPTS,
    test: losesQueue,
    why: 'empties, deletes or stops a queue, or changes who may use it',
    smart: true,
    match: [
      'nats stream del ORDERS -f',
      'confluent kafka topic delete x --force',
      'rabbitmqctl set_user_tags x administrator',
      'kafka-configs.sh --alter --add-config retention.ms=1 --entity-type topics --entity-name x',
    ],
    notMatch: [
      'nats stream info ORDERS',
      'confluent kafka topic list',
      'rabbitmqctl list_users',
      'kafka-configs.sh --describe --entity-type topics --entity-name x',
    ],
  },
];
