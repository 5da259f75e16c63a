import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REAL_RUNS } from '../../src/schedule/claims.ts';
import { checkAccounts } from '../../src/schedule/doctor.ts';
import type { RunCalculator } from '../../src/schedule/due-slots.ts';
import { historyText, listText, nextText, showText } from '../../src/schedule/job-texts.ts';
import { createFirings } from '../../src/store/firings.ts';
import { createJobs, type JobRow } from '../../src/store/jobs.ts';
import { openReadOnly } from '../../src/store/open.ts';
import { SchedulerWorld, SettableClock, START, says, type WorldOptions } from './scheduler-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let folder: string;
let worlds: SchedulerWorld[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermod-restarts-'));
  worlds = [];
});
afterEach(() => {
  for (const world of worlds) world.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A process on the database of this test. The ones before it stay where they stopped: they were killed. */
function boot(clock: SettableClock, options: WorldOptions = {}): SchedulerWorld {
  const world = new SchedulerWorld({ clock, path: join(folder, 'hermod.db'), ...options });
  worlds.push(world);
  return world;
}

const never = () => new Promise<never>(() => {});

describe('a process that dies', () => {
  it('before the claim commits: the slot is still due', async () => {
    const clock = new SettableClock(START);
    const first = boot(clock);
    const { id } = first.job('in 5m');
    await first.scheduler.drain(0);
    clock.jump(6 * MINUTE);
    const second = boot(clock);
    await second.skip(MINUTE);
    expect(second.firings(id)).toEqual(['2026-11-30T08:05 schedule ok']);
  });

  it('after the claim, before it began: the same row runs, one attempt more', async () => {
    const clock = new SettableClock(START);
    const first = boot(clock, { config: { max_parallel: 0 } });
    const { id } = first.job('in 5m');
    await first.skip(5 * MINUTE + 1000);
    expect(first.firings(id)).toEqual(['2026-11-30T08:05 schedule claimed']);
    const second = boot(clock);
    await second.skip(1000);
    expect(second.firings(id)).toEqual(['2026-11-30T08:05 schedule ok']);
    expect(second.store.firings.ofJob(id, 1)[0]?.attempt).toBe(2);
  });

  it('three times before it began: never_started, and told', async () => {
    const clock = new SettableClock(START);
    const { id } = boot(clock, { config: { max_parallel: 0 } }).job('every 5m', { name: 'Never' });
    await worlds[0]?.skip(5 * MINUTE + 1000);
    for (let i = 0; i < 3; i++) boot(clock, { config: { max_parallel: 0 } });
    const last = worlds.at(-1) as SchedulerWorld;
    expect(last.firings(id)[0]).toBe('2026-11-30T08:05 schedule error never_started');
    expect(last.notices()[0]).toMatch(/^Job "Never" failed: never_started/);
  });

  it('while it runs: unknown, never run again by itself, one message with Run again (schedule 9)', async () => {
    const clock = new SettableClock(START);
    const first = boot(clock, { turn: never });
    const a = first.job('in 5m', { name: 'A' });
    const b = first.job('in 5m', { name: 'B', prompt: 'two' });
    await first.skip(5 * MINUTE + 1000);
    const second = boot(clock);
    await second.skip(HOUR);
    for (const { id } of [a, b]) expect(second.firings(id)).toEqual(['2026-11-30T08:05 schedule unknown interrupted']);
    expect(second.asked).toEqual([]);
    const [told = '', ...more] = second.notices();
    expect(told.split('\n').sort()).toEqual([
      '- "A"',
      '- "B"',
      'hermod stopped while these ran. Their outcome is unknown and they were not repeated:',
    ]);
    expect(more).toEqual([]);
    expect(second.press('Run again: A')).toBe('Started.');
    await second.skip(1000);
    expect(second.firings(a.id)).toEqual(['2026-11-30T08:05 schedule unknown interrupted', 'none manual ok']);
  });

  it('in two starts in a row by the same job: the job is paused (schedule 9)', async () => {
    const clock = new SettableClock(START);
    const { id } = boot(clock, { turn: never }).job('every 10m', { name: 'Killer' });
    for (let i = 0; i < 4; i++) {
      await (worlds.at(-1) as SchedulerWorld).skip(11 * MINUTE);
      boot(clock, { turn: never });
    }
    const last = worlds.at(-1) as SchedulerWorld;
    expect(last.firings(id)).toHaveLength(2);
    expect(last.get(id)).toMatchObject({ state: 'paused', pausedReason: 'interrupted' });
    expect(last.notices().at(-1)).toBe('Job "Killer" was cut off in two starts in a row; it is paused.');
  });

  it('after the end: what it said is still there to be sent, once', async () => {
    const clock = new SettableClock(START);
    const first = boot(clock);
    first.job('in 5m');
    await first.skip(6 * MINUTE);
    const second = boot(clock);
    await second.skip(HOUR);
    expect(second.sent('job')).toHaveLength(1);
  });
});

describe('the breaker', () => {
  it('holds jobs until the boot has settled, each owner told once over all boots; then late slots are late slots', async () => {
    const clock = new SettableClock(START);
    const world = boot(clock);
    const { id } = world.job('every 5m');
    world.held = 5;
    await world.skip(11 * MINUTE);
    expect(world.firings(id)).toEqual([]);
    expect(world.notices()).toEqual(['hermod restarted 5 times in a row; your jobs wait until it is stable.']);
    const next = boot(clock);
    next.held = 6;
    await next.skip(MINUTE);
    expect(next.notices()).toHaveLength(1);
    next.held = undefined;
    await next.skip(MINUTE);
    expect(next.firings(id)).toEqual(['2026-11-30T08:10 schedule ok']);
    expect(next.gaps(id)).toEqual(['2026-11-30T08:05 2026-11-30T08:05 1 collapsed']);
  });
});

describe('a journal of boots that cannot be read', () => {
  it('keeps nobody from hearing what was missed, nor other jobs from running', async () => {
    const clock = new SettableClock(START);
    const first = boot(clock);
    first.job('in 5m', { name: 'Once' });
    const { id } = first.job('every 5m', { name: 'Often' });
    await first.scheduler.drain(0);
    first.store.db.exec(`UPDATE boots SET executing = '["torn'`);
    clock.jump(5 * HOUR);
    const second = boot(clock);
    await second.skip(MINUTE);
    expect(second.notices()).toEqual([expect.stringMatching(/^Missed: "Once" was due /) as string]);
    expect(second.firings(id)).toEqual(['2026-11-30T13:00 schedule ok']);
  });
});

describe('two processes on one database', () => {
  it('fire nothing twice in a thousand ticks; the older one stops claiming and ends its own firings (schedule 6)', async () => {
    const clock = new SettableClock(START);
    let end = () => {};
    const first = boot(clock, { turn: () => new Promise((resolve) => (end = () => resolve(says('mine')))) });
    first.config = { ...first.config, idle_timeout_s: 86_400, total_timeout_s: 86_400 };
    const jobs = [1, 2, 3].map((n) => first.job('every 5m', { prompt: `job ${n}` }));
    await first.skip(5 * MINUTE + 1000);
    expect(first.asked).toHaveLength(3);
    const second = boot(clock, { stopped: true });
    second.scheduler.start();
    let ticks = 0;
    const { ticked } = second.store.scheduleOwner;
    second.store.scheduleOwner.ticked = (...args) => {
      ticks++;
      ticked(...args);
    };
    while (ticks < 1000) await second.skip(10 * MINUTE);
    expect(first.log.filter((line) => line.includes('has taken over'))).toHaveLength(1);
    end();
    await first.skip(MINUTE);
    const asked = second.asked.length;
    for (const { id } of jobs) {
      const slots = second.store.firings.ofJob(id, 100_000).map(({ slotAt }) => slotAt);
      expect(new Set(slots).size).toBe(slots.length);
      expect(checkAccounts(second.get(id), second.store, REAL_RUNS, 200)).toEqual([]);
    }
    expect(asked).toBeGreaterThan(250);
    expect(first.asked).toHaveLength(3);
  }, 30_000);

  it('read while one writes: nothing fails, nothing waits, and what is not committed is not seen (schedule 6)', () => {
    const world = boot(new SettableClock(START), { stopped: true });
    const { id } = world.job('every 5m', { name: 'Tick' });
    const db = openReadOnly(join(folder, 'hermod.db'));
    db.pragma('busy_timeout = 0');
    const file = { jobs: createJobs(db), firings: createFirings(db) };
    const facts = { now: world.clock.now(), tz: 'UTC' };
    world.store.tx(() => {
      for (let i = 0; i < 200; i++) {
        world.store.db.prepare('UPDATE jobs SET name = ?').run(`Renamed ${i}`);
        expect(listText(file.jobs.all(), file, facts)).toContain('Tick');
        const job = file.jobs.get(id) as JobRow;
        for (const text of [showText(job, file, facts), historyText(job, file, facts)]) expect(text).toContain('Tick');
        expect(checkAccounts(job, file, REAL_RUNS, 200)).toEqual([]);
      }
    });
    expect(listText(file.jobs.all(), file, facts)).toContain('Renamed 199');
    db.close();
  });
});

describe('a locked database', () => {
  it('for a minute costs ticks and a line in the log; then all due slots are accounted for (schedule 11)', async () => {
    const clock = new SettableClock(START);
    const world = boot(clock);
    const { id } = world.job('every 1m');
    await world.skip(MINUTE + 55_000);
    const other = new Database(join(folder, 'hermod.db'));
    other.exec('BEGIN IMMEDIATE');
    // Each tick waits its 250 ms in real time: a few at the beginning and at the end of the minute.
    await world.skip(7_000);
    clock.jump(50_000);
    await world.skip(3_000);
    expect(world.log.filter((line) => line.includes('a tick of the jobs failed')).length).toBeGreaterThan(2);
    expect(world.firings(id)).toHaveLength(1);
    other.exec('ROLLBACK');
    other.close();
    await world.skip(2 * MINUTE);
    expect(checkAccounts(world.get(id), world.store, REAL_RUNS, 1000)).toEqual([]);
    expect(world.firings(id).length).toBeGreaterThanOrEqual(3);
  });
});

describe('reading', () => {
  it('changes nothing: list, show, next, history and doctor leave every row, and the slot still fires (schedule 12)', async () => {
    const clock = new SettableClock(START);
    const world = boot(clock, { stopped: true });
    const { id } = world.job('every 5m');
    clock.jump(5 * MINUTE + 1000);
    const before = world.store.db.prepare('SELECT total_changes() AS n').pluck().get();
    const job = world.get(id);
    const facts = { now: clock.now(), tz: 'UTC' };
    for (const text of [
      listText([job], world.store, facts),
      showText(job, world.store, facts),
      nextText(job, facts),
      historyText(job, world.store, facts),
    ])
      expect(text).not.toBe('');
    expect(checkAccounts(job, world.store, REAL_RUNS, 1000)).toEqual([]);
    world.scheduler.status();
    for (const line of ['list', `show ${id}`, `next ${id}`, `history ${id}`, 'next every 5m'])
      world.verbs.run(line, world.from());
    expect(world.store.db.prepare('SELECT total_changes() AS n').pluck().get()).toBe(before);
    world.scheduler.start();
    await world.skip(1000);
    expect(world.firings(id)).toEqual(['2026-11-30T08:05 schedule ok']);
  });
});

describe('a stop', () => {
  it('lets firings end within their floor (schedule 20)', async () => {
    const clock = new SettableClock(START);
    const world = boot(clock, {
      turn: () => new Promise((resolve) => clock.after(20_000, () => resolve(says('done in time')))),
    });
    const { id } = world.job('in 5m');
    await world.skip(5 * MINUTE + 1000);
    const drained = world.scheduler.drain(30_000);
    await world.skip(25_000);
    await drained;
    expect(world.firings(id)).toEqual(['2026-11-30T08:05 schedule ok']);
    expect(world.sent('job')).toHaveLength(1);
  });

  it('ends the others, tells their owner and offers to run them again; what has not begun stays claimed (schedule 20)', async () => {
    const clock = new SettableClock(START);
    const world = boot(clock, {
      config: { max_parallel: 1 },
      turn: (_, run) =>
        new Promise((resolve) =>
          run.signal.addEventListener('abort', () => resolve({ kind: 'stopped', by: 'shutdown', partial: '' })),
        ),
    });
    const jobs = [world.job('in 5m', { name: 'One' }), world.job('in 5m', { name: 'Two', prompt: 'two' })];
    await world.skip(5 * MINUTE + 1000);
    const drained = world.scheduler.drain(30_000);
    await world.skip(31_000);
    await drained;
    const states = jobs.map(({ id }) => world.firings(id)[0]?.replace(/^\S+ schedule /, ''));
    expect(states.sort()).toEqual(['cancelled shutdown', 'claimed']);
    expect(world.notices()).toEqual([
      expect.stringMatching(/^Job "(?:One|Two)" was stopped with hermod before it was done\.$/) as string,
    ]);
    const next = boot(clock);
    await next.skip(1000);
    expect(jobs.map(({ id }) => next.firings(id)[0]?.split(' ')[2]).sort()).toEqual(['cancelled', 'ok']);
  });
});

describe('a calculation that fails', () => {
  const stubs: Record<string, () => number | null> = {
    'never moves on': () => {
      throw new Error('the next run does not lie after now');
    },
    'has no next run': () => null,
  };

  it.each([
    ['never moves on', 'error'],
    ['has no next run', 'exhausted'],
  ])('that %s parks the job, told once', async (what, state) => {
    const clock = new SettableClock(START);
    let stub: (() => number | null) | undefined;
    const runs: RunCalculator = { ...REAL_RUNS, next: (...args) => (stub ? stub() : REAL_RUNS.next(...args)) };
    const world = boot(clock, { deps: { runs } });
    const { id } = world.job('every 5m', { name: 'Odd' });
    stub = stubs[what];
    await world.skip(HOUR);
    expect(world.get(id).state).toBe(state);
    expect(world.notices()).toHaveLength(1);
    expect(world.firings(id).length).toBeLessThanOrEqual(1);
  });
});
