import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Analysis, KnownWord } from '../../src/approvals/analysis.ts';
import { effectOf } from '../../src/approvals/effect.ts';
import { FakeClock } from '../fakes/fake-clock.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hermod-effect-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const file = (path: string, bytes: number) => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), 'x'.repeat(bytes));
};
const analysed = (argv: readonly KnownWord[], cwd: string | null = root): { analysis: Analysis } => ({
  analysis: {
    grade: 'dangerous',
    findings: [],
    commands: [{ argv, program: argv[0] ?? null, wrappers: [], cwd, assignments: [], span: [0, 1] }],
    readable: true,
    sudoStdin: false,
    grantBar: null,
    code: [],
  },
});
const effect = (
  argv: readonly KnownWord[],
  cwd?: string | null,
  clock = new FakeClock(),
  limits?: { entries: number; ms: number },
) => effectOf(analysed(argv, cwd), clock, limits);

describe('effect of a removal', () => {
  it('counts files, bytes and folders, and names what is on top', async () => {
    file('build/a.txt', 1500);
    file('build/sub/b.txt', 500);
    file('build/sub/deep/c.txt', 46_000);
    expect(await effect(['rm', '-rf', 'build'])).toMatch(/^3 files, 48\.0 kB, 3 folders in build\/ \(a\.txt, sub\)$/);
  });

  it('does not follow links, neither inside nor as the target', async () => {
    file('elsewhere/big.bin', 9000);
    file('build/a.txt', 10);
    symlinkSync(join(root, 'elsewhere'), join(root, 'build', 'link'));
    symlinkSync(join(root, 'elsewhere'), join(root, 'direct'));
    expect(await effect(['rm', '-rf', 'build'])).toMatch(/^2 files, /);
    expect(await effect(['rm', '-rf', 'direct'])).toMatch(/^1 file, .* in direct$/);
  });

  it('says when there is nothing, and when only running it would tell', async () => {
    expect(await effect(['rm', '-rf', 'gone'])).toBe('nothing to delete');
    for (const word of [null, '*.log', 'a[1]']) {
      expect(await effect(['rm', '-rf', word])).toBe('target is only known when it runs');
    }
    expect(await effect(['rm', '-rf', 'build'], null)).toBe('target is only known when it runs');
    expect(await effect(['git', 'clean', '-fdx'])).toBe('target is only known when it runs');
  });

  it('has nothing to say about what removes nothing', async () => {
    for (const argv of [
      ['ls', 'build'],
      ['find', '.', '-name', 'x'],
      ['git', 'push', '--force'],
    ]) {
      expect(await effect(argv)).toBeUndefined();
    }
    expect(await effectOf({ analysis: undefined }, new FakeClock())).toBeUndefined();
  });

  it('leaves folders alone that rm without -r leaves alone, and reads words after --', async () => {
    file('build/a.txt', 1);
    file('-r', 7);
    expect(await effect(['rm', 'build'])).toBe('nothing to delete');
    expect(await effect(['rm', '--', '-r'])).toBe('1 file, 7 bytes in -r');
    expect(await effect(['rm', '--recursive', 'build'])).toBe('1 file, 1 byte, 1 folder in build/ (a.txt)');
  });

  it('counts what find -delete could reach, as a bound where it has tests', async () => {
    file('build/a.log', 1);
    file('build/b.txt', 1);
    expect(await effect(['find', 'build', '-delete'])).toMatch(/^2 files, 2 bytes, 1 folder in build\//);
    expect(await effect(['find', 'build', '-name', '*.log', '-delete'])).toMatch(/^at most 2 files/);
    expect(await effect(['find', '-delete'])).toMatch(/ in \.\/ \(build\)$/);
  });

  it('stops at its limits of entries and of time', async () => {
    for (let i = 0; i < 30; i++) file(`build/f${i}`, 1);
    const few = { entries: 20, ms: 300 };
    expect(await effect(['rm', '-rf', 'build'], root, new FakeClock(), few)).toMatch(/^more than 20 files in build\//);
    const clock = new FakeClock();
    const slow = { now: () => clock.jump(10) ?? clock.now(), after: clock.after.bind(clock) };
    const words = await effectOf(analysed(['rm', '-rf', 'build']), slow);
    expect(words).toMatch(/^more than \d+ files in build\//);
    expect(words).not.toMatch(/more than 30 /);
  });

  it('names at most five', async () => {
    for (let i = 0; i < 8; i++) file(`build/f${i}`, 1);
    expect(await effect(['rm', '-rf', 'build'])).toMatch(/ in build\/ \((f\d, ){4}f\d and 3 more\)$/);
    const argv = ['rm', ...Array.from({ length: 8 }, (_, i) => `build/f${i}`)];
    expect(await effect(argv)).toBe('8 files, 8 bytes in build/f0, build/f1, build/f2, build/f3, build/f4 and 3 more');
  });
});
