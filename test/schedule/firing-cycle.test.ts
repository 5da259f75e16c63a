import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { withRun } from '../../src/context/run-context.ts';
import { chatRun } from '../fakes/runs.ts';
import { fails, SchedulerWorld, SettableClock, START, says, type WorldOptions } from './scheduler-world.ts';

let world: SchedulerWorld;
afterEach(() => world.close());
const open = (options?: WorldOptions) => {
  world = new SchedulerWorld(options);
  return world;
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('a job', () => {
  it('fires at its time, in the chat it was made in, once', async () => {
    const { id } = open().job('in 2 minutes', { prompt: 'stretch' });
    await world.skip(119_000);
    expect(world.asked).toEqual([]);
    await world.skip(2_000);
    expect(world.firings(id)).toEqual(['2026-11-30T08:02 schedule ok']);
    expect(world.sent('job')).toMatchObject([{ text: 'done', chat: 'chat-of-ann' }]);
    expect(world.get(id)).toMatchObject({ state: 'completed', nextRunAt: null });
    await world.skip(HOUR);
    expect(world.asked).toHaveLength(1);
  });

  it('beyond the 24.8 days of a timer does not fire before its day', async () => {
    const { id } = open().job('in 40d');
    await world.skip(HOUR);
    world.clock.jump(40 * DAY - 2 * HOUR);
    await world.skip(30 * MINUTE);
    expect(world.firings(id)).toEqual([]);
    await world.skip(HOUR);
    expect(world.firings(id)).toEqual(['2027-01-09T08:00 schedule ok']);
  });

  it('fires in a run of its own, whoever made it and from wherever the ticker was poked', async () => {
    open();
    const turn = chatRun({ actor: world.from().by });
    await withRun(turn, async () => {
      world.job('every 5 minutes');
      await world.skip(0);
    });
    await world.skip(11 * MINUTE);
    expect(world.asked.map(({ run }) => [run.kind, run.depth, run.trigger])).toEqual([
      ['cron', 0, 'schedule'],
      ['cron', 0, 'schedule'],
    ]);
    const runs = world.asked.map(({ run }) => run.runId);
    expect(new Set(runs).size).toBe(2);
    for (const { run, current } of world.asked) expect(current).toBe(run);
  });

  it('re-arms from inside a job without handing that run on', async () => {
    open({ turn: () => says('one') });
    world.job('every 5 minutes');
    world.turn = () => {
      // A poke out of a firing, as an edit by a tool of it would do.
      (world.scheduler as unknown as { desk: { readonly now: number } }).desk.now;
      return says('two');
    };
    await world.skip(16 * MINUTE);
    expect(world.asked.every(({ run, current }) => current === run)).toBe(true);
    expect(world.asked).toHaveLength(3);
  });

  it('tells in its prompt what it is, and nothing of the chat', async () => {
    open().job('every weekday at 9:30', { prompt: 'tell me the weather', name: 'Weather' });
    await world.until('2026-11-30T08:31:00Z');
    expect(world.asked[0]?.prompt).toMatch(
      /^\[Mon 30 Nov 2026 09:30 Europe\/Berlin, job "Weather" \(\w{4}\), every weekday at 09:30, due Mon 30 Nov 2026 09:30 \(\+01:00\), its answer goes to this chat\]\ntell me the weather$/,
    );
  });

  it('runs a number of times only', async () => {
    const { id } = open().job('every 10 minutes', { repeat: 3 });
    await world.skip(2 * HOUR);
    expect(world.firings(id)).toHaveLength(3);
    expect(world.get(id).state).toBe('completed');
  });

  it('keeps its interval whatever a run takes and whatever is run by hand (schedule 18)', async () => {
    const { id } = open({ start: '2026-11-30T06:00:00Z' }).job('every 6 hours');
    await world.until('2026-11-30T13:00:00Z');
    world.scheduler.desk.run(id, world.from());
    await world.until('2026-11-30T18:01:00Z');
    expect(world.firings(id)).toEqual([
      '2026-11-30T12:00 schedule ok',
      'none manual ok',
      '2026-11-30T18:00 schedule ok',
    ]);
    expect(world.get(id).firingsClaimed).toBe(2);
  });

  it('that fires while another runs waits for a free place', async () => {
    open({ config: { max_parallel: 1 }, turn: () => new Promise(() => {}) });
    const first = world.job('in 2 minutes');
    const second = world.job('in 2 minutes', { prompt: 'two' });
    await world.skip(3 * MINUTE);
    const states = [...world.firings(first.id), ...world.firings(second.id)].map((text) => text.split(' ')[2]);
    expect(states.sort()).toEqual(['claimed', 'running']);
  });
});

/** Nothing of a job goes into the outbox for so long. */
function lockFor({ store, clock }: SchedulerWorld, ms: number): void {
  const put = store.outbox.put.bind(store.outbox);
  const until = clock.now() + ms;
  (store.outbox as { put: typeof put }).put = (...args) => {
    if (clock.now() < until) throw new Error('no room');
    return put(...args);
  };
}

describe('a fixed text', () => {
  it('is said at its time by nobody, whatever the model does and however many other jobs run', async () => {
    open({ config: { max_parallel: 1 }, turn: () => new Promise(() => {}) });
    world.job('in 1 minute');
    const { id } = world.job('in 2 minutes', { prompt: 'stretch', agent: false });
    await world.skip(3 * MINUTE);
    expect(world.firings(id)).toEqual(['2026-11-30T08:02 schedule ok']);
    expect(world.sent('job')).toMatchObject([{ text: 'stretch', chat: 'chat-of-ann' }]);
    expect(world.asked).toHaveLength(1);
  });

  it('has begun and ended once it is on its way, or else is still to come', async () => {
    const { id } = open().job('in 2 minutes', { prompt: 'stretch', agent: false });
    const { outbox } = world.store;
    const put = outbox.put.bind(outbox);
    let full = true;
    (outbox as { put: typeof put }).put = (...args) => {
      if (full) throw new Error('no room');
      return put(...args);
    };
    await world.skip(3 * MINUTE);
    expect(world.firings(id)).toEqual(['2026-11-30T08:02 schedule claimed']);
    full = false;
    await world.skip(10 * MINUTE);
    expect(world.firings(id)).toEqual(['2026-11-30T08:02 schedule ok']);
    expect(world.sent('job').map(({ text }) => text.split('\n').at(-1))).toEqual(['stretch']);
  });

  it('is not kept by a long queue before it, nor by what its job asked of models when it had a prompt', async () => {
    open({ config: { max_model_calls_per_day: 0, max_creations_per_hour: 100, max_jobs_per_owner: 100 } });
    world.config = { ...world.config, max_parallel: 0 };
    for (let i = 0; i < 70; i++) world.job('in 1 minute', { prompt: `long ${i}` });
    const { id } = world.job('in 2 minutes', { prompt: 'stretch', agent: false });
    await world.skip(3 * MINUTE);
    expect(world.firings(id)).toEqual(['2026-11-30T08:02 schedule ok']);
    expect(world.store.firings.waitingCount()).toBe(70);
  });

  it('leaves the loop to others after a few of many', async () => {
    open({ config: { max_creations_per_hour: 100, max_jobs_per_owner: 100 } });
    const jobs = Array.from({ length: 50 }, (_, i) =>
      world.job('in 1 minute', { prompt: `text ${i}`, agent: false }, { quiet: true }),
    );
    const goes = new Map<number, number>();
    const { end } = world.store.firings;
    (world.store.firings as { end: typeof end }).end = (...args) => {
      const go = world.clock.now();
      goes.set(go, (goes.get(go) ?? 0) + 1);
      return end(...args);
    };
    await world.skip(2 * MINUTE);
    expect(jobs.every(({ id }) => world.firings(id)[0]?.endsWith('ok'))).toBe(true);
    expect(Math.max(...goes.values())).toBeLessThanOrEqual(8);
  });

  it.each([
    ['nobody was there to say it', (w: SchedulerWorld) => w.clock.jump(8 * MINUTE), 'hermod was not running'],
    ['it could not be stored', (w: SchedulerWorld) => lockFor(w, 7 * MINUTE), 'hermod could not begin it before'],
  ])('that is late says why: %s', async (_, trouble, why) => {
    open().job('in 1 minute', { prompt: 'stretch', agent: false });
    trouble(world);
    await world.skip(20 * MINUTE);
    expect(world.sent('job').map(({ text }) => text)).toEqual([
      `Late: due Mon 30 Nov 2026 09:01 (+01:00); ${why}.\n\nstretch`,
    ]);
  });

  it('takes what somebody who starts it by hand adds', async () => {
    const { id } = open().job('every day at 9', { prompt: 'stretch', agent: false });
    world.scheduler.desk.run(id, world.from(), { extra: 'and drink' });
    await world.skip(MINUTE);
    expect(world.sent('job')).toMatchObject([{ text: 'stretch\n\nand drink' }]);
  });
});

describe('a firing that cannot begin', () => {
  /** Begins fail so often. */
  function failing(times: number): number[] {
    const tries: number[] = [];
    const { sessions } = world.store;
    const real = sessions.open.bind(sessions);
    (sessions as { open: typeof real }).open = (...args) => {
      tries.push((world.clock.now() - Date.parse('2026-11-30T08:10:00Z')) / MINUTE);
      if (times-- > 0) throw new Error('no room');
      return real(...args);
    };
    return tries;
  }

  it('is tried again after 1, 5 and 15 minutes, the same row with one attempt more each time', async () => {
    const { id } = open().job('in 10m');
    const tries = failing(3);
    await world.skip(40 * MINUTE);
    expect(tries.map(Math.floor)).toEqual([0, 1, 6, 21]);
    expect(world.firings(id)).toEqual(['2026-11-30T08:10 schedule ok']);
    expect(world.store.firings.ofJob(id, 1)[0]?.attempt).toBe(4);
    expect(world.asked.map(({ run }) => run.kind)).toEqual(['cron']);
  });

  it('is given up after that, and not tried into its next slot', async () => {
    const once = open().job('in 10m', { name: 'Once' });
    const often = world.job('every 10m', { name: 'Often' });
    failing(1000);
    await world.skip(35 * MINUTE);
    expect(world.firings(once.id)).toEqual(['2026-11-30T08:10 schedule error never_started']);
    expect(world.firings(often.id).slice(0, 1)).toEqual(['2026-11-30T08:10 schedule error never_started']);
    expect(world.store.firings.ofJob(often.id, 10).at(-1)?.attempt).toBe(3);
    expect(world.asked).toEqual([]);
    expect(world.notices()).toContainEqual(
      expect.stringMatching(/^Job "Once" failed: never_started: hermod could not/),
    );
  });
});

describe('missed time', () => {
  it('of a daily job is caught up once, with a line that says so (schedule 7)', async () => {
    const { id } = open({ start: '2026-11-29T09:00:00Z' }).job('every day at 9');
    await world.until('2026-11-30T07:50:00Z');
    world.clock.jump(2 * HOUR + 40 * MINUTE);
    await world.skip(MINUTE);
    expect(world.firings(id)).toEqual(['2026-11-30T08:00 catch_up ok']);
    const [sent] = world.sent('job');
    expect(sent?.text).toMatch(/^Late: due Mon 30 Nov 2026 09:00 \(\+01:00\); hermod was not running\.\n\ndone$/);
  });

  it('of a minutely job over a year is one run and one gap (schedule 7)', async () => {
    const { id } = open().job('every 1m');
    await world.skip(MINUTE);
    world.clock.jump(365 * DAY);
    await world.skip(30_000);
    expect(world.firings(id)).toEqual(['2026-11-30T08:01 schedule ok', '2027-11-30T08:01 schedule ok']);
    expect(world.gaps(id)).toEqual(['2026-11-30T08:02 2027-11-30T08:00 null collapsed']);
  });

  it('may be skipped instead', async () => {
    const { id } = open({ config: { misfire: 'skip' } }).job('every day at 12:00');
    await world.until('2026-11-30T10:00:00Z');
    world.clock.jump(2 * DAY + 9 * HOUR);
    await world.skip(MINUTE);
    expect(world.firings(id)).toEqual([]);
    expect(world.gaps(id)).toEqual(['2026-11-30T11:00 2026-12-02T11:00 3 missed']);
    expect(world.notices()).toEqual([
      'Missed: 3 runs of "do every day at 12:00", the last due Wed 2 Dec 2026 12:00 (+01:00); none of them is caught up.',
    ]);
  });

  it('of a one-shot runs within its grace (schedule 8)', async () => {
    const { id } = open().job('in 1h');
    world.clock.jump(HOUR + 9 * MINUTE);
    await world.skip(MINUTE);
    expect(world.firings(id)).toEqual(['2026-11-30T09:00 schedule ok']);
    expect(world.sent('job')[0]?.text).toMatch(/^Late: due /);
  });

  it.each([
    ['while hermod was down, with from when to when', 60, 'hermod was not running from .* 09:30 .* to .* 12:00 .*'],
    ['while the machine slept, with no such times', 600, 'hermod was not running'],
  ])('of a one-shot is told: %s', async (_, dueIn, why) => {
    const folder = mkdtempSync(join(tmpdir(), 'hermod-cycle-'));
    const path = join(folder, 'hermod.db');
    const clock = new SettableClock(START);
    const before = new SchedulerWorld({ path, clock });
    before.job(`in ${dueIn}m`, { name: 'first' });
    await before.skip(30 * MINUTE);
    before.store.boots.end(before.boot, 'stopped', clock.now());
    await before.scheduler.drain(0);
    before.close();
    clock.jump(2.5 * HOUR);
    world = new SchedulerWorld({ path, clock });
    await world.skip(MINUTE);
    clock.jump(dueIn > 60 ? 10 * HOUR : 0);
    await world.skip(MINUTE);
    expect(world.notices()).toHaveLength(1);
    expect(world.notices()[0]).toMatch(new RegExp(`^Missed: "first" was due [^;]*; ${why}\\.$`));
    rmSync(folder, { recursive: true });
  });

  it('of a one-shot that was paused over its time is asked for when it is resumed, and says why', async () => {
    const { id } = open().job('in 5m', { name: 'first' });
    world.scheduler.desk.pause(id, world.from());
    await world.skip(30 * MINUTE);
    world.scheduler.desk.resume(id, world.from());
    await world.skip(MINUTE);
    expect(world.notices()).toEqual(['Missed: "first" was due Mon 30 Nov 2026 09:05 (+01:00); it was paused then.']);
  });

  it('of a one-shot beyond it asks: Run now runs it once, Drop ends it (schedule 8)', async () => {
    const first = open().job('in 1h', { name: 'first' });
    const second = world.job('in 61m', { name: 'second' });
    world.clock.jump(3 * HOUR);
    await world.skip(MINUTE);
    expect(world.gaps(first.id)).toEqual(['2026-11-30T09:00 2026-11-30T09:00 1 missed']);
    expect(world.get(first.id).state).toBe('missed');
    expect(world.notices()[0]).toMatch(
      /^Missed: "first" was due Mon 30 Nov 2026 10:00 \(\+01:00\); hermod was not running/,
    );
    expect(world.press('Drop')).toBe('Dropped.');
    expect(world.get(second.id).state).toBe('completed');
    world.pressData(`h1:jo:${first.id}:${world.get(first.id).rev.toString(36)}:g`);
    await world.skip(MINUTE);
    expect(world.firings(first.id)).toEqual(['none manual ok']);
    expect(world.get(first.id).state).toBe('completed');
    expect(world.firings(second.id)).toEqual([]);
  });

  it('is caught up two at a time, half a minute apart', async () => {
    open({ start: '2026-11-29T09:00:00Z', turn: () => new Promise(() => {}) });
    const jobs = [1, 2, 3, 4].map((n) => world.job('every day at 9', { prompt: `job ${n}` }));
    await world.until('2026-11-30T07:50:00Z');
    world.clock.jump(4 * HOUR);
    await world.skip(3 * MINUTE);
    expect(world.asked).toHaveLength(2);
    expect((world.asked[1]?.at ?? 0) - (world.asked[0]?.at ?? 0)).toBeGreaterThanOrEqual(29_000);
    expect(jobs).toHaveLength(4);
  });

  it('waits for the chats, at most a minute', async () => {
    open({ start: '2026-11-29T09:00:00Z', stopped: true });
    world.job('every day at 9');
    world.chatsUp = false;
    world.clock.jump(2 * DAY + 3 * HOUR);
    world.scheduler.start();
    await world.skip(50_000);
    expect(world.asked).toEqual([]);
    await world.skip(20_000);
    expect(world.asked).toHaveLength(1);
  });
});

describe('a firing longer than its period', () => {
  it('makes the slots it covers gaps, and is told of at the third (schedule 10)', async () => {
    let end = () => {};
    open({
      turn: () =>
        new Promise((resolve) => {
          end = () => resolve(says('late'));
        }),
    });
    world.config = { ...world.config, idle_timeout_s: 36_000 };
    const { id } = world.job('every 5 minutes', { name: 'slow' });
    await world.skip(16 * MINUTE);
    expect(world.firings(id)).toEqual(['2026-11-30T08:05 schedule running']);
    expect(world.gaps(id)).toEqual(['2026-11-30T08:10 2026-11-30T08:15 2 busy']);
    expect(world.notices()).toEqual([]);
    world.asked.length = 0;
    await world.skip(4 * MINUTE + 1000);
    end();
    await world.skip(5 * MINUTE);
    expect(world.notices()).toEqual(['Job "slow" takes longer than its period; 3 runs were skipped.']);
    expect(world.firings(id).at(0)).toBe('2026-11-30T08:05 schedule ok');
  });

  it('that ignores its end is left behind: the job is paused and nothing starts beside it (schedule 10)', async () => {
    open({ turn: () => new Promise(() => {}), config: { idle_timeout_s: 60 } });
    const { id } = world.job('every 5 minutes', { name: 'stuck' });
    await world.skip(5 * MINUTE + 60_000 + 30_000);
    expect(world.firings(id)).toEqual(['2026-11-30T08:05 schedule running']);
    await world.skip(60_000);
    expect(world.firings(id)).toEqual(['2026-11-30T08:05 schedule unknown abort_ignored']);
    expect(world.get(id)).toMatchObject({ state: 'paused', pausedReason: 'stuck' });
    expect(world.notices()).toEqual(['Job "stuck" did not stop when told; it is paused.']);
    await world.skip(HOUR);
    expect(world.asked).toHaveLength(1);
  });

  it('is ended when nothing happens, not while a person is asked', async () => {
    let sink = { waiting: (_: boolean) => {} };
    open({
      config: { idle_timeout_s: 600 },
      turn: (_, run, s) => {
        sink = s;
        return new Promise((resolve) =>
          run.signal.addEventListener('abort', () => resolve({ kind: 'stopped', by: 'idle', partial: '' })),
        );
      },
    });
    const { id } = world.job('in 1m');
    await world.skip(MINUTE + 1000);
    sink.waiting(true);
    await world.skip(20 * MINUTE);
    expect(world.firings(id)).toEqual(['2026-11-30T08:01 schedule running']);
    sink.waiting(false);
    await world.skip(10 * MINUTE + 1000);
    expect(world.firings(id)).toEqual(['2026-11-30T08:01 schedule timeout idle']);
    expect(world.notices()).toEqual([expect.stringMatching(/failed: idle: nothing happened for 600 s\.$/)]);
  });
});

describe('failures', () => {
  it('of one kind are told at 1, 3 and 10, and the tenth pauses; a new kind is told once more (schedule 23)', async () => {
    open({ turn: () => fails('server', 'The model is down.') });
    const { id } = world.job('every 2h', { name: 'sad' });
    await world.skip(3 * 2 * HOUR + MINUTE);
    expect(world.notices().filter((text) => text.includes('failed'))).toHaveLength(2);
    world.turn = () => fails('overloaded', 'Too busy.');
    await world.skip(2 * HOUR);
    expect(world.notices()).toHaveLength(3);
    expect(world.notices()[2]).toMatch(/^Job "sad" failed: model_overloaded: Too busy\.\. Next try /);
    world.turn = () => fails('server');
    await world.skip(6 * 2 * HOUR);
    expect(world.get(id)).toMatchObject({ state: 'paused', pausedReason: 'failures', failStreak: 10 });
    expect(world.notices()[3]).toMatch(/^Job "sad" is paused after 10 failures in a row\. Last: /);
    expect(world.notices()).toHaveLength(4);
  });

  it('40 in a day without auto-pause: told at 1, 3 and 10, and recovery in one line (schedule 23)', async () => {
    open({ config: { auto_pause_after: 0 }, turn: () => fails('server') });
    const { id } = world.job('every 30 minutes', { name: 'sad' });
    await world.skip(40 * 30 * MINUTE + 20 * MINUTE);
    const { failStreak } = world.get(id);
    expect(failStreak).toBeGreaterThan(10);
    expect(world.notices()).toHaveLength(3);
    world.turn = () => says('fine');
    await world.skip(HOUR);
    expect(world.notices().slice(3)).toEqual([`Job "sad" works again after ${failStreak} failures.`]);
    expect(world.get(id)).toMatchObject({ failStreak: 0, notBefore: null });
  });

  it('make the slots before the next try gaps', async () => {
    open({ turn: () => fails('server') });
    const { id } = world.job('every 1m');
    await world.skip(9 * MINUTE + 30_000);
    expect(world.firings(id).map((text) => text.slice(11, 16))).toEqual(['08:01', '08:02', '08:03', '08:08']);
    expect(world.gaps(id)).toEqual([
      '2026-11-30T08:04 2026-11-30T08:07 4 backoff',
      '2026-11-30T08:09 2026-11-30T08:09 1 backoff',
    ]);
  });

  it('somebody muted stay mute (schedule 23)', async () => {
    open({ config: { auto_pause_after: 0 }, turn: () => fails('server') });
    world.job('every 2h', { name: 'sad' });
    await world.skip(2 * HOUR + MINUTE);
    expect(world.press('Mute this error')).toBe('I will not tell you of this error again.');
    await world.skip(30 * HOUR);
    expect(world.notices()).toHaveLength(1);
  });

  it('of a key or a quota hold the job, told once', async () => {
    open({ turn: () => fails('auth') });
    const { id } = world.job('every 1h');
    await world.skip(6 * HOUR + MINUTE);
    expect(world.firings(id)).toHaveLength(1);
    expect(world.gaps(id)).toEqual(['2026-11-30T10:00 2026-11-30T14:00 5 held']);
    expect(world.notices()).toEqual([expect.stringMatching(/^Jobs wait until .* refused the key or the quota\.$/)]);
    world.turn = () => says('ok');
    await world.skip(2 * HOUR);
    expect(world.firings(id).at(-1)).toMatch(/ok$/);
    expect(world.get(id).holdReason).toBeNull();
  });

  it('for want of a tool pause the job at the third', async () => {
    open();
    const { id } = world.job('every 1h', { name: 'tools' });
    world.missing = 'there is no tool web_fetch for jobs';
    await world.skip(5 * HOUR);
    expect(world.firings(id)).toHaveLength(3);
    expect(world.asked).toEqual([]);
    expect(world.get(id).state).toBe('paused');
  });
});

describe('an answer', () => {
  it.each([
    ['[SILENT]', []],
    ['  [SILENT]\n', []],
    ['[SILENT]\nall quiet', ['all quiet']],
    ['all quiet\n[SILENT]', ['all quiet']],
    ['He said [SILENT] twice.', ['He said [SILENT] twice.']],
  ])('%j is sent as %j (schedule 21)', async (text, expected) => {
    const { id } = open({ turn: () => says(text) }).job('in 1m');
    await world.skip(2 * MINUTE);
    expect(world.sent('job').map((row) => row.text)).toEqual(expected);
    expect(world.firings(id)).toEqual(['2026-11-30T08:01 schedule ok']);
    const firing = world.store.firings.lastOk(id);
    expect(firing && world.scheduler.outputs.read(firing.outputPath ?? '')).toBe(expected[0] ?? text);
    const states = world.store.firings.deliveriesOf(firing?.id as never).map(({ state }) => state);
    expect(states).toEqual([expected.length === 0 ? 'suppressed' : 'pending']);
  });

  it('that is empty is an error (schedule 21)', async () => {
    const { id } = open({ turn: () => says('  ') }).job('in 1m');
    await world.skip(2 * MINUTE);
    expect(world.firings(id)).toEqual(['2026-11-30T08:01 schedule error empty']);
    expect(world.notices()).toHaveLength(1);
  });
});
