import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ScriptInput } from '../../src/providers/script-file.ts';
import { ModelServer } from '../fakes/model-server.ts';
import { modelSettings } from '../fakes/model-settings.ts';
import { passes } from '../fakes/passing.ts';
import { World } from './world.ts';

const MIN = 60_000;
const PIECES = ['One small ', 'step for ', 'a person, ', 'one giant ', 'leap for ', 'a gateway.'];
const SCRIPTS: readonly ScriptInput[] = [
  { name: 'poem', prompt: 'a poem', replies: [PIECES.flatMap((say) => [{ say }, { wait: 1_500 }])] },
  { name: 'talk', replies: [[{ say: 'Here I am.' }]], repeat: true },
];

let world: World;
let folder: string | undefined;
afterEach(async () => {
  await world.close();
  if (folder) rmSync(folder, { recursive: true });
  folder = undefined;
});

function scripted(): string {
  folder = mkdtempSync(join(tmpdir(), 'hermod-script-'));
  const script = join(folder, 'script.json');
  writeFileSync(script, JSON.stringify({ scripts: SCRIPTS }));
  return `model:\n  primary: scripted:any\nproviders:\n  scripted: { kind: scripted, script: ${script} }\n`;
}

describe('an answer that streams', () => {
  it('past a limit at its third edit and another at its end is there once, every character (h16668, h8375, h96078, h53449, o78264) (gateway 21)', async () => {
    world = await World.open({ config: scripted() });
    const anna = world.person(1, 'Anna');
    const limits = world.telegram.fault('editMessageText', { kind: 'limit', retryAfter: 3, after: 2, times: 2 });
    anna.says('a poem, please');
    const whole = PIECES.join('');
    await passes(world.clock, () => limits.hits === 2, { what: 'both limits', stepMs: 200 });
    await passes(world.clock, () => anna.sees().some(({ text }) => text === whole), {
      what: 'the whole answer',
      stepMs: 500,
    });
    await world.delivered();
    await world.clock.skip(10 * MIN);
    expect(anna.sees().map(({ text }) => text)).toEqual([whole]);
    expect(limits.hits).toBe(2);
  });
});

describe('an answer whose arrival is not confirmed', () => {
  it('comes once more at most, and says so; the next reply is that of its own turn (h55806) (gateway 21)', async () => {
    world = await World.open();
    const anna = world.person(1, 'Anna');
    anna.says('say zero');
    await anna.hears(/zero$/);
    await world.delivered();
    const lost = world.telegram.fault('sendMessage', { kind: 'reset-after', times: 2 });
    anna.says('say one');
    await world.until('the first copy', () => lost.hits === 1);
    anna.says('say two');
    await passes(world.clock, () => anna.sees().some(({ text }) => /two$/.test(text)), {
      what: 'the next reply',
      stepMs: 5_000,
    });
    await world.delivered();
    await world.clock.skip(60 * MIN);
    const [, ...said] = anna.sees().map(({ text }) => text);
    expect(said.slice(0, 2)).toEqual(['one', '(may be a repeat)\n\none']);
    expect(said.slice(2)).toEqual([expect.stringMatching(/^(?!one).*two$/s)]);
    expect(lost.hits).toBe(2);
  });
});

describe('Telegram down', () => {
  const DOWN = { kind: 'refuse', status: 502, description: 'Bad Gateway', times: 1e9 } as const;
  const errors = () => {
    const { clear } = world.telegram.fault('*', DOWN);
    return async () => clear();
  };
  const nobody = async () => {
    await world.telegram.close();
    return () => world.telegram.listen();
  };

  it.each([
    ['nothing but errors', errors],
    ['nobody there', nobody],
  ])('for ten minutes, %s: the answer arrives once, from the same process (h104799) (gateway 23)', async (_, down) => {
    world = await World.open({ config: scripted() });
    const anna = world.person(1, 'Anna');
    anna.says('a poem, please');
    await world.until('the turn', () => world.app.status().turns.running === 1);
    const mend = await down();
    const since = world.clock.now();
    await passes(world.clock, () => world.clock.now() - since > 10 * MIN, {
      what: 'the end of the ten minutes',
      stepMs: 10_000,
    });
    expect(world.app.status().turns.unfinished).toBe(0);
    expect(anna.sees().some(({ text }) => text.includes(PIECES.join('')))).toBe(false);
    await mend();
    await passes(world.clock, () => anna.sees().some(({ text }) => text.endsWith(PIECES.join(''))), {
      what: 'the answer',
      stepMs: MIN,
    });
    await world.delivered();
    await world.clock.skip(60 * MIN);
    expect(anna.sees().filter(({ text }) => text.includes('One small'))).toHaveLength(1);
    expect(world.inboxRows()).toEqual(['message answered']);
  });

  it('for good: whoever waits is told on the other platform, where it is listed, too (h2910, h46762) (gateway 23)', async () => {
    world = await World.open({ discord: true, config: 'outbox: { max_age_s: 120 }\nstop: { flush_s: 0 }\n' });
    const [ben, mia] = [world.person(2, 'Ben'), world.member(1, 'Mia')];
    mia.says('/sethome');
    await mia.hears(/^Notices of discord/);
    world.telegram.fault('sendMessage', DOWN);
    ben.says('say what nobody hears');
    await passes(world.clock, () => world.app.status().outbox['dead'] === 1, { what: 'the end of it', stepMs: 20_000 });
    await mia.hears(/^An answer of \d\d:\d\d could not be delivered: .*\/status undelivered shows it\.$/);
    mia.says('/status undelivered');
    await mia.hears(/to telegram 2:[\s\S]*what nobody hears/);
    expect(ben.sees()).toEqual([]);
  });
});

describe('a model that never answers', () => {
  it('a note each three minutes, and an end in words; the next message is answered (h72016) (gateway 32)', async () => {
    let silent = true;
    const model = await ModelServer.start({ replies: () => (silent ? { silent: 'headers' } : { say: 'Here I am.' }) });
    try {
      world = await World.open({ config: modelSettings(model.url) });
      const anna = world.person(1, 'Anna');
      anna.says('are you there?');
      await world.until('the model to be asked', () => model.requests.length > 0);
      const notes = new Set<string>();
      const over = () => {
        for (const { text } of anna.sees()) for (const [note] of text.matchAll(/Still working: .*/g)) notes.add(note);
        return world.inboxRows()[0] === 'message answered';
      };
      await passes(world.clock, over, { what: 'an end', stepMs: 10_000 });
      await world.delivered();
      expect(['3 min', '3 min|6 min']).toContain([...notes].map((note) => /\d+ min$/.exec(note)?.[0]).join('|'));
      expect(anna.sees().at(-1)?.text).toMatch(/^(I stopped: |The model )/);
      silent = false;
      anna.says('and now?');
      await anna.hears(/^Here I am\.$/);
    } finally {
      await model.stop();
    }
  });
});
