import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallId, SessionId } from '../../src/contract/ids.ts';
import { KeptResults } from '../../src/tools/kept-results.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { temporaryFolder } from './tool-fixture.ts';

const s1 = 's1' as SessionId;
const c1 = 'c1' as CallId;

describe('KeptResults', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let clock: FakeClock;
  let results: KeptResults;
  beforeEach(() => {
    folder = temporaryFolder();
    clock = new FakeClock();
    results = new KeptResults({ folder: join(folder.path, 'results'), clock });
  });
  afterEach(() => folder.remove());

  it('gives back to a session what it kept, and to no other', () => {
    expect(results.save(s1, c1, 'long text')).toBe('result:c1');
    expect(results.read(s1, 'c1')).toBe('long text');
    expect(results.read('s2' as SessionId, 'c1')).toBeUndefined();
    expect(statSync(join(folder.path, 'results/s1/c1.txt')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder.path, 'results/s1')).mode & 0o777).toBe(0o700);
  });

  it('never replaces what is kept already', () => {
    const file = results.open(s1, c1);
    file?.write(Buffer.from('the whole'));
    file?.close();
    expect(results.save(s1, c1, 'a part')).toBe('result:c1');
    expect(results.read(s1, 'c1')).toBe('the whole');
  });

  it('has no names that lead elsewhere', () => {
    expect(results.save('../x' as SessionId, c1, 'x')).toBeUndefined();
    expect(results.read(s1, '../../c1')).toBeUndefined();
  });

  it('keeps nothing where it cannot, and says so', () => {
    writeFileSync(join(folder.path, 'results'), 'a file');
    expect(results.save(s1, c1, 'x')).toBeUndefined();
  });

  it('forgets the old, and the oldest of too much', async () => {
    mkdirSync(join(folder.path, 'results'));
    for (const [i, days] of [20, 3, 2, 1].entries()) {
      results.save(s1, `c${i}` as CallId, 'x'.repeat(100));
      const at = new Date(clock.now() - days * 24 * 60 * 60 * 1000);
      utimesSync(join(folder.path, `results/s1/c${i}.txt`), at, at);
    }
    await results.prune();
    expect(readdirSync(join(folder.path, 'results/s1')).sort()).toEqual(['c1.txt', 'c2.txt', 'c3.txt']);
    await results.prune(250);
    expect(readdirSync(join(folder.path, 'results/s1')).sort()).toEqual(['c2.txt', 'c3.txt']);
  });
});
