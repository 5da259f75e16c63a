import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nodeEnv } from '../../scripts/launch/node-options.mjs';

const root = join(import.meta.dirname, '../..');

it('what somebody has set stays as it is', () => {
  const own = { NODE_COMPILE_CACHE: '/somewhere', MALLOC_ARENA_MAX: '4' };
  expect(nodeEnv({ PATH: '/bin', ...own })).toMatchObject({ PATH: '/bin', ...own });
  expect(nodeEnv({ XDG_CACHE_HOME: '/cache' }).NODE_COMPILE_CACHE).toBe('/cache/hermod/compile');
});

it('the unit and the container start Node with the same allocator', () => {
  const allocator = Object.entries(nodeEnv({})).filter(([name]) => name.startsWith('MALLOC'));
  expect(allocator).not.toEqual([]);
  for (const file of ['config/hermod.service', 'Dockerfile'])
    for (const [name, value] of allocator) expect(readFileSync(join(root, file), 'utf8')).toContain(`${name}=${value}`);
});
