import { describe, expect, it } from 'vitest';
import type { Health } from '../../../src/contract/platform.ts';
import { Backoff } from '../../../src/platforms/telegram/backoff.ts';
import { HealthBoard } from '../../../src/platforms/telegram/health-board.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { recordingLog } from './rig.ts';

function board() {
  const clock = new FakeClock(0);
  const told: Health[] = [];
  const log = recordingLog();
  return { clock, told, log, health: new HealthBoard(clock, log, (health) => told.push(health)) };
}

describe('health', () => {
  it('is degraded after 90 s without proof, and connected with the next (gateway 24)', async () => {
    const { clock, told, health } = board();
    await clock.skip(1_000);
    health.proof();
    await clock.skip(89_999);
    expect(told.at(-1)).toEqual({ state: 'connected', reason: 'polling', proofAt: 1_000 });
    await clock.skip(1);
    expect(told.at(-1)).toEqual({ state: 'degraded', reason: 'no poll has completed for 90 s', proofAt: 1_000 });
    health.proof();
    expect(told.at(-1)).toEqual({ state: 'connected', reason: 'polling', proofAt: 91_000 });
  });

  it('logs one line a change, not one a proof', () => {
    const { log, health } = board();
    for (let i = 0; i < 5; i++) health.proof();
    for (let i = 0; i < 5; i++) health.degraded('another program polls this token');
    expect(log.lines.map(({ level }) => level)).toEqual(['info', 'warn']);
  });

  it('ends with fatal', async () => {
    const { clock, told, health } = board();
    health.fatal('token refused');
    health.proof();
    health.degraded('late');
    await clock.skip(200_000);
    expect(told.map(({ state }) => state)).toEqual(['starting', 'fatal']);
    expect(clock.armed).toBe(0);
  });
});

describe('a backoff', () => {
  it('doubles to its most and starts anew', () => {
    const backoff = new Backoff(2_000, 60_000);
    expect(Array.from({ length: 7 }, () => backoff.next())).toEqual([2, 4, 8, 16, 32, 60, 60].map((s) => s * 1_000));
    backoff.reset();
    expect(backoff.next()).toBe(2_000);
  });

  it('with jitter waits between half and the whole of its step', () => {
    expect(new Backoff(1_000, 30_000, () => 0).next()).toBe(500);
    expect(new Backoff(1_000, 30_000, () => 1).next()).toBe(1_000);
  });
});
