import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { JobId } from '../../src/contract/ids.ts';
import { REAL_RUNS } from '../../src/schedule/claims.ts';
import { checkAccounts } from '../../src/schedule/doctor.ts';
import { randomFrom } from './random-line.ts';
import { fails, SchedulerWorld, SettableClock, says } from './scheduler-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const folder = mkdtempSync(join(tmpdir(), 'hermod-accounts-'));
let worlds: SchedulerWorld[] = [];
afterEach(() => {
  for (const world of worlds) world.close();
  worlds = [];
  rmSync(folder, { recursive: true, force: true });
});

function open(options: ConstructorParameters<typeof SchedulerWorld>[0] = {}): SchedulerWorld {
  const world = new SchedulerWorld(options);
  worlds.push(world);
  return world;
}

const faults = (world: SchedulerWorld, id: JobId) => checkAccounts(world.get(id), world.store, REAL_RUNS, 100_000);

describe('every slot has exactly one record', () => {
  const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'];
  const WHENS = [
    ...['every day at 2:30', '*/20 * * * *', 'every 90 minutes', 'every weekday at 9am', '0 */3 * * *'],
    ...['every 1m', '30 2 * * 0', 'every day', 'every month on the last day at 18:00', '0 2-4 * * *'],
  ];

  it('over weeks of simulated time with clock changes, restarts, failures, long runs and downtime (schedule 2)', async () => {
    const random = randomFrom(7);
    const clock = new SettableClock('2026-03-26T00:00:00Z');
    const path = ':memory:';
    const world = open({
      clock,
      path,
      config: {
        max_creations_per_hour: 1000,
        max_jobs_per_owner: 1000,
        auto_pause_after: 0,
        idle_timeout_s: 1_000_000,
        total_timeout_s: 1_000_000,
      },
    });
    world.turn = () => {
      const dice = random();
      if (dice < 0.1) return fails('server');
      if (dice < 0.2)
        return new Promise((resolve) => clock.after(Math.floor(random() * 2 * HOUR), () => resolve(says('slow'))));
      return says('ok');
    };
    const jobs = ZONES.flatMap((tz) =>
      WHENS.map((when) => world.job(when, { tz, prompt: `${when} ${tz}` }, {}, world.from(undefined, tz))),
    );
    for (let i = 0; i < 40; i++) {
      const dice = random();
      if (dice < 0.25) clock.jump(Math.floor(random() * 20 * HOUR));
      else if (dice < 0.35) clock.jump(-Math.floor(random() * 5 * HOUR));
      else await world.skip(Math.floor(random() * 40 * MINUTE));
      await world.skip(35_000);
    }
    expect(clock.now()).toBeGreaterThan(Date.parse('2026-03-29T02:00:00Z'));
    for (const { id } of jobs) expect(faults(world, id)).toEqual([]);
    expect(world.log.filter((line) => line.startsWith('error'))).toEqual([]);
    const firings = jobs.reduce((sum, { id }) => sum + world.firings(id).length, 0);
    expect(firings).toBeGreaterThan(40);
  }, 120_000);

  it('after edits, pauses and deletes (schedule 18)', async () => {
    const world = open();
    const { id } = world.job('in 15m');
    const edited = world.scheduler.desk.edit(id, 1, { when: 'every 15m' }, world.from());
    await world.skip(46 * MINUTE);
    expect(world.firings(id).map((text) => text.slice(11, 16))).toEqual(['08:15', '08:30', '08:45']);
    world.scheduler.desk.pause(id, world.from());
    await world.skip(HOUR);
    world.scheduler.desk.resume(id, world.from());
    expect(world.gaps(id)).toEqual(['2026-11-30T09:00 2026-11-30T09:45 4 paused']);
    await world.skip(20 * MINUTE);
    world.scheduler.desk.edit(id, world.get(id).rev, { when: 'every 2h' }, world.from());
    await world.skip(4 * HOUR);
    expect(faults(world, id)).toEqual([]);
    expect(edited.rev).toBe(2);
  });

  it('and a record that was taken away is found (schedule 27)', async () => {
    const world = open();
    const { id } = world.job('every 10 minutes');
    await world.skip(HOUR);
    const [gone] = world.store.firings.ofJob(id, 3).slice(1);
    world.store.db.prepare('DELETE FROM firing_deliveries WHERE firing = ?').run(gone?.id);
    world.store.db.prepare('DELETE FROM firings WHERE id = ?').run(gone?.id);
    expect(faults(world, id)).toEqual([{ job: id, slotAt: gone?.slotAt, what: 'no record' }]);
    world.store.firings.addGap({
      job: id,
      firstSlotAt: (gone?.slotAt ?? 0) - 10 * MINUTE,
      lastSlotAt: gone?.slotAt ?? 0,
      count: 2,
      reason: 'missed',
    });
    expect(faults(world, id).map(({ what }) => what)).toEqual(['two records']);
  });
});

describe('the clock (schedule 4)', () => {
  it.each([5 * HOUR, -3 * HOUR, 1000, -1000, 8 * HOUR])(
    'moved by %d ms fires no slot twice and jobs go on',
    async (ms) => {
      const world = open();
      const { id } = world.job('every 30 minutes');
      await world.skip(2 * HOUR + MINUTE);
      world.clock.jump(ms);
      await world.skip(4 * HOUR);
      const slots = world.store.firings.ofJob(id, 100).map(({ slotAt }) => slotAt);
      expect(new Set(slots).size).toBe(slots.length);
      expect(faults(world, id)).toEqual([]);
      const last = Math.max(...slots.map((slot) => slot ?? 0));
      expect(last).toBeGreaterThan(world.clock.now() - 4 * HOUR);
    },
  );

  it('set by a second again and again fires no slot twice and loses none', async () => {
    const world = open();
    const { id } = world.job('every 1m');
    for (let i = 0; i < 60; i++) {
      world.clock.jump(i % 3 === 0 ? -1000 : 1000);
      await world.skip(10_000);
    }
    const slots = world.store.firings.ofJob(id, 100).map(({ slotAt }) => slotAt);
    expect(slots).toHaveLength(10);
    expect(new Set(slots).size).toBe(10);
    expect(world.notices()).toEqual([]);
    expect(faults(world, id)).toEqual([]);
  });

  it('5 h ahead is downtime: a late line, a card for the one-shot, nobody told twice', async () => {
    const world = open();
    const { id } = world.job('every 30 minutes');
    const once = world.job('in 1h', { name: 'Once' });
    await world.skip(MINUTE);
    world.clock.jump(5 * HOUR + 20 * MINUTE);
    await world.skip(2 * MINUTE);
    expect(world.firings(id)).toEqual(['2026-11-30T13:00 catch_up ok']);
    expect(world.gaps(id)).toEqual(['2026-11-30T08:30 2026-11-30T12:30 9 collapsed']);
    expect(world.sent('job')[0]?.text).toMatch(
      /^Late: due Mon 30 Nov 2026 14:00 \(\+01:00\); hermod was not running\./,
    );
    expect(world.get(once.id).state).toBe('missed');
    expect(world.notices()).toEqual([expect.stringMatching(/^Missed: "Once" was due Mon 30 Nov 2026 10:00/)]);
    await world.skip(HOUR);
    expect(world.notices()).toHaveLength(1);
  });

  it('two years ahead and back again leaves jobs alive', async () => {
    const world = open();
    const { id } = world.job('every day at 12:00');
    await world.skip(MINUTE);
    world.clock.jump(730 * DAY);
    await world.skip(MINUTE);
    expect(world.firings(id)).toHaveLength(1);
    world.clock.jump(-730 * DAY);
    await world.skip(HOUR);
    world.clock.jump(3 * HOUR);
    await world.skip(2 * MINUTE);
    expect(world.firings(id)).toHaveLength(2);
    expect(faults(world, id)).toEqual([]);
  });

  it.each([
    [
      '2026-03-28T12:00:00Z',
      '2026-03-29T10:00:00Z',
      ['2026-03-29T01:00 schedule ok', '2026-03-29T09:45 schedule ok'],
      ['2026-03-28T12:15 2026-03-29T09:30 86 collapsed'],
    ],
    [
      '2026-10-24T12:00:00Z',
      '2026-10-25T10:00:00Z',
      ['2026-10-25T00:30 schedule ok', '2026-10-25T09:45 schedule ok'],
      ['2026-10-24T12:15 2026-10-25T09:30 86 collapsed'],
    ],
  ])(
    'that changed to or from summer time between %s and %s, while hermod was down, loses and doubles nothing',
    async (from, to, fired, gaps) => {
      const world = open({ start: from, config: { one_shot_grace_s: 86_400, catch_up_spacing_s: 0 } });
      const nightly = world.job('30 2 * * *', { misfire: 'run' });
      const often = world.job('every 15 minutes', { prompt: 'often' });
      world.clock.jump(Date.parse(to) - Date.parse(from) - 14 * MINUTE);
      await world.skip(MINUTE);
      const [night] = world.firings(nightly.id);
      expect(night?.slice(0, 16)).toBe(fired[0]?.slice(0, 16));
      expect(world.firings(often.id)).toEqual([fired[1]]);
      expect(world.gaps(often.id)).toEqual(gaps);
      for (const { id } of [nightly, often]) expect(faults(world, id)).toEqual([]);
      await world.skip(30 * HOUR);
      for (const { id } of [nightly, often]) expect(faults(world, id)).toEqual([]);
      expect(world.firings(nightly.id)).toHaveLength(2);
    },
  );

  it('of 1970 claims nothing and says so; once it is set, jobs go on', async () => {
    const clock = new SettableClock('2026-11-30T08:00:00Z');
    const world = open({ clock, deps: { builtAt: Date.parse('2026-11-01T00:00:00Z') } });
    const { id } = world.job('every 30 minutes');
    clock.jump(-clock.now());
    await world.skip(HOUR);
    expect(world.firings(id)).toEqual([]);
    expect(world.scheduler.status().trouble).toBe('clock_unset');
    clock.jump(Date.parse('2026-11-30T09:00:30Z') - clock.now());
    await world.skip(MINUTE);
    expect(world.firings(id)).toEqual(['2026-11-30T09:00 schedule ok']);
    expect(world.scheduler.status().trouble).toBeUndefined();
  });
});
