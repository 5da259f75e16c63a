import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { World } from './world.ts';

let world: World;
afterEach(() => world.close());

const file = () => join(world.home, 'config.yaml');
const change = (from: string | RegExp, to: string) =>
  writeFileSync(file(), readFileSync(file(), 'utf8').replace(from, to));

it('a broken configuration changes nothing and is told once; a good one counts at once, for what runs too (gateway 36)', async () => {
  world = await World.open();
  const [anna, ben] = [world.person(1, 'Anna'), world.person(2, 'Ben')];
  anna.says('/sethome');
  await anna.hears(/^Notices of telegram/);
  const good = readFileSync(file(), 'utf8');
  change('access:', 'acces:');
  for (let i = 0; i < 3; i++)
    expect(world.app.reload()).toEqual({
      ok: false,
      problems: [expect.stringMatching(/unknown key "acces"; did you mean "access"\?/)],
    });
  await anna.hears(/cannot be used; I go on with what I had:\s+.*did you mean/);
  await world.delivered();
  expect(anna.sees().filter(({ text }) => text.includes('cannot be used'))).toHaveLength(1);
  anna.says('/status');
  await anna.hears(/config: not usable, the last good one counts/);
  ben.says('slow 30');
  await world.until('the turn', () => world.app.status().turns.running === 1);

  writeFileSync(file(), good);
  change('allow: ["telegram:2"]', 'allow: []');
  change('port: 0', 'port: 1');
  expect(world.app.reload()).toEqual({ ok: true, applied: ['access.allow'], waiting: ['http.port'] });
  // Who lost access loses the turn as well.
  await world.until('the end of the turn', () => world.app.status().turns.unfinished === 0);
  ben.says('say hello');
  await ben.hears(/I do not know you yet/);
  anna.says('/status');
  await anna.hears(/config: waits for a restart: http\.port/);
});
