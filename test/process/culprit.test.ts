import { describe, expect, it } from 'vitest';
import { culprit } from '../../src/process/culprit.ts';

function thrown(...frames: readonly string[]): Error {
  const error = new TypeError('x is not a function');
  error.stack = ['TypeError: x is not a function', ...frames.map((frame) => `    at ${frame}`)].join('\n');
  return error;
}
const OURS = 'Router.#message (file:///srv/hermod/src/gateway/router.ts:90:3)';
const DISCORD = 'MessageCreate.handle (/srv/hermod/node_modules/discord.js/src/client/actions/MessageCreate.js:11:5)';

describe('whose failure an error nobody caught is', () => {
  it.each<[string, string | undefined, unknown]>([
    ['inside discord.js', 'discord', thrown(DISCORD, OURS)],
    [
      'inside one of its packages',
      'discord',
      thrown('WebSocketShard.x (/a/node_modules/@discordjs/ws/dist/index.js:1:1)'),
    ],
    [
      'inside node, called by discord.js',
      'discord',
      thrown('JSON.parse (<anonymous>)', 'emit (node:events:5:1)', DISCORD),
    ],
    ['inside grammY', 'telegram', thrown('ApiClient.call (file:///a/node_modules/grammy/out/core/client.js:1:1)')],
    ['on Windows', 'discord', thrown('x (C:\\hermod\\node_modules\\discord.js\\src\\a.js:1:1)')],
    ['ours, called by discord.js', undefined, thrown(OURS, DISCORD)],
    ['another library', undefined, thrown('x (/a/node_modules/fastify/lib/reply.js:1:1)', DISCORD)],
    ['without a stack', undefined, 'a string'],
    ['with an empty one', undefined, thrown()],
  ])('%s', (_, platform, error) => {
    expect(culprit(error)).toBe(platform);
  });
});
