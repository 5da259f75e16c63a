import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { World } from './world.ts';

const GROUP = -100;

let world: World;
afterEach(() => world.close());

/** A card that asks to delete the folder `build`. */
async function askedToDelete() {
  world = await World.open();
  world.write('build/app.js', 'x');
  const anna = world.person(1, 'Anna');
  anna.says('delete the folder build');
  const card = await anna.isAsked(/rm -r -- 'build'/);
  return { anna, card };
}

const settled = () => world.until('the turn to end', () => world.app.status().turns.unfinished === 0);

describe('a message', () => {
  it('is answered in one bubble that grows', async () => {
    world = await World.open();
    const anna = world.person(1, 'Anna');
    anna.says('stream 120 words');
    await settled();
    await anna.hears(/120/);
    const edits = world.telegram.callsOf('editMessageText');
    expect(edits.length).toBeGreaterThan(1);
    expect(anna.sees()).toHaveLength(1);
  });

  it('of a stranger gets a code, and nothing of it is kept; with a yes in the home chat they are in (gateway 34)', async () => {
    world = await World.open();
    const [anna, eve] = [world.person(1, 'Anna'), world.person(66, 'Eve')];
    anna.says('/sethome');
    await anna.hears(/^Notices of telegram come here/);
    eve.says('the word is swordfish');
    eve.says('again');
    const { text } = await eve.hears(/Give this code to the owner: .*\(valid 1 h\)/);
    expect(eve.sees()).toHaveLength(1);
    const card = await anna.isAsked(/^Eve \(telegram:66\) wants to talk to me/);
    const code = /[A-Z2-9]{4}-[A-Z2-9]{4}/.exec(text)?.[0] as string;
    await world.delivered();
    for (const file of ['hermod.db', 'hermod.db-wal', 'logs/hermod.jsonl']) {
      expect(readFileSync(join(world.home, file), 'latin1')).not.toContain('swordfish');
    }
    expect(readFileSync(join(world.home, 'logs/hermod.jsonl'), 'latin1')).not.toContain(code);
    expect(await anna.presses(card, 'Approve')).toMatch(/may talk to me now/);
    await eve.hears(/^You are in/);
    eve.says('say hello Eve');
    await eve.hears(/hello Eve$/);
  });

  it('in a group is heard only when it is for the bot', async () => {
    world = await World.open();
    world.telegram.group(GROUP, { title: 'Family' });
    const anna = world.person(1, 'Anna');
    anna.says('say not for you', GROUP);
    anna.says('@hermod_test_bot say for you', GROUP);
    await anna.hears(/for you/, GROUP);
    expect(anna.sees(GROUP).every((message) => !message.text.includes('not for you'))).toBe(true);
  });

  it('with a command is answered beside a running turn', async () => {
    world = await World.open();
    const anna = world.person(1, 'Anna');
    anna.says('slow 30');
    await world.until('the turn', () => world.app.status().turns.running === 1);
    anna.says('/status');
    await anna.hears(/has been running/);
    anna.says('/stop');
    await anna.hears(/^Stopped\./);
    await settled();
    anna.says('/stats');
    await anna.hears(/Did you mean \/status\?/);
  });
});

describe('a dangerous command', () => {
  it('runs once for Once, also when it is pressed twice at once', async () => {
    world = await World.open();
    const anna = world.person(1, 'Anna');
    world.write('build/app.js', 'x');
    anna.says('run rm -r build && echo ran >> count.txt');
    const card = await anna.isAsked(/rm -r build/);
    const [first, second] = await Promise.all([anna.presses(card, 'Once'), anna.presses(card, 'Once')]);
    expect([first, second].filter((text) => text === 'Allowed once.')).toHaveLength(1);
    expect([first, second].filter((text) => /Already decided by you|Already decided by Anna/.test(text))).toHaveLength(
      1,
    );
    await settled();
    expect(readFileSync(join(world.workspace, 'count.txt'), 'utf8')).toBe('ran\n');
    expect(world.has('build')).toBe(false);
  });

  it('does not run for Deny, and the card says who decided', async () => {
    const { anna, card } = await askedToDelete();
    expect(await anna.presses(card, 'Deny')).toMatch(/Denied/);
    await anna.hears(/^Denied by Anna/);
    await settled();
    expect(world.has('build/app.js')).toBe(true);
    expect(anna.sees().every((message) => message.buttons.length === 0)).toBe(true);
  });

  it('cannot be allowed by a stranger, nor by another member', async () => {
    world = await World.open();
    world.write('build/app.js', 'x');
    world.telegram.group(GROUP, { title: 'Family' });
    const [ben, cleo, eve] = [world.person(2, 'Ben'), world.person(3, 'Cleo'), world.person(66, 'Eve')];
    ben.says('@hermod_test_bot delete the folder build', GROUP);
    const card = await ben.isAsked(/rm -r/, GROUP);
    for (const other of [cleo, eve])
      expect(await other.presses(card, 'Once')).toMatch(/Only Ben or an approver can answer this/);
    expect(world.has('build/app.js')).toBe(true);
    await ben.presses(card, 'Once');
    await world.until('the folder to be gone', () => !world.has('build'));
  });

  it('is not run when nobody answers in time; a later press explains itself', async () => {
    const { anna, card } = await askedToDelete();
    await world.clock.skip(1_801_000);
    await anna.hears(/^Expired/);
    await settled();
    const press = world.telegram.person(1).pressesData(card, dataOf(card.id));
    const text = await world.until('an answer', () => press.answer);
    expect(text).toMatch(/expired at .*nothing was run/);
    expect(world.has('build/app.js')).toBe(true);
  });

  it('ends with /stop: the card says so and nothing runs', async () => {
    const { anna } = await askedToDelete();
    anna.says('/stop');
    await anna.hears(/^Stopped\. Not run\./);
    await settled();
    expect(world.has('build/app.js')).toBe(true);
  });

  it('is answered by word and by command too', async () => {
    const { anna } = await askedToDelete();
    anna.says('/deny because I say so');
    await anna.hears(/^Denied by Anna.*because I say so/);
    await settled();
    anna.says('delete the folder build');
    await anna.isAsked(/rm -r/);
    await world.delivered();
    await world.clock.skip(2_000);
    anna.says('yes');
    await world.until('the folder to be gone', () => !world.has('build'));
  });
});

/** The data behind the first button of a message the bot sent, as it was when it was sent. */
function dataOf(messageId: number): string {
  const sent = world.telegram.calls.filter((call) => call.method === 'sendMessage' && call.payload['reply_markup']);
  const markup = sent.at(-1)?.payload['reply_markup'];
  const { inline_keyboard } = (typeof markup === 'string' ? JSON.parse(markup) : markup) as {
    inline_keyboard: { callback_data: string }[][];
  };
  expect(messageId).toBeGreaterThan(0);
  return inline_keyboard[0]?.[0]?.callback_data ?? '';
}
