import { afterEach, describe, expect, it } from 'vitest';
import { World } from './world.ts';

let world: World;
afterEach(() => world.close());

const CONFIG = 'cron:\n  timezone: Europe/Berlin\n  stagger_s: 0\n';
const GROUP = -100;

const idle = () => world.until('turns to end', () => world.app.status().turns.running === 0);

describe('a reminder', () => {
  it('comes once, in the chat it was asked for', async () => {
    world = await World.open({ config: CONFIG });
    const anna = world.person(1, 'Anna');
    anna.says('in 2 minutes remind me to stretch');
    const card = await anna.hears(/^Job \w{4} .*once,/);
    expect(card.text).toMatch(/Next: \w{3} \d+ \w{3} \d{4} \d\d:\d\d(:\d\d)? \(\+01:00\)/);
    await world.clock.skip(121_000);
    await anna.hears(/^Reminder: stretch$/);
    await world.delivered();
    await world.clock.skip(600_000);
    await world.delivered();
    expect(anna.sees().filter(({ text }) => /^Reminder: stretch/.test(text))).toHaveLength(1);
  });

  it('is answered in a group by whom it was asked, and told there', async () => {
    world = await World.open({ config: CONFIG });
    world.telegram.group(GROUP, { title: 'Family' });
    const ben = world.person(2, 'Ben');
    ben.says('@hermod_test_bot remind me in 2 minutes to call home', GROUP);
    await ben.hears(/^Job \w{4} /, GROUP);
    await world.clock.skip(121_000);
    await ben.hears(/^Reminder: call home$/, GROUP);
  });

  it('survives a restart', async () => {
    world = await World.open({ config: CONFIG });
    const anna = world.person(1, 'Anna');
    anna.says('remind me in 10 minutes to stretch');
    await anna.hears(/^Job \w{4} /);
    await idle();
    await world.stop();
    await world.boot();
    await world.clock.skip(601_000);
    await anna.hears(/^Reminder: stretch$/);
  });
});

describe('a job', () => {
  it('shows how it was read and is paused, resumed, run and deleted by its buttons', async () => {
    world = await World.open({ config: CONFIG });
    const anna = world.person(1, 'Anna');
    anna.says('every weekday at 9am say good morning');
    const card = await anna.isAsked(/every weekday at 09:00, Europe\/Berlin/);
    expect(card.text).toContain('To: this chat. It is sent as written; no model is asked.');
    expect(await anna.presses(card, 'Pause')).toBe('Paused.');
    const paused = await anna.isAsked(/It is paused\./);
    expect(paused.id).toBe(card.id);
    expect(await anna.presses(paused, 'Resume')).toBe('Resumed.');
    const back = await anna.isAsked(/every weekday at 09:00, Europe\/Berlin\nNext:/);
    expect(await anna.presses(back, 'Run now')).toBe('Started.');
    await anna.hears(/^good morning$/);
    expect(await anna.presses(back, 'Delete')).toBe('Deleted.');
    const gone = await anna.isAsked(/Deleted\./);
    expect(await anna.presses(gone, 'Undo')).toBe('It is back.');
    anna.says('/jobs');
    await anna.hears(/^• \w{4} say good morning: every weekday at 09:00/);
  });

  it('is shown by a button of the list, with buttons of its own that change what they stand under', async () => {
    world = await World.open({ config: CONFIG });
    const anna = world.person(1, 'Anna');
    anna.says('/jobs add every weekday at 9am | say good morning');
    const card = await anna.isAsked(/every weekday at 09:00, Europe\/Berlin/);
    anna.says('/jobs');
    const list = await anna.hears(/^• \w{4} say good morning: every weekday at 09:00/);
    expect(list.buttons.flat()).toEqual([expect.stringMatching(/^Show \w{4} say good morning$/)]);
    expect(await anna.presses(list, list.buttons.flat()[0] as string)).toBe('Here it is.');
    const shown = await anna.isAsked(/Made by Anna, rev \d+\./);
    expect(shown.buttons.flat()).toEqual(['Pause', 'Run now', 'Delete', 'Show next']);
    expect(await anna.presses(shown, 'Pause')).toBe('Paused.');
    await world.until('the card to change', () =>
      anna.sees().some(({ id, buttons }) => id === shown.id && buttons.flat().includes('Resume')),
    );
    anna.says(`/jobs show ${/^Job (\w{4})/.exec(card.text)?.[1]}`);
    const again = await world.until('the answer', () =>
      anna.sees().find(({ id, text, buttons }) => id > shown.id && /Made by Anna/.test(text) && buttons.length > 0),
    );
    expect(again.buttons.flat()).toEqual(['Resume', 'Run now', 'Delete', 'Show next']);
  });

  it('cannot be touched by somebody else', async () => {
    world = await World.open({ config: CONFIG });
    world.telegram.group(GROUP, { title: 'Family' });
    const [ben, cleo, eve] = [world.person(2, 'Ben'), world.person(3, 'Cleo'), world.person(66, 'Eve')];
    ben.says('@hermod_test_bot every day at 9 say hello', GROUP);
    const card = await ben.isAsked(/every day at 09:00/, GROUP);
    for (const other of [cleo, eve]) expect(await other.presses(card, 'Delete')).not.toBe('Deleted.');
    ben.says('/jobs', GROUP);
    await ben.hears(/say hello: every day at 09:00/, GROUP);
    const id = /^Job (\w{4}) /.exec(card.text)?.[1] ?? '';
    cleo.says(`/jobs delete ${id}`, GROUP);
    await cleo.hears(/Only its owner or an admin may do that/, GROUP);
  });

  it('is made without a model, too, and a phrase nobody can read gets a hint', async () => {
    world = await World.open({ config: CONFIG });
    const anna = world.person(1, 'Anna');
    anna.says('/jobs add 30m | say hi');
    await anna.hears(/I cannot use "30m" as a time\. Once or again and again\?/);
    anna.says('/jobs add every 15m | say tick');
    await anna.hears(/^Job \w{4} "say tick": every 15 min/);
    await world.clock.skip(15 * 60_000 + 1000);
    await anna.hears(/^tick$/);
    anna.says('/jobs remind stretch');
    await anna.hears(/^Write \/jobs remind/);
    anna.says('/jobs remind in 2 minutes | stretch');
    await anna.hears(/^Job \w{4} "stretch": once,[\s\S]*It is sent as written; no model is asked\./);
    await world.clock.skip(2 * 60_000 + 1000);
    await anna.hears(/^stretch$/);
  });

  it('runs dangerous commands only once its owner allowed them for this job, and then exactly those (schedule 14)', async () => {
    world = await World.open({ config: CONFIG });
    world.write('build/app.js', 'x');
    const anna = world.person(1, 'Anna');
    anna.says('every 10 minutes run rm -rf build');
    await anna.hears(/^Job \w{4} /);
    await world.clock.skip(10 * 60_000 + 1000);
    const offer = await world.until('the offer', () =>
      anna.sees().find(({ buttons }) => buttons.flat().includes('Allow for this job')),
    );
    expect(offer.buttons.flat()).toEqual(['Allow for this job', 'Keep refusing']);
    expect(world.has('build/app.js')).toBe(true);
    const eve = world.person(66, 'Eve');
    expect(await eve.presses(offer, 'Allow for this job')).toBe('You cannot answer this; nothing changed.');
    await world.clock.skip(10 * 60_000);
    await world.delivered();
    expect(world.has('build/app.js')).toBe(true);
    expect(
      anna.sees().filter(({ buttons, text }) => buttons.flat().includes('Allow for this job') && text !== ''),
    ).toHaveLength(1);
    await anna.presses(offer, 'Allow for this job');
    await world.clock.skip(10 * 60_000);
    await world.until('the folder to be gone', () => !world.has('build'));
    world.write('src/app.js', 'x');
    anna.says('every 10 minutes run rm -rf src');
    await anna.hears(/rm -rf src": every 10 min/);
    await world.clock.skip(10 * 60_000 + 1000);
    await world.until('an offer for the other command', () =>
      anna
        .sees()
        .find(({ buttons, text }) => text.includes('rm -rf src') && buttons.flat().includes('Allow for this job')),
    );
    expect(world.has('src/app.js')).toBe(true);
  });

  it('is asked about under cron_mode ask, refused when nobody answers, and others run meanwhile', async () => {
    world = await World.open({ config: `${CONFIG}approvals:\n  cron_mode: ask\n` });
    world.write('build/app.js', 'x');
    const anna = world.person(1, 'Anna');
    anna.says('every 30 minutes run rm -rf build then every 30 minutes say still here');
    await anna.hears(/still here": every 30 min/);
    await world.clock.skip(30 * 60_000 + 1000);
    const card = await anna.isAsked(/asks: run this/);
    await anna.hears(/^still here$/);
    expect(world.has('build/app.js')).toBe(true);
    await world.clock.skip(601_000);
    await anna.hears(/^Expired/);
    expect(world.has('build/app.js')).toBe(true);
    await world.clock.skip(20 * 60_000);
    const again = await world.until('a second card', () =>
      anna.sees().find(({ text, buttons, id }) => id > card.id && buttons.length > 0 && /asks: run this/.test(text)),
    );
    expect(await anna.presses(again, 'Once')).toBe('Allowed once.');
    await world.until('the folder to be gone', () => !world.has('build'));
  });

  it('cannot make jobs, nor can its workers (schedule 15)', async () => {
    world = await World.open({ config: CONFIG });
    const anna = world.person(1, 'Anna');
    anna.says('/jobs add every 10m | every 5 minutes say hi then delegate every 5 minutes say hi');
    await anna.hears(/^Job \w{4} /);
    await world.clock.skip(10 * 60_000 + 1000);
    const { text } = await anna.hears(/the tool schedule is not offered here/);
    expect(text.match(/the tool schedule is not offered here/g)).toHaveLength(2);
    expect(text).toMatch(/Worker: completed/);
    anna.says('/jobs');
    await anna.hears(/^• \w{4} every 5 minutes say hi then .*: every 10 min/);
  });

  it('says what is missing where it cannot run', async () => {
    world = await World.open({ config: `${CONFIG}  model: nowhere:none\n` });
    const anna = world.person(1, 'Anna');
    anna.says('/jobs add every 10m | say hi');
    await anna.hears(/^Job \w{4} /);
    await world.clock.skip(10 * 60_000 + 1000);
    await anna.hears(/failed: blocked_config: the model nowhere:none cannot be used/);
  });

  it('stopped with hermod is told of, and runs again only when somebody says so (schedule 20)', async () => {
    world = await World.open({ config: `${CONFIG}  drain_s: 0\nstop:\n  turns_s: 0\n` });
    const anna = world.person(1, 'Anna');
    anna.says('every 10 minutes run sleep 30; touch ran.txt');
    await anna.hears(/^Job \w{4} /);
    await world.clock.skip(10 * 60_000 + 1000);
    await world.until('the firing', () => world.app.status().jobs?.running === 1);
    await world.stop();
    await world.boot();
    await anna.isAsked(/was stopped with hermod before it was done/);
    expect(world.has('ran.txt')).toBe(false);
  });
});
