import { afterEach, describe, expect, it } from 'vitest';
import type { Address, OutboundMessage, SentMessage } from '../../src/contract/message.ts';
import { Delivery } from '../../src/gateway/delivery.ts';
import { RateGate } from '../../src/gateway/rate-gate.ts';
import { chatAddress } from '../fakes/runs.ts';
import { fails, RecordingAdapter } from '../gateway/recording-adapter.ts';
import { SchedulerWorld, SettableClock, START } from './scheduler-world.ts';

const MINUTE = 60_000;

/** A platform that may keep the ids of what it took to itself. */
class Adapter extends RecordingAdapter {
  nameless = false;

  override async send(
    to: Address,
    part: OutboundMessage,
    options: { key: string; signal: AbortSignal },
  ): Promise<SentMessage> {
    const sent = await super.send(to, part, options);
    return this.nameless ? { ...sent, messageId: '' } : sent;
  }
}

let world: SchedulerWorld;
let telegram: Adapter;
let gaveUp: string[];
afterEach(() => world.close());

/** Jobs whose answers really go out, over a platform that a test plays. */
function open(): SchedulerWorld {
  const clock = new SettableClock(START);
  const live: { delivery?: Delivery } = {};
  world = new SchedulerWorld({ clock, deps: { wake: () => live.delivery?.wake() } });
  telegram = new Adapter('telegram', { maxText: 4000 });
  gaveUp = [];
  const delivery = new Delivery({
    ...{ store: world.store, clock, log: { debug() {}, info() {}, warn() {}, error() {} } },
    ...{ rate: new RateGate(clock, world.store.penalties), maxAgeMs: () => 86_400_000, time: String },
    gaveUp: (rows) => void gaveUp.push(...rows.map(({ kind }) => kind)),
  });
  live.delivery = delivery;
  delivery.add(telegram);
  delivery.setUp('telegram', true);
  return world;
}

const isJob = (text: string) => text.endsWith('done');
const sent = () => telegram.calls.filter(({ part }) => isJob(part.text)).map(({ to, part }) => [to.thread, part.text]);
const states = (id: string) =>
  world.store.firings
    .ofJob(id as never, 10)
    .toReversed()
    .map((firing) =>
      [firing.state, ...world.store.firings.deliveriesOf(firing.id).map(({ state }) => state)].join(' '),
    );

/** What a send of a job's answer meets, the first `times` of them. */
function meets(what: () => void | Promise<void>, times = 1): void {
  telegram.answer = ({ part }) => (isJob(part.text) && times-- > 0 ? what() : undefined);
}

describe('what a job says', () => {
  it.each([
    ['goes out', () => {}, 'ok delivered', 'ok delivered', 1],
    ['meets a network that is not there', () => fails('unreached'), 'ok pending', 'ok delivered', 2],
    [
      'is refused for a while (429)',
      () => fails({ kind: 'wait', retryAfterMs: 20_000 }),
      'ok pending',
      'ok delivered',
      2,
    ],
    ['may have arrived when the line broke', () => fails('ambiguous'), 'ok ambiguous', 'ok delivered', 2],
    [
      'meets an adapter that breaks after it has sent',
      () => {
        throw new Error('broke');
      },
      'ok ambiguous',
      'ok delivered',
      2,
    ],
    ['meets somebody who blocked the bot', () => fails('gone'), 'ok failed', 'ok failed', 1],
    ['cannot be shown there', () => fails('format'), 'ok failed', 'ok failed', 1],
  ] as const)(
    '%s: the firing is ok, and its delivery says what became of it (schedule 19)',
    async (_, what, soon, later, times) => {
      const { id } = open().job('in 1m');
      meets(what);
      await world.skip(MINUTE + 1500);
      expect(states(id)).toEqual([soon]);
      await world.skip(2 * MINUTE);
      expect(states(id)).toEqual([later]);
      expect(sent()).toHaveLength(times);
      if (soon === 'ok ambiguous') expect(sent()[1]).toEqual([undefined, '(may be a repeat)\n\ndone']);
      expect(gaveUp).toEqual(later === 'ok failed' ? ['job'] : []);
      expect(world.get(id)).toMatchObject({ state: 'completed', failStreak: 0 });
    },
  );

  it('is delivered only once there is an id of the platform: without one it is ambiguous (schedule 19)', async () => {
    const { id } = open().job('in 1m');
    telegram.nameless = true;
    await world.skip(2 * MINUTE);
    expect(states(id)).toEqual(['ok ambiguous']);
    await world.skip(10 * MINUTE);
    expect(sent()).toHaveLength(1);
  });

  it('waits for an id that comes late (schedule 19)', async () => {
    const { id } = open().job('in 1m');
    let come = () => {};
    meets(() => new Promise((resolve) => (come = resolve)));
    await world.skip(2 * MINUTE);
    expect([states(id), sent().length]).toEqual([['ok pending'], 1]);
    come();
    await world.skip(1000);
    expect([states(id), sent().length]).toEqual([['ok delivered'], 1]);
  });

  it('goes to its topic of two; once that is gone, to the chat around it, said once (schedule 19)', async () => {
    open();
    const topic = (thread: string) => ({
      ...world.from(),
      address: { ...chatAddress('group'), thread },
      direct: false,
    });
    const { id } = world.job('every 10m', { prompt: 'one' }, {}, topic('5'));
    world.job('in 9h', { prompt: 'two' }, {}, topic('6'));
    await world.skip(11 * MINUTE);
    expect(sent()).toEqual([['5', 'done']]);
    telegram.answer = ({ to }) => (to.thread === '5' ? fails('missing') : undefined);
    await world.skip(20 * MINUTE);
    expect(sent().slice(1)).toEqual([
      ['5', 'done'],
      [undefined, '(the topic is gone)\n\ndone'],
      [undefined, 'done'],
    ]);
    expect(states(id)).toEqual(['ok delivered', 'ok delivered', 'ok delivered']);
    expect(world.get(id).rev).toBe(1);
    // Somebody writes in the topic again.
    telegram.answer = () => {};
    world.store.reach.clear({ ...chatAddress('group'), thread: '5' });
    await world.skip(10 * MINUTE);
    expect(sent().at(-1)).toEqual(['5', 'done']);
  });
});
