import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SendError } from '../../src/contract/errors.ts';
import { socketsMove } from '../fakes/passing.ts';
import { type ConformanceHarness, FAULT_KINDS, type FaultName } from './harness.ts';
import { onStage, type Stage } from './stage.ts';
import { until } from './witness.ts';

type Open = () => Promise<ConformanceHarness>;
type Skip = (condition: boolean, note?: string) => void;

/** Points 4 to 9: what goes out. */
export function sending(open: Open): void {
  describe('sending', () => {
    it('4: texts about the limit go out in valid parts, and nothing of them is lost', () => lengths(open));
    it('4: every row of the Markdown corpus is accepted', () => corpus(open));
    for (const name of Object.keys(FAULT_KINDS) as FaultName[]) {
      it(`5, 9: ${name} becomes ${FAULT_KINDS[name]}, and nobody sees the secret`, ({ skip }) =>
        faultKind(open, name, skip));
    }
    it('5: no call is made inside a penalty', ({ skip }) => penalty(open, skip));
    it('6: adds no second copy when an answer is lost after the work', ({ skip }) => lostAnswer(open, skip));
    it('7: button data at the limit works, over it fails before any call', ({ skip }) => buttonData(open, skip));
    it('7: a press names presser, address and message', ({ skip }) => pressFacts(open, skip));
    it('7: an unchanged edit is no error, editing a deleted message is missing', ({ skip }) => edits(open, skip));
    it('8: all that a threaded turn says goes to its thread', ({ skip }) => threads(open, skip));
    it('8: files come in and go out', ({ skip }) => files(open, skip));
    it('8: a file at the limit goes out, one above it is refused', ({ skip }) => largeFiles(open, skip));
  });
}

const solid = (text: string) => text.replace(/\s+/g, '');

function lengths(open: Open): Promise<void> {
  return onStage(open, async (stage, harness) => {
    await stage.start();
    const { maxText } = stage.adapter.limits;
    for (const [n, length] of [maxText - 1, maxText, maxText + 1, 3 * maxText].entries()) {
      const text = 'some words that go on '
        .repeat(Math.ceil(length / 22))
        .slice(0, length - 1)
        .concat('.');
      const parts = stage.adapter.parts({ text });
      for (const part of parts) expect(part.text.length).toBeLessThanOrEqual(maxText);
      expect(parts.length > 1).toBe(length > maxText);
      const before = harness.seen(harness.direct(0)).length;
      await stage.say(harness.direct(0), { text }, `length-${n}`);
      const seen = harness.seen(harness.direct(0)).slice(before);
      expect(solid(seen.map((message) => message.text).join(''))).toBe(solid(text));
    }
    expect(stage.adapter.parts({ text: ' \n ' })).toEqual([]);
  });
}

function corpus(open: Open): Promise<void> {
  return onStage(open, async (stage, harness) => {
    await stage.start();
    const rows = readFileSync(new URL('../corpus/markdown.jsonl', import.meta.url), 'utf8')
      .split('\n')
      .filter(Boolean);
    for (const [n, row] of rows.entries()) await stage.say(harness.direct(0), { text: JSON.parse(row).md }, `row-${n}`);
    expect(harness.seen(harness.direct(0)).length).toBeGreaterThanOrEqual(rows.length);
  });
}

async function failureOf(stage: Stage, harness: ConformanceHarness, name: FaultName): Promise<unknown> {
  const to = name === 'thread-gone' ? harness.thread?.() : harness.direct(0);
  if (!to) throw new Error('A harness with the fault "thread-gone" needs a thread.');
  await harness.fault(name, 'out', 1);
  if (name === 'refused') await skipped(harness, 0);
  const sending = stage.say(to, { text: 'hello' }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (name === 'silent') for (let i = 0; i < 20; i++) await skipped(harness, 10_000);
  return sending;
}

async function skipped(harness: ConformanceHarness, ms: number): Promise<void> {
  await harness.clock.skip(ms);
  await socketsMove();
}

function faultKind(open: Open, name: FaultName, skip: Skip): Promise<void> {
  return onStage(open, async (stage, harness) => {
    skip(!harness.faults.out.includes(name), 'this fake cannot do that');
    await stage.start();
    const error = await failureOf(stage, harness, name);
    expect(error).toBeInstanceOf(SendError);
    expect((error as SendError).failure.kind).toBe(FAULT_KINDS[name]);
    if (harness.secret === undefined) return;
    const shown = [
      String(error),
      (error as Error).stack,
      JSON.stringify(error),
      ...nested(error),
      ...stage.witness.lines,
    ];
    expect(shown.filter((text) => text?.includes(harness.secret as string))).toEqual([]);
  });
}

/** Causes too: whoever logs an error logs them. */
function nested(error: unknown): readonly string[] {
  if (!(error instanceof Error) || error.cause === undefined) return [];
  return [String(error.cause), JSON.stringify(error.cause), ...nested(error.cause)];
}

function penalty(open: Open, skip: Skip): Promise<void> {
  return onStage(open, async (stage, harness) => {
    skip(!harness.faults.out.includes('limit'), 'it has no limits');
    await stage.start();
    await failureOf(stage, harness, 'limit');
    const calls = harness.sends();
    for (let i = 0; i < 3; i++) {
      const error = await stage.say(harness.direct(0), { text: 'again' }).catch((reason: unknown) => reason);
      expect((error as SendError).failure).toMatchObject({ kind: 'wait' });
    }
    expect(harness.sends()).toBe(calls);
    await stage.say(harness.direct(1), { text: 'elsewhere' });
    await skipped(harness, 40_000);
    await stage.say(harness.direct(0), { text: 'in time' });
    expect(harness.seen(harness.direct(0)).map(({ text }) => text)).toEqual(['in time']);
  });
}

function lostAnswer(open: Open, skip: Skip): Promise<void> {
  return onStage(open, async (stage, harness) => {
    skip(!harness.faults.out.includes('cut-after'), 'no answer can be lost');
    await stage.start();
    await failureOf(stage, harness, 'cut-after');
    await skipped(harness, 60_000);
    expect(harness.seen(harness.direct(0)).map(({ text }) => text)).toEqual(['hello']);
  });
}

function buttonData(open: Open, skip: Skip): Promise<void> {
  return onStage(open, async (stage, harness) => {
    const { buttons, maxButtonData } = stage.adapter.limits;
    skip(!buttons, 'it has no buttons');
    await stage.start();
    const card = (data: string) => ({ text: 'Run this?', buttons: [[{ label: 'Once', data }]] });
    const longest = 'x'.repeat(maxButtonData);
    const [sent] = await stage.say(harness.direct(0), card(longest));
    harness.presses(0, harness.direct(0), sent?.messageId ?? '', 'Once');
    await until(() => stage.witness.presses.length === 1, 'the press arrives');
    expect(stage.witness.presses[0]?.data).toBe(longest);
    const calls = harness.sends();
    const error = await stage.say(harness.direct(0), card(`${longest}x`)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SendError);
    expect(harness.sends()).toBe(calls);
  });
}

function pressFacts(open: Open, skip: Skip): Promise<void> {
  return onStage(open, async (stage, harness) => {
    skip(!stage.adapter.limits.buttons, 'it has no buttons');
    await stage.start();
    stage.witness.decide = () => ({ text: 'Allowed once.' });
    harness.says(0, harness.direct(0), 'who am I');
    const [sent] = await stage.say(harness.direct(0), { text: 'Run this?', buttons: [[{ label: 'Once', data: 'o' }]] });
    const press = harness.presses(0, harness.direct(0), sent?.messageId ?? '', 'Once');
    await until(() => press.answer() !== undefined, 'the presser gets an answer');
    await until(() => stage.witness.messages.length === 1, 'the message arrives');
    expect(press.answer()).toBe('Allowed once.');
    expect(stage.witness.presses).toMatchObject([
      { by: stage.witness.messages[0]?.by, address: harness.direct(0), messageId: sent?.messageId, data: 'o' },
    ]);
  });
}

function edits(open: Open, skip: Skip): Promise<void> {
  return onStage(open, async (stage, harness) => {
    const { adapter } = stage;
    skip(!adapter.limits.edit, 'it has no edits');
    await stage.start();
    const [sent] = await stage.say(harness.direct(0), { text: 'one' });
    const id = sent?.messageId ?? '';
    await adapter.edit?.(harness.direct(0), id, { text: 'two' });
    await adapter.edit?.(harness.direct(0), id, { text: 'two' });
    expect(harness.seen(harness.direct(0)).map(({ text }) => text)).toEqual(['two']);
    const [fresh] = await stage.say(harness.direct(1), { text: 'same' });
    await adapter.edit?.(harness.direct(1), fresh?.messageId ?? '', { text: 'same ' });
    if (!harness.deletes) return;
    harness.deletes(harness.direct(0), id);
    const error = await adapter.edit?.(harness.direct(0), id, { text: 'three' }).catch((reason: unknown) => reason);
    expect((error as unknown as SendError).failure).toEqual({ kind: 'missing' });
  });
}

function threads(open: Open, skip: Skip): Promise<void> {
  return onStage(open, async (stage, harness) => {
    const thread = harness.thread?.();
    skip(!stage.adapter.limits.threads || !thread, 'it has no threads');
    if (!thread) return;
    await stage.start();
    harness.says(0, thread, 'in here');
    await until(() => stage.witness.messages.length === 1, 'the message arrives');
    const { address } = stage.witness.messages[0] ?? {};
    expect(address).toEqual(thread);
    await stage.adapter.typing?.(thread);
    await stage.say(thread, { text: 'text' });
    await stage.say(thread, { text: '', files: [{ name: 'note.txt', text: 'file' }] });
    const [card] = await stage.say(thread, { text: 'card', buttons: [[{ label: 'Once', data: 'o' }]] });
    await stage.adapter.edit?.(thread, card?.messageId ?? '', { text: 'settled' });
    const seen = harness.seen(thread);
    expect(seen.map(({ text, files }) => (files.length > 0 ? files[0]?.name : text))).toEqual([
      'text',
      'note.txt',
      'settled',
    ]);
    if (harness.typed) expect(harness.typed(thread)).toBe(1);
    harness.presses(
      0,
      thread,
      (await stage.say(thread, { text: 'again', buttons: [[{ label: 'Once', data: 'o' }]] }))[0]?.messageId ?? '',
      'Once',
    );
    await until(() => stage.witness.presses.length === 1, 'the press arrives');
    expect(stage.witness.presses[0]?.address).toEqual(thread);
  });
}

function files(open: Open, skip: Skip): Promise<void> {
  return onStage(open, async (stage, harness) => {
    skip(!harness.sendsFile, 'people send no files here');
    await stage.start();
    harness.sendsFile?.(0, harness.direct(0), 'notes.txt', 'some words');
    await until(() => stage.witness.messages.length === 1, 'the file arrives');
    expect(stage.witness.messages[0]?.attachments).toMatchObject([{ kind: 'file', name: 'notes.txt', size: 10 }]);
    await stage.say(harness.direct(0), { text: 'here', files: [{ name: 'answer.txt', text: 'déjà vu' }] });
    const seen = harness.seen(harness.direct(0)).flatMap((message) => message.files);
    expect(seen).toEqual([{ name: 'answer.txt', size: 9 }]);
  });
}

function largeFiles(open: Open, skip: Skip): Promise<void> {
  return onStage(open, async (stage, harness) => {
    const most = harness.maxFileBytes;
    skip(most === undefined, 'no limit is known');
    if (most === undefined) return;
    await stage.start();
    const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
    const path = join(folder, 'large.bin');
    try {
      writeFileSync(path, 'x');
      truncateSync(path, most);
      await stage.say(harness.direct(0), { text: '', files: [{ name: 'large.bin', path }] });
      expect(harness.seen(harness.direct(0)).flatMap((message) => message.files)).toEqual([
        { name: 'large.bin', size: most },
      ]);
      truncateSync(path, most + 1);
      const error = await stage
        .say(harness.direct(0), { text: '', files: [{ name: 'large.bin', path }] })
        .catch((e: unknown) => e);
      expect((error as SendError).failure).toEqual({ kind: 'size' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
