import { type Call, knownArgs, optionsOf, pathsOf } from '../shell/call.ts';
import { belowHome } from '../shell/paths.ts';
import { asksHelp, fieldHit, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';
import { usedBy, type VerbTable } from './verb-table.ts';

const JENKINS =
  /^(?:delete-[a-z-]+|safe-shutdown|safe-restart|shutdown|restart|quiet-down|clear-queue|disconnect-node|offline-node|groovy|groovysh)$/;

/** Services with a command of their own, and what of it takes away what they keep or do. */
const SERVICES: VerbTable = {
  certbot: { grammar: 'c|config: cert-name: d: cert-path:', verbs: ['delete|revoke|unregister'] },
  'acme.sh': { arg: /^--(?:remove|revoke|uninstall|deactivate|deactivate-account)$/ },
  step: { verbs: ['ca revoke', 'ca provisioner remove', 'ca admin remove'] },
  argo: {
    grammar: 'n|namespace: context: kubeconfig: l|selector: s|argo-server:',
    verbs: ['delete|terminate|stop', 'cron|template|cluster-template|archive delete'],
  },
  tkn: { grammar: 'n|namespace: c|context: k|kubeconfig:', verbs: ['* delete|rm|cancel'] },
  'jenkins-cli': { arg: JENKINS },
  'gitlab-runner': { verbs: ['unregister|stop|restart|uninstall'] },
  occ: {
    verbs: [
      'user:delete|user:disable|group:delete|group:removeuser|app:remove|app:disable',
      'trashbin:cleanup|versions:cleanup|files:cleanup|files:transfer-ownership|config:app:delete|config:system:delete',
      'encryption:disable|encryption:decrypt-all|db:convert-type|security:certificates:remove',
    ],
  },
  temporal: {
    grammar: 'n|namespace: address: w|workflow-id: r|run-id: q|query: t|task-queue:',
    verbs: ['workflow|schedule|batch delete|terminate|reset|cancel', 'operator * delete|remove', 'task-queue * delete'],
  },
  stripe: { grammar: 'api-key: project-name: p: d: config:', verbs: ['* delete|cancel', 'delete *'] },
  apptainer: { verbs: ['instance stop', 'cache clean'] },
  singularity: { verbs: ['instance stop', 'instance.stop', 'cache clean'] },
  databricks: {
    grammar: 'p|profile: t|target: o|output:',
    verbs: [
      'fs rm',
      '* delete|destroy|permanent-delete|uninstall|purge|cancel-all-runs',
      'secrets delete-scope|delete-secret|delete-acl|delete',
      'bundle destroy',
    ],
  },
};

/** The same where they are started through an interpreter: `java -jar jenkins-cli.jar`, `php occ`. */
function startedBy(call: Call): Hit {
  if (asksHelp(call, true)) return false;
  if (call.program === 'java')
    return knownArgs(call).some((text) => /(?:^|\/)jenkins-cli\.jar$/.test(text))
      ? knownArgs(call).some((text) => JENKINS.test(text))
      : knownArgs(call).some((text) => /(?:^|\/)bfg[\w.-]*\.jar$/.test(text)) &&
          knownArgs(call).some((text) => /^--?(?:delete|strip|replace)-|^-[Dbi]$/.test(text));
  const [script, verb] = operandsOf(call, 'd: c: f:');
  return (
    /(?:^|\/)occ$/.test(script ?? '') &&
    (SERVICES['occ']?.verbs ?? []).some((list) => list.split('|').includes(verb ?? ''))
  );
}

/** A key given by hand that lies elsewhere than the account's keys. */
function admitsKey(call: Call): Hit {
  if (call.program !== 'ssh-copy-id')
    return !asksHelp(call, true) && !call.args.some(({ text }) => /^(?:-r|--remove)$/.test(text));
  const options = optionsOf(call, 'i? p: o: F: t: f n s x');
  const at = call.args.findIndex(({ text }) => text === '-i');
  const key = options.value('i') ?? (at < 0 ? undefined : call.args[at + 1]);
  if (!key || options.has('n') || asksHelp(call, true)) return false;
  return !pathsOf(call, key).every((path) => belowHome(path, call.facts)?.[0] === '.ssh') && fieldHit(key);
}

const usesService = usedBy(SERVICES);

export const hostedServiceRules: readonly Rule[] = [
  {
    id: 'infra.service',
    grade: 'dangerous',
    programs: [...Object.keys(SERVICES), 'java', 'php'],
    test: (call) => (call.program === 'java' || call.program === 'php' ? startedBy(call) : usesService(call)),
    why: 'deletes or stops what a service keeps: certificates, workflows, jobs, users',
    smart: true,
    match: [
      'certbot delete --cert-name x',
      'argo delete --all',
      'tkn pipelinerun delete --all -f',
      'java -jar jenkins-cli.jar -s http://j.example/ delete-job x',
      'gitlab-runner unregister --all-runners',
      'sudo -u www-data php occ user:delete bob',
      'databricks fs rm -r dbfs:/x',
      'temporal workflow delete -w x',
      'stripe customers delete cus_1',
    ],
    notMatch: [
      'certbot certificates',
      'argo list',
      'tkn pipelinerun logs x',
      'java -jar jenkins-cli.jar -s http://j.example/ list-jobs',
      'gitlab-runner list',
      'php occ user:list',
      'databricks fs ls dbfs:/x',
      'temporal workflow list',
      'stripe customers list',
      'java -jar app.jar restart',
    ],
  },
  {
    id: 'net.access',
    grade: 'dangerous',
    programs: ['ssh-copy-id', 'ssh-import-id', 'ssh-import-id-gh', 'ssh-import-id-lp'],
    test: admitsKey,
    why: "lets a key that is not this account's own log in from now on",
    match: ['ssh-copy-id -i key.pub root@host', 'ssh-copy-id -f -i /tmp/k.pub host', 'ssh-import-id gh:x'],
    notMatch: ['ssh-copy-id host', 'ssh-copy-id -i ~/.ssh/id_ed25519.pub host', 'ssh-copy-id -n -i key.pub host'],
  },
];
