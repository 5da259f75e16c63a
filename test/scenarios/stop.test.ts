import { afterEach, expect, it } from 'vitest';
import type { Received, Reply } from '../fakes/model-replies.ts';
import { ModelServer } from '../fakes/model-server.ts';
import { type Someone, World } from './world.ts';

let world: World;
let model: ModelServer;
afterEach(async () => {
  await world.close();
  await model.stop();
});

const wordsOf = ({ body }: Received) =>
  (body.messages as readonly { role: string; content: string }[]).findLast(({ role }) => role === 'user')?.content ??
  '';

async function open(replies: (words: string) => Reply): Promise<void> {
  model = await ModelServer.start({ replies: (request) => replies(wordsOf(request)) });
  world = await World.open({
    config: `model:\n  primary: fake:some-model\nproviders:\n  fake:\n    kind: openai_compatible\n    base_url: ${model.url}\n`,
  });
}

const shell = (command: string): Reply => ({ calls: [{ name: 'shell', arguments: { command } }] });
const running = () => world.until('the turn', () => world.app.status().turns.running === 1);
const nothing = () => world.until('an end', () => world.app.status().turns.unfinished === 0);

/** What was shown of the turn is all that is ever shown of it; the next message gets a real answer. */
async function isOver(anna: Someone): Promise<void> {
  await anna.hears(/^Stopped\./);
  await nothing();
  await world.delivered();
  const seen = anna.sees().map(({ text }) => text);
  const asked = model.requests.length;
  await world.clock.skip(60_000);
  await world.delivered();
  expect(anna.sees().map(({ text }) => text)).toEqual(seen);
  expect(model.requests).toHaveLength(asked);
  anna.says('and now?');
  await anna.hears(/^Here I am\.$/);
}

it.each<[string, Reply, (anna: Someone) => Promise<unknown>]>([
  [
    'a model that never answers',
    { silent: 'headers' },
    () => world.until('the model', () => model.requests.length === 1),
  ],
  ['a tool that never ends', shell('sleep 100'), (anna) => anna.hears(/sleep 100/)],
  ['an approval that waits', shell('rm -rf build'), (anna) => anna.isAsked(/rm -rf build/)],
])(
  '/stop ends %s at once, with no later output of that turn (h31884, o150769) (gateway 31)',
  async (_, reply, there) => {
    await open((words) => (words.includes('and now?') ? { say: 'Here I am.' } : reply));
    const anna = world.person(1, 'Anna');
    anna.says('work on it');
    await running();
    await there(anna);
    anna.says('/stop');
    await isOver(anna);
  },
);
