import { describe, expect, it } from 'vitest';
import { GrantDesk } from '../../../src/approvals/grant-desk.ts';
import { createRedactor } from '../../../src/approvals/redact.ts';
import { approvalRoutes } from '../../../src/http/api/approvals.ts';
import { hashSecret } from '../../../src/http/secrets.ts';
import { ANN, ApprovalWorld, type WorldOptions } from '../../fakes/approval-world.ts';
import { ask, signIn, startSite } from '../site.ts';

const OPERATORS = ['web:operator', 'cli:operator'];

/** The server with these routes over a real broker; `ask` speaks with one of three tokens. */
async function site(options: WorldOptions = {}) {
  const world = new ApprovalWorld({ ...options, config: { approvers: OPERATORS, ...options.config } });
  const { store, broker, clock } = world;
  const redactor = createRedactor();
  const trail = { write: () => {}, mark: () => {} };
  const grants = new GrantDesk({ store, clock, trail, config: () => ({ approvers: OPERATORS }) });
  const tokens = (['operate', 'read'] as const).map((scope) => ({ name: scope, hash: hashSecret(scope), scope }));
  const made = await startSite(
    {},
    {
      store,
      clock,
      tokens: [{ name: 'cli', hash: hashSecret('cli'), scope: 'operate' }, ...tokens],
      routes: approvalRoutes({ approvals: store.approvals, broker, grants, redactor: () => redactor }),
    },
  );
  const call = async (method: 'GET' | 'POST', path: string, body?: object, token = 'cli') => {
    const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) };
    const sent = body ? { body: JSON.stringify(body) } : {};
    const answer = await ask(made.url, `/api/v1/${path}`, { method, headers, ...sent });
    return { status: answer.status, body: JSON.parse(answer.body) };
  };
  return { ...made, world, call };
}

const once = { choice: 'once', expected: 'pending' };

describe('requests over the API', () => {
  it('are listed whole, with secrets masked and nothing invisible', async () => {
    const { world, call } = await site();
    const { passage, session } = world.asks('rm -rf ghp_0123456789abcdefghij0123456789abcdef\u202e');
    await world.deliver();
    const { body } = await call('GET', 'approvals', undefined, 'read');
    expect(body.approvals).toHaveLength(1);
    const [view] = body.approvals;
    expect(view).toMatchObject({
      ...{
        kind: 'call',
        state: 'pending',
        guard: 'shell',
        tool: 'shell',
        cwd: '/proj',
        run: { kind: 'chat', depth: 0 },
      },
      requester: { id: 'telegram:ann', name: 'Ann' },
      findings: [{ rule: 'fs.delete', grade: 'dangerous' }],
      expiresAt: '2026-11-30T12:30:00.000Z',
      decidedBy: null,
    });
    expect(view.command).toMatch(/^rm -rf \[secret\].*\\u\{202e\}$/);
    expect((await call('GET', `approvals/${view.id}`)).body.approval).toEqual(view);
    expect((await call('GET', 'approvals/nonsense')).status).toBe(404);
    world.broker.cancelSession(session, 'stop');
    await passage;
    expect((await call('GET', 'approvals')).body.approvals).toEqual([]);
    const over = (await call('GET', 'approvals?all=1')).body.approvals;
    expect(over).toMatchObject([{ id: view.id, state: 'cancelled', command: expect.any(String) }]);
  });

  it('are answered as cli:operator, on the surface cli, and every copy of the card says so', async () => {
    const { world, call } = await site();
    const { passage } = world.asks('rm -rf build');
    await world.deliver();
    const [row] = world.pending;
    const { status, body } = await call('POST', `approvals/${row?.id}/decision`, once);
    expect([status, body.text, body.approval.surface, body.approval.decidedBy.id]).toEqual([
      200,
      'Allowed once.',
      'cli',
      'cli:operator',
    ]);
    expect((await passage).kind).toBe('pass');
    await world.deliver();
    expect(world.shown(row!.id).text).toMatch(/^Allowed once by the operator/);
    expect(world.events('granted')[0]?.body).toMatchObject({ actor: 'cli:operator', surface: 'cli' });
  });

  it('from the page are answered as web:operator', async () => {
    const made = await site();
    const { world, url } = made;
    const { passage } = world.asks('rm -rf build');
    await world.deliver();
    const visitor = await signIn(made);
    const answer = await ask(url, `/api/v1/approvals/${world.pending[0]?.id}/decision`, {
      method: 'POST',
      headers: {
        ...{ cookie: visitor.cookie, origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' },
        ...{ 'content-type': 'application/json', 'x-hermod-token': visitor.token },
      },
      body: JSON.stringify({ ...once, choice: 'deny', reason: 'not today' }),
    });
    expect([answer.status, JSON.parse(answer.body).approval?.surface]).toEqual([200, 'page']);
    expect(await passage).toMatchObject({ kind: 'refused', by: 'person', text: expect.stringContaining('not today') });
    expect(world.events('denied')[0]?.body).toMatchObject({ actor: 'web:operator', surface: 'page' });
  });

  it('a lost race is a conflict that names the winner', async () => {
    const { world, call } = await site();
    const { passage } = world.asks('rm -rf build');
    await world.deliver();
    const [row] = world.pending;
    world.press(row!, 'Deny');
    await passage;
    const late = await call('POST', `approvals/${row?.id}/decision`, once);
    expect([late.status, late.body.error]).toMatchObject([
      409,
      { code: 'decided', message: 'Already decided by Ann: denied.' },
    ]);
  });

  it('obey who may answer: an operator who is no approver is told how to become one, and nothing changes', async () => {
    const { world, call } = await site({ config: { approvers: [] } });
    const { passage, session } = world.asks('rm -rf build');
    await world.deliver();
    const refused = await call('POST', `approvals/${world.pending[0]?.id}/decision`, once);
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'not_yours' } } });
    expect(refused.body.error.fix).toContain('cli:operator');
    expect(world.pending).toHaveLength(1);
    expect(world.events('press-refused')[0]?.body).toMatchObject({ actor: 'cli:operator', surface: 'cli' });
    world.broker.cancelSession(session, 'stop');
    await passage;
  });

  it.each([
    ['a token for programs', 'operate', once, 403],
    ['a token that may only read', 'read', once, 403],
    ['no token', 'wrong', once, 401],
    ['a choice that is not offered', 'cli', { ...once, choice: 'job' }, 422],
    ['a choice nobody knows', 'cli', { ...once, choice: 'maybe' }, 422],
    ['no expected state', 'cli', { choice: 'once' }, 422],
    ['another expected state', 'cli', { choice: 'once', expected: 'denied' }, 422],
    ['a key nobody knows', 'cli', { ...once, by: 'telegram:ann' }, 422],
    ['thirteen hours', 'cli', { ...once, choice: 'timed', minutes: 780 }, 422],
  ])('refuse %s, and nothing changes', async (_, token, body, status) => {
    const { world, call } = await site();
    const { passage, session } = world.asks('rm -rf build');
    await world.deliver();
    expect((await call('POST', `approvals/${world.pending[0]?.id}/decision`, body, token)).status).toBe(status);
    expect(world.pending).toHaveLength(1);
    world.broker.cancelSession(session, 'stop');
    await passage;
  });
});

describe('grants over the API', () => {
  async function granted() {
    const made = await site();
    const { passage } = made.world.asks('rm -rf build');
    await made.world.deliver();
    made.world.press(made.world.pending[0]!, 'Always');
    await passage;
    return made;
  }

  it('are listed, opened to jobs and revoked by the holder of the home', async () => {
    const { call, world } = await granted();
    const [view] = (await call('GET', 'grants', undefined, 'read')).body.grants;
    expect(view).toMatchObject({
      kind: 'always',
      rule: 'fs.delete',
      command: 'rm -rf build',
      jobs: false,
      expiresAt: null,
    });
    expect((await call('POST', `grants/${view.id}/jobs`, { on: true })).body.grant.jobs).toBe(true);
    expect(world.store.grants.get(view.id)?.jobs).toBe(true);
    expect((await call('POST', `grants/${view.id}/revoke`, {})).status).toBe(200);
    expect((await call('GET', 'grants')).body.grants).toEqual([]);
    expect((await call('POST', `grants/${view.id}/revoke`, {})).status).toBe(404);
  });

  it.each([
    ['a token for programs', 'operate', 403],
    ['a token that may only read', 'read', 403],
  ])('are not changed by %s', async (_, token, status) => {
    const { call, world } = await granted();
    const [grant] = world.store.grants.list(world.clock.now());
    expect((await call('POST', `grants/${grant?.id}/revoke`, {}, token)).status).toBe(status);
    expect((await call('POST', `grants/${grant?.id}/jobs`, { on: true }, token)).status).toBe(status);
    expect(world.store.grants.get(grant!.id)).toMatchObject({ jobs: false, revokedAt: null });
  });

  it('a session grant cannot be opened to jobs', async () => {
    const { call, world } = await site();
    const { passage } = world.asks('rm -rf build', { actor: ANN });
    await world.deliver();
    world.press(world.pending[0]!, 'Session');
    await passage;
    const [grant] = world.store.grants.list(world.clock.now());
    expect(await call('POST', `grants/${grant?.id}/jobs`, { on: true })).toMatchObject({
      status: 422,
      body: { error: { code: 'not_always' } },
    });
  });
});
