import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { start } from '../../src/daemon.ts';
import type { Host } from '../../src/host.ts';
import { homeTrouble } from '../../src/process/home-trouble.ts';
import { newHome } from './daemon-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'hermod-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'file');
writeFileSync(file, '');

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
const coded = (code: string, more: object = {}) =>
  Object.assign(new Error(`${code}: ${code} text, open`), { code, ...more });

describe('a file or folder of the home that cannot be used', () => {
  it.each<[string, () => unknown, string]>([
    [
      'a file where a folder belongs',
      () => mkdirSync(file, { recursive: true }),
      `I cannot use ${file}: file already exists.`,
    ],
    [
      'a folder below a file',
      () => openSync(join(file, 'log'), 'a'),
      `I cannot use ${join(file, 'log')}: not a directory.`,
    ],
    [
      'a folder where a file belongs',
      () => openSync(folder, 'a'),
      `I cannot use ${folder}: illegal operation on a directory.`,
    ],
  ])('%s', (_, work, said) => {
    const trouble = homeTrouble(thrownBy(work));
    expect(trouble?.message).toBe(
      `${said} Check what stands there, and that it and the folder around it belong to the user who starts hermod.`,
    );
    expect(trouble?.fault).toBe('operator');
  });

  it.each(['EACCES', 'EPERM', 'EROFS'])('somebody else’s: %s', (code) => {
    expect(homeTrouble(coded(code, { syscall: 'open', path: '/srv/h' }))?.message).toMatch(/^I cannot use \/srv\/h: /);
  });

  it.each(['ENOSPC', 'EDQUOT'])('a full disk may have room at the next start: %s', (code) => {
    const trouble = homeTrouble(coded(code, { syscall: 'write' }));
    expect(trouble?.message).toBe(
      'I cannot write a file of my home: the disk is full. Make room, then start hermod again.',
    );
    expect(trouble?.fault).not.toBe('operator');
  });

  it.each<[string, unknown]>([
    ['a program that is not there', spawnSync('/nonexistent/program').error],
    ['a port that is somebody’s', coded('EACCES', { syscall: 'listen', port: 80 })],
    ['a bug', thrownBy(() => (undefined as unknown as { x: 1 }).x)],
    ['no error', 'EACCES'],
  ])('is not %s', (_, error) => {
    expect(homeTrouble(error)).toBeUndefined();
  });
});

describe('a start on such a home', () => {
  it.each(['run', 'hermod.lock'])('says so in one sentence, and ends with 78: %s', async (name) => {
    const home = newHome('access: { admins: ["telegram:1"] }\n');
    if (name === 'run') writeFileSync(join(home, name), '');
    else writeFileSync(join(home, name), Buffer.alloc(5_000, 'garbage '));
    const said: string[] = [];
    const host = {
      env: { HERMOD_HOME: home },
      args: ['start'],
      pid: 700,
      parentPid: 7,
      stdin: {},
      err: { write: (text: string) => said.push(text) > 0 },
      onSignal: () => {},
      onCrash: () => {},
    } as unknown as Host;
    expect(await start(host, [])).toBe(78);
    expect(said).toEqual([expect.stringMatching(new RegExp(`^I cannot use ${join(home, name)}: .*\\.\\n$`))]);
    rmSync(home, { recursive: true });
  });
});
