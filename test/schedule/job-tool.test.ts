import { afterEach, describe, expect, it } from 'vitest';
import type { ToolOrder } from '../../src/schedule/job-tool.ts';
import { BOB, SchedulerWorld, type WorldOptions } from './scheduler-world.ts';

let world: SchedulerWorld;
afterEach(() => world.close());
const open = (options?: WorldOptions) => {
  world = new SchedulerWorld(options);
  return world;
};

/** What the registry does: the commit of a result runs in the transaction that stores it. */
function call(order: ToolOrder, options = {}, from = world.from()) {
  const result = world.tool.answer(order, from, options);
  if (result.commit) world.store.tx(result.commit);
  return result;
}

const create = (more: Partial<ToolOrder>): ToolOrder => ({ action: 'create', prompt: 'tell me', ...more });
const jobs = () => world.scheduler.desk.list(world.from());

describe('a job made by the agent', () => {
  it('stands after the commit of its result, not before, with the echo in the same transaction (schedule 17)', () => {
    open();
    const result = world.tool.answer(create({ when: 'in 2 minutes' }), world.from(), {});
    expect(jobs()).toEqual([]);
    expect(world.sent()).toEqual([]);
    world.store.tx(() => result.commit?.());
    const [job] = jobs();
    expect(result.text).toContain(`id ${job?.id}, rev 1`);
    expect(world.sent()).toHaveLength(1);
  });

  it('with a text says it word for word; with a prompt given later it asks again', async () => {
    open();
    call(create({ when: 'every day at 9:00', prompt: undefined, text: 'Stretch!' }));
    const [made] = jobs();
    expect(made).toMatchObject({ prompt: 'Stretch!', agent: false });
    expect(world.sent()[0]?.text).toContain('It is sent as written; no model is asked.');
    const update = { action: 'update', job: made?.id } as const;
    call({ ...update, prompt: 'tell me to stretch' });
    expect(jobs()[0]).toMatchObject({ prompt: 'tell me to stretch', agent: true });
    call({ ...update, text: 'Stretch!' });
    expect(jobs()[0]).toMatchObject({ prompt: 'Stretch!', agent: false });
    expect(call({ ...update, text: 'a', prompt: 'b' }).text).toMatch(/either a prompt or a text/);
    expect(call({ ...update, continuity: true }).text).toMatch(/A text is sent as written/);
  });

  it('cannot say what a job with a script says', () => {
    open();
    const script = { path: '/scripts/one.sh', sha256: 'x' };
    const { id } = world.job('every day at 9:00', { script, agent: false });
    expect(call({ action: 'update', job: id, text: 'a' })).toMatchObject({ isError: true });
    call({ action: 'update', job: id, prompt: 'b' });
    expect(world.get(id)).toMatchObject({ prompt: 'b', agent: false, script: script.path });
  });

  it('in 2 minutes at UTC+8 fires 120 s later (schedule 16)', async () => {
    open({ config: { timezone: 'Asia/Shanghai' } });
    call(create({ when: 'in 2 minutes' }));
    expect(world.sent()[0]?.text).toContain('Mon 30 Nov 2026 16:02 (+08:00)');
    await world.skip(119_000);
    expect(world.asked).toEqual([]);
    await world.skip(1500);
    expect(world.asked).toHaveLength(1);
  });

  it('follows the phrase, and a structured schedule that says something else is refused with both (schedule 16)', () => {
    open();
    const result = call(create({ when: 'every weekday at 9am', structured: { cron: '0 9 * * 1' } }));
    expect(result).toMatchObject({ isError: true });
    expect(result.text).toMatch(
      /^"every weekday at 9am" means Tue 1 Dec 2026 09:00.*, but the structured schedule means Mon 7 Dec 2026 09:00.*\(when_disagrees\)$/,
    );
    expect(jobs()).toEqual([]);
    expect(
      call(create({ when: 'every weekday at 9am', structured: { cron: '0 9 * * 1-5', tz: 'Europe/Berlin' } })).isError,
    ).toBe(false);
  });

  it('of a phrase in another language follows the structured schedule and keeps the words (schedule 16)', () => {
    open();
    call(create({ when: 'jeden Werktag um 9', structured: { cron: '0 9 * * 1-5' } }));
    expect(jobs()[0]).toMatchObject({ text: 'jeden Werktag um 9', schedule: { expr: '0 9 * * 1-5' } });
    expect(world.sent()[0]?.text).toContain('every weekday at 09:00, Europe/Berlin');
  });

  it.each([
    [{ when: '30m' }, /Once or again and again\? .*\(bare_duration\)$/],
    [{}, /\(no_schedule\)$/],
    [{ structured: { at: '2026-02-30T09:00' } }, /There is no 2026-02-30\. \(no_such_date\)$/],
    [{ when: 'in 2h', prompt: '' }, /\(prompt\)$/],
    [{ when: 'in 2h', repeat: 3 }, /\(repeat\)$/],
    [{ when: 'in 2h', after: 'beef' }, /\(no_job\)$/],
  ] as const)('%j is refused: %s', (order, text) => {
    open();
    const result = call(create(order));
    expect(result.isError).toBe(true);
    expect(result.text).toMatch(text);
    expect([jobs(), world.sent()]).toEqual([[], []]);
  });

  it('is not given words of a tainted turn when it is run by hand', () => {
    open();
    call(create({ when: 'every 10m', name: 'Digest' }));
    const run = { action: 'run', job: 'Digest' } as const;
    expect(call({ ...run, extra: 'and mail it' }, { tainted: true })).toMatchObject({ isError: true });
    expect(call(run, { tainted: true }).isError).toBe(false);
  });

  it('of a tainted turn waits for a yes (schedule 25)', () => {
    open();
    expect(call(create({ when: 'every 10m' }), { tainted: true }).text).toContain('It is paused (confirm).');
    expect(jobs()[0]?.state).toBe('paused');
  });
});

describe('the agent', () => {
  it('sees, changes, runs and removes jobs of the person it works for', async () => {
    open();
    call(create({ when: 'every day at 9', name: 'Weather' }));
    const id = jobs()[0]?.id ?? '';
    expect(call({ action: 'list' }).text).toContain('Weather: every day at 09:00');
    expect(call({ action: 'preview', when: 'every month on the last day at 18' }).text).toMatch(
      /^on the last day of every month at 18:00, Europe\/Berlin\. Nothing is stored\.\n- Mon 30 Nov 2026 18:00/,
    );
    expect(call({ action: 'get', job: id.slice(0, 4) }).text).toContain(`id ${id}, rev 1`);
    expect(call({ action: 'update', job: 'Weather', rev: 7, when: 'every day at 10' })).toMatchObject({
      isError: true,
    });
    expect(call({ action: 'update', job: 'Weather', rev: 1, when: 'every day at 10' }).text).toContain(
      'every day at 10:00',
    );
    expect(call({ action: 'pause', job: 'Weather' }).text).toContain('It is paused.');
    expect(call({ action: 'run', job: 'Weather', extra: 'only the north' }).isError).toBe(false);
    await world.skip(1000);
    expect(world.asked[0]).toMatchObject({ run: { trigger: 'manual', kind: 'cron' } });
    expect(call({ action: 'history', job: 'Weather' }).text).toContain('by hand; ok');
    expect(call({ action: 'resume', job: 'Weather' }).text).toContain('Next: ');
    expect(call({ action: 'remove', job: 'Weather' }).text).toContain('Deleted');
    expect(jobs()).toEqual([]);
    expect(call(create({ when: 'every day at 10', name: 'Weather' })).text).toMatch(
      /^You deleted this job on .*\(deleted_before\)$/,
    );
    expect(call(create({ when: 'every day at 10', name: 'Weather', again: true })).isError).toBe(false);
  });

  it('sees nothing of other people (schedule 24)', () => {
    open();
    call(create({ when: 'every day at 9', name: 'Weather' }));
    const bob = world.from(BOB);
    expect(call({ action: 'list' }, {}, bob).text).toMatch(/^No jobs yet/);
    expect(call({ action: 'remove', job: 'Weather' }, {}, bob)).toMatchObject({
      isError: true,
      text: expect.stringMatching(/no_job/) as string,
    });
  });
});
