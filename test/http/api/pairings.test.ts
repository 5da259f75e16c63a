import { describe, expect, it } from 'vitest';
import { Pairing } from '../../../src/gateway/pairing.ts';
import { pairingRoutes } from '../../../src/http/api/pairings.ts';
import { hashSecret } from '../../../src/http/secrets.ts';
import { openStore } from '../../../src/store/store.ts';
import { quietLog } from '../../agent/quiet-log.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { chatAddress, person } from '../../fakes/runs.ts';
import { ask, startSite } from '../site.ts';

async function site() {
  const store = openStore(':memory:');
  const clock = new FakeClock();
  const lost: string[] = [];
  const pairing = new Pairing({
    store,
    clock,
    log: quietLog().log,
    time: () => '13:00',
    homes: () => ({}),
    hasAdmin: () => false,
    isListed: (who) => who === 'telegram:1',
    endAccess: (who) => void lost.push(who),
    wake: () => {},
  });
  const tokens = (['operate', 'read'] as const).map((scope) => ({ name: scope, hash: hashSecret(scope), scope }));
  const made = await startSite(
    {},
    {
      store,
      clock,
      tokens: [{ name: 'cli', hash: hashSecret('cli'), scope: 'operate' }, ...tokens],
      routes: pairingRoutes(pairing),
    },
  );
  const call = async (method: 'GET' | 'POST', path: string, body?: object, token = 'cli') => {
    const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) };
    const sent = body ? { body: JSON.stringify(body) } : {};
    const answer = await ask(made.url, `/api/v1/pairings${path}`, { method, headers, ...sent });
    return { status: answer.status, body: JSON.parse(answer.body) };
  };
  const code = pairing.offer({ by: person('7', 'Ann'), address: chatAddress('7') }) ?? '';
  return { call, code, lost };
}

describe('people over the API', () => {
  it('are listed without hashes, let in by their code and taken out again', async () => {
    const { call, code, lost } = await site();
    const waiting = await call('GET', '', undefined, 'read');
    expect(waiting.body).toMatchObject({ people: [], pending: [{ person: 'telegram:7', name: 'Ann' }] });
    expect(JSON.stringify(waiting.body)).not.toMatch(/hash|salt/);
    expect(await call('POST', '/approve', { code })).toMatchObject({
      status: 200,
      body: { person: 'telegram:7', text: 'Ann (telegram:7) may talk to me now, as the admin.' },
    });
    expect((await call('GET', '')).body).toMatchObject({
      people: [{ person: 'telegram:7', role: 'admin', approvedBy: 'cli:operator' }],
      pending: [],
    });
    expect(await call('POST', '/revoke', { person: 'telegram:7' })).toMatchObject({ status: 200 });
    expect(lost).toEqual(['telegram:7']);
  });

  it.each([
    [404, 'approve', { code: 'K7MP-2QRT' }],
    [422, 'approve', { kode: 'x' }],
    [404, 'revoke', { person: 'telegram:9' }],
    [409, 'revoke', { person: 'telegram:1' }],
  ])('%i for %s %j', async (status, verb, body) => {
    const { call } = await site();
    expect((await call('POST', `/${verb}`, body)).status).toBe(status);
  });

  it('five wrong codes lock it', async () => {
    const { call, code } = await site();
    for (let i = 0; i < 5; i++) await call('POST', '/approve', { code: 'wrong' });
    expect(await call('POST', '/approve', { code })).toMatchObject({
      status: 423,
      body: { error: { code: 'locked' } },
    });
  });

  it('are decided by people, not by tokens', async () => {
    const { call, code } = await site();
    expect((await call('POST', '/approve', { code }, 'operate')).status).toBe(403);
    expect((await call('POST', '/approve', { code }, 'read')).status).toBe(403);
    expect((await call('POST', '/revoke', { person: 'telegram:7' }, 'operate')).status).toBe(403);
  });
});
