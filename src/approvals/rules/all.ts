import type { RuleSet } from '../shell/docket.ts';
import type { RuleBook } from '../shell/walk.ts';
import { wrapperNames } from '../shell/wrappers/peel.ts';
import { accountRules } from './accounts.ts';
import { agentRules } from './agents.ts';
import { attachmentRules } from './attachments.ts';
import { clientScriptRules } from './client-scripts.ts';
import { cloudRules } from './cloud.ts';
import { clusterRules } from './clusters.ts';
import { codeFindings } from './code-findings.ts';
import { connectionRules } from './connections.ts';
import { containerRules } from './containers.ts';
import { daemonRules } from './daemons.ts';
import { databaseRules } from './databases.ts';
import { deploymentRules } from './deployments.ts';
import { directoryRules } from './directories.ts';
import { diskRules } from './disks.ts';
import { dumpRules } from './dumps-sent.ts';
import { fetchedFileRules, fetchedPlanRules } from './fetched-files.ts';
import { fileRules } from './files.ts';
import { fleetRules } from './fleets.ts';
import { generationRules } from './generations.ts';
import { gitRules } from './git.ts';
import { gitRouteRules } from './git-routes.ts';
import { hardwareRules } from './hardware.ts';
import { hostReachRules } from './host-reach.ts';
import { hostStopRules } from './host-stop.ts';
import { hostedServiceRules } from './hosted-services.ts';
import { linkRules } from './links.ts';
import { machineRules } from './machine.ts';
import { macRules } from './macs.ts';
import { ownCommandRules } from './own-commands.ts';
import { ownDaemonRules } from './own-daemon.ts';
import { ownFileRules } from './own-files.ts';
import { ownInterfaceRules } from './own-interface.ts';
import { packageAddressRules } from './package-addresses.ts';
import { packageRules } from './packages.ts';
import { partitionRules } from './partitions.ts';
import { permissionRules } from './permissions.ts';
import { privilegeRules } from './privilege.ts';
import { processRules } from './processes.ts';
import { protectionRules } from './protections.ts';
import { publishRules } from './publish.ts';
import { queueRules } from './queues.ts';
import { repositoryRules } from './repositories.ts';
import type { NamedRule, Rule } from './rule.ts';
import { optionRules } from './run-options.ts';
import { secretRules } from './secrets.ts';
import { sendingRules } from './sending.ts';
import { serviceRules } from './services.ts';
import { sessionStopRules } from './session-stops.ts';
import { shellFindings, shellRules } from './shell-text.ts';
import { spillRules } from './spills.ts';
import { storeRules } from './stores.ts';
import { traceRules } from './traces.ts';
import { trustRules } from './trust.ts';
import { tunnelRules } from './tunnels.ts';
import { unpackingRules } from './unpacking.ts';
import { versionControlRules } from './version-control.ts';
import { windowsFindings, windowsRules } from './windows.ts';

/** Every rule that looks at a simple command. A new family is a file and a line here. */
export const rules: readonly Rule[] = [
  ...packageAddressRules,
  ...fetchedPlanRules,
  ...shellRules,
  ...fileRules,
  ...unpackingRules,
  ...spillRules,
  ...diskRules,
  ...partitionRules,
  ...hostStopRules,
  ...serviceRules,
  ...processRules,
  ...permissionRules,
  ...privilegeRules,
  ...accountRules,
  ...protectionRules,
  ...machineRules,
  ...macRules,
  ...daemonRules,
  ...directoryRules,
  ...generationRules,
  ...hardwareRules,
  ...trustRules,
  ...linkRules,
  ...attachmentRules,
  ...traceRules,
  ...packageRules,
  ...optionRules,
  ...fetchedFileRules,
  ...agentRules,
  ...sendingRules,
  ...dumpRules,
  ...connectionRules,
  ...tunnelRules,
  ...clientScriptRules,
  ...secretRules,
  ...gitRules,
  ...gitRouteRules,
  ...versionControlRules,
  ...containerRules,
  ...hostReachRules,
  ...clusterRules,
  ...cloudRules,
  ...deploymentRules,
  ...fleetRules,
  ...hostedServiceRules,
  ...repositoryRules,
  ...databaseRules,
  ...storeRules,
  ...queueRules,
  ...publishRules,
  ...windowsRules,
  ...ownFileRules,
  ...ownDaemonRules,
  ...sessionStopRules,
  ...ownCommandRules,
  ...ownInterfaceRules,
];

/** Every finding the detector can make, with its examples. */
export const allFindings: readonly NamedRule[] = [...shellFindings, ...codeFindings, ...windowsFindings, ...rules];

/** Programs a pattern like `/bin/?at` may stand for beside those that rules name. */
const ORDINARY = ['bash', 'zsh', 'cat', 'echo', 'ls', 'python3'];

export const ruleBook: RuleBook = index(rules, allFindings);

/** Whether a grant for this rule may cover further words (`prefix`) or only the very same ones. */
export function grantableShape(ruleId: string): 'exact' | 'prefix' {
  return ruleBook.byId.get(ruleId)?.shape ?? 'exact';
}

function index(list: readonly Rule[], named: readonly NamedRule[]): RuleBook {
  const names = new Set(list.flatMap((rule) => (rule.programs === '*' ? [] : rule.programs)));
  const programs = [...new Set([...names, ...wrapperNames(), ...ORDINARY])];
  const choose = (name: string | null): RuleSet => {
    const own = (rule: Rule) => rule.programs === '*' || (name !== null && rule.programs.includes(name));
    const among = (decorated: boolean, odd: boolean) =>
      [...list.keys()].filter((place) => {
        const rule = list[place] as Rule;
        return own(rule) || (decorated && rule.decorated === true) || (odd && rule.oddName === true);
      });
    return [among(false, false), among(true, false), among(false, true), among(true, true)];
  };
  return {
    rules: list,
    byProgram: new Map([...names].map((name) => [name, choose(name)])),
    other: choose(null),
    byId: new Map(named.map((rule) => [rule.id, rule])),
    programs,
  };
}
