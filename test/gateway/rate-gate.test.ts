import { describe, expect, it } from 'vitest';
import { RateGate } from '../../src/gateway/rate-gate.ts';
import { openStore } from '../../src/store/store.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { chatAddress } from '../fakes/runs.ts';

const RATE = {
  botPerSecond: 4,
  direct: { burst: 3, everyMs: 1_000 },
  group: { burst: 2, everyMs: 3_000 },
};

function gateOf(rate = RATE) {
  const clock = new FakeClock();
  const gate = new RateGate(clock, openStore(':memory:').penalties);
  const take = (chat = 'c1', spare = 0, direct = true) => gate.take(chatAddress(chat), direct, rate, spare);
  return { clock, gate, take };
}

describe('RateGate', () => {
  it('gives a burst, then says how long until the next place', () => {
    const { take } = gateOf();
    expect([take(), take(), take(), take()]).toEqual([0, 0, 0, 1_000]);
  });

  it('fills up again, no further than the burst', () => {
    const { take, clock } = gateOf();
    for (let i = 0; i < 3; i++) take();
    clock.jump(400);
    expect(take()).toBe(600);
    clock.jump(600);
    expect([take(), take()]).toEqual([0, 1_000]);
    clock.jump(3_600_000);
    expect([take(), take(), take(), take()]).toEqual([0, 0, 0, 1_000]);
  });

  it('a refusal takes nothing', () => {
    const { take, clock } = gateOf();
    for (let i = 0; i < 50; i++) take();
    clock.jump(1_000);
    expect(take()).toBe(0);
  });

  it('groups have numbers of their own, chats do not share', () => {
    const { take } = gateOf();
    expect([take('-1', 0, false), take('-1', 0, false), take('-1', 0, false)]).toEqual([0, 0, 3_000]);
    expect(take('c1')).toBe(0);
  });

  it('all chats of a bot share its own limit', () => {
    const { take, clock } = gateOf();
    expect(['c1', 'c2', 'c3', 'c4', 'c5'].map((chat) => take(chat))).toEqual([0, 0, 0, 0, 250]);
    clock.jump(250);
    expect(take('c5')).toBe(0);
  });

  it('what can wait leaves a place of the bot, too, as far as it has more than one', () => {
    const { take, clock } = gateOf();
    const passing = ['c1', 'c2', 'c3', 'c4'].map((chat) => take(chat, 1));
    expect(passing).toEqual([0, 0, 0, 250]);
    expect(take('c5')).toBe(0);
    clock.jump(250);
    expect([take('c4', 1), take('c6')]).toEqual([250, 0]);
    const slow = gateOf({ ...RATE, botPerSecond: 1 });
    expect(slow.take('c1', 1)).toBe(0);
  });

  it('another bot has its own', () => {
    const { gate, take } = gateOf();
    for (const chat of ['c1', 'c2', 'c3', 'c4']) take(chat);
    expect(gate.take({ ...chatAddress('c1'), bot: 'b2' }, true, RATE)).toBe(0);
  });

  it('leaves the last places of a chat to others', () => {
    const { take } = gateOf();
    expect([take('c1', 1), take('c1', 1), take('c1', 1)]).toEqual([0, 0, 1_000]);
    expect(take('c1')).toBe(0);
  });

  it('a chat with one place at a time lets everybody through in turn', () => {
    const rate = { ...RATE, direct: { burst: 1, everyMs: 1_000 } };
    const { take, clock } = gateOf(rate);
    expect(take('c1', 1)).toBe(0);
    expect(take('c1', 1)).toBe(1_000);
    clock.jump(1_000);
    expect(take('c1', 1)).toBe(0);
  });

  it('less than one call a second is possible', () => {
    const { take, clock } = gateOf({ ...RATE, botPerSecond: 0.5 });
    expect([take(), take()]).toEqual([0, 2_000]);
    clock.jump(2_000);
    expect(take()).toBe(0);
  });

  it('a clock set back neither fills nor blocks', () => {
    const { take, clock } = gateOf();
    for (let i = 0; i < 3; i++) take();
    clock.jump(-3_600_000);
    expect(take()).toBe(1_000);
    clock.jump(1_000);
    expect(take()).toBe(0);
  });

  it('a penalty is as long as it was given, though the clock is set back; it is not shortened either', () => {
    const { gate, take, clock } = gateOf();
    gate.close(chatAddress('c1'), 60_000);
    clock.jump(20_000);
    expect(take()).toBe(40_000);
    clock.jump(-3_600_000);
    expect(take()).toBe(60_000);
    clock.jump(59_999);
    expect(take()).toBe(1);
    gate.close(chatAddress('c1'), 5_000);
    expect(take()).toBe(5_000);
    clock.jump(5_000);
    expect(take()).toBe(0);
  });

  it('knows which message is being edited', () => {
    const { gate } = gateOf();
    const done = gate.edit('preview:t1');
    expect([gate.isEdited('preview:t1'), gate.isEdited('preview:t2')]).toEqual([true, false]);
    done();
    done();
    expect(gate.isEdited('preview:t1')).toBe(false);
  });
});
