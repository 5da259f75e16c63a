import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs } from '../shell/call.ts';
import { asksHelp, DRY, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

function infraCode(call: Call): Hit {
  if (asksHelp(call, true) || hasArg(call, ...DRY, '-preview', '--preview-only')) return false;
  const words = operandsOf(
    call,
    'chdir: var: var-file: s|stack: C|cwd: c|config: profile: target: state: e|extra-vars: i|inventory: l|limit:',
  );
  const args = knownArgs(call);
  const auto = args.some(
    (arg) =>
      /^--?(?:auto-approve|yes|y|non-interactive|terragrunt-non-interactive|skip-preview|force|f|no-input|require-approval=never|approve)$/.test(
        arg,
      ) || /^--?auto-approve/.test(arg),
  );
  switch (call.program) {
    case 'terraform':
      if (words[0] === 'plan') return false;
      return (
        isVerb(words, [
          'destroy',
          'apply',
          'run-all destroy|apply',
          'state rm|push|replace-provider|mv',
          'taint',
          'untaint',
          'force-unlock',
          'workspace delete',
          'import',
        ]) && !(words[0] === 'apply' && args.includes('-help'))
      );
    case 'pulumi':
      return (
        isVerb(words, ['destroy', 'stack rm', 'state delete|unprotect', 'cancel', 'down']) ||
        (isVerb(words, ['up', 'update', 'refresh']) && auto)
      );
    case 'cdk':
    case 'cdktf':
      return (
        isVerb(words, ['destroy']) ||
        (isVerb(words, ['deploy']) &&
          (auto ||
            hasArg(call, '--auto-approve', '--hotswap') ||
            (hasArg(call, '--require-approval') && args.includes('never'))))
      );
    case 'sam':
    case 'copilot':
    case 'amplify':
    case 'serverless':
    case 'sls':
    case 'sst':
    case 'chalice':
    case 'zappa':
    case 'up':
    case 'architect':
    case 'railway':
    case 'render':
    case 'vercel':
    case 'netlify':
    case 'firebase':
    case 'wrangler':
    case 'supabase':
    case 'planetscale':
    case 'pscale':
    case 'neonctl':
    case 'turso':
    case 'encore':
    case 'now':
    case 'surge':
    case 'convex':
    case 'fly':
    case 'flyctl':
    case 'heroku':
    case 'doctl':
    case 'linode-cli':
    case 'hcloud':
    case 'vultr-cli':
    case 'scw':
    case 'exo':
    case 'oci':
    case 'ibmcloud':
    case 'openstack':
    case 'cf':
    case 'eb':
    case 'aliyun':
    case 'tccli':
    case 'ovhcloud':
    case 'civo':
    case 'nova':
    case 'juju':
    case 'yc':
    case 'upctl':
    case 'ucloud':
      return isCloudLoss(words, args) || isSpelledLoss(call.program, words, args);
    case 'rancher':
    case 'rke':
      return isVerb(words, ['remove']);
    default:
      return false;
  }
}

const CLOUD_LOSS =
  /^(?:.*:)?(?:destroy|delete|remove|rm|unset|del|down|stop|purge|reset|restart|terminate|scale-down|unpublish|deallocate|poweroff|power-off|shutdown|rebuild|revoke|drop|teardown|undeploy|suspend|destroy-app|kill|rollback|detach|unmap-route|delete-app|kill-controller|destroy-model|destroy-controller|remove-application|kill-model)$/;

function isCloudLoss(words: readonly string[], args: readonly string[]): boolean {
  if (words.slice(0, 4).some((word) => CLOUD_LOSS.test(word))) return true;
  if (
    /^(?:pg|redis|addons|maintenance|ps|domains|db):(?:reset|destroy|stop|kill|killall|on|remove|restart|clear)|^pg:(?:copy|backups:restore|promote)$|^access:add$|^database:set$/.test(
      words[0] ?? '',
    )
  )
    return true;
  return (
    /^(?:ps:)?scale$/.test(words[0] ?? '') &&
    (words.some((word) => /=0(?::|$)|^0$/.test(word)) || args.includes('count=0'))
  );
}

/** Verbs inside a word: `instance-delete`, `DeleteInstance`, or in an option: `--action STOP`. */
const WORD_END = /-(?:delete|destroy|stop|terminate|reboot|remove|reset|rm|cancel|disable)$/;
const CAMEL =
  /^(?:delete|destroy|stop|terminate|reboot|remove|reset|release|drop|purge|disable|revoke|detach|cancel|isolate)[A-Z]/i;
const STATE = /^(?:--action=)?(?:SOFT)?(?:STOP|RESET|TERMINATE)$/;

const WORD_END_TOOLS: ReadonlySet<string> = new Set(['ibmcloud', 'oci', 'openstack', 'nova', 'scw', 'exo']);
const CAMEL_TOOLS: ReadonlySet<string> = new Set(['aliyun', 'tccli', 'netlify', 'ucloud', 'ovhcloud']);

function isSpelledLoss(program: string, words: readonly string[], args: readonly string[]): boolean {
  const few = words.slice(0, 4);
  if (WORD_END_TOOLS.has(program))
    return few.some((word) => WORD_END.test(word)) || args.some((arg) => STATE.test(arg));
  if (CAMEL_TOOLS.has(program)) return few.slice(1).some((word) => CAMEL.test(word) && /[a-z][A-Z]/.test(word));
  return program === 'linode-cli' && words.includes('rb');
}

const CLOUD_TOOLS = [
  'terraform',
  'pulumi',
  'cdk',
  'cdktf',
  'sam',
  'copilot',
  'amplify',
  'serverless',
  'sls',
  'sst',
  'chalice',
  'zappa',
  'railway',
  'render',
  'vercel',
  'netlify',
  'firebase',
  'wrangler',
  'supabase',
  'planetscale',
  'pscale',
  'neonctl',
  'turso',
  'flyctl',
  'heroku',
  'doctl',
  'linode-cli',
  'hcloud',
  'vultr-cli',
  'scw',
  'exo',
  'oci',
  'ibmcloud',
  'openstack',
  'cf',
  'eb',
  'aliyun',
  'civo',
  'surge',
  'juju',
  'tccli',
  'ovhcloud',
  'nova',
  'yc',
  'upctl',
  'ucloud',
  'rke',
];

export const deploymentRules: readonly Rule[] = [
  {
    id: 'infra.apply',
    grade: 'dangerous',
    programs: CLOUD_TOOLS,
    test: infraCode,
    why: 'changes or destroys infrastructure without asking again',
    smart: true,
    match: [
      'terraform destroy',
      'terraform apply -auto-approve',
      'pulumi up --yes',
      'flyctl apps destroy x',
      'heroku apps:destroy x',
      'terraform state rm x',
      'cdk destroy',
      'doctl compute droplet delete 1',
      'ibmcloud is instance-delete x -f',
      'aliyun ecs DeleteInstance --InstanceId x',
      'fly secrets unset X',
    ],
    notMatch: [
      'terraform plan',
      'terraform plan -destroy',
      'pulumi preview',
      'heroku logs',
      'fly status',
      'cdk diff',
      'terraform state list',
      'terraform init',
      'ibmcloud is instance x',
      'aliyun ecs DescribeInstances',
      'fly secrets list',
      'pulumi destroy --preview-only',
    ],
  },
];
