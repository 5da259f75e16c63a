import { afterEach, describe, expect, it } from 'vitest';
import type { Received, Reply } from '../fakes/model-replies.ts';
import { ModelServer } from '../fakes/model-server.ts';
import { modelSettings } from '../fakes/model-settings.ts';
import { Survivor } from './survivor.ts';

let survivor: Survivor;
let model: ModelServer | undefined;

afterEach(async () => {
  await survivor.close();
  await model?.stop();
  model = undefined;
});

describe('kill -9 between two steps of a message', () => {
  it('update fetched | inbox committed: the update comes again and is answered once (gateway 20)', async () => {
    survivor = await Survivor.open();
    const daemon = await survivor.boot();
    survivor.telegram.fault('getUpdates', { kind: 'slow', delayMs: 0 });
    survivor.says('say first light');
    await survivor.until('the update to be fetched', () =>
      survivor.telegram.calls.findLast((call) => call.method === 'getUpdates' && call.status === 200),
    );
    await daemon.kill();
    await survivor.boot();
    await survivor.hears(/first light/);
    await settled();
    expect(survivor.count(/first light/)).toBe(1);
  });

  it('inbox committed | model called: asked again after the boot, answered once', async () => {
    let asked = 0;
    model = await ModelServer.start({ replies: () => (asked++ === 0 ? { silent: 'headers' } : { say: 'here I am' }) });
    survivor = await Survivor.open(modelSettings(model.url));
    await survivor.boot();
    survivor.says('are you there?');
    await survivor.until('the model to be asked', () => asked === 1);
    await survivor.kill();
    await survivor.boot();
    await survivor.hears(/here I am/);
    await settled();
    expect(survivor.count(/here I am/)).toBe(1);
    expect(asked).toBe(2);
  });

  it('tool begun | result: never run again; the person is told, and the model reads it with its next request (h49201) (gateway 2)', async () => {
    const command = 'echo started >> runs.txt; sleep 30; echo finished >> runs.txt';
    model = await ModelServer.start({
      replies: [{ calls: [{ name: 'shell', arguments: { command } }] }, { say: 'noted' }],
    });
    survivor = await Survivor.open(modelSettings(model.url));
    await survivor.boot();
    survivor.says('do it');
    await survivor.until('the tool to begin', () => survivor.read('runs.txt') === 'started\n');
    await survivor.kill();
    await survivor.boot();
    await survivor.hears(/outcome is unknown/);
    await survivor.hears(/noted/);
    expect(survivor.read('runs.txt')).toBe('started\n');
    expect(survivor.count(/outcome is unknown/)).toBe(1);
    expect(model.requests).toHaveLength(2);
    const messages = model.requests[1]?.body.messages as readonly { role: string; content: string }[];
    expect(messages.findLast(({ role }) => role === 'tool')?.content).toMatch(/outcome unknown/);
  });

  it('last token | 50 ms, no send has arrived: answered once after the boot, the model is not asked again (gateway 2)', async () => {
    let complete = false;
    const answered = ({ closed }: Received): Reply => {
      void closed.then(() => {
        complete = true;
      });
      return { say: ['the one', ' answer'] };
    };
    model = await ModelServer.start({ replies: answered });
    survivor = await Survivor.open(modelSettings(model.url));
    await survivor.boot();
    const sends = survivor.telegram.fault('sendMessage', { kind: 'hang', times: 9 });
    survivor.says('tell me');
    await survivor.until('the last token', () => complete);
    // The reply is a row long before; a machine under load may be later.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await survivor.until('the reply to be committed', () => survivor.finals() === 1);
    await survivor.kill();
    sends.clear();
    await survivor.boot();
    // Nobody knows whether it arrived: it goes out once more, a while after the boot.
    await survivor.hears(/the one answer/);
    await settled();
    expect(survivor.count(/the one answer/)).toBe(1);
    expect(model.requests).toHaveLength(1);
  });

  it('reply sent | sending recorded: at most one more copy, and that one says so (gateway 21)', async () => {
    survivor = await Survivor.open();
    await survivor.boot();
    survivor.telegram.fault('sendMessage', {
      kind: 'slow',
      delayMs: 60_000,
      when: ({ text }) => String(text).includes('twice shy'),
    });
    survivor.says('say once bitten, twice shy');
    await survivor.hears(/twice shy/);
    await committed();
    await survivor.kill();
    await survivor.boot();
    survivor.says('say after');
    await survivor.hears(/^after/);
    const copies = survivor.seen().filter((message) => /twice shy/.test(message.text));
    expect(copies.length).toBeLessThanOrEqual(2);
    for (const copy of copies.slice(1)) expect(copy.text).toMatch(/may be a repeat/);
  });

  it('a turn runs, four messages wait: four turns follow, in order, each answered once (h28503) (gateway 17)', async () => {
    const asked: string[] = [];
    model = await ModelServer.start({
      replies: ({ body }) => {
        const said = body.messages as readonly { role: string; content: string }[];
        const words = said.findLast(({ role }) => role === 'user')?.content.replace(/^.*\n/, '') ?? '';
        asked.push(words);
        return words === 'one' ? { silent: 'headers' } : { say: `pong ${words}` };
      },
    });
    survivor = await Survivor.open(modelSettings(model.url));
    await survivor.boot();
    survivor.says('one');
    await survivor.until('the first turn', () => asked.length === 1);
    for (const words of ['two', 'three', 'four', 'five']) survivor.says(words);
    await survivor.hears(/^Queued, 4 before it\.$/);
    await survivor.kill();
    await survivor.boot();
    await survivor.hears(/^pong five$/);
    await settled();
    const pongs = survivor.seen().filter(({ text }) => text.startsWith('pong'));
    expect(pongs.map(({ text }) => text)).toEqual(['two', 'three', 'four', 'five'].map((words) => `pong ${words}`));
    expect(asked).toEqual(['one', 'two', 'three', 'four', 'five']);
  });

  it('while a card waits: the press after the boot runs the command of the row, once', async () => {
    survivor = await Survivor.open();
    await survivor.boot();
    survivor.says('run mkdir -p build && echo x > build/a');
    await survivor.until('the folder', () => survivor.read('build/a') === 'x\n');
    survivor.says('delete the folder build');
    const card = await survivor.until('a card', () => survivor.seen().find((message) => message.buttons.length > 0));
    await survivor.kill();
    const anna = survivor.telegram.person(1, 'Anna');
    anna.presses(card, 'Once');
    anna.presses(card, 'Once');
    await survivor.boot();
    await survivor.until('the folder to be gone', () => survivor.read('build/a') === '');
    survivor.says('say done with that');
    await survivor.hears(/done with that/);
    expect(survivor.count(/Already decided|Allowed once/)).toBeGreaterThan(0);
  });
});

/** The daemon's own writes take no longer than this; nothing depends on it but how sharp a test is. */
const committed = () => new Promise((resolve) => setTimeout(resolve, 300));
const settled = committed;
