import { describe, expect, it } from 'vitest';
import type { ApprovalId } from '../../src/contract/ids.ts';
import { settle } from '../fakes/fake-clock.ts';
import { chatAddress } from '../fakes/runs.ts';
import { shownLane } from './lane-fixture.ts';
import { door } from './recording-adapter.ts';

const MIN = 60_000;

type Lane = ReturnType<typeof shownLane>;

describe('a turn that works in many steps', () => {
  it('holds up neither its answer nor a card: thirty edits are the one in flight (h25188) (gateway 22)', async () => {
    const lane = shownLane({ maxText: 4_000 });
    lane.say('hello');
    const { sink, turn } = lane.runner.last;
    sink.tool('step 0');
    await lane.clock.skip(1_000);
    const slow = door();
    lane.telegram.answer = ({ kind }) => (kind === 'edit' ? slow.wait : undefined);
    for (let i = 1; i <= 30; i++) {
      sink.tool(`step ${i}`);
      await lane.clock.skip(1_000);
    }
    const card = { key: 'card:a:0', kind: 'card', message: { text: 'May I?' }, address: chatAddress('c1') } as const;
    lane.store.outbox.put({ ...card, direct: true, turn: turn.id }, lane.clock.now());
    lane.delivery.wake();
    lane.runner.last.reply('Done.');
    await lane.clock.skip(0);
    slow.open();
    await lane.clock.skip(10 * MIN);
    const edits = lane.telegram.log.filter((line) => line.startsWith('edit'));
    expect(edits).toHaveLength(1);
    expect(lane.telegram.log.filter((line) => !line.startsWith('edit'))).toEqual([
      'send step 0',
      'send May I?',
      'send Done.',
    ]);
  });
});

describe('typing', () => {
  const ends: readonly (readonly [string, (lane: Lane) => unknown])[] = [
    ['the answer', ({ runner }) => runner.last.reply('Hi.')],
    ['a wait for a person', ({ runner }) => runner.last.sink.waiting(true)],
    ['a turn that is parked', ({ runner }) => runner.last.end({ kind: 'parked', approval: 'a' as ApprovalId })],
    [
      'a failure of the model',
      ({ runner }) => runner.last.end({ kind: 'failed', failure: { kind: 'auth', detail: '' }, text: 'no' }),
    ],
    ['an error of ours', ({ runner }) => runner.last.throws(new Error('boom'))],
    ['/stop', ({ lanes, runner }) => lanes.stop(runner.last.turn.session, 'stop')],
    ['the end of the process', ({ lanes }) => lanes.drain(0)],
  ];

  it.each(ends)('ends within its life after %s (o26812) (gateway 35)', async (_, end) => {
    const lane = shownLane();
    lane.say('hello');
    await lane.clock.skip(12_000);
    expect(lane.telegram.typed).toHaveLength(4);
    end(lane);
    await settle();
    const typed = lane.telegram.typed.length;
    await lane.clock.skip(60 * MIN);
    expect(lane.telegram.typed).toHaveLength(typed);
  });
});
