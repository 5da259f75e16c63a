import type { Clock } from '../contract/clock.ts';
import { canonicalJson } from '../store/audit.ts';
import type { Store } from '../store/store.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { ApprovalsConfig } from './policy-config.ts';

/**
 * Writes down which keys of `approvals:` are not what they were when this was last called, in this process or an earlier one.
 * Call it at boot and after every reload. Returns the keys.
 */
export function recordPolicy(
  { store, trail, clock }: { readonly store: Store; readonly trail: AuditTrail; readonly clock: Clock },
  config: ApprovalsConfig,
): readonly string[] {
  const before = store.audit.latest('policy-changed')?.body['policy'] as Record<string, unknown> | undefined;
  // What people want masked is not written anywhere.
  const { redact_patterns, ...policy } = config;
  const now: Record<string, unknown> = { ...policy, redact_patterns: redact_patterns.length };
  const changed = Object.keys(now).filter((key) => !before || canonicalJson(before[key]) !== canonicalJson(now[key]));
  if (changed.length > 0)
    store.tx(() => trail.write('policy-changed', { detail: changed.join(' '), policy: now }, clock.now()));
  return changed;
}
