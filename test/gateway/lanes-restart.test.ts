import { describe, expect, it } from 'vitest';
import { currentRun, withRun } from '../../src/context/run-context.ts';
import type { TurnRow } from '../../src/store/turns.ts';
import { settle } from '../fakes/fake-clock.ts';
import { chatRun } from '../fakes/runs.ts';
import { laneFixture } from './lane-fixture.ts';

/** Lanes with one turn that a former boot left unfinished. */
function withUnfinished(more: Parameters<typeof laneFixture>[0] = {}) {
  const lane = laneFixture(more);
  lane.lanes.start();
  lane.say('do it');
  const { turn } = lane.runner.last;
  lane.runner.last.end({ kind: 'stopped', by: 'shutdown', partial: '' });
  return { lane, turn };
}

describe('an unfinished turn is taken up again', () => {
  it('and whoever asked for it knows when that attempt has ended', async () => {
    const { lane, turn } = withUnfinished();
    await settle();
    let over = false;
    void lane.lanes.resume(turn, 'resume')?.then(() => {
      over = true;
    });
    expect(lane.attempts()).toEqual(['first open', 'resume open']);
    expect(lane.runner.last.run).toMatchObject({ resumed: true });
    await settle();
    expect(over).toBe(false);
    lane.runner.last.reply('Done.');
    await settle();
    expect(over).toBe(true);
  });

  it('in two steps: written with the caller’s transaction, run after it, in no run of the caller', async () => {
    const { lane, turn } = withUnfinished();
    await settle();
    const begin = lane.store.tx(() => lane.lanes.prepare(turn, 'continue'));
    expect(lane.attempts()).toEqual(['first open', 'continue open']);
    expect(lane.runner.turns).toHaveLength(1);
    await withRun(chatRun(), async () => void begin?.());
    expect(lane.runner.last.run).toMatchObject({ resumed: true });
    expect(currentRun()).toBeUndefined();
    expect(() =>
      lane.store.tx(() => {
        lane.lanes.prepare({ ...turn, session: 'other' as TurnRow['session'] }, 'continue');
        throw new Error('undone');
      }),
    ).toThrow('undone');
    expect(lane.attempts()).toEqual(['first open', 'continue open']);
  });

  it.each<[string, (lane: ReturnType<typeof laneFixture>, turn: TurnRow) => unknown]>([
    ['it has ended', ({ store }, turn) => store.turns.end(turn.id, 'stopped', 5)],
    ['another turn of its session runs', (lane, turn) => void lane.lanes.resume(turn, 'resume')],
    ['lanes pause', ({ lanes }) => lanes.pause()],
    ['lanes drain', ({ lanes }) => void lanes.drain(0)],
  ])('not when %s', async (_, spoil) => {
    const { lane, turn } = withUnfinished();
    await settle();
    spoil(lane, turn);
    expect(lane.lanes.resume(turn, 'resume')).toBeUndefined();
  });

  it('not before the lanes are open: nothing runs before a boot is ready', () => {
    const lane = laneFixture();
    lane.say('do it');
    const turn = { id: 'x', session: 'y' } as unknown as TurnRow;
    expect(lane.lanes.resume(turn, 'resume')).toBeUndefined();
    expect(lane.runner.turns).toEqual([]);
  });
});

describe('a planned restart waits', () => {
  it('while turns work; what comes in is stored, and runs that wait for a person are not waited for', async () => {
    const lane = laneFixture();
    lane.lanes.start();
    lane.say('one', { chat: 'c1' });
    lane.say('two', { chat: 'c2' });
    expect(lane.lanes.busy).toBe(2);
    lane.runner.last.sink.waiting(true);
    expect(lane.lanes.busy).toBe(1);
    lane.lanes.pause();
    lane.say('three', { chat: 'c3' });
    expect([lane.lanes.count, lane.inbox()]).toEqual([2, ['claimed', 'claimed', 'new']]);
    lane.runner.turns[0]?.reply('Done.');
    await settle();
    expect(lane.lanes.busy).toBe(0);
    expect(lane.inbox()).toEqual(['answered', 'claimed', 'new']);
  });
});

describe('the end of the process', () => {
  it('is told for turns it cuts off, in the transaction that leaves them, and for no others', async () => {
    const cut: string[] = [];
    const lane = laneFixture({ cutOff: (turn) => void cut.push(`${turn.id} ${lane.store.db.inTransaction}`) });
    lane.lanes.start();
    lane.say('cut', { chat: 'c1' });
    const { turn } = lane.runner.last;
    lane.say('answered', { chat: 'c2' });
    lane.runner.last.reply('Done.');
    await settle();
    const drained = lane.lanes.drain(1_000);
    await lane.clock.skip(1_000);
    await drained;
    expect(cut).toEqual([`${turn.id} true`]);
  });
});
