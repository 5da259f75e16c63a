import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { STORE_TEXT } from '../../src/gateway/store-trouble.ts';
import { Survivor } from './survivor.ts';

let survivor: Survivor;
afterEach(() => survivor.close());

it('a database that cannot be read: people are told once, nothing runs or changes, probes know; repaired, what was written is answered (gateway 27)', async () => {
  survivor = await Survivor.open();
  const path = join(survivor.home, 'hermod.db');
  const garbage = Buffer.alloc(50_000, 'no database ');
  writeFileSync(path, garbage);
  const daemon = survivor.start();
  const url = await daemon.ready();
  survivor.says('say are you well?');
  await survivor.hears(/^I cannot read my database, so I did not keep your message/);
  survivor.says('say and now?');
  const ready = await fetch(new URL('/readyz', url));
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({ reasons: ['store'] });
  expect((await fetch(new URL('/healthz', url))).status).toBe(200);
  daemon.signal('SIGTERM');
  expect(await daemon.exited).toEqual({ code: 0, signal: null });
  expect(survivor.seen().map(({ text }) => text)).toEqual([STORE_TEXT]);
  expect(readFileSync(path)).toEqual(garbage);
  expect(readdirSync(survivor.home).filter((name) => name.startsWith('hermod.db'))).toEqual(['hermod.db']);

  rmSync(path);
  await survivor.boot();
  await survivor.hears(/are you well\?$/);
  await survivor.hears(/and now\?$/);
});
