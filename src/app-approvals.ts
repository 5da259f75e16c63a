import { homedir, userInfo } from 'node:os';
import { createAuditTrail } from './approvals/audit-trail.ts';
import { createBroker } from './approvals/broker.ts';
import { createDetector } from './approvals/detector.ts';
import { effectOf } from './approvals/effect.ts';
import { createGate } from './approvals/gate.ts';
import type { GateDeps, Place } from './approvals/gate-deps.ts';
import { GrantDesk } from './approvals/grant-desk.ts';
import { installationFolder } from './approvals/installation.ts';
import { createPolicyCommands } from './approvals/policy-commands.ts';
import type { Redactor } from './approvals/redact.ts';
import type { Config } from './config/config.ts';
import type { EnvMarkers } from './context/authority.ts';
import type { Clock } from './contract/clock.ts';
import type { BootId } from './contract/ids.ts';
import type { Log } from './contract/log.ts';
import type { Inbound } from './contract/message.ts';
import type { PlatformLimits } from './contract/platform.ts';
import { type AccessVerdict, HOLDERS } from './gateway/access.ts';
import type { Host } from './host.ts';
import type { Store } from './store/store.ts';
import type { FilePlaces } from './tools/file-access.ts';
import type { ProcessGroups } from './tools/process-groups.ts';

interface Deps {
  readonly config: Config;
  readonly store: Store;
  readonly boot: BootId;
  readonly clock: Clock;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly markers: EnvMarkers;
  readonly host: Host;
  readonly places: FilePlaces;
  readonly groups: ProcessGroups;
  readonly wake: () => void;
  readonly time: (at: number) => string;
  readonly folder: (path: string) => string;
  readonly guard: GateDeps['guard'];
  /** Asked when something is decided: those who answer are made later. */
  readonly judge: (event: Pick<Inbound, 'by' | 'address' | 'direct'>) => AccessVerdict;
  readonly limitsOf: (platform: string) => PlatformLimits | undefined;
  readonly taint: NonNullable<GateDeps['taint']>;
  readonly goal: NonNullable<GateDeps['goal']>;
  readonly jobName: NonNullable<GateDeps['jobName']>;
}

/** The record, the broker, the detector and the gate, and the commands over them. */
export function createApprovals(deps: Deps) {
  const { config, store, boot, clock, log, redactor, groups, judge } = deps;
  const common = {
    ...{ store, boot, clock, log },
    trail: createAuditTrail({ audit: store.audit, boot, log, redactor: () => redactor }),
    config: () => config.approvals,
    redactor: () => redactor,
    time: deps.time,
    folder: deps.folder,
  };
  const broker = createBroker({
    ...common,
    wake: deps.wake,
    mayTalk: (event) => ({ allowed: judge(event).kind === 'allow' }),
    limitsOf: deps.limitsOf,
    directOf: (actor) => store.sessions.directOf(actor),
    // Whoever holds the home is one person, on the page, at the command line and in the console.
    personOf: (actor) => (HOLDERS.has(actor) ? 'the holder of the home' : actor),
  });
  const detector = createDetector(clock);
  const gate = createGate({
    ...common,
    broker,
    detector,
    markers: deps.markers,
    bootYolo: isTrue(deps.host.env['HERMOD_YOLO_MODE']),
    place: () => placeOf(deps),
    allowed: (actor, at) => {
      // The rules of a group speak of its own platform's people.
      const there = at?.address.platform === actor.platform ? at : undefined;
      const { address, direct } = there ?? { address: { platform: actor.platform, bot: '', chat: '' }, direct: true };
      return judge({ by: { name: '', ...actor }, address, direct }).kind === 'allow';
    },
    childPids: (session) => groups.pidsOf(session),
    effect: async (subject) => (config.approvals.preview ? effectOf(subject, clock) : undefined),
    taint: deps.taint,
    goal: deps.goal,
    jobName: deps.jobName,
    ...(deps.guard && { guard: deps.guard }),
  });
  // Whoever holds the home may end every grant, and open an Always to jobs.
  const approvers = () => [...config.approvals.approvers, ...HOLDERS];
  const grantDesk = new GrantDesk({ ...common, config: () => ({ approvers: approvers() }) });
  return { trail: common.trail, policy: createPolicyCommands(common), broker, detector, gate, grantDesk };
}

function placeOf({ config, host, places }: Deps): Place {
  return {
    home: homedir(),
    user: userInfo().username,
    roots: [places.workspace, ...places.roots],
    hermodHome: places.home,
    installation: installationFolder(),
    ...(config.http.port > 0 && { port: config.http.port }),
    pid: host.pid,
    parentPid: host.parentPid,
    os: host.platform === 'darwin' || host.platform === 'win32' ? host.platform : 'linux',
    readOutside: config.files.read_outside,
    backend: { name: 'local', isolated: false },
  };
}

const isTrue = (text: string | undefined) => /^(?:1|true|yes|on)$/i.test(text?.trim() ?? '');
