import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withFolderLock } from '../../scripts/launch/folder-lock.mjs';

let folder: string;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval'] });
  folder = join(mkdtempSync(join(tmpdir(), 'hermod-lock-')), 'lock');
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(join(folder, '..'), { recursive: true });
});

/** A holder that is alive as a process, as pid 1 always is. */
function heldByPidOne(): string {
  mkdirSync(folder);
  const file = join(folder, '1');
  writeFileSync(file, '');
  return file;
}

describe('folder lock', () => {
  it('holds while the work lasts and is gone afterwards, also after a throw', async () => {
    const inside = await withFolderLock(folder, vi.fn(), () => Promise.resolve(readdirSync(folder)));
    expect(inside).toEqual([String(process.pid)]);
    expect(existsSync(folder)).toBe(false);
    await expect(withFolderLock(folder, vi.fn(), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(existsSync(folder)).toBe(false);
  });

  it('waits for a holder that beats, however long, and says so once', async () => {
    const file = heldByPidOne();
    const waiting = vi.fn();
    const work = vi.fn();
    const done = withFolderLock(folder, waiting, work);
    for (let minute = 1; minute <= 60; minute++) {
      utimesSync(file, minute, minute);
      await vi.advanceTimersByTimeAsync(20_000);
    }
    expect(work).not.toHaveBeenCalled();
    expect(waiting.mock.calls).toEqual([[1]]);
    rmSync(folder, { recursive: true });
    await vi.advanceTimersByTimeAsync(1000);
    await done;
    expect(work).toHaveBeenCalledOnce();
  });

  it('takes over when the pid of the holder went to a process that does not beat', async () => {
    heldByPidOne();
    const work = vi.fn();
    const done = withFolderLock(folder, vi.fn(), work);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(work).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2000);
    await done;
    expect(work).toHaveBeenCalledOnce();
  });

  it('takes over a folder that stays empty: its holder died between two steps', async () => {
    mkdirSync(folder);
    const done = withFolderLock(folder, vi.fn(), () => Promise.resolve('worked'));
    await vi.advanceTimersByTimeAsync(31_000);
    expect(await done).toBe('worked');
  });

  it('beats while it holds', async () => {
    const { mtimeMs, later } = await withFolderLock(folder, vi.fn(), async () => {
      const file = join(folder, String(process.pid));
      utimesSync(file, 1, 1);
      await vi.advanceTimersByTimeAsync(2000);
      const { statSync } = await import('node:fs');
      return { mtimeMs: 1000, later: statSync(file).mtimeMs };
    });
    expect(later).toBeGreaterThan(mtimeMs);
  });

  it('lets one of many in at a time', async () => {
    vi.useRealTimers();
    let inside = 0;
    const most: number[] = [];
    const enter = () =>
      withFolderLock(folder, vi.fn(), async () => {
        most.push(++inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside--;
      });
    await Promise.all(Array.from({ length: 5 }, enter));
    expect(most).toEqual([1, 1, 1, 1, 1]);
  });
});
