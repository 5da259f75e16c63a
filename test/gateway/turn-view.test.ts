import { beforeEach, describe, expect, it } from 'vitest';
import type { PlatformLimits } from '../../src/contract/platform.ts';
import { Delivery } from '../../src/gateway/delivery.ts';
import { RateGate } from '../../src/gateway/rate-gate.ts';
import { TurnView } from '../../src/gateway/turn-view.ts';
import type { Progress } from '../../src/store/chat-settings.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import type { TurnRow } from '../../src/store/turns.ts';
import { quietLog } from '../agent/quiet-log.ts';
import { FakeClock, settle } from '../fakes/fake-clock.ts';
import { chatAddress, person } from '../fakes/runs.ts';
import { door, fails, RecordingAdapter } from './recording-adapter.ts';

const FIRST = 400;
const EVERY = 1_000;
const MIN = 60_000;

let store: Store;
let clock: FakeClock;
let rate: RateGate;
let telegram: RecordingAdapter;
let delivery: Delivery;
let turn: TurnRow;

beforeEach(() => begin());

function begin(limits: Partial<PlatformLimits> = {}): void {
  store = openStore(':memory:');
  clock = new FakeClock();
  rate = new RateGate(clock, store.penalties);
  telegram = new RecordingAdapter('telegram', limits);
  delivery = new Delivery({ store, clock, rate, log: quietLog().log, maxAgeMs: () => 24 * 60 * MIN, time: String });
  delivery.add(telegram);
  delivery.setUp('telegram', true);
  const address = chatAddress('c1');
  const session = store.sessions.open('k', person('ann'), address, true, clock.now());
  turn = store.turns.create(
    { session: session.id, actor: person('ann'), address, direct: true, replyTo: null },
    clock.now(),
  );
}

function view(said = '', progress: Progress = 'tools'): TurnView {
  return new TurnView(turn, said, progress, { store, clock, rate, adapter: telegram, wake: () => delivery.wake() });
}

const preview = () => store.outbox.get(`preview:${turn.id}`);

describe('the growing answer', () => {
  it('appears with what was said in a moment, then the latest text is shown once an interval', async () => {
    const shown = view();
    shown.text('');
    await clock.skip(FIRST);
    shown.text('(');
    await clock.skip(FIRST - 1);
    shown.text('a');
    expect(telegram.log).toEqual([]);
    await clock.skip(1);
    for (const letter of 'bcdefgh') shown.text(letter);
    await clock.skip(EVERY - 1);
    expect(telegram.log).toEqual(['send (a']);
    await clock.skip(1);
    expect(telegram.log).toEqual(['send (a', 'edit (abcdefgh']);
    shown.text('i');
    await clock.skip(EVERY);
    expect(telegram.log).toEqual(['send (a', 'edit (abcdefgh', 'edit (abcdefghi']);
  });

  it('in groups is shown less often', async () => {
    turn = { ...turn, direct: false };
    const shown = view();
    shown.text('a');
    await clock.skip(FIRST);
    shown.text('b');
    await clock.skip(2_999);
    expect(telegram.calls).toHaveLength(1);
    await clock.skip(1);
    expect(telegram.calls).toHaveLength(2);
  });

  it('has one call in flight; what came meanwhile is one more', async () => {
    const shown = view();
    shown.text('a');
    await clock.skip(FIRST);
    const slow = door();
    telegram.answer = () => slow.wait;
    shown.text('b');
    await clock.skip(EVERY);
    for (const letter of 'cdef') {
      shown.text(letter);
      await clock.skip(EVERY);
    }
    expect(telegram.log).toEqual(['send a', 'edit ab']);
    slow.open();
    telegram.answer = () => {};
    await clock.skip(EVERY);
    expect(telegram.log).toEqual(['send a', 'edit ab', 'edit abcdef']);
    expect(telegram.overlap.get('c1')).toBe(1);
  });

  it('nothing new is not shown again', async () => {
    const shown = view();
    shown.text('a');
    await clock.skip(10 * EVERY);
    shown.text('');
    await clock.skip(10 * EVERY);
    expect(telegram.log).toEqual(['send a']);
  });

  it('that starts while its first message is on its way is edited once that has an id', async () => {
    const slow = door();
    telegram.answer = () => slow.wait;
    const shown = view();
    shown.text('a');
    await clock.skip(FIRST);
    shown.text('b');
    await clock.skip(3 * EVERY);
    expect(telegram.log).toEqual(['send a']);
    slow.open();
    await clock.skip(EVERY);
    expect(telegram.log).toEqual(['send a', 'edit ab']);
  });

  it('goes on in a second message, and the first is completed', async () => {
    const shown = view();
    shown.text('a'.repeat(18));
    await clock.skip(FIRST);
    shown.text('a'.repeat(2) + 'b'.repeat(3));
    await clock.skip(2 * EVERY);
    expect(telegram.shown('c1')).toEqual(['a'.repeat(20), 'bbb']);
    shown.text('b');
    await clock.skip(EVERY);
    expect(telegram.shown('c1')).toEqual(['a'.repeat(20), 'bbbb']);
    expect(telegram.calls.filter(({ kind }) => kind === 'send')).toHaveLength(2);
  });

  it('joins the words of its steps as the final will', async () => {
    const shown = view('Before.', 'off');
    shown.text('One.');
    shown.tool('shell: ls');
    shown.text('Two.');
    await clock.skip(EVERY);
    expect(telegram.shown('c1')).toEqual(['Before.\n\nOne.\n\nTwo.']);
  });

  it('forgets a step that broke', async () => {
    const shown = view('', 'off');
    shown.text('One.');
    shown.tool('shell: ls');
    shown.text('Tw');
    await clock.skip(EVERY);
    shown.restart();
    shown.text('Deux.');
    await clock.skip(EVERY);
    expect(telegram.shown('c1')).toEqual(['One.\n\nDeux.']);
  });

  it('that shrinks leaves no old words in the messages it no longer needs', async () => {
    const shown = view();
    shown.text('x'.repeat(30));
    await clock.skip(EVERY);
    shown.restart();
    shown.text('short');
    await clock.skip(3 * EVERY);
    expect(telegram.shown('c1')).toEqual(['short', '…']);
  });

  it('never opens with nothing', async () => {
    const shown = view();
    shown.text(' \n');
    await clock.skip(EVERY);
    expect(telegram.calls).toEqual([]);
  });

  it('goes quietly when it would become a file', async () => {
    const shown = view();
    shown.text('a'.repeat(60));
    await clock.skip(EVERY);
    shown.text('b'.repeat(60));
    await clock.skip(EVERY);
    expect(telegram.calls.some(({ part }) => part.files)).toBe(false);
    expect(telegram.shown('c1')).toHaveLength(3);
  });

  it('is marked as a draft, with sound; parts of it are not split again', async () => {
    view().text('a');
    await clock.skip(FIRST);
    expect(preview()).toMatchObject({ part: 0, parts: 1, kind: 'preview', turn: turn.id });
    expect(telegram.calls[0]?.part).toEqual({ text: 'a', as: 'draft' });
  });

  it('of a turn that goes on after a boot uses the message that is there', async () => {
    const first = view();
    first.text('One.');
    await clock.skip(FIRST);
    await first.close();
    const second = view('One.');
    second.text('Two.');
    await clock.skip(EVERY);
    second.text(' Three.');
    await clock.skip(EVERY);
    expect(telegram.shown('c1')).toEqual(['One.\n\nTwo. Three.']);
  });

  it('is not for platforms that cannot edit', async () => {
    begin({ edit: false });
    const shown = view();
    shown.text('a');
    shown.tool('shell: ls');
    await clock.skip(EVERY);
    expect(telegram.calls).toEqual([]);
  });
});

describe('trouble', () => {
  it('a limit ends the display for this turn; the final still comes (gateway 21)', async () => {
    const shown = view();
    shown.text('a');
    await clock.skip(FIRST);
    telegram.answer = () => fails({ kind: 'wait', retryAfterMs: 2_000 });
    shown.text('b');
    await clock.skip(EVERY);
    telegram.answer = () => {};
    for (const letter of 'cde') {
      shown.text(letter);
      await clock.skip(10 * EVERY);
    }
    expect(telegram.log).toEqual(['send a', 'edit ab']);
  });

  it('trouble of the moment does not', async () => {
    const shown = view();
    shown.text('a');
    await clock.skip(FIRST);
    telegram.answer = () => fails('unreached');
    shown.text('b');
    await clock.skip(EVERY);
    telegram.answer = () => {};
    await clock.skip(EVERY);
    expect(telegram.shown('c1')).toEqual(['ab']);
  });

  it('a start that was refused is not followed by a second message', async () => {
    telegram.answer = () => fails({ kind: 'wait', retryAfterMs: 2_000 });
    const shown = view();
    shown.text('a'.repeat(18));
    await clock.skip(FIRST);
    telegram.answer = () => {};
    shown.text('b'.repeat(18));
    await clock.skip(10 * EVERY);
    expect(telegram.log).toEqual([`send ${'a'.repeat(18)}`]);
    // Typing, delivery, and its search for what has waited too long.
    expect(clock.armed).toBe(3);
  });

  it('no place left for an edit: it is made later', async () => {
    begin({
      rate: { botPerSecond: 100, direct: { burst: 3, everyMs: 2_000 }, group: { burst: 3, everyMs: 2_000 } },
      typingMs: 0,
    });
    const shown = view();
    shown.text('a');
    await clock.skip(FIRST);
    rate.take(chatAddress('c1'), true, telegram.limits.rate);
    shown.text('b');
    await clock.skip(EVERY);
    expect(telegram.log).toEqual(['send a']);
    await clock.skip(3 * EVERY);
    expect(telegram.log).toEqual(['send a', 'edit ab']);
  });

  it('renders nothing that cannot be shown now', async () => {
    begin({ rate: { botPerSecond: 1_000, direct: { burst: 3, everyMs: 60 * MIN }, group: { burst: 2, everyMs: 1 } } });
    const shown = view('', 'off');
    shown.text('a');
    await clock.skip(FIRST);
    const rendered = telegram.rendered;
    for (let i = 0; i < 10; i++) {
      shown.text('b');
      await clock.skip(EVERY);
    }
    expect(telegram.shown('c1')).toEqual(['a']);
    expect(telegram.rendered).toBe(rendered);
  });

  it('a broken store or adapter stops the display, not the turn', async () => {
    const shown = view();
    store.outbox.put = () => {
      throw new Error('database or disk is full');
    };
    expect(() => shown.text('a')).not.toThrow();
    expect(() => shown.notice('n')).not.toThrow();
    const other = view();
    telegram.parts = () => {
      throw new TypeError('bug');
    };
    expect(() => other.text('a')).not.toThrow();
    expect(() => other.tool('t')).not.toThrow();
  });
});

describe('close', () => {
  it('nothing starts afterwards', async () => {
    const shown = view();
    shown.text('a');
    await clock.skip(FIRST);
    shown.text('b');
    await shown.close();
    shown.text('c');
    shown.tool('shell: ls');
    shown.notice('late');
    shown.restart();
    shown.waiting(false);
    const typed = telegram.typed.length;
    await clock.skip(10 * MIN);
    expect(telegram.log).toEqual(['send a']);
    expect(telegram.typed).toHaveLength(typed);
  });

  it('waits for the edit in flight, and the final for it', async () => {
    const shown = view();
    shown.text('a');
    await clock.skip(FIRST);
    const slow = door();
    telegram.answer = () => slow.wait;
    shown.text('b');
    await clock.skip(EVERY);
    let closed = false;
    void shown.close().then(() => {
      closed = true;
    });
    const { address, direct } = turn;
    store.outbox.put(
      { key: 'f', kind: 'final', address, direct, message: { text: 'abc' }, edits: `preview:${turn.id}` },
      clock.now(),
    );
    delivery.wake();
    await clock.skip(0);
    expect([closed, telegram.log.at(-1)]).toEqual([false, 'edit ab']);
    slow.open();
    await clock.skip(0);
    expect([closed, telegram.log.at(-1)]).toEqual([true, 'edit abc']);
    expect(telegram.overlap.get('c1')).toBe(1);
    expect(telegram.shown('c1')).toEqual(['abc']);
  });

  it('twice is fine, and so is an edit that fails', async () => {
    const shown = view();
    shown.text('a');
    await clock.skip(FIRST);
    const slow = door();
    telegram.answer = async () => {
      await slow.wait;
      fails('gone');
    };
    shown.text('b');
    await clock.skip(EVERY);
    const both = [shown.close(), shown.close()];
    slow.open();
    await Promise.all(both);
  });
});

describe('progress', () => {
  it('is one message, edited, without sound', async () => {
    const shown = view();
    shown.tool('shell: ls');
    await clock.skip(0);
    shown.tool('shell: pwd');
    await clock.skip(EVERY);
    expect(telegram.shown('c1')).toEqual(['shell: ls\nshell: pwd']);
    expect(telegram.calls[0]?.part).toMatchObject({ as: 'progress', silent: true });
  });

  it('keeps the last 20 lines, and long ones short: all of it fits one message', async () => {
    begin({ maxText: 4_000 });
    const shown = view();
    for (let i = 1; i <= 25; i++) {
      shown.tool(`${i} ${'x'.repeat(1_000)}`);
      await clock.skip(EVERY);
    }
    const [only, ...rest] = telegram.shown('c1');
    expect(rest).toEqual([]);
    const lines = only?.split('\n') ?? [];
    expect(lines).toHaveLength(20);
    expect(lines[0]).toMatch(/^6 x+…$/);
  });

  it('off: no message', async () => {
    const shown = view('', 'off');
    shown.tool('shell: ls');
    await clock.skip(10 * EVERY);
    expect(telegram.calls).toEqual([]);
  });
});

describe('notices', () => {
  it('are messages of their own', async () => {
    const shown = view();
    shown.notice('Waiting.');
    shown.notice('Waiting.');
    await clock.skip(0);
    expect(telegram.log).toEqual(['send Waiting.', 'send Waiting.']);
  });
});

describe('typing', () => {
  it('goes on for as long as the turn runs, and ends with it (gateway 35)', async () => {
    const shown = view();
    await clock.skip(20_000);
    expect(telegram.typed).toHaveLength(6);
    await shown.close();
    await clock.skip(10 * MIN);
    expect(telegram.typed).toHaveLength(6);
  });

  it('rests while a person is waited for, until the last answer (gateway 35)', async () => {
    const shown = view();
    shown.waiting(true);
    shown.waiting(true);
    await clock.skip(MIN);
    expect(telegram.typed).toHaveLength(1);
    shown.waiting(false);
    await clock.skip(MIN);
    expect(telegram.typed).toHaveLength(1);
    shown.waiting(false);
    expect(telegram.typed).toHaveLength(2);
    await clock.skip(4_000);
    expect(telegram.typed).toHaveLength(3);
  });

  it('rests after 5 minutes without progress, and goes on with it (gateway 35)', async () => {
    const shown = view('', 'off');
    await clock.skip(4 * MIN);
    shown.tool('shell: make');
    await clock.skip(5 * MIN);
    const typed = telegram.typed.length;
    expect(typed).toBe(135);
    await clock.skip(5 * MIN);
    expect(telegram.typed).toHaveLength(typed);
    shown.text('a');
    await clock.skip(4_000);
    expect(telegram.typed).toHaveLength(typed + 1);
  });

  it('leaves the last place of a chat to messages', async () => {
    begin({ rate: { botPerSecond: 100, direct: { burst: 2, everyMs: 60_000 }, group: { burst: 2, everyMs: 60_000 } } });
    view();
    await clock.skip(30_000);
    expect(telegram.typed).toHaveLength(1);
  });

  it.each<[string, Partial<PlatformLimits> | 'without']>([
    ['has no typing', { typingMs: 0 }],
    ['has no such call', 'without'],
  ])('is none where the platform %s', async (_, limits) => {
    begin(limits === 'without' ? {} : limits);
    if (limits === 'without') Object.assign(telegram, { typing: undefined });
    const shown = view();
    await clock.skip(MIN);
    expect(telegram.typed).toEqual([]);
    await shown.close();
    await settle();
  });
});
