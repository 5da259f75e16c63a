import { afterEach, describe, expect, it } from 'vitest';
import { ModelServer } from '../fakes/model-server.ts';
import { modelSettings } from '../fakes/model-settings.ts';
import { type Someone, World } from './world.ts';

let world: World;
let model: ModelServer;
afterEach(async () => {
  await world.close();
  await model.stop();
});

describe.each(['openai_compatible', 'anthropic'])('over a real %s stream', (kind) => {
  it('talks, calls a tool, is asked about a dangerous one and tells the end', async () => {
    model = await ModelServer.start({
      replies: [
        { say: ['Let me ', 'look.'], calls: [{ name: 'shell', arguments: { command: 'ls' } }] },
        { calls: [{ name: 'shell', arguments: { command: 'rm -r build' } }] },
        { say: ['The folder ', 'is gone.'] },
      ],
    });
    const config = `model:\n  primary: fake:some-model\nproviders:\n  fake:\n    kind: ${kind}\n    base_url: ${model.url}\n    api_key_env: FAKE_KEY\n`;
    world = await World.open({ config, secrets: { FAKE_KEY: 'k-123456789' } });
    world.write('build/app.js', 'x');
    const anna = world.person(1, 'Anna');
    anna.says('clean up please');
    const card = await anna.isAsked(/rm -r build/);
    expect(await anna.presses(card, 'Once')).toBe('Allowed once.');
    const answer = await anna.hears(/The folder is gone\./);
    expect(answer.text).toContain('Let me look.');
    expect(world.has('build')).toBe(false);
    expect(model.complaints).toEqual([]);
    expect(JSON.stringify(model.requests[1]?.body)).toContain('build');
    expect(model.requests).toHaveLength(3);
  });

  it('says what is wrong when the key is refused, and stays alive', async () => {
    model = await ModelServer.start({ replies: [], key: 'the right one' });
    const config = `model:\n  primary: fake:some-model\nproviders:\n  fake:\n    kind: ${kind}\n    base_url: ${model.url}\n    api_key_env: FAKE_KEY\n`;
    world = await World.open({ config, secrets: { FAKE_KEY: 'a wrong one' } });
    const anna = world.person(1, 'Anna');
    anna.says('hello');
    await anna.hears(/refused the key.*FAKE_KEY/);
    anna.says('/status');
    await anna.hears(/Nothing is running/);
    expect(world.log.join('')).not.toContain('a wrong one');
  });
});

it('/reasoning counts for its conversation, from the next turn on, and not for others', async () => {
  model = await ModelServer.start({ replies: () => ({ say: 'Here I am.' }) });
  world = await World.open({ config: modelSettings(model.url) });
  const [anna, ben] = [world.person(1, 'Anna'), world.person(2, 'Ben')];
  const effort = async (someone: Someone) => {
    const { length } = someone.sees();
    someone.says('are you there?');
    await world.until('an answer', () => someone.sees().length > length);
    return model.requests.at(-1)?.body.reasoning_effort as string | undefined;
  };
  expect(await effort(anna)).toBeUndefined();
  anna.says('/reasoning on');
  await anna.hears(/^Thinking first: on, from the next turn on\.$/);
  expect([await effort(anna), await effort(ben)]).toEqual(['medium', undefined]);
});
