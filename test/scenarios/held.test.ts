import { afterEach, describe, expect, it } from 'vitest';
import type { Received, Reply } from '../fakes/model-replies.ts';
import { ModelServer } from '../fakes/model-server.ts';
import { modelSettings } from '../fakes/model-settings.ts';
import { World } from './world.ts';

const FORUM = -100;
const HOUR = 3_600_000;

let world: World;
let model: ModelServer;
afterEach(async () => {
  await world.close();
  await model.stop();
});

const messagesOf = ({ body }: Received) => body.messages as readonly { role: string; content: string }[];
const wordsOf = (request: Received) => messagesOf(request).findLast(({ role }) => role === 'user')?.content ?? '';

/** `work on it` never comes to an end, `clean up` asks to delete the folder build; everything else is answered. */
function reply(request: Received): Reply {
  const words = wordsOf(request);
  if (words.includes('work on it')) return { silent: 'headers' };
  if (words.includes('clean up') && messagesOf(request).at(-1)?.role !== 'tool')
    return { calls: [{ name: 'shell', arguments: { command: 'rm -rf build' } }] };
  return { say: 'Here I am.' };
}

async function open(config = ''): Promise<void> {
  model = await ModelServer.start({ replies: reply });
  const stop = 'stop: { turns_s: 0 }\ncron: { drain_s: 0, stagger_s: 0, timezone: UTC }\n';
  world = await World.open({ config: `${modelSettings(model.url)}${stop}${config}` });
}

/** The model has been asked to work on it so many times in all. */
function atWork(times: number): Promise<unknown> {
  const dispatches = () => model.requests.filter((request) => wordsOf(request).includes('work on it'));
  return world.until(`dispatch ${times}`, () => dispatches().length === times);
}

describe('while interrupted turns are held', () => {
  it.each([
    ['session_loop', 'breaker: { session_limit: 3, global_limit: 5 }\n'],
    ['global_loop', 'breaker: { session_limit: 0, global_limit: 3 }\n'],
  ])('by %s: a press on the card of an approval works, and its turn goes on (gateway 9)', async (rule, config) => {
    await open(config);
    world.write('build/app.js', 'x');
    const [anna, ben] = [world.person(1, 'Anna'), world.person(2, 'Ben')];
    ben.says('clean up');
    await ben.isAsked(/rm -rf build/);
    anna.says('work on it');
    for (let boot = 1; boot <= 3; boot++) {
      await atWork(boot);
      await world.stop();
      await world.boot();
    }
    await anna.isAsked(/have not started it again/);
    expect(world.app.status().life.held).toEqual([rule]);
    expect(await ben.presses(await ben.isAsked(/rm -rf build/), 'Once')).toBe('Allowed once.');
    await ben.hears(/^Here I am\.$/);
    expect(world.has('build/app.js')).toBe(false);
    expect(world.app.status().life.held).toEqual([rule]);
  });
});

describe('five boots in a row that each cut off another session', () => {
  it('jobs wait until this one has settled, and their owner is told; people are answered (gateway 5)', async () => {
    await open();
    world.telegram.group(FORUM, { title: 'Family', forum: true });
    const [anna, ben] = [world.person(1, 'Anna'), world.person(2, 'Ben')];
    const topics = ['Plans', 'Food', 'Travel'].map((name) => world.telegram.topic(FORUM, name));
    const places = [
      () => anna.says('work on it'),
      () => ben.says('work on it'),
      ...topics.map((topic) => () => anna.person.says({ chat: FORUM, topic }, '@hermod_test_bot work on it')),
    ];
    for (const [i, speak] of places.entries()) {
      speak();
      await atWork(i + 1);
      await world.stop();
      // Nobody wants it any more by then: it proves nothing and is not taken up again.
      await world.clock.skip(2 * HOUR);
      await world.boot();
    }
    expect(world.app.status().life).toMatchObject({ streak: 5, settled: false });
    expect(world.app.status().life.held.at(-1)).toBe('global_loop');
    ben.says('hello');
    await ben.hears(/^Here I am\.$/);
    ben.says('/jobs add in 10s | say tick');
    await ben.hears(/^Job \w{4} /);
    const asked = model.requests.length;
    await world.clock.skip(15_000);
    await ben.hears(/^hermod restarted 5 times in a row; your jobs wait until it is stable\.$/);
    expect(model.requests).toHaveLength(asked);
    await world.clock.skip(60_000);
    await world.until('the job', () => model.requests.length === asked + 1);
    expect(world.app.status().life.settled).toBe(true);
  });
});
