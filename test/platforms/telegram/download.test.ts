import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SendError } from '../../../src/contract/errors.ts';
import type { Attachment } from '../../../src/contract/message.ts';
import { socketsMove } from '../../fakes/passing.ts';
import type { FaultPlan } from '../../fakes/telegram-faults.ts';
import { WarpClock } from '../../fakes/warp-clock.ts';
import { Rig } from './rig.ts';

const MB = 1024 * 1024;

let clock: WarpClock;
let folder: string;
let rig: Rig;

beforeEach(async () => {
  clock = new WarpClock();
  folder = mkdtempSync(join(tmpdir(), 'telegram-'));
  mkdirSync(join(folder, 'server'));
  rig = await Rig.open({ clock, config: { maxDownloadMb: 1, localFilesDir: join(folder, 'server') } });
});

afterEach(async () => {
  await rig.stop();
  rmSync(folder, { recursive: true });
});

async function sent(content: Buffer | string, name: string, size?: number): Promise<Attachment> {
  rig.server.person(11).sendsFile('dm', content, { name, ...(size === undefined ? {} : { size }) });
  await rig.start();
  return rig.told.messages[0]?.attachments[0] as Attachment;
}

const path = () => join(folder, 'fetched');
const fetched = (attachment: Attachment) =>
  rig.adapter.fetch?.(attachment, path(), new AbortController().signal) as Promise<number>;

async function failure(fetching: Promise<number>): Promise<SendError> {
  const error = await fetching.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SendError);
  expect(existsSync(path())).toBe(false);
  const secret = rig.server.token.split(':')[1] as string;
  expect(`${String(error)} ${JSON.stringify(error)} ${(error as Error).stack} ${(error as Error).cause}`).not.toContain(
    secret,
  );
  return error as SendError;
}

describe('what a person sent', () => {
  it('is written to a file', async () => {
    expect(await fetched(await sent('déjà vu', 'note.txt'))).toBe(9);
    expect(readFileSync(path(), 'utf8')).toBe('déjà vu');
  });

  it('too large is one clear sentence, and nothing is asked', async () => {
    const error = await failure(fetched(await sent('x', 'clip.mov', 34 * MB)));
    expect(error.failure).toEqual({ kind: 'size' });
    expect(error.message).toBe('clip.mov is 34 MB; I can fetch up to 1 MB. Send a smaller file.');
    expect(rig.server.callsOf('getFile')).toEqual([]);
  });

  it('larger than was said ends at the cap', async () => {
    const error = await failure(fetched(await sent(Buffer.alloc(2 * MB), 'clip.mov', 10)));
    expect(error.failure).toEqual({ kind: 'size' });
    expect(error.message).toBe('clip.mov is too large; I can fetch up to 1 MB. Send a smaller file.');
  });

  it('that Telegram finds too large, too', async () => {
    const { size: _, ...unsized } = await sent('x', 'clip.mov', 34 * MB);
    expect((await failure(fetched(unsized))).message).toContain('too large');
  });

  it('that Telegram has forgotten has to be sent again', async () => {
    const attachment = await sent('x', 'note.txt');
    expect((await failure(fetched({ ...attachment, ref: 'forgotten' }))).failure).toEqual({ kind: 'missing' });
  });

  it.each<[string, FaultPlan, string]>([
    ['not found', { kind: 'refuse', status: 404 }, 'missing'],
    ['a server error', { kind: 'html', status: 500 }, 'unreached'],
    ['a cut connection', { kind: 'reset-before' }, 'ambiguous'],
    ['a file cut in the middle', { kind: 'reset-after' }, 'ambiguous'],
  ])('%s leaves nothing behind', async (_, plan, kind) => {
    const attachment = await sent('x'.repeat(1000), 'note.txt');
    rig.server.fault('download', plan);
    expect((await failure(fetched(attachment))).failure).toEqual({ kind });
    expect(await fetched(attachment)).toBe(1000);
  });

  it('that never comes is given up after a minute', async () => {
    const attachment = await sent('x', 'note.txt');
    rig.server.fault('download', { kind: 'hang' });
    const fetching = failure(fetched(attachment));
    await rig.server.until(() => rig.server.callsOf('getFile').length === 1);
    for (let i = 0; i < 7; i++) {
      await socketsMove();
      await clock.skip(10_000);
    }
    expect((await fetching).failure).toEqual({ kind: 'ambiguous' });
  });

  it('never replaces a file that is there', async () => {
    const attachment = await sent('x', 'note.txt');
    writeFileSync(path(), 'mine');
    await expect(fetched(attachment)).rejects.toBeInstanceOf(SendError);
    expect(readFileSync(path(), 'utf8')).toBe('mine');
  });
});

describe('with a local Bot API server', () => {
  const local = async (file: string) => {
    const attachment = await sent('x', 'note.txt');
    const stored = rig.server.world.files.get(attachment.ref);
    if (stored) rig.server.world.files.set(attachment.ref, { ...stored, path: file });
    return attachment;
  };

  it('a file is read where it lies', async () => {
    writeFileSync(join(folder, 'server', 'a.txt'), 'local words');
    expect(await fetched(await local(join(folder, 'server', 'a.txt')))).toBe(11);
    expect(readFileSync(path(), 'utf8')).toBe('local words');
  });

  it.each([
    ['outside the folder', () => join(folder, 'secret.txt')],
    ['outside by its dots', () => `${join(folder, 'server')}/../secret.txt`],
    ['outside by a link', () => join(folder, 'server', 'link.txt')],
  ])('%s it is not', async (_, file) => {
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    symlinkSync(join(folder, 'secret.txt'), join(folder, 'server', 'link.txt'));
    expect((await failure(fetched(await local(file())))).failure).toEqual({ kind: 'gone' });
  });
});
