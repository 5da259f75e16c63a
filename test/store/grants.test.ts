import { beforeEach, describe, expect, it } from 'vitest';
import type { GrantId, JobId, SessionId } from '../../src/contract/ids.ts';
import type { NewGrant } from '../../src/store/grants.ts';
import { openStore, type Store } from '../../src/store/store.ts';

let store: Store;
beforeEach(() => {
  store = openStore(':memory:');
});

const grant = (more: Partial<NewGrant> = {}): NewGrant => ({
  kind: 'session',
  rule: 'fs.delete',
  argv: ['rm', '-rf', 'build'],
  shape: 'exact',
  cwd: '/w',
  backend: 'local',
  wrappers: ['sudo:root'],
  assignments: [['A', '1']],
  digest: null,
  session: 's1' as SessionId,
  job: null,
  jobs: false,
  actor: 'telegram:ann',
  approval: null,
  createdAt: 100,
  expiresAt: 1000,
  ...more,
});
const kinds = (now: number) => store.grants.live('fs.delete', now).map(({ kind }) => kind);

describe('grants', () => {
  it('reads back what was written', () => {
    const row = store.grants.add(grant());
    expect(store.grants.get(row.id)).toEqual({ ...grant(), id: row.id, uses: 0, revokedAt: null });
    store.grants.used(row.id);
    expect(store.grants.get(row.id)?.uses).toBe(1);
  });

  it('live: by rule, until it expires or is revoked', () => {
    const row = store.grants.add(grant());
    store.grants.add(grant({ rule: 'git.force' }));
    expect([kinds(999), kinds(1000)]).toEqual([['session'], []]);
    expect(store.grants.revoke(row.id, 200)).toBe(true);
    expect(store.grants.revoke(row.id, 201)).toBe(false);
    expect(kinds(300)).toEqual([]);
    expect(store.grants.get(row.id)?.revokedAt).toBe(200);
    expect(store.grants.list(300).map(({ rule }) => rule)).toEqual(['git.force']);
  });

  it('a session takes its session and timed grants along, nobody else', () => {
    store.grants.add(grant());
    store.grants.add(grant({ kind: 'timed' }));
    store.grants.add(grant({ kind: 'always', expiresAt: null }));
    store.grants.add(grant({ kind: 'job', session: null, job: 'j1' as JobId, expiresAt: null }));
    store.grants.add(grant({ session: 's2' as SessionId }));
    expect(store.grants.revokeSession('s1' as SessionId, 200)).toBe(2);
    expect(kinds(300)).toEqual(['always', 'job', 'session']);
    expect(store.grants.revokeJob('j1' as JobId, 200)).toBe(1);
    expect(store.grants.revokeActor('telegram:ann', 200)).toBe(2);
    expect(kinds(300)).toEqual([]);
  });

  it('only a live Always can be opened to jobs', () => {
    const [session, always] = [store.grants.add(grant()), store.grants.add(grant({ kind: 'always' }))];
    expect(store.grants.setJobs(session.id, true)).toBe(false);
    expect(store.grants.setJobs('nothing' as GrantId, true)).toBe(false);
    expect(store.grants.setJobs(always.id, true)).toBe(true);
    expect(store.grants.get(always.id)?.jobs).toBe(true);
    expect(store.grants.setJobs(always.id, false)).toBe(true);
    expect(store.grants.get(always.id)?.jobs).toBe(false);
  });
});
