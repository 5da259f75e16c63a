import type { Clock } from '../contract/clock.ts';
import type { BootId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { Address, Inbound } from '../contract/message.ts';
import type { PlatformLimits } from '../contract/platform.ts';
import type { Store } from '../store/store.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { ApprovalsConfig } from './policy-config.ts';
import type { Redactor } from './redact.ts';

export interface BrokerDeps {
  readonly store: Store;
  readonly boot: BootId;
  readonly clock: Clock;
  readonly log: Log;
  /** Outbox rows were written: delivery should look. */
  readonly wake: () => void;
  /** The one access judgement, for this very event. */
  readonly mayTalk: (event: Pick<Inbound, 'by' | 'address' | 'direct'>) => { readonly allowed: boolean };
  readonly config: () => ApprovalsConfig;
  readonly limitsOf: (platform: string) => PlatformLimits | undefined;
  readonly redactor: () => Redactor;
  readonly trail: AuditTrail;
  /** `14:32` where the readers are. */
  readonly time: (at: number) => string;
  /** A folder as people write it. */
  readonly folder: (path: string) => string;
  /** The direct chat of an approver (`platform:id`), where one is known. */
  readonly directOf?: (actor: string) => Address | undefined;
  /** One name for all accounts of a person; absent: every account is somebody else. */
  readonly personOf?: (actor: string) => string;
}
