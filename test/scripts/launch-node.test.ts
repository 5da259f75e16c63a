import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packages, suits } from '../../scripts/launch/node-versions.mjs';
import { Checkout } from './checkout.ts';

describe('which Node will do', () => {
  it.each(['22.18.0', '22.23.2', '23.6.0', '24.0.0', '26.10.0'])('%s strips types', (version) => {
    expect(suits(version)).toBe(true);
  });

  it.each(['14.21.3', '20.20.2', '22.17.1', '23.5.0'])('%s does not', (version) => {
    expect(suits(version)).toBe(false);
  });

  it('pins a version that will do, with a whole sha512, for each system', () => {
    expect(Object.keys(packages)).toEqual(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']);
    for (const { version, integrity } of Object.values(packages)) {
      expect(suits(version)).toBe(true);
      expect(Buffer.from(integrity.replace('sha512-', ''), 'base64')).toHaveLength(64);
    }
  });
});

describe('the files that run before Node is chosen', () => {
  /** Syntax and methods that came after Node 14. */
  const YOUNGER =
    /\?\?=|\|\|=|&&=|\.at\(|\.replaceAll\(|Object\.hasOwn|^await |static \{|structuredClone|\bimport json|with \{ type/m;

  it('use nothing younger than Node 14', () => {
    const folder = join(import.meta.dirname, '../../scripts');
    const files = ['launch.mjs', ...readdirSync(join(folder, 'launch')).map((name) => `launch/${name}`)];
    for (const file of files) expect(readFileSync(join(folder, file), 'utf8'), file).not.toMatch(YOUNGER);
    expect('const a = list.at(-1);').toMatch(YOUNGER);
  });
});

describe('with a Node that is too old', () => {
  let checkout: Checkout;
  let archive: string;

  beforeEach(() => {
    checkout = new Checkout();
    archive = packNode();
    pin(`sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`);
  });
  afterEach(() => checkout.remove());

  /** An archive as npm gives it; its Node is this one, and tells that it was used. */
  function packNode(): string {
    mkdirSync(join(checkout.root, 'package/bin'), { recursive: true });
    const node = checkout.write('package/bin/node', `#!/bin/sh\necho fetched Node\nexec '${process.execPath}' "$@"\n`);
    chmodSync(node, 0o755);
    execFileSync('tar', ['-czf', 'node.tgz', 'package'], { cwd: checkout.root });
    return join(checkout.root, 'node.tgz');
  }

  /** Makes every installed Node unsuitable and names the archive for this system. */
  function pin(integrity: string, system = `${process.platform}-${process.arch}`): void {
    const pinned = { [system]: { name: 'node-test', version: '24.1.0', integrity } };
    checkout.write(
      'scripts/launch/node-versions.mjs',
      `export const suits = () => false;\nexport const wanted = 'Node 24';\nexport const packages = ${JSON.stringify(pinned)};\n`,
    );
  }

  const start = (more: Readonly<Record<string, string>> = {}) =>
    checkout.launch(['start', 'exit', '0'], { FAKE_ARCHIVE: archive, ...more }).ended;
  const cached = () => readdirSync(join(checkout.cache, 'hermod/node'));

  it('fetches the pinned one once, verified, through npm, and keeps it', async () => {
    const first = await start();
    expect(first).toMatchObject({ code: 0, out: 'fetched Node\nstarted start --launched exit 0\n' });
    expect(first.err).toContain('fetching Node 24.1.0 (once, about 50 MB)');
    expect(checkout.npmCalls[0]?.args.slice(0, 2)).toEqual(['pack', 'node-test@24.1.0']);
    expect(cached()).toEqual(['node-test-24.1.0']);
    expect(await start({ FAKE_NPM: 'offline' })).toMatchObject({ code: 0, err: '' });
  });

  it('refuses an archive that was tampered with and leaves nothing of it', async () => {
    writeFileSync(archive, Buffer.concat([readFileSync(archive), Buffer.from([0])]));
    const { code, out, err } = await start();
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('The archive of node-test@24.1.0 is not the one hermod expects (its sha512 differs)');
    expect(cached()).toEqual([]);
    expect(checkout.installs).toEqual([]);
  });

  it('refuses an archive that cannot be unpacked', async () => {
    writeFileSync(archive, 'not an archive');
    pin(`sha512-${createHash('sha512').update('not an archive').digest('base64')}`);
    expect((await start()).err).toContain('the fetched archive could not be unpacked with tar');
    expect(cached()).toEqual([]);
  });

  it('says one sentence without a network', async () => {
    const { code, err } = await start({ FAKE_NPM: 'offline' });
    expect(code).toBe(1);
    expect(err.trim().split('\n').at(-1)).toMatch(
      /^hermod needs Node 24; this is .* cannot be reached .* Install it from .* try again\.$/,
    );
  });

  it('names the version to install where there is no package', async () => {
    pin('sha512-x', 'plan9-mips');
    const { code, err } = await start();
    expect(code).toBe(1);
    expect(err).toMatch(
      /^hermod needs Node 24; this is [\d.]+ and there is no ready one for this system\. Install it .*\n$/,
    );
  });

  it('fetches once when two launchers start together', async () => {
    const [one, two] = await Promise.all([start(), start()]);
    expect([one.code, two.code]).toEqual([0, 0]);
    expect(checkout.npmCalls.filter((call) => call.args[0] === 'pack')).toHaveLength(1);
  });
});
