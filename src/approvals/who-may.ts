import type { Actor } from '../contract/message.ts';
import type { ApprovalRow } from '../store/approvals.ts';
import { actorKey } from './actor-key.ts';
import type { ApprovalsConfig } from './policy-config.ts';

export type WhoConfig = Pick<ApprovalsConfig, 'who' | 'approvers'>;
type Asked = Pick<ApprovalRow, 'kind' | 'runKind' | 'requester' | 'details'>;

/** Whether this person may answer this request. Ids decide, never names; the caller has asked the access rules already. */
export function mayAnswer(by: Actor, row: Asked, config: WhoConfig): boolean {
  if (by.bot || by.standIn) return false;
  return eligible(row, config).includes(actorKey(by));
}

/** Everybody whose yes could count, as `platform:id`. */
export function eligible(row: Asked, { who, approvers }: WhoConfig): readonly string[] {
  const requester = actorKey(row.requester);
  if (row.kind === 'question' || row.details.requesterOnly) return [requester];
  // A job's card and offer are its owner's business, whatever `who` says about chats.
  const own = who === 'requester_or_approver' || row.runKind === 'cron';
  return [...new Set([...(own ? [requester] : []), ...approvers])];
}
