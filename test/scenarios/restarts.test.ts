import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ScriptInput } from '../../src/providers/script-file.ts';
import { type Someone, World } from './world.ts';

/** A model that never comes to an end of `work on it`, and answers everything else. */
const SCRIPTS: readonly ScriptInput[] = [
  { name: 'work', prompt: 'work on it', replies: [[{ hang: true }]], repeat: true },
  { name: 'talk', replies: [[{ say: 'Here I am.' }]], repeat: true },
];

let folder: string;
let world: World;
let anna: Someone;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hermod-script-'));
  const script = join(folder, 'script.json');
  writeFileSync(script, JSON.stringify({ scripts: SCRIPTS }));
  world = await World.open({
    config: `model:
  primary: scripted:any
providers:
  scripted: { kind: scripted, script: ${script} }
stop: { turns_s: 0 }
cron: { drain_s: 0 }
`,
  });
  anna = world.person(1, 'Anna');
});

afterEach(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

const running = () => world.until('a turn to run', () => world.app.status().turns.running === 1);

/** Anna’s work is cut off by the ends of so many boots; then there is one more. */
async function interrupted(times: number): Promise<void> {
  anna.says('work on it');
  for (let i = 0; i < times; i++) {
    await running();
    await world.stop();
    await world.boot();
  }
}

const HELD =
  /^I was interrupted 3 times while working on "work on it" \(last \d\d:\d\d, SIGTERM\)\. I have not started it again\.$/;

describe('a turn that a restart cuts off', () => {
  it('goes on by itself, and its person is told, in one message', async () => {
    await interrupted(1);
    await anna.hears(/^Resumed after a restart\.$/);
    await running();
    expect(anna.sees()).toHaveLength(1);
  });

  it('three times in a row: then it asks once, whatever follows (gateway 3) (gateway 9)', async () => {
    await interrupted(3);
    await anna.isAsked(HELD);
    for (let i = 0; i < 20; i++) {
      await world.stop();
      await world.boot();
    }
    await world.delivered();
    expect(anna.sees().filter(({ text }) => HELD.test(text))).toHaveLength(1);
    expect(world.app.status()).toMatchObject({
      turns: { running: 0, unfinished: 1 },
      life: { held: ['session_loop'] },
    });
    anna.says('/status');
    await anna.hears(/An interrupted turn is held \(session_loop\)/);
  });

  it('Continue: it goes on; cut off twice more it has been tried too often, and asks again (gateway 9)', async () => {
    await interrupted(3);
    const card = await anna.isAsked(HELD);
    expect(await anna.presses(card, 'Continue')).toBe('Going on.');
    await anna.hears(/^Going on with it \(Continue, Anna\)\.$/);
    for (let i = 0; i < 2; i++) {
      await running();
      await world.stop();
      await world.boot();
    }
    const again = await anna.isAsked(/^I was interrupted 5 times .* I have tried it too often\.$/);
    expect(again.id).not.toBe(card.id);
    expect(await anna.presses(again, 'Keep waiting')).toMatch(/^It waits/);
  });

  it('Start fresh: a new conversation (gateway 9)', async () => {
    await interrupted(3);
    const card = await anna.isAsked(HELD);
    expect(await anna.presses(card, 'Start fresh')).toBe('New session. Ended: 1 interrupted turn.');
    await anna.hears(/^Not taken up again: a new session begins \(Start fresh, Anna\)\.$/);
    anna.says('hello');
    await anna.hears(/Here I am/);
    expect(world.app.status().turns.unfinished).toBe(0);
  });

  it('a plain message is the next turn; the card is over (gateway 9)', async () => {
    await interrupted(3);
    await anna.isAsked(HELD);
    anna.says('never mind');
    await anna.hears(/Here I am/);
    await anna.hears(/^Not taken up again: your next message came\.$/);
  });

  it('somebody else’s press does nothing (gateway 9)', async () => {
    await interrupted(3);
    const card = await anna.isAsked(HELD);
    const eve = world.person(3, 'Eve');
    expect(await eve.presses(card, 'Continue')).toMatch(/^Only who asked for this/);
    expect(world.app.status().life.held).toEqual(['session_loop']);
  });
});

describe('what is written while hermod is down', () => {
  async function whileDown(written: string): Promise<void> {
    anna.says('work on it');
    await running();
    await world.stop();
    anna.says(written);
    await world.boot();
  }

  it('/stop is obeyed: nothing is taken up again (gateway 9)', async () => {
    await whileDown('/stop');
    await anna.hears(/^Stopped\./);
    await world.delivered();
    expect(world.app.status().turns).toEqual({ running: 0, unfinished: 0 });
  });

  it('"never mind, do X" is what is done instead (gateway 9)', async () => {
    await whileDown('never mind, say something');
    await anna.hears(/Here I am/);
    await world.delivered();
    expect(world.app.status().turns).toEqual({ running: 0, unfinished: 0 });
  });
});

describe('a turn of somebody who was let in and is so no more', () => {
  it('is abandoned at the boot, and not a word of it is said (gateway 9)', async () => {
    anna.says('/sethome');
    await anna.hears(/^Notices of telegram come here/);
    const eve = world.person(66, 'Eve');
    eve.says('hello');
    await anna.presses(await anna.isAsked(/^Eve \(telegram:66\) wants to talk to me/), 'Approve');
    await eve.hears(/^You are in/);
    eve.says('work on it');
    await running();
    await world.stop();
    world.sql("DELETE FROM people WHERE person = 'telegram:66'");
    await world.boot();
    await world.delivered();
    expect(world.app.status().turns).toEqual({ running: 0, unfinished: 0 });
    expect(world.inboxRows().at(-1)).toBe('message refused');
    expect(eve.sees().some(({ text }) => /Resumed|work on it/.test(text))).toBe(false);
  });
});

describe('a conversation that /new ended in the middle of its work', () => {
  it('stays ended over restarts, and the new one stays the new one (h54878, h52804) (gateway 18)', async () => {
    anna.says('work on it');
    await running();
    anna.says('/new');
    await anna.hears(/^New session\. Ended: 1 running turn\.$/);
    anna.says('hello');
    await anna.hears(/Here I am/);
    for (let i = 0; i < 2; i++) {
      await world.stop();
      await world.boot();
      anna.says(`hello ${i}`);
      await world.until('an answer', () => anna.sees().filter(({ text }) => text === 'Here I am.').length === i + 2);
    }
    await world.delivered();
    expect(await world.sessions()).toBe(2);
    expect(world.app.status().turns).toEqual({ running: 0, unfinished: 0 });
    expect((await world.transcript()).filter((text) => text.endsWith('work on it'))).toHaveLength(1);
  });
});

describe.each([
  ['boots', "UPDATE boots SET how = 'exploded'"],
  ['attempts', "PRAGMA ignore_check_constraints = ON; UPDATE attempts SET kind = 'wild'"],
])('a journal whose %s cannot be read', (what, spoil) => {
  it('holds what was unfinished, once, and says why; people are answered as ever (gateway 8)', async () => {
    anna.says('work on it');
    await running();
    await world.stop();
    world.sql(spoil);
    await world.boot();
    await anna.isAsked(/my record of restarts cannot be read/);
    const { ready, life } = world.app.status();
    expect({ ready, life }).toMatchObject({ ready: true, life: { held: ['state_unreadable'] } });
    if (what === 'boots') expect(life.streak).toBeNull();
    anna.says('/status');
    const { text } = await anna.hears(/An interrupted turn is held \(state_unreadable\)/);
    if (what === 'boots') expect(text).toContain('breaker: the journal of boots cannot be read');
    await world.stop();
    await world.boot();
    const bob = world.person(2, 'Bob');
    bob.says('hello');
    await bob.hears(/Here I am/);
    await world.delivered();
    expect(anna.sees().filter(({ buttons, text }) => buttons.length > 0 && /cannot be read/.test(text))).toHaveLength(
      1,
    );
  });
});
