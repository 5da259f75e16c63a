import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BootId } from '../../src/contract/ids.ts';
import { classOf, lastExitPath, readLastExit } from '../../src/process/last-exit.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hermod-exit-'));
});
afterEach(() => rmSync(home, { recursive: true }));

describe('what the watchdog left behind', () => {
  it('is read back', () => {
    writeFileSync(lastExitPath(home), JSON.stringify({ boot: 'b', pid: 7, how: 'overrun', at: 5 }));
    expect(readLastExit(home)).toEqual({ boot: 'b', how: 'overrun', at: 5 });
  });

  it.each(['', '{"boot":', '{"boot":"b","how":"tired","at":5}', '[]'])('%j says nothing', (text) => {
    writeFileSync(lastExitPath(home), text);
    expect(readLastExit(home)).toBeUndefined();
  });

  it('is mostly not there', () => {
    expect(readLastExit(home)).toBeUndefined();
  });
});

describe('the class of a boot that could not say how it ended', () => {
  const id = 'b' as BootId;
  const exit = { boot: 'b', how: 'watchdog', at: 5 } as const;
  it.each([
    ['vanished', 100, undefined],
    ['watchdog', 100, exit],
    ['overrun', 100, { ...exit, how: 'overrun' as const }],
    ['vanished', 100, { ...exit, boot: 'another' }],
    ['start_failed', null, undefined],
    ['start_failed', null, exit],
  ])('%s: ready %j, record %j', (how, readyAt, record) => {
    expect(classOf({ id, readyAt }, record)).toBe(how);
  });
});
