import type { EnvMarkers } from '../context/authority.ts';
import type { Clock } from '../contract/clock.ts';
import type { ApprovalId, BootId, CallId, JobId, SessionId, TurnId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { Actor, Address } from '../contract/message.ts';
import type { RunContext } from '../contract/run.ts';
import type { Tool } from '../contract/tool.ts';
import type { Store } from '../store/store.ts';
import type { Detector, Facts } from './analysis.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { Broker } from './broker.ts';
import type { Guard } from './guardian.ts';
import type { ApprovalsConfig } from './policy-config.ts';
import type { RealPath } from './real-paths.ts';
import type { Redactor } from './redact.ts';
import type { Subject } from './subject.ts';

export interface GateCall {
  readonly call: CallId;
  readonly turn: TurnId | null;
  readonly tool: Tool;
  /** Validated. */
  readonly input: unknown;
  /** The run the call belongs to; undefined only for callers that have none (scripts, embedding). */
  readonly run: RunContext | undefined;
  /** Told when a person is being waited for (true) and when that is over (false). */
  readonly asking: (waiting: boolean) => void;
}

export type RefusedBy = 'person' | 'policy' | 'timeout' | 'stop' | 'reset' | 'restart';

export interface Refused {
  readonly kind: 'refused';
  readonly by: RefusedBy;
  readonly rule: string;
  /** What the model reads. */
  readonly text: string;
}

export type Passage =
  /** `input` is what may run: for an approved call that of its row. */
  | { readonly kind: 'pass'; readonly input: unknown }
  | Refused
  /** Shutdown while a person is asked: the row stays pending. */
  | { readonly kind: 'parked'; readonly approval: ApprovalId };

/** Where tools run, as the detector must know it. */
export interface Place {
  readonly home: string;
  readonly user: string;
  /** Work roots, the workspace first. */
  readonly roots: readonly string[];
  readonly hermodHome: string;
  /** Where hermod's own program lies. Absent: unknown. */
  readonly installation?: string;
  /** Where its interface listens. Absent: 8790. */
  readonly port?: number;
  readonly pid: number;
  readonly parentPid: number;
  readonly os: Facts['os'];
  /** `files.read_outside`. */
  readonly readOutside: boolean;
  /** What the shell and code tools run in; `isolated`: it cannot reach the host. */
  readonly backend: { readonly name: string; readonly isolated: boolean };
}

/** Where a run's people are; undefined: nowhere, only what is said of the person counts. */
export type AskedAt = { readonly address: Address; readonly direct: boolean } | undefined;

export interface GateDeps {
  readonly store: Store;
  readonly boot: BootId;
  readonly broker: Broker;
  readonly clock: Clock;
  readonly log: Log;
  readonly trail: AuditTrail;
  readonly redactor: () => Redactor;
  readonly config: () => ApprovalsConfig;
  readonly markers: EnvMarkers;
  /** `HERMOD_YOLO_MODE`, as it was at boot. */
  readonly bootYolo: boolean;
  readonly place: () => Place;
  readonly detector: Detector;
  /** Whether this person may use hermod now, at this place: some may only as members of a group or by a role there. */
  readonly allowed: (actor: Pick<Actor, 'platform' | 'id' | 'roles'>, at: AskedAt) => boolean;
  /** Live processes that this session's tools started. */
  readonly childPids?: (session: SessionId) => readonly number[];
  /** Where a run, or the turn it goes on with, read untrusted text; undefined: it did not. */
  readonly taint?: (run: RunContext, turn: TurnId | null) => string | undefined;
  readonly guard?: Guard;
  /** What a removal would remove, in words; bounded, never rejects. */
  readonly effect?: (subject: Subject) => Promise<string | undefined>;
  /** Where a path really leads; absent: as the file system says. */
  readonly realPath?: RealPath;
  readonly jobName?: (job: JobId) => string | undefined;
  /** What a worker was told to do. */
  readonly goal?: (run: RunContext) => string | undefined;
}

export function refused(by: RefusedBy, rule: string, text: string): Refused {
  return { kind: 'refused', by, rule, text };
}
