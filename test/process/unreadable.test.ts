import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { STORE_TEXT } from '../../src/gateway/store-trouble.ts';
import { processEnv } from './daemon-process.ts';
import { Survivor } from './survivor.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

let survivor: Survivor;
afterEach(() => survivor.close());

/** What the text that people read tells the operator to run. */
async function doctor(home: string): Promise<{ readonly code: number | null; readonly out: string }> {
  const child = spawn(process.execPath, [MAIN, 'doctor'], {
    env: processEnv(home),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out })));
}

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
  const told = await doctor(survivor.home);
  expect(told.code).toBe(3);
  expect(told.out).toMatch(
    /^bad +database +hermod\.db cannot be read: file is not a database\. Stop hermod and put a backup/m,
  );
  expect(told.out).toMatch(/^bad +daemon +hermod runs and is not ready: store\./m);
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
