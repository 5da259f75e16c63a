import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HermodError } from '../../src/contract/errors.ts';
import { takeLock } from '../../src/store/lock.ts';
import { FakeClock } from '../fakes/fake-clock.ts';

let dir: string;
let path: string;
let clock: FakeClock;
let child: ChildProcess | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hermod-lock-'));
  path = join(dir, 'hermod.lock');
  clock = new FakeClock();
});
afterEach(() => {
  child?.kill('SIGKILL');
  child = undefined;
  rmSync(dir, { recursive: true, force: true });
});

const HOLDER = `
  import { takeLock } from ${JSON.stringify(new URL('../../src/store/lock.ts', import.meta.url).href)};
  import { systemClock } from ${JSON.stringify(new URL('../../src/context/system-clock.ts', import.meta.url).href)};
  const lock = await takeLock(process.argv[1], 'home', systemClock, () => '');
  process.send('held');
  process.on('message', () => { lock.release(); process.send('free'); });
`;

/** Another process that has the lock by the time this resolves. */
async function holder(): Promise<ChildProcess> {
  const args = ['--input-type=module', '--eval', HOLDER, path];
  child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(child, 'message');
  return child;
}

const take = (holderText = () => '') => takeLock(path, '/srv/hermod', clock, holderText);

/** Takes the lock without any waiting, or fails. */
async function takeAtOnce() {
  const before = clock.now();
  const lock = await take();
  expect(clock.now()).toBe(before);
  return lock;
}

describe('the lock', () => {
  it('refuses a second process in words, after 2 s', async () => {
    await holder();
    const text = () => ' (pid 4121, since 14:02)';
    const refused = take(text).catch((error: unknown) => error);
    await clock.skip(1_900);
    expect(clock.armed).toBe(1);
    await clock.skip(100);
    const error = await refused;
    expect(error).toBeInstanceOf(HermodError);
    expect(error).toMatchObject({
      fault: 'operator',
      message: 'hermod is already running for /srv/hermod (pid 4121, since 14:02). hermod stop ends it.',
    });
  });

  it('is free right after the holder was killed, whatever files are left (gateway 11)', async () => {
    const process = await holder();
    process.kill('SIGKILL');
    await once(process, 'exit');
    expect(existsSync(path)).toBe(true);
    (await takeAtOnce()).release();
  });

  it('is taken as soon as the holder lets go', async () => {
    const process = await holder();
    const taken = take();
    await clock.skip(500);
    process.send('release');
    await once(process, 'message');
    await clock.skip(100);
    (await taken).release();
  });

  it('is held against this very process too, and free after its release', async () => {
    const first = await takeAtOnce();
    const second = take().catch((error: unknown) => error);
    await clock.skip(2_000);
    expect(await second).toBeInstanceOf(HermodError);
    first.release();
    first.release();
    (await takeAtOnce()).release();
  });

  it('that cannot be made says so', async () => {
    path = join(dir, 'nowhere', 'hermod.lock');
    const error = await take().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(HermodError);
    expect((error as HermodError).message).toContain(`I cannot use ${path}: `);
  });

  it('leaves nothing behind but its own small file', async () => {
    (await takeAtOnce()).release();
    expect(statSync(path).size).toBe(0);
    expect(existsSync(`${path}-journal`)).toBe(false);
  });
});
