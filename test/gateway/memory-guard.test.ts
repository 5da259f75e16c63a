import { describe, expect, it } from 'vitest';
import { MemoryGuard } from '../../src/gateway/memory-guard.ts';
import { softMemoryLimit } from '../../src/process/memory-limit.ts';
import { quietLog } from '../agent/quiet-log.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { laneFixture } from './lane-fixture.ts';

const MB = 1024 * 1024;
const REST = { busy: () => 1, collect: () => {} };

describe('MemoryGuard', () => {
  it('empties caches and says so once while memory is high (gateway 26)', async () => {
    const clock = new FakeClock();
    const { log, lines } = quietLog();
    let used = 50;
    let emptied = 0;
    const guard = new MemoryGuard({
      clock,
      log,
      used: () => used * MB,
      limit: 100 * MB,
      empty: () => void emptied++,
      ...REST,
    });
    guard.start();
    expect([guard.high, emptied]).toEqual([false, 0]);
    used = 150;
    await clock.skip(60_000);
    expect([guard.high, emptied, lines.length]).toEqual([true, 4, 1]);
    used = 90;
    await clock.skip(15_000);
    expect([guard.high, emptied, lines.length]).toEqual([false, 4, 2]);
    guard.stop();
    expect(clock.armed).toBe(0);
  });

  it('gives back what work has left behind: a minute after its end, and when caches have let go (gateway 26)', async () => {
    const clock = new FakeClock();
    const [made, held] = [{ mb: 0 }, { mb: 100 }];
    const collected: number[] = [];
    let busy = 1;
    const guard = new MemoryGuard({
      ...{ clock, log: quietLog().log, limit: 1_000 * MB, empty: () => {}, busy: () => busy },
      used: () => (held.mb + made.mb) * MB,
      collect: () => {
        collected.push(held.mb + made.mb);
        // Seen a moment later.
        clock.after(1, () => {
          made.mb = 0;
        });
      },
    });
    guard.start();
    made.mb = 300;
    await clock.skip(3_600_000);
    expect(collected).toEqual([]);
    busy = 0;
    await clock.skip(45_000);
    expect(collected).toEqual([]);
    await clock.skip(15_000);
    expect(collected).toEqual([400]);
    await clock.skip(1);
    // The conversations of all that work are let go of after ten minutes.
    [held.mb, made.mb] = [40, 60];
    await clock.skip(11 * 60_000);
    expect(collected).toEqual([400, 100]);
    await clock.skip(24 * 3_600_000);
    expect(collected).toEqual([400, 100]);
    // Turns that nobody saw at work, for they were short.
    made.mb = 50;
    await clock.skip(60_000);
    expect(collected).toEqual([400, 100, 90]);
    guard.stop();
  });

  it('without figures does nothing', () => {
    const { log } = quietLog();
    const guard = new MemoryGuard({
      clock: new FakeClock(),
      log,
      used: () => undefined,
      limit: 0,
      empty: () => {},
      ...REST,
    });
    guard.start();
    expect(guard.high).toBe(false);
  });

  it('lets new turns run one at a time, and those that wait go on afterwards', async () => {
    let high = true;
    const lane = laneFixture({ maxTurns: () => (high ? 1 : 64) });
    lane.lanes.start();
    for (const chat of ['a', 'b', 'c']) lane.say(chat, { chat });
    expect(lane.runner.turns).toHaveLength(1);
    high = false;
    lane.runner.last.reply('ok');
    await lane.clock.skip(0);
    expect(lane.runner.turns).toHaveLength(3);
  });
});

describe('softMemoryLimit', () => {
  it.each<[string, number | undefined, Record<string, string>, number]>([
    ['what is configured', 256, { '/sys/fs/cgroup/memory.max': '1000000' }, 256 * MB],
    ['three quarters of what the container has', undefined, { '/sys/fs/cgroup/memory.max': '1000000\n' }, 750_000],
    ['of an older container, too', undefined, { '/sys/fs/cgroup/memory/memory.limit_in_bytes': '4000' }, 3_000],
    ['a gigabyte without a limit', undefined, { '/sys/fs/cgroup/memory.max': 'max\n' }, 1024 * MB],
    [
      'a gigabyte where the limit is none',
      undefined,
      { '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712' },
      1024 * MB,
    ],
    ['a gigabyte outside containers', undefined, {}, 1024 * MB],
  ])('is %s', (_, configured, files, bytes) => {
    expect(softMemoryLimit(configured, (path) => files[path])).toBe(bytes);
  });
});
