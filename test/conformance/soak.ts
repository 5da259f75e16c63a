import { describe, expect, it } from 'vitest';
import { SendError } from '../../src/contract/errors.ts';
import { socketsMove } from '../fakes/passing.ts';
import type { ConformanceHarness, FaultName } from './harness.ts';
import { onStage, type Stage } from './stage.ts';

const MESSAGES = 300;

/** A repeatable stream of numbers from 0 to 1. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Point 13: everything goes wrong now and then, and in the end each message is in once and each answer out once. */
export function soak(open: () => Promise<ConformanceHarness>): void {
  describe('in the long run', () => {
    it('13: 300 messages under 10 % random faults are in once and out once', () => onStage(open, hold), 120_000);
  });
}

async function hold(stage: Stage, harness: ConformanceHarness): Promise<void> {
  const random = dice(20_261_130);
  const stored = new Set<string>();
  const waiting: { readonly text: string; readonly to: number }[] = [];
  stage.witness.storing = (message) => {
    if (stored.has(message.eventId)) return;
    if (random() < 0.1) throw new Error('the disk is full');
    stored.add(message.eventId);
    waiting.push({ text: `answer to ${message.text}`, to: Number(message.text.split(' ')[0]) });
  };
  await stage.start();
  for (let i = 0; i < MESSAGES; i++) {
    harness.says(i % 5, harness.direct(i % 5), `${i % 5} message ${i}`);
    if (random() < 0.1) await misbehave(harness, 'in', random);
    if (i % 10 === 9) await answerAll(stage, harness, waiting, random);
  }
  await harness.heal();
  for (let i = 0; stored.size < MESSAGES && i < 600; i++) await pass(harness);
  await answerAll(stage, harness, waiting, () => 1);
  expect(stored.size).toBe(MESSAGES);
  const seen = Array.from({ length: 5 }, (_, chat) =>
    harness.seen(harness.direct(chat)).map(({ text }) => text),
  ).flat();
  expect(seen.length).toBe(MESSAGES);
  expect(new Set(seen).size).toBe(MESSAGES);
}

async function misbehave(harness: ConformanceHarness, side: 'in' | 'out', random: () => number): Promise<void> {
  const lasting = new Set<FaultName>(['blocked', 'thread-gone', 'credentials', 'refused', 'silent']);
  const passing = harness.faults[side].filter((name) => !lasting.has(name));
  const name = passing[Math.floor(random() * passing.length)];
  if (name) await harness.fault(name, side, 1);
}

async function pass(harness: ConformanceHarness, ms = 1_000): Promise<void> {
  await harness.clock.skip(ms);
  await socketsMove();
}

/** What delivery does: in order, again when nothing was sent, and after an unknown outcome only if it cannot be seen. */
async function answerAll(
  stage: Stage,
  harness: ConformanceHarness,
  waiting: { readonly text: string; readonly to: number }[],
  random: () => number,
): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    if (random() < 0.1) await misbehave(harness, 'out', random);
    await answerOne(stage, harness, next.text, next.to);
  }
}

async function answerOne(stage: Stage, harness: ConformanceHarness, text: string, chat: number): Promise<void> {
  const to = harness.direct(chat);
  for (let attempt = 0; attempt < 100; attempt++) {
    try {
      await stage.say(to, { text }, text);
      return;
    } catch (error) {
      if (!(error instanceof SendError)) throw error;
      if (error.failure.kind === 'ambiguous' && harness.seen(to).some((message) => message.text === text)) return;
      await pass(harness, error.failure.kind === 'wait' ? error.failure.retryAfterMs : 1_000);
    }
  }
  throw new Error(`"${text}" never went out.`);
}
