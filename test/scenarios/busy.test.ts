import { afterEach, describe, expect, it } from 'vitest';
import { type Someone, World } from './world.ts';

let world: World;
let anna: Someone;
afterEach(() => world.close());

async function open(config = ''): Promise<void> {
  world = await World.open({ config });
  anna = world.person(1, 'Anna');
}

const answered = (n: number) =>
  world.until(`${n} messages with an end`, () => world.app.status().inboxOpen === 0 && anna.sees().length >= n);

/** A turn that sleeps for as long as a test needs it. */
async function busy(): Promise<void> {
  anna.says('slow 30');
  await world.until('the turn', () => world.app.status().turns.running === 1);
  await anna.hears(/sleep 30/);
}

describe('a message while a turn runs', () => {
  it('waits in order and says so in one line; four turns follow, also over a restart (h28503) (gateway 17)', async () => {
    await open();
    await busy();
    for (const word of ['uno', 'dos']) anna.says(`say ${word}`);
    await anna.hears(/^Queued, 2 before it\.$/);
    for (const word of ['tres', 'cuatro']) anna.says(`say ${word}`);
    await anna.hears(/^Queued, 4 before it\.$/);
    expect(anna.sees().filter(({ text }) => text.startsWith('Queued'))).toHaveLength(1);
    anna.says('/stop');
    await anna.hears(/^Stopped\. 4 waiting messages go on/);
    await world.stop();
    await world.boot();
    await anna.hears(/cuatro/);
    await answered(4);
    const said = anna.sees().map(({ text }) => text);
    const order = ['uno', 'dos', 'tres', 'cuatro'].map((word) => said.indexOf(word));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order).not.toContain(-1);
  });

  it('steers it with /steer: what had not begun is not run, the words are heard', async () => {
    await open();
    await busy();
    anna.says('/steer say something else');
    await world.until('the words to be stored', () => world.app.status().inboxOpen === 2);
    anna.says('/stop');
    await anna.hears(/something else/);
    await world.until('an end of everything', () => world.app.status().inboxOpen === 0);
  });

  it('interrupts it where that is the mode of the chat', async () => {
    await open();
    anna.says('/verbose busy interrupt');
    await anna.hears(/interrupt/);
    await busy();
    anna.says('say now');
    await anna.hears(/^Interrupted; your new message comes next\.$|Interrupted; your new message comes next\.$/);
    await anna.hears(/^now$/);
    expect(anna.sees().some(({ text }) => text.startsWith('Queued'))).toBe(false);
  });
});

describe('a clock that is put back by an hour', () => {
  it('leaves nobody waiting for it: what came before and after is answered, in order, as if nothing were', async () => {
    await open();
    await busy();
    anna.says('say uno');
    await anna.hears(/^Queued, 1 before it\.$/);
    world.clock.putBack(3_600_000);
    anna.says('say dos');
    await anna.hears(/^Queued, 2 before it\.$/);
    anna.says('/stop');
    await anna.hears(/^uno$/);
    await anna.hears(/^dos$/);
    await world.until('an end of everything', () => world.app.status().inboxOpen === 0);
  });
});

describe('a paste of 9,000 characters', () => {
  it('is one turn with every character (gateway 29)', async () => {
    await open();
    const text = `count ${'x'.repeat(8_994)}`;
    for (const piece of [text.slice(0, 4096), text.slice(4096, 8192), text.slice(8192)]) anna.says(piece);
    await world.until('an end of everything', () => world.app.status().inboxOpen === 0 && anna.sees().length > 0);
    const [row] = await world.transcript();
    expect(row?.includes(text)).toBe(true);
    expect(await world.transcript()).toHaveLength(2);
  });
});

describe('what belongs together', () => {
  /** How many turns there were, once all has ended. */
  async function turns(messages: number): Promise<number> {
    await world.until('all of it', () => world.inboxRows().length === messages);
    await world.clock.skip(3_000);
    const ended = () => world.inboxRows().filter((row) => row === 'message answered').length === messages;
    await world.until('an end of everything', ended);
    return (await world.transcript()).length / 2;
  }
  const photo = { kind: 'photo', name: 'p.jpg', mime: 'image/jpeg' } as const;

  it('an album is one turn with its caption (gateway 29)', async () => {
    await open();
    anna.person.sendsFile('dm', 'x', { ...photo, album: 'a1', caption: 'say what is on these' });
    for (let i = 0; i < 3; i++) anna.person.sendsFile('dm', 'x', { ...photo, album: 'a1' });
    expect(await turns(4)).toBe(1);
  });

  it('a text after a photo is one turn with it (gateway 29)', async () => {
    await open();
    anna.person.sendsFile('dm', 'x', photo);
    anna.says('say what is on this');
    expect(await turns(2)).toBe(1);
  });

  it('two people in one place are two turns, also with the pieces of two pastes (gateway 29)', async () => {
    await open('sessions: { group_per_actor: false }\ngroups: { mention: off }\n');
    world.telegram.group(-100, { title: 'Family' });
    const ben = world.person(2, 'Ben');
    for (const someone of [anna, ben]) {
      someone.says(`say ${'x'.repeat(4_092)}`, -100);
      someone.says('the rest', -100);
    }
    expect(await turns(4)).toBe(2);
    expect(await world.sessions()).toBe(1);
  });
});

describe('what was written while hermod was down for hours', () => {
  it('is asked about once, and answered when the person wants it (gateway 19)', async () => {
    await open();
    await world.stop();
    for (const word of ['uno', 'dos', 'tres']) anna.says(`say ${word}`);
    await world.clock.skip(9 * 3_600_000);
    await world.boot();
    const card = await anna.isAsked(/^You wrote 3 messages 9 h ago while I was down\. Answer them now\?/);
    expect(await anna.presses(card, 'Answer')).toBe('I answer now.');
    await anna.hears(/^tres$/);
    await world.until('an end of everything', () => world.app.status().inboxOpen === 0);
    expect(anna.sees().filter(({ buttons }) => buttons.length > 0)).toEqual([]);
  });
});
