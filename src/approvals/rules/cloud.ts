import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs, optionsOf } from '../shell/call.ts';
import type { Options } from '../shell/options.ts';
import { asksHelp, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';
import { textLoss } from './sql-text.ts';

const AWS =
  'profile: region: output: endpoint-url: query: color: cli-read-timeout: cli-connect-timeout: ca-bundle: no-verify-ssl no-paginate no-sign-request no-cli-pager debug';

const AWS_LOSSES =
  /^(?:delete|terminate|stop|destroy|remove|deregister|disable|detach|disassociate|revoke|purge|cancel|reboot|release|schedule-key-deletion|empty|abort|suspend|deactivate|put-bucket-policy|put-bucket-acl|put-public-access-block|reset|restore-db|failover|modify-db|authorize-security-group-ingress|create-access-key|(?:attach|put)-(?:user|role|group)-policy|create-policy-version|create-user|create-login-profile|add-user-to-group|add-role-to-instance-profile|batch-delete|admin-(?:delete|disable|reset|remove|set-user-password)|leave-organization|change-resource-record-sets|put-bucket-lifecycle|put-retention-policy|close|transfer|update-assume-role-policy|update-login-profile|delete-.*)(?:-|$)/;

function awsLosses(call: Call): Hit {
  if (asksHelp(call, true) || hasArg(call, '--dryrun', '--dry-run', 'help')) return false;
  const [service, verb, ...rest] = operandsOf(call, AWS);
  if (service === undefined || verb === undefined) return false;
  if (service === 's3')
    return /^(?:rm|rb|mv)$/.test(verb) || (verb === 'sync' && hasArg(call, '--delete')) || opensAws(call, verb);
  if (service === 'ecs' && verb === 'update-service') return rest.includes('0') && hasArg(call, '--desired-count');
  if (service === 'autoscaling' || service === 'application-autoscaling' || service === 'eks')
    return AWS_LOSSES.test(verb) || /^set-desired|^terminate/.test(verb) || scalesAway(call);
  if (/^(?:rds-data|redshift-data|athena|dynamodb|timestream-query|qldb-session)$/.test(service) && losesByText(call))
    return true;
  if (service === 'logs') return /^(?:delete-|put-retention-policy$)/.test(verb);
  if (service === 'cloudformation' && (verb === 'deploy' || verb === 'update-stack')) return false;
  return AWS_LOSSES.test(verb) || opensAws(call, verb);
}

/** A group of machines that may hold none. */
function scalesAway(call: Call): boolean {
  const options = optionsOf(call, 'min-size: max-size: desired-capacity: max-capacity: scaling-config:');
  return (
    ['max-size', 'desired-capacity', 'max-capacity'].some((name) => options.value(name)?.text === '0') ||
    /\b(?:desired|max)Size=0\b/.test(options.value('scaling-config')?.text ?? '')
  );
}

/** SQL as an option of a cloud's own command. */
const SQL_OPTIONS = ['sql', 'sqls', 'query-string', 'statement', 'ddl'];

function losesByText(call: Call): boolean {
  const options = optionsOf(call, 'sql: sqls: query-string: statement: ddl:');
  return SQL_OPTIONS.some((name) => options.values(name).some(({ text }) => textLoss(text) !== null));
}

/** Options that let everyone in, or take away what guards a thing. */
function opensAws(call: Call, verb: string): boolean {
  const args = knownArgs(call);
  if (hasArg(call, '--no-disable-api-termination', '--no-deletion-protection', '--no-enable-termination-protection'))
    return true;
  if (
    args.some((arg) => /^(?:--acl=)?public-read|^Status=Suspended|\bendpointPublicAccess=true|\bGroup=all\b/.test(arg))
  )
    return true;
  return verb === 'add-permission' && (args.includes('*') || args.includes('--principal=*'));
}

const GCLOUD_LOSSES =
  /^(?:delete|rm|remove|destroy|stop|reset|suspend|disable|purge|abandon|drain|failover|restart|remove-iam-policy-binding|add-iam-policy-binding|set-iam-policy|detach-disk|abandon-instances|delete-instances|cancel|revoke|shutdown|deprecate|clear|restore|unlink|truncate|reset-windows-password|remove-(?:metadata|tags|backend|rules|path-matcher|host-rule|resource-policies|instances|health-checks|bgp-peer|interface|peer))$/;

const GCLOUD =
  'project: zone: region: account: format: filter: configuration: verbosity: member: role: cluster: location: quiet|q size: num-nodes: source-ranges: delete-unmatched-destination-objects no-deletion-protection allow: rules:';
const GCLOUD_SIZES = ['size', 'num-nodes'];

function gcloudLosses(call: Call): Hit {
  if (asksHelp(call, true) || hasArg(call, '--dry-run')) return false;
  const options = optionsOf(call, GCLOUD);
  const words = options.operands.map(({ text }) => text);
  if (words[0] === 'config' || words[0] === 'help' || words[0] === 'topic') return false;
  if (words[0] === 'auth') return words[1] === 'revoke';
  return (
    words.slice(0, 6).some((word) => GCLOUD_LOSSES.test(word)) ||
    (words.includes('resize') && GCLOUD_SIZES.some((name) => options.value(name)?.text === '0')) ||
    (words.includes('rsync') && options.has('delete-unmatched-destination-objects')) ||
    (words.includes('firewall-rules') &&
      options.values('source-ranges').some(({ text }) => /(?:^|,)(?:0\.0\.0\.0|::)\/0/.test(text))) ||
    options.has('no-deletion-protection') ||
    (words.includes('ddl') && losesByText(call))
  );
}

const AZ_LOSSES =
  /^(?:delete|purge|remove|stop|deallocate|restart|revoke|disable|reset|redeploy|reimage|delete-batch|empty|failover|detach|clear|unregister|regenerate|renew|cancel)$/;

/** Options that show stored things to everyone. */
const AZ_OPEN = ['public-access', 'allow-blob-public-access'];

function azLosses(call: Call): Hit {
  if (asksHelp(call, true)) return false;
  const words = operandsOf(
    call,
    'n|name: g|resource-group: subscription: o|output: query: l|location: y|yes no-wait ids: s: a: account-name: vault-name: c: d:',
  );
  if (words[0] === 'find' || words[0] === 'configure') return false;
  const options = optionsOf(
    call,
    'm|method: mode: access: source-address-prefixes: source-asgs: direction: public-access: allow-blob-public-access: n: g: u|uri|url:',
  );
  if (words[0] === 'rest') return /^(?:delete|put|patch)$/i.test(options.value('m')?.text ?? '');
  if (AZ_OPEN.some((name) => /^(?:blob|container|true)$/i.test(options.value(name)?.text ?? ''))) return true;
  if (isVerb(words, ['deployment *'])) return /^complete$/i.test(options.value('mode')?.text ?? '');
  if (isVerb(words, ['network nsg rule create|update']))
    return (
      !/^deny$/i.test(options.value('access')?.text ?? '') &&
      /^(?:\*|internet|any|0\.0\.0\.0\/0)$/i.test(sourceOf(options, words))
    );
  return (
    words.slice(0, 6).some((word) => AZ_LOSSES.test(word)) ||
    isVerb(words, ['role assignment create', 'ad app|sp|user create|delete', 'ad sp create-for-rbac'])
  );
}

/** A new rule without a source lets everyone in. */
function sourceOf(options: Options, words: readonly string[]): string {
  const all = words[3] === 'create' && !options.has('source-asgs', 'direction');
  return options.value('source-address-prefixes')?.text ?? (all ? '*' : '');
}

function storageLosses(call: Call): Hit {
  if (asksHelp(call, true) || hasArg(call, '--dry-run', '-n', '--fake', '--dryrun')) return false;
  const words = operandsOf(call, 'o: c|config: u: h: p: D:');
  switch (call.program) {
    case 'gsutil':
      return (
        isVerb(words, [
          'rm',
          'rb',
          'mv',
          'iam ch|set',
          'acl ch|set',
          'defacl ch|set',
          'lifecycle set',
          'versioning set',
          'retention clear|lock',
        ]) ||
        (words[0] === 'rsync' && knownArgs(call).some((arg) => /^-[a-zA-Z]*d/.test(arg)))
      );
    case 'bq':
      return isVerb(words, ['rm', 'truncate', 'cancel', 'remove-iam-policy-binding']);
    case 'b2':
      return (
        isVerb(words, [
          'rm|delete-bucket|delete-key|delete-file-version|hide-file|cancel-all-unfinished-large-files',
          'bucket|key delete',
          'file hide|delete',
        ]) ||
        (words[0] === 'sync' && hasArg(call, '--delete'))
      );
    case 's3cmd':
    case 's5cmd':
    case 's4cmd':
      return (
        isVerb(words, [
          'del',
          'rm',
          'rb',
          'delbucket',
          'expire',
          'rmbucket',
          'mv',
          'setacl',
          'setpolicy',
          'delpolicy',
        ]) ||
        (words[0] === 'sync' && hasArg(call, '--delete-removed', '--delete'))
      );
    case 'mc':
      return (
        isVerb(words, ['rm', 'rb', 'mv', 'admin user|policy remove|rm', 'admin service stop|restart']) ||
        (words[0] === 'mirror' && hasArg(call, '--remove', '--overwrite'))
      );
    case 'azcopy':
      return (
        isVerb(words, ['remove', 'rm']) ||
        (words[0] === 'sync' && knownArgs(call).some((arg) => /^--delete-destination=(?:true|prompt)/.test(arg)))
      );
    case 'restic':
    case 'borg':
    case 'kopia':
    case 'duplicity':
      return isVerb(words, [
        'forget',
        'prune',
        'delete',
        'compact',
        'remove-all-but-n-full',
        'remove-older-than',
        'cleanup',
        'snapshot delete',
        'repository destroy',
        'key remove',
        'remove-all-inc-of-but-n-full',
      ]);
    case 'rdiff-backup':
      return hasArg(call, '--remove-older-than') || words.includes('remove');
    case 'hdfs':
    case 'hadoop':
      return knownArgs(call).some((arg) => /^-(?:rm|rmr|rmdir|expunge|mv|format|truncate|deleteSnapshot)$/.test(arg));
    case 'ceph':
    case 'rbd':
    case 'rados':
    case 'gluster':
      return words.some((word) =>
        /^(?:rm|remove|delete|purge|destroy|out|down|stop|rmpool|detach|reset|lost)$/.test(word),
      );
    default:
      return false;
  }
}

export const cloudRules: readonly Rule[] = [
  {
    id: 'infra.cloud',
    grade: 'dangerous',
    programs: ['aws', 'gcloud', 'az'],
    test: (call) =>
      call.program === 'aws' ? awsLosses(call) : call.program === 'gcloud' ? gcloudLosses(call) : azLosses(call),
    why: 'deletes, stops or opens up things in a cloud account',
    smart: true,
    match: [
      'aws s3 rm s3://b --recursive',
      'aws ec2 terminate-instances --instance-ids i',
      'gcloud compute instances delete x',
      'az group delete -n rg',
      'aws --profile p rds delete-db-instance --db-instance-identifier x',
      'gcloud projects add-iam-policy-binding p --member=x --role=y',
      'aws ecr batch-delete-image --repository-name r --image-ids imageTag=x',
      'aws s3api put-object-acl --bucket b --key k --acl public-read',
      'gcloud compute firewall-rules create x --allow=tcp:22 --source-ranges=0.0.0.0/0',
      'az rest -m DELETE -u https://x.example/y',
      'aws organizations close-account --account-id 1',
      'aws autoscaling update-auto-scaling-group --auto-scaling-group-name g --min-size 0 --max-size 0',
      "aws rds-data execute-statement --resource-arn a --sql 'DROP TABLE x'",
      'gcloud compute instances remove-metadata vm --all',
    ],
    notMatch: [
      'aws s3 ls',
      'aws ec2 describe-instances',
      'gcloud compute instances list',
      'az group list',
      'aws s3 sync . s3://b',
      'aws s3 rm s3://b/x --dryrun',
      'gcloud config set project x',
      'aws ecr batch-get-image --repository-name r --image-ids imageTag=x',
      'gcloud compute firewall-rules create x --allow=tcp:22 --source-ranges=10.0.0.0/8',
      'az rest -m GET -u https://x.example/y',
      'aws autoscaling update-auto-scaling-group --auto-scaling-group-name g --min-size 0 --max-size 4',
      "aws athena start-query-execution --query-string 'SELECT 1'",
      'gcloud functions deploy remove-user',
    ],
  },
  {
    id: 'infra.storage',
    grade: 'dangerous',
    programs: [
      'gsutil',
      'bq',
      'b2',
      's3cmd',
      's5cmd',
      's4cmd',
      'mc',
      'azcopy',
      'restic',
      'borg',
      'kopia',
      'duplicity',
      'rdiff-backup',
      'hdfs',
      'hadoop',
      'ceph',
      'rbd',
      'rados',
      'gluster',
    ],
    test: storageLosses,
    why: 'deletes stored objects or backups',
    smart: true,
    match: [
      'gsutil -m rm -r gs://b',
      's3cmd del s3://b/x',
      'mc rb x',
      'restic forget --prune',
      'hdfs dfs -rm -r /x',
      'bq rm -t d.t',
    ],
    notMatch: [
      'gsutil ls',
      's3cmd ls',
      'restic snapshots',
      'hdfs dfs -ls /',
      'bq query "select 1"',
      'restic forget --dry-run',
    ],
  },
];
