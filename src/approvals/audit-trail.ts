import { createHash, randomBytes } from 'node:crypto';
import type { ApprovalId, BootId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { Actor, Address } from '../contract/message.ts';
import type { RunContext } from '../contract/run.ts';
import type { ApprovalRow } from '../store/approvals.ts';
import type { Audit } from '../store/audit.ts';
import { actorKey } from './actor-key.ts';
import { cut } from './markdown.ts';
import type { Redactor } from './redact.ts';

export type AuditEvent =
  | 'decided'
  | 'asked'
  | 'vote'
  | 'granted'
  | 'denied'
  | 'expired'
  | 'cancelled'
  | 'begun'
  | 'ended'
  | 'press-refused'
  | 'grant-made'
  | 'grant-used'
  | 'grant-revoked'
  | 'grant-changed'
  | 'yolo'
  | 'policy-changed'
  | 'listed';

/** What an event says; the rest of its fields stay empty. */
export interface AuditFacts {
  readonly approval?: ApprovalId;
  readonly run?: Pick<RunContext, 'runId' | 'kind' | 'depth' | 'session'>;
  readonly address?: Address;
  /** Who acted: the presser, or whose run it is. */
  readonly actor?: Actor | string;
  readonly surface?: string;
  readonly authority?: string;
  readonly rules?: readonly string[];
  readonly label?: string;
  readonly choice?: string;
  readonly reason?: string;
  /** Exact; stored redacted and cut, beside a salted hash of the whole. */
  readonly command?: string;
  readonly cwd?: string;
  readonly grant?: string;
  /** Exit code of what ran; null: a signal ended it. */
  readonly exit?: number | null;
  readonly detail?: string;
  /** `approvals:` as it stands from now on. */
  readonly policy?: object;
}

export interface AuditTrail {
  /** Writes in the caller's transaction; throws where it cannot, and then what it records must not happen. */
  write(event: AuditEvent, facts: AuditFacts, at: number): void;
  /** Notes the head of the chain in the boot's row and the log; at each boot, and every 1,000 events by itself. */
  mark(): void;
}

export interface AuditTrailDeps {
  readonly audit: Audit;
  readonly boot: BootId;
  readonly log: Log;
  readonly redactor: () => Redactor;
}

const SHOWN = 2000;
const MARK_EVERY = 1000;

export function createAuditTrail({ audit, boot, log, redactor }: AuditTrailDeps): AuditTrail {
  const mark = (level: 'debug' | 'info') => {
    audit.mark(boot);
    log[level]({ head: audit.head()?.hash, events: audit.head()?.seq }, 'head of the approval audit');
  };
  return {
    write(event, facts, at) {
      const { seq } = audit.append(event, body(facts, redactor()), at);
      if (seq % MARK_EVERY === 0) mark('info');
    },
    // At a boot nothing stands above hermod's own first lines; the row has it.
    mark: () => mark('debug'),
  };
}

/** The facts every event about a row shares. */
export function rowFacts(row: ApprovalRow): AuditFacts {
  return {
    approval: row.id,
    run: { runId: row.run, kind: row.runKind, depth: row.depth, session: row.session },
    address: row.address,
    rules: row.findings.map(({ rule }) => rule),
    ...(row.command === null ? {} : { command: row.command }),
    cwd: row.cwd,
  };
}

function body({ run, actor, command, reason, ...facts }: AuditFacts, redactor: Redactor) {
  return {
    ...facts,
    ...(run && { run: run.runId, kind: run.kind, depth: run.depth, session: run.session }),
    ...(actor === undefined ? {} : { actor: typeof actor === 'string' ? actor : actorKey(actor) }),
    ...(reason === undefined ? {} : { reason: redactor.text(reason) }),
    ...(command === undefined ? {} : { command: cut(redactor.text(command), SHOWN), ...salted(command) }),
  };
}

/** A salt an event: it proves what ran to who knows it, and links no two events. */
function salted(command: string) {
  const salt = randomBytes(16).toString('hex');
  return { salt, exact: createHash('sha256').update(salt).update(command).digest('hex') };
}
