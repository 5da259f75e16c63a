import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Checkout } from './checkout.ts';

let checkout: Checkout;
beforeEach(() => {
  checkout = new Checkout();
});
afterEach(() => checkout.remove());

const start = (more: Readonly<Record<string, string>> = {}) => checkout.launch(['start', 'exit', '0'], more).ended;

describe('installing packages', () => {
  it('installs once without development tools and scripts, then never calls npm again', async () => {
    expect(await start()).toMatchObject({
      code: 0,
      out: 'started start --launched exit 0\n',
      err: 'Installing packages.\n',
    });
    expect(checkout.installs).toHaveLength(1);
    expect(checkout.installs[0]).toEqual(expect.arrayContaining(['--omit=dev', '--ignore-scripts']));
    const calls = checkout.npmCalls.length;
    expect(await start({ FAKE_NPM: 'offline' })).toMatchObject({ code: 0, err: '' });
    expect(checkout.npmCalls).toHaveLength(calls);
  });

  it('gives npm the chosen Node first', async () => {
    await start();
    expect(checkout.npmCalls.map((call) => call.path)).toEqual([dirname(process.execPath), dirname(process.execPath)]);
  });

  it('installs again when the lock file changed', async () => {
    await start();
    checkout.write('package-lock.json', '{"lockfileVersion": 3, "packages": {}}');
    await start();
    expect(checkout.installs).toHaveLength(2);
  });

  it('adds development tools for a test run; those satisfy a start', async () => {
    checkout.write('scripts/test.ts', '');
    await start();
    await checkout.launch(['test']).ended;
    expect(checkout.installs[1]).not.toContain('--omit=dev');
    await start();
    expect(checkout.installs).toHaveLength(2);
  });

  it('installs again after an install that broke, and over a stamp that cannot be read', async () => {
    await start();
    writeFileSync(join(checkout.root, 'node_modules/.hermod-stamp'), 'torn');
    expect(await start({ FAKE_NPM: 'broken' })).toMatchObject({ code: 1 });
    expect(await start()).toMatchObject({ code: 0 });
    expect(checkout.installs).toHaveLength(3);
  });

  it('shows the last 20 lines of npm and one next step', async () => {
    const { code, out, err } = await start({ FAKE_NPM: 'broken' });
    const lines = err.trim().split('\n').slice(1);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(lines.slice(0, -1)).toEqual(Array.from({ length: 20 }, (_, i) => `npm error line ${i + 20}`));
    expect(lines.at(-1)).toMatch(/^npm could not install the packages .* run the same command again\.$/);
  });

  it('says one sentence without a network', async () => {
    const { code, err } = await start({ FAKE_NPM: 'offline' });
    expect(code).toBe(1);
    expect(err).toBe(
      'Installing packages.\nhermod could not install its packages: the npm registry cannot be reached. Connect to the network and try again.\n',
    );
  });

  it('refuses an npm that cannot read the lock file', async () => {
    expect((await start({ FAKE_NPM: 'old' })).err).toContain('npm 6 is too old to install hermod; install Node 24');
    expect(checkout.installs).toEqual([]);
  });
});

describe('two launchers at once', () => {
  const go = () => join(checkout.root, 'go');

  it('installs once; the second waits aloud and then starts', async () => {
    const slow = { FAKE_NPM: 'slow', FAKE_NPM_GO: go() };
    const first = checkout.launch(['start', 'exit', '0'], slow);
    await first.until(/Installing/);
    const second = checkout.launch(['start', 'exit', '0'], slow);
    const [, holder] = await second.until(
      /Another hermod launcher \(pid (\d+)\) is installing packages here; waiting for it/,
    );
    expect(Number(holder)).toBe(first.child.pid);
    writeFileSync(go(), '');
    expect(await first.ended).toMatchObject({ code: 0 });
    expect(await second.ended).toMatchObject({ code: 0, out: 'started start --launched exit 0\n' });
    expect(checkout.installs).toHaveLength(1);
  });

  it('takes over from a launcher that was killed', async () => {
    const dead = checkout.launch(['start', 'exit', '0'], { FAKE_NPM: 'slow', FAKE_NPM_GO: go() });
    await dead.until(/Installing/);
    dead.child.kill('SIGKILL');
    writeFileSync(go(), '');
    await dead.ended;
    expect(await start()).toMatchObject({ code: 0, err: 'Installing packages.\n' });
  });

  it('leaves no lock and no npm behind when a signal ends the install', async () => {
    const first = checkout.launch(['start', 'exit', '0'], { FAKE_NPM: 'slow', FAKE_NPM_GO: go() });
    await first.until(/Installing/);
    first.child.kill('SIGTERM');
    expect(await first.ended).toMatchObject({ signal: 'SIGTERM', out: '' });
    expect(await start()).toMatchObject({ code: 0, err: 'Installing packages.\n' });
  });
});
