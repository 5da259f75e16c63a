import { describe, expect, it } from 'vitest';
import { withRun } from '../../src/context/run-context.ts';
import { passes, socketsMove } from '../fakes/passing.ts';
import { chatRun } from '../fakes/runs.ts';
import type { ConformanceHarness } from './harness.ts';
import { onStage, Stage } from './stage.ts';
import { until, Witness } from './witness.ts';

type Open = () => Promise<ConformanceHarness>;

/** Points 1, 2, 3, 10, 11 and 12: what comes in. */
export function receiving(open: Open): void {
  describe('receiving', () => {
    it('1: started twice it has one connection, stopped twice no harm is done, and then it is silent', () =>
      startStop(open));
    it('2: what was not stored comes again under the same event id', () => redelivery(open));
    it('3: keeps the order of each chat; one slow event holds up no press and no other chat', () => order(open));
    it('10: started from inside a run, it hands that run on to nobody', () => detachedRuns(open));
    it('11: a peer that accepts and never answers is noticed within 90 s and survived (gateway 24)', ({ skip }) =>
      silence(open, skip));
    it('12: its own words and other bots start nothing', ({ skip }) => loopGuard(open, skip));
    it('12: three starts set the menu once', ({ skip }) => menu(open, skip));
  });
}

type Skip = (condition: boolean, note?: string) => void;

function startStop(open: Open): Promise<void> {
  return onStage(open, async (stage, harness) => {
    await Promise.all([stage.start(), stage.start()]);
    harness.says(0, harness.direct(0), 'hello');
    await until(() => stage.witness.messages.length === 1, 'the first message arrives');
    await stage.start();
    expect(harness.streams()).toBeLessThanOrEqual(1);
    await Promise.all([stage.adapter.stop(), stage.adapter.stop()]);
    await stage.adapter.stop();
    const before = stage.witness.told.length + stage.witness.healths.length;
    harness.says(0, harness.direct(0), 'too late');
    const next = new Stage(harness);
    await next.start();
    harness.says(0, harness.direct(0), 'in time');
    await until(() => next.witness.texts.includes('in time'), 'the next life hears again');
    await next.adapter.stop();
    expect(stage.witness.told.length + stage.witness.healths.length).toBe(before);
  });
}

function redelivery(open: Open): Promise<void> {
  return onStage(open, async (stage, harness) => {
    let refusals = 2;
    stage.witness.storing = () => {
      if (refusals-- > 0) throw new Error('the disk is full');
    };
    await stage.start();
    harness.says(0, harness.direct(0), 'keep me');
    await until(() => stage.witness.told.length > 0, 'the message is told');
    await passes(harness.clock, () => stage.witness.messages.length > 0);
    expect(stage.witness.texts).toEqual(['keep me']);
    expect(new Set(stage.witness.told).size).toBe(1);
    expect(stage.witness.told.length).toBe(3);
  });
}

function order(open: Open): Promise<void> {
  return onStage(open, async (stage, harness) => {
    await stage.start();
    const [sent] = await stage.say(harness.direct(1), { text: 'Run this?', buttons: [[{ label: 'Once', data: 'o' }]] });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    stage.witness.storing = (message) => (message.text === 'chat 0 message 0' ? held : undefined);
    for (let i = 0; i < 20; i++) {
      for (let chat = 0; chat < 5; chat++) harness.says(chat, harness.direct(chat), `chat ${chat} message ${i}`);
      if (i === 10) harness.presses(1, harness.direct(1), sent?.messageId ?? '', 'Once');
    }
    await until(() => stage.witness.presses.length === 1, 'the press is told while one message is still being stored');
    await until(
      () => stage.witness.texts.filter((text) => !text.startsWith('chat 0')).length >= 75,
      'the other chats go on',
    );
    release();
    await until(() => stage.witness.messages.length === 100, 'all hundred messages arrive');
    for (let chat = 0; chat < 5; chat++) {
      const told = stage.witness.told.filter((id) =>
        stage.witness.messages.some((m) => m.eventId === id && m.text.startsWith(`chat ${chat} `)),
      );
      const texts = told.map((id) => stage.witness.messages.find((message) => message.eventId === id)?.text);
      expect(texts).toEqual(Array.from({ length: 20 }, (_, i) => `chat ${chat} message ${i}`));
    }
  });
}

function detachedRuns(open: Open): Promise<void> {
  return onStage(open, async (stage, harness) => {
    await withRun(chatRun(), () => stage.start());
    harness.says(0, harness.direct(0), 'first');
    await until(() => stage.witness.texts.includes('first'), 'the first message arrives');
    stage.witness.watchRuns();
    harness.says(0, harness.direct(0), 'second');
    await until(() => stage.witness.texts.includes('second'), 'the second message arrives');
    expect(stage.witness.runs.length).toBeGreaterThan(0);
    expect(stage.witness.runs.filter((run) => run !== undefined)).toEqual([]);
  });
}

function silence(open: Open, skip: Skip): Promise<void> {
  return onStage(open, async (stage, harness) => {
    skip(!harness.faults.in.includes('silent'), 'this fake cannot fall silent');
    await stage.start();
    await until(() => stage.witness.state === 'connected', 'it is connected');
    await harness.fault('silent', 'in', Number.POSITIVE_INFINITY);
    harness.says(0, harness.direct(0), 'unheard');
    for (let seconds = 0; stage.witness.state !== 'degraded' && seconds < 180; seconds += 5)
      await passed(harness, 5_000);
    expect(stage.witness.state).toBe('degraded');
    await harness.heal();
    for (let seconds = 0; stage.witness.state !== 'connected' && seconds < 180; seconds += 5)
      await passed(harness, 5_000);
    expect(stage.witness.state).toBe('connected');
    harness.says(0, harness.direct(0), 'heard');
    await until(() => stage.witness.texts.includes('heard'), 'it hears again');
  });
}

async function passed(harness: ConformanceHarness, ms: number): Promise<void> {
  await harness.clock.skip(ms);
  await socketsMove();
}

function loopGuard(open: Open, skip: Skip): Promise<void> {
  return onStage(open, async (stage, harness) => {
    skip(!harness.echoes, 'nothing of the kind can arrive');
    await stage.start();
    harness.echoes?.(harness.direct(0));
    harness.says(0, harness.direct(0), 'a person');
    await until(() => stage.witness.texts.includes('a person'), 'the person is heard');
    expect(stage.witness.messages.filter(({ by }) => !by.bot).map(({ text }) => text)).toEqual(['a person']);
  });
}

function menu(open: Open, skip: Skip): Promise<void> {
  return onStage(open, async (stage, harness) => {
    skip(!harness.menuSyncs, 'it has no menu');
    await stage.start();
    await until(() => (harness.menuSyncs?.() ?? 0) >= 1, 'the menu is set');
    harness.says(0, harness.direct(0), 'and now');
    await until(() => stage.witness.messages.length === 1, 'a message arrives');
    const first = harness.menuSyncs?.();
    await stage.adapter.stop();
    for (const text of ['second life', 'third life']) {
      const next = new Stage(harness, new Witness());
      await next.start();
      harness.says(0, harness.direct(0), text);
      await until(() => next.witness.texts.includes(text), `${text} hears`);
      await next.adapter.stop();
    }
    expect(harness.menuSyncs?.()).toBe(first);
  });
}
