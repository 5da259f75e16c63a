import { describe, expect, it } from 'vitest';
import { createAuditTrail } from '../../src/approvals/audit-trail.ts';
import { recordPolicy } from '../../src/approvals/policy-record.ts';
import { createRedactor } from '../../src/approvals/redact.ts';
import type { BootId } from '../../src/contract/ids.ts';
import { openStore } from '../../src/store/store.ts';
import { APPROVALS_DEFAULTS } from '../fakes/approvals-config.ts';
import { FakeClock } from '../fakes/fake-clock.ts';

describe('recordPolicy', () => {
  it('notes the policy once, then what changes, over boots', () => {
    const store = openStore(':memory:');
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const boot = (id: string) => ({
      store,
      clock: new FakeClock(),
      trail: createAuditTrail({ audit: store.audit, boot: id as BootId, log, redactor: () => createRedactor() }),
    });
    expect(recordPolicy(boot('a'), APPROVALS_DEFAULTS)).toContain('cron_mode');
    expect(recordPolicy(boot('a'), APPROVALS_DEFAULTS)).toEqual([]);
    const config = { ...APPROVALS_DEFAULTS, mode: 'off', deny: ['rm *'], redact_patterns: ['my-secret-*'] } as const;
    expect(recordPolicy(boot('b'), config)).toEqual(['mode', 'deny', 'redact_patterns']);
    expect(recordPolicy(boot('c'), config)).toEqual([]);
    expect(recordPolicy(boot('c'), { ...config, mode: 'manual' })).toEqual(['mode']);
    const events = store.audit.list(0, 10);
    expect(events.map(({ event, body }) => [event, String(body['detail']).split(' ').length])).toEqual([
      ['policy-changed', Object.keys(APPROVALS_DEFAULTS).length],
      ['policy-changed', 3],
      ['policy-changed', 1],
    ]);
    expect(JSON.stringify(events)).not.toContain('my-secret');
    expect(store.audit.verify().ok).toBe(true);
  });
});
