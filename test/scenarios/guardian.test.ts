import { afterEach, describe, expect, it } from 'vitest';
import type { Reply } from '../fakes/model-replies.ts';
import { ModelServer } from '../fakes/model-server.ts';
import { World } from './world.ts';

let world: World;
let model: ModelServer;
afterEach(async () => {
  await world.close();
  await model.stop();
});

/** Anna asks for a clean-up; the agent's model calls `rm -r build` once, and the guardian says what it says about it. */
async function cleanUp(guardian: Reply, more = '') {
  const agent: Reply[] = [
    { calls: [{ name: 'shell', arguments: { command: 'rm -r build' } }] },
    { say: 'That is how it went.' },
  ];
  model = await ModelServer.start({
    replies: ({ body }) => (body.model === 'judge' ? guardian : (agent.shift() ?? { say: 'nothing more' })),
  });
  const config = `model:\n  primary: fake:some-model\nproviders:\n  fake:\n    kind: openai_compatible\n    base_url: ${model.url}\napprovals:\n  mode: smart\n  guardian:\n    model: fake:judge\n${more}`;
  world = await World.open({ config });
  world.write('build/app.js', 'x');
  const anna = world.person(1, 'Anna');
  anna.says('clean up please');
  return anna;
}

const judged = () => model.requests.filter(({ body }) => body.model === 'judge');
const DONE = /That is how it went/;

describe('a guardian model', () => {
  it('lets what is plainly harmless run without a card; it is asked with the command as data, and without tools', async () => {
    const anna = await cleanUp({ say: 'APPROVE' }, '    policy: build folders may go\n');
    await anna.hears(DONE);
    expect(world.has('build')).toBe(false);
    expect(anna.sees().every(({ buttons }) => buttons.length === 0)).toBe(true);
    expect(judged()).toHaveLength(1);
    const [{ body }] = judged() as [(typeof model.requests)[0]];
    expect(body).toMatchObject({ temperature: 0, max_tokens: 16 });
    expect(body.tools).toBeUndefined();
    const text = JSON.stringify(body.messages);
    for (const part of ['<command>', 'rm -r build', 'fs.delete', 'build folders may go']) expect(text).toContain(part);
  });

  it('advises against: the person is asked, once, and told', async () => {
    const anna = await cleanUp({ say: 'DENY' });
    const card = await anna.isAsked(/rm -r build/);
    expect(card.text).toMatch(/guardian advises against/i);
    expect(card.buttons.flat()).toEqual(['Once', 'Deny']);
    await anna.presses(card, 'Deny');
    await anna.hears(DONE);
    expect(world.has('build/app.js')).toBe(true);
  });

  it.each([
    ['escalates', { say: 'ESCALATE' }],
    ['talks instead', { say: 'I would APPROVE this.' }],
    ['refuses the key', { status: 401, body: { error: { message: 'no' } } }],
  ] as [string, Reply][])('%s: an ordinary card', async (_, reply) => {
    const anna = await cleanUp(reply);
    const card = await anna.isAsked(/rm -r build/);
    expect(card.text).not.toMatch(/guardian/i);
    await anna.presses(card, 'Once');
    await anna.hears(DONE);
    expect(world.has('build')).toBe(false);
  });
});
