import { describe, expect, it } from 'vitest';
import type { SessionId } from '../../src/contract/ids.ts';
import type { Actor } from '../../src/contract/message.ts';
import { endAccess, lostActors } from '../../src/gateway/lost-access.ts';
import { ANN, ApprovalWorld, BOB } from '../fakes/approval-world.ts';
import { chatAddress } from '../fakes/runs.ts';

/** Ends somebody's access; `running` are the sessions whose turn runs now. */
function ending(world: ApprovalWorld, actor: string, running: ReadonlyMap<SessionId, unknown> = new Map()) {
  const done: string[] = [];
  const { store, broker, clock } = world;
  const ended = endAccess(
    {
      store,
      broker,
      clock,
      lanes: {
        running: (session) => running.get(session) as never,
        stop: (session, by) => done.push(`stop ${session} ${by}`) > 0,
        kick: (session) => void done.push(`kick ${session}`),
      },
      endProcesses: (session) => void done.push(`processes ${session}`),
      wake: () => void done.push('wake'),
    },
    actor,
  );
  return { ended, done };
}

const turn = (world: ApprovalWorld, id: Parameters<ApprovalWorld['store']['turns']['get']>[0]) =>
  world.store.turns.get(id)!;

describe('somebody who loses access', () => {
  it('has their requests cancelled, their turns ended, parked or running, and their grants revoked; others keep theirs (gateway 34)', async () => {
    const world = new ApprovalWorld();
    const ann = world.asks('rm -rf build');
    const bob = world.asks('rm -rf dist', { actor: BOB, chat: 'c2' });
    const parked = world.turn({ chat: 'c3' });
    world.store.turns.setState(parked.turn, 'parked', 'awaiting_person');
    await world.deliver();
    const always = world.asks('rm -rf old', { chat: 'c4' });
    await world.deliver();
    world.press(world.pending.find(({ session }) => session === always.session)!, 'Always', ANN, {
      address: chatAddress('c4'),
    });
    await always.passage;

    const running = new Map([[ann.session, { turn: { id: ann.turn } }]]);
    const { ended, done } = ending(world, 'telegram:ann', running);
    expect(ended).toBe(3);
    expect(await ann.passage).toMatchObject({
      kind: 'refused',
      by: 'policy',
      text: 'Refused: who asked may no longer use hermod.',
    });
    expect([ann, parked, always].map(({ turn: id }) => [turn(world, id).state, turn(world, id).rule])).toEqual([
      ['stopped', 'access'],
      ['stopped', 'access'],
      ['stopped', 'access'],
    ]);
    expect(world.store.transcript.call(parked.calls[0]!)).toMatchObject({
      state: 'skipped',
      result: 'not run: who asked may no longer use hermod',
    });
    expect(world.store.grants.list(0)).toEqual([]);
    expect(world.pending.map(({ session }) => session)).toEqual([bob.session]);
    expect(turn(world, bob.turn).endedAt).toBeNull();
    expect(done.filter((line) => !line.startsWith('kick'))).toEqual([
      `stop ${ann.session} stop`,
      `processes ${ann.session}`,
      'wake',
    ]);
    await world.deliver();
    expect(
      world.shown(world.store.approvals.recent(9).find(({ session }) => session === ann.session)!.id).text,
    ).toMatch(/^Not run: who asked may no longer use hermod/);
    world.broker.cancelSession(bob.session, 'stop');
    await bob.passage;
  });

  it('leaves a lane alone that runs the turn of somebody else', () => {
    const world = new ApprovalWorld();
    const mine = world.turn();
    const running = new Map([[mine.session, { turn: { id: world.turn({ actor: BOB }).turn } }]]);
    expect(ending(world, 'telegram:ann', running).done).toEqual([`kick ${mine.session}`, 'wake']);
  });

  it('who has nothing changes nothing', () => {
    const world = new ApprovalWorld();
    const other = world.turn({ actor: BOB });
    expect(ending(world, 'telegram:ann')).toEqual({ ended: 0, done: ['wake'] });
    expect(turn(world, other.turn).endedAt).toBeNull();
  });
});

describe('who lost access while hermod was down', () => {
  /** Ann asked in c1 and allowed something in c2; Bob asked in c3. */
  async function left() {
    const world = new ApprovalWorld();
    world.asks('rm -rf build');
    const always = world.asks('rm -rf old', { chat: 'c2' });
    world.asks('rm -rf dist', { actor: { ...BOB, roles: ['g/staff'] }, chat: 'c3' });
    await world.deliver();
    world.press(world.pending.find(({ session }) => session === always.session)!, 'Always', ANN, {
      address: chatAddress('c2'),
    });
    await always.passage;
    const lost = (may: (by: Actor, chat: string, direct: boolean) => boolean) =>
      lostActors(world.store, ({ by, address, direct }) => may(by, address.chat, direct), world.clock.now());
    return { world, lost };
  }

  it('is whoever may talk at none of their places', async () => {
    const { lost } = await left();
    expect(lost(() => true)).toEqual([]);
    expect(lost(() => false)).toEqual(['telegram:ann', 'telegram:bob']);
    expect(lost(({ id }) => id === 'ann')).toEqual(['telegram:bob']);
    expect(lost((_, chat) => chat === 'c2')).toEqual(['telegram:bob']);
    expect(lost((_, chat) => chat === 'c1' || chat === 'c3')).toEqual([]);
  });

  it('is judged with the roles they had, and by a grant alone too', async () => {
    const { lost, world } = await left();
    expect(lost(({ roles }) => roles?.includes('g/staff') ?? false)).toEqual(['telegram:ann']);
    for (const { id } of world.pending) world.store.approvals.close(id, { state: 'cancelled' }, world.clock.now());
    expect(lost(() => false)).toEqual(['telegram:ann']);
    world.store.grants.revokeActor('telegram:ann', world.clock.now());
    expect(lost(() => false)).toEqual([]);
  });
});
