import { beforeEach, describe, expect, it } from 'vitest';
import { currentRun, withRun } from '../../src/context/run-context.ts';
import type { TurnId } from '../../src/contract/ids.ts';
import type { OutboundMessage } from '../../src/contract/message.ts';
import type { PlatformLimits } from '../../src/contract/platform.ts';
import { Delivery } from '../../src/gateway/delivery.ts';
import { RateGate } from '../../src/gateway/rate-gate.ts';
import { movedKey, sessionKey } from '../../src/gateway/session-key.ts';
import type { OutboxPut, OutboxRow } from '../../src/store/outbox.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { quietLog } from '../agent/quiet-log.ts';
import { FakeClock, settle } from '../fakes/fake-clock.ts';
import { chatAddress, chatRun, person } from '../fakes/runs.ts';
import { inbound } from './inbound.ts';
import { door, fails, RecordingAdapter } from './recording-adapter.ts';

const MIN = 60_000;
const HOUR = 60 * MIN;
const GROUPS = { group_per_actor: true, thread_per_actor: false };

let store: Store;
let clock: FakeClock;
let rate: RateGate;
let delivery: Delivery;
let telegram: RecordingAdapter;
let log: ReturnType<typeof quietLog>;
let gaveUp: string[];
let reached: string[];

beforeEach(() => {
  store = openStore(':memory:');
  clock = new FakeClock();
  rate = new RateGate(clock, store.penalties);
  log = quietLog();
  gaveUp = [];
  reached = [];
  delivery = start();
});

function start(limits: Partial<PlatformLimits> = {}): Delivery {
  const maxAgeMs = () => 24 * HOUR;
  const made = new Delivery({
    store,
    clock,
    log: log.log,
    rate,
    maxAgeMs,
    time: (at) => new Date(at).toISOString().slice(11, 16),
    gaveUp: (rows) => void gaveUp.push(...rows.map(({ key }) => key)),
    reach: ({ chat }, reachable) => void reached.push(`${chat} ${reachable ? 'back' : 'gone'}`),
  });
  telegram = new RecordingAdapter('telegram', limits);
  made.add(telegram);
  made.setUp('telegram', true);
  return made;
}

function restart(limits: Partial<PlatformLimits>): void {
  delivery.stop();
  delivery = start(limits);
}

function put(key: string, row: Partial<OutboxPut> & { chat?: string; text?: string } = {}): void {
  const { chat = 'c1', text = key, ...rest } = row;
  const message: OutboundMessage = { text };
  store.outbox.put({ key, kind: 'final', direct: true, message, address: chatAddress(chat), ...rest }, clock.now());
}

async function say(...args: Parameters<typeof put>): Promise<void> {
  put(...args);
  delivery.wake();
  await clock.skip(0);
}

const row = (key: string) => store.outbox.get(key) as OutboxRow;
const states = (...keys: string[]) => keys.map((key) => row(key).state).join(' ');
/** Fails the next `n` calls. */
function failNext(failure: Parameters<typeof fails>[0], n = 1): void {
  telegram.answer = () => {
    if (n-- > 0) fails(failure);
  };
}

describe('what is sent', () => {
  it('goes where it is meant to go, under its key, and keeps the id it got', async () => {
    await say('hello', { address: { ...chatAddress('c1'), thread: '7', via: 'biz' } });
    expect(telegram.calls).toEqual([
      { kind: 'send', key: 'hello', part: { text: 'hello' }, to: { ...chatAddress('c1'), thread: '7', via: 'biz' } },
    ]);
    expect(row('hello')).toMatchObject({ state: 'sent', messageId: 'm1', sentTo: { thread: '7' }, attempts: 1 });
  });

  it('is split once, and its parts keep their place before later rows', async () => {
    const text = 'a'.repeat(20) + 'b'.repeat(20) + 'c'.repeat(5);
    put('long', { text });
    put('later');
    await say('card', { kind: 'card' });
    expect(telegram.shown('c1')).toEqual(['a'.repeat(20), 'b'.repeat(20), 'c'.repeat(5), 'later', 'card']);
    expect(telegram.calls.map(({ key }) => key)).toEqual(['long', 'long#1', 'long#2', 'later', 'card']);
  });

  it('nothing but spaces is nothing', async () => {
    await say('empty', { text: ' \n ' });
    await say('next');
    expect(telegram.log).toEqual(['send next']);
    expect(states('empty')).toBe('cancelled');
  });

  it('a message that cannot be split is given up, and the chat goes on', async () => {
    const parts = telegram.parts.bind(telegram);
    telegram.parts = (message) => {
      if (message.text === 'poison') throw new TypeError('bug');
      return parts(message);
    };
    await say('poison');
    await say('next');
    expect(states('poison', 'next')).toBe('dead sent');
    expect(gaveUp).toEqual(['poison']);
    expect(log.lines.filter((line) => line.level === 'error')).toHaveLength(1);
  });

  it('that is one part already is not split', async () => {
    telegram.parts = () => [];
    await say('part', { whole: true });
    expect(telegram.log).toEqual(['send part']);
  });

  it('waits for its platform', async () => {
    delivery.setUp('telegram', false);
    await say('hello');
    await clock.skip(HOUR);
    expect(telegram.calls).toEqual([]);
    delivery.setUp('telegram', true);
    await clock.skip(0);
    expect(telegram.log).toEqual(['send hello']);
  });

  it('a row of a platform that is not here waits, and disturbs nobody', async () => {
    await say('stray', { address: { ...chatAddress('c1'), platform: 'gone' } });
    await say('hello');
    expect(states('stray', 'hello')).toBe('pending sent');
  });

  it('runs in no run, whoever woke it', async () => {
    const runs: unknown[] = [];
    telegram.answer = () => void runs.push(currentRun());
    delivery.setUp('telegram', false);
    put('hello', { whole: true });
    await withRun(chatRun(), () => delivery.setUp('telegram', true));
    await settle();
    expect(runs).toEqual([undefined]);
  });
});

describe('order', () => {
  it('one call a chat at a time, other chats do not wait', async () => {
    const slow = door();
    telegram.answer = ({ to }) => (to.chat === 'c1' ? slow.wait : undefined);
    for (const key of ['a1', 'a2', 'a3']) put(key);
    await say('b1', { chat: 'c2' });
    await say('a4', { kind: 'card' });
    expect(telegram.log).toEqual(['send a1', 'send b1']);
    slow.open();
    await clock.skip(0);
    expect(telegram.log.slice(2)).toEqual(['send a2', 'send a3', 'send a4']);
    expect(telegram.overlap.get('c1')).toBe(1);
  });

  it('another platform does not wait either', async () => {
    const discord = new RecordingAdapter('discord');
    delivery.add(discord);
    delivery.setUp('discord', true);
    telegram.answer = () => new Promise(() => {});
    put('t');
    await say('d', { address: { ...chatAddress('c1'), platform: 'discord' } });
    expect(discord.log).toEqual(['send d']);
  });

  it('a card and a final overtake what their chat shows of the work (gateway 22)', async () => {
    for (let i = 0; i < 30; i++) put(`p${i}`, { kind: 'progress' });
    put('note', { kind: 'notice' });
    put('card', { kind: 'card' });
    await say('final');
    expect(telegram.log.slice(0, 4)).toEqual(['send card', 'send final', 'send note', 'send p0']);
  });

  it('a row that is tried again holds up its chat, and only that', async () => {
    failNext('unreached');
    put('a1');
    put('a2');
    await say('b1', { chat: 'c2' });
    expect(states('a1', 'a2', 'b1')).toBe('pending pending sent');
    await clock.skip(2_000);
    expect(telegram.shown('c1')).toEqual(['a1', 'a2']);
  });
});

describe('budgets', () => {
  const tight = {
    rate: { botPerSecond: 100, direct: { burst: 2, everyMs: 1_000 }, group: { burst: 2, everyMs: 3_000 } },
  };

  it('what has no place yet goes as soon as there is one', async () => {
    restart(tight);
    for (const key of ['1', '2', '3']) put(key);
    await say('4');
    expect(telegram.log).toEqual(['send 1', 'send 2']);
    await clock.skip(999);
    expect(telegram.log).toHaveLength(2);
    await clock.skip(1);
    expect(telegram.log).toHaveLength(3);
    await clock.skip(1_000);
    expect(telegram.log).toHaveLength(4);
  });

  it('progress leaves the last place of a chat to what matters', async () => {
    restart(tight);
    put('p1', { kind: 'progress' });
    await say('p2', { kind: 'progress' });
    expect(telegram.log).toEqual(['send p1']);
    await say('card', { kind: 'card' });
    expect(telegram.log).toEqual(['send p1', 'send card']);
  });
});

describe('failures', () => {
  it('a limit: again when told, counted from the refusal, at no cost', async () => {
    const slow = door();
    telegram.answer = async () => {
      await slow.wait;
      fails({ kind: 'wait', retryAfterMs: 5_000 });
    };
    await say('hello');
    await clock.skip(60_000);
    slow.open();
    await settle();
    expect(row('hello')).toMatchObject({ state: 'pending', attempts: 0, dueAt: clock.now() + 5_000 });
    telegram.answer = () => {};
    await clock.skip(4_999);
    expect(telegram.calls).toHaveLength(1);
    await clock.skip(1);
    expect(states('hello')).toBe('sent');
  });

  it('a penalty of weeks is waited for, not looped over', async () => {
    failNext({ kind: 'wait', retryAfterMs: 40 * 24 * HOUR });
    await say('hello');
    await clock.skip(3 * HOUR);
    expect(telegram.calls).toHaveLength(1);
    expect(clock.armed).toBe(2);
  });

  it('not reached: the ladder, then dead after a day (gateway 23)', async () => {
    failNext('unreached', Infinity);
    await say('hello');
    await clock.skip(2_000 + 10_000 + 30_000 + 2 * MIN + 10 * MIN + 30 * MIN);
    expect(telegram.calls).toHaveLength(7);
    await clock.skip(25 * HOUR);
    expect(states('hello')).toBe('dead');
    expect(telegram.calls).toHaveLength(7 + 23);
    expect(gaveUp).toEqual(['hello']);
  });

  it('maybe arrived: once more after 30 s, and it says so (gateway 21)', async () => {
    failNext('ambiguous', 2);
    await say('hello');
    expect(states('hello')).toBe('ambiguous');
    await clock.skip(29_999);
    expect(telegram.calls).toHaveLength(1);
    await clock.skip(1);
    expect(telegram.calls[1]?.part.text).toBe('(may be a repeat)\n\nhello');
    expect(states('hello')).toBe('dead');
    expect(gaveUp).toEqual(['hello']);
    await clock.skip(48 * HOUR);
    expect(telegram.calls).toHaveLength(2);
  });

  it('maybe arrived, then a limit, then no connection: the label stays', async () => {
    const answers = ['ambiguous', { kind: 'wait', retryAfterMs: 1_000 }, 'unreached'] as const;
    let n = 0;
    telegram.answer = () => {
      const answer = answers[n++];
      if (answer) fails(answer);
    };
    await say('hello');
    await clock.skip(HOUR);
    expect(telegram.shown('c1')).toEqual(['(may be a repeat)\n\nhello']);
    expect(telegram.calls).toHaveLength(4);
  });

  it('under a key that still holds a repeat needs no label, and may be tried more than once', async () => {
    restart({ idempotency: { lifeMs: 60_000 } });
    failNext('ambiguous', 2);
    await say('hello');
    await clock.skip(12_000);
    expect(telegram.log).toEqual(['send hello', 'send hello', 'send hello']);
    expect(new Set(telegram.calls.map(({ key }) => key))).toEqual(new Set(['hello']));
    expect(states('hello')).toBe('sent');
  });

  it('under a key that has run out the label is back, and it is the last try', async () => {
    restart({ idempotency: { lifeMs: 5_000 } });
    failNext('ambiguous', Infinity);
    await say('hello');
    await clock.skip(HOUR);
    expect(telegram.log).toEqual(['send hello', 'send hello', 'send (may be a repeat)\n\nhello']);
    expect(states('hello')).toBe('dead');
  });

  it('progress and previews are dropped at the first trouble', async () => {
    for (const failure of ['unreached', 'ambiguous', { kind: 'wait', retryAfterMs: 10 }] as const) {
      failNext(failure);
      const key = JSON.stringify(failure);
      await say(key, { kind: 'progress' });
      expect(states(key)).toBe('cancelled');
    }
  });

  it.each(['format', 'missing'] as const)('%s: dead, and the chat goes on', async (kind) => {
    failNext(kind);
    put('bad');
    await say('good');
    expect(states('bad', 'good')).toBe('dead sent');
    expect(row('bad').error).toBe('the platform said no');
    expect(gaveUp).toEqual(['bad']);
  });

  it('a chat that moved gets it at its new address, with its other parts; moved twice it is dead (gateway 28)', async () => {
    failNext({ kind: 'moved', to: chatAddress('c9') });
    await say('long', { text: `${'a'.repeat(20)}b` });
    expect(telegram.shown('c9')).toEqual(['a'.repeat(20), 'b']);
    expect(row('long')).toMatchObject({ state: 'sent', sentTo: chatAddress('c9') });

    failNext({ kind: 'moved', to: chatAddress('c8') }, Infinity);
    await say('circle');
    expect(states('circle')).toBe('dead');
    expect(telegram.calls.filter(({ key }) => key === 'circle')).toHaveLength(2);
  });

  it('a chat that moved takes everything along: sessions, waiting rows, cards; one that is there already stays (gateway 28)', async () => {
    const ann = person('ann');
    const at = (chat: string, key: string) => store.sessions.open(key, ann, chatAddress(chat), false, clock.now());
    const key = (chat: string) => sessionKey({ by: ann, address: chatAddress(chat), direct: false }, GROUPS);
    const moved = at('-1', key('-1'));
    const other = at('c5', key('c5'));
    const message = inbound('hi', { chat: '-1' });
    const { id } = store.inbox.put({ kind: 'message', event: message, session: moved.id }, clock.now());
    put('later', { chat: '-1' });
    failNext({ kind: 'moved', to: chatAddress('-2') });
    await say('first', { chat: '-1', kind: 'card' });
    expect(telegram.calls.map(({ to, part }) => `${part.text} ${to.chat}`)).toEqual([
      'later -1',
      'later -2',
      'first -2',
    ]);
    expect(store.sessions.current(key('-2'))?.id).toBe(moved.id);
    expect(store.sessions.get(moved.id)?.address.chat).toBe('-2');
    expect(store.sessions.get(other.id)).toEqual(other);
    expect(store.inbox.waiting(moved.id, clock.now())[0]).toMatchObject({ id, message: { address: { chat: '-2' } } });
    expect(store.moves.formerly(chatAddress('-2'))).toEqual(['-1']);
    expect(store.moves.latest('telegram', '-1')).toBe('-2');

    const newcomer = at('-3', key('-3'));
    store.moves.apply({ platform: 'telegram', from: '-2', to: '-3' }, clock.now(), (k) => movedKey(k, '-2', '-3'));
    expect(store.sessions.current(key('-3'))?.id).toBe(newcomer.id);
    expect(store.sessions.get(moved.id)?.endedAt).toBe(clock.now());
    expect(store.moves.formerly(chatAddress('-3'))).toEqual(['-2', '-1']);
  });

  it('a thread that is gone: in its chat, said once, with the other parts; the row shows where (gateway 28)', async () => {
    const address = { ...chatAddress('-1'), thread: '7' };
    failNext('missing');
    await say('long', { address, text: `${'a'.repeat(20)}b`, message: { text: `${'a'.repeat(20)}b`, replyTo: 'm77' } });
    expect(telegram.calls.map(({ to, part }) => [to.thread, part])).toEqual([
      ['7', { text: 'a'.repeat(20), replyTo: 'm77' }],
      [undefined, { text: `(the topic is gone)\n\n${'a'.repeat(20)}` }],
      [undefined, { text: 'b', replyTo: 'm77' }],
    ]);
    expect(row('long')).toMatchObject({ state: 'sent', sentTo: chatAddress('-1') });

    failNext('missing', 2);
    await say('lost', { address });
    expect(states('lost')).toBe('dead');
  });

  it('too large: cut in two once, in its place among its parts, buttons last; then dead', async () => {
    const buttons = [[{ label: 'Yes', data: 'h1:x' }]];
    failNext('size');
    await say('card', { kind: 'card', chat: 'c2', message: { text: 'one two three four', replyTo: 'm7', buttons } });
    expect(telegram.calls.slice(1).map(({ part }) => part)).toEqual([
      { text: 'one two', replyTo: 'm7' },
      { text: 'three four', buttons },
    ]);
    expect(row('card#0~1').state).toBe('sent');

    failNext('size', Infinity);
    await say('worse', { chat: 'c3' });
    expect(states('worse', 'worse#0~1')).toBe('dead dead');
  });

  it('a file that is too large: without it, and says so', async () => {
    failNext('size');
    await say('report', { message: { text: 'Here.', files: [{ name: 'my_report.pdf', text: '%PDF' }] } });
    expect(telegram.shown('c1').join('')).toBe('Here.\n\n(my\\_report\\.pdf could not be sent: too large)');
    expect(states('report')).toBe('sent');
  });

  it('a chat that refuses us: all that waits for it is dead at once, it is marked, and other chats go on', async () => {
    telegram.answer = ({ to }) => {
      if (to.chat === 'c1') fails('gone');
    };
    for (const key of ['one', 'two', 'three']) put(key);
    put('elsewhere', { chat: 'c2' });
    await say('preview', { kind: 'preview' });
    expect(states('one', 'two', 'three', 'elsewhere')).toBe('dead dead dead sent');
    expect(gaveUp).toEqual(['one', 'two', 'three', 'preview']);
    expect(reached).toEqual(['c1 gone']);
    expect(telegram.calls.filter(({ to }) => to.chat === 'c1')).toHaveLength(1);
    expect(store.reach.isGone(chatAddress('c1'))).toBe(true);
  });

  it('while it is marked: one try for each new row, no previews; a send that succeeds ends that', async () => {
    failNext('gone', 2);
    await say('one');
    await say('two');
    await say('live', { kind: 'progress' });
    expect(states('one', 'two', 'live')).toBe('dead dead cancelled');
    expect(telegram.log).toEqual(['send one', 'send two']);
    await say('three');
    await say('live again', { kind: 'progress' });
    expect(states('three', 'live again')).toBe('sent sent');
    expect(reached).toEqual(['c1 gone', 'c1 back']);
  });

  it('a refused token: held until the platform is back, in order', async () => {
    failNext('auth', Infinity);
    put('long', { text: `${'a'.repeat(20)}b` });
    await say('next');
    expect(states('long', 'long#1', 'next')).toBe('held held held');
    expect(telegram.calls).toHaveLength(2);
    delivery.setUp('telegram', false);
    await clock.skip(HOUR);
    telegram.answer = () => {};
    delivery.setUp('telegram', true);
    await clock.skip(0);
    expect(telegram.shown('c1')).toEqual(['a'.repeat(20), 'b', 'next']);
  });

  it('what was held for longer than a day is dead when the platform is back', async () => {
    failNext('auth');
    await say('old');
    delivery.setUp('telegram', false);
    await clock.skip(24 * HOUR + 1);
    delivery.setUp('telegram', true);
    await clock.skip(0);
    expect(states('old')).toBe('dead');
  });

  it('a bug in an adapter counts as maybe arrived, and says whose it is', async () => {
    telegram.answer = () => {
      throw new TypeError('x is not a function');
    };
    await say('hello');
    expect(states('hello')).toBe('ambiguous');
    expect(log.lines.some(({ level, sentence }) => level === 'error' && sentence.includes('SendError'))).toBe(true);
  });
});

describe('edits', () => {
  it('of a sent message: it shows the new text, and no second one', async () => {
    await say('preview', { kind: 'preview', text: 'Hel' });
    await say('final', { text: 'Hello', edits: 'preview' });
    expect(telegram.log).toEqual(['send Hel', 'edit Hello']);
    expect(telegram.shown('c1')).toEqual(['Hello']);
    expect(row('final')).toMatchObject({ state: 'sent', messageId: 'm1' });
  });

  it('of a message whose final is longer: the rest follows', async () => {
    await say('preview', { kind: 'preview', text: 'aaa' });
    await say('final', { text: `${'a'.repeat(20)}bbb`, edits: 'preview' });
    expect(telegram.shown('c1')).toEqual(['a'.repeat(20), 'bbb']);
  });

  it('of two messages: each part edits its own', async () => {
    await say('preview', { kind: 'preview', text: 'aaa', whole: true });
    await say('preview#1', { kind: 'preview', text: 'bb', whole: true });
    await say('final', { text: `${'a'.repeat(20)}bbb`, edits: 'preview' });
    expect(telegram.shown('c1')).toEqual(['a'.repeat(20), 'bbb']);
    expect(telegram.calls.filter(({ kind }) => kind === 'edit')).toHaveLength(2);
  });

  it('of what never left: this goes out in its place', async () => {
    delivery.setUp('telegram', false);
    put('preview', { kind: 'preview', text: 'Hel' });
    put('final', { text: 'Hello', edits: 'preview' });
    delivery.setUp('telegram', true);
    await clock.skip(0);
    expect(telegram.shown('c1')).toEqual(['Hello']);
    expect(states('preview', 'final')).toBe('superseded sent');
  });

  it('of a card that never left: it goes out closed, not open first', async () => {
    delivery.setUp('telegram', false);
    put('card', { kind: 'card', text: 'Run this?' });
    put('card-closed', { kind: 'card', text: 'Denied.', edits: 'card' });
    delivery.setUp('telegram', true);
    await clock.skip(0);
    expect(telegram.log).toEqual(['send Denied.']);
    expect(states('card', 'card-closed')).toBe('superseded sent');
  });

  it('of what is being sent: waits for its id', async () => {
    const slow = door();
    telegram.answer = ({ kind }) => (kind === 'send' ? slow.wait : undefined);
    await say('preview', { kind: 'preview', text: 'Hel' });
    await say('final', { text: 'Hello', edits: 'preview' });
    expect(telegram.log).toEqual(['send Hel']);
    slow.open();
    await clock.skip(0);
    expect(telegram.log).toEqual(['send Hel', 'edit Hello']);
  });

  it('of what is being edited by somebody else: waits until that is over', async () => {
    await say('preview', { kind: 'preview', text: 'Hel' });
    const done = rate.edit('preview');
    await say('final', { text: 'Hello', edits: 'preview' });
    expect(telegram.log).toEqual(['send Hel']);
    done();
    delivery.wake();
    await clock.skip(0);
    expect(telegram.log).toEqual(['send Hel', 'edit Hello']);
  });

  it('of what may have arrived: not waited for, the new text is sent', async () => {
    failNext('ambiguous');
    await say('card', { kind: 'card', text: 'Run this?' });
    await say('card-closed', { kind: 'card', text: 'Denied.', edits: 'card' });
    await clock.skip(MIN);
    expect(telegram.log).toEqual(['send Run this?', 'send Denied.']);
    expect(states('card')).toBe('superseded');
  });

  it('of an unknown row: sent', async () => {
    await say('final', { edits: 'nothing' });
    expect(telegram.log).toEqual(['send final']);
  });

  it('of a message that is gone: sent once, whole', async () => {
    await say('preview', { kind: 'preview', text: 'Hel' });
    telegram.answer = ({ kind }) => (kind === 'edit' ? fails('missing') : undefined);
    await say('final', { text: 'Hello', edits: 'preview' });
    expect(telegram.log).toEqual(['send Hel', 'edit Hello', 'send Hello']);
    expect(row('final')).toMatchObject({ state: 'sent', messageId: 'm2' });
  });

  it('refused by a limit: the same edit later, never a second copy (gateway 21)', async () => {
    await say('preview', { kind: 'preview', text: 'Hel' });
    failNext({ kind: 'wait', retryAfterMs: 3_000 });
    await say('final', { text: 'Hello', edits: 'preview' });
    await clock.skip(3_000);
    expect(telegram.log).toEqual(['send Hel', 'edit Hello', 'edit Hello']);
    expect(telegram.shown('c1')).toEqual(['Hello']);
  });

  it('that may have arrived: repeated without a label', async () => {
    await say('preview', { kind: 'preview', text: 'Hel' });
    failNext('ambiguous', 3);
    await say('final', { text: 'Hello', edits: 'preview' });
    await clock.skip(MIN);
    expect(telegram.shown('c1')).toEqual(['Hello']);
    expect(telegram.calls.map(({ part }) => part.text)).toEqual(['Hel', 'Hello', 'Hello', 'Hello', 'Hello']);
  });

  it('where there are none: a new message', async () => {
    restart({ edit: false });
    await say('card', { kind: 'card' });
    await say('card-closed', { kind: 'card', edits: 'card' });
    expect(telegram.log).toEqual(['send card', 'send card-closed']);
  });

  it('cannot turn a message into a file', async () => {
    await say('preview', { kind: 'preview', text: 'aaa' });
    await say('final', { text: 'a'.repeat(100), edits: 'preview' });
    expect(telegram.calls.at(-1)).toMatchObject({ kind: 'send', part: { files: [{ name: 'answer.md' }] } });
  });
});

describe('penalties', () => {
  const PENALTY = { kind: 'wait', retryAfterMs: 6_000_000 } as const;

  it('nothing is sent inside one, whatever its rank, other chats and platforms go on (h91969)', async () => {
    const discord = new RecordingAdapter('discord');
    delivery.add(discord);
    delivery.setUp('discord', true);
    failNext(PENALTY);
    await say('first');
    put('final', { kind: 'final' });
    put('card', { kind: 'card' });
    put('there', { chat: 'c2' });
    await say('discord', { address: { ...chatAddress('c1'), platform: 'discord' } });
    await clock.skip(PENALTY.retryAfterMs - 1);
    expect(telegram.log).toEqual(['send first', 'send there']);
    expect(discord.log).toEqual(['send discord']);
    await clock.skip(1);
    expect(telegram.log.slice(2)).toEqual(['send first', 'send final', 'send card']);
  });

  it('one of ten seconds or more holds after a restart, counted from the refusal', async () => {
    failNext(PENALTY);
    await say('first');
    await clock.skip(MIN);
    delivery.stop();
    rate = new RateGate(clock, store.penalties);
    delivery = start();
    await say('second', { kind: 'card' });
    await clock.skip(PENALTY.retryAfterMs - MIN - 1);
    expect(telegram.log).toEqual([]);
    await clock.skip(1);
    expect(telegram.log).toEqual(['send first', 'send second']);
    expect(new RateGate(clock, store.penalties).take(chatAddress('c1'), true, telegram.limits.rate)).toBe(0);
  });

  it('a server that doubles its penalty on calls inside it is never called inside it (h76494) (gateway 22)', async () => {
    let until = 0;
    let penalty = 30_000;
    telegram.answer = () => {
      const left = until - clock.now();
      if (left > 0) penalty *= 2;
      if (left > 0 || telegram.calls.length === 3) {
        until = clock.now() + penalty;
        fails({ kind: 'wait', retryAfterMs: penalty });
      }
    };
    for (let i = 0; i < 30; i++) put(`progress ${i}`, { kind: 'progress' });
    put('final');
    await say('card', { kind: 'card' });
    await clock.skip(30_000);
    expect(penalty).toBe(30_000);
    expect(telegram.log.slice(0, 2)).toEqual(['send final', 'send card']);
    expect(states('final', 'card')).toBe('sent sent');
  });
});

describe('an answer that comes late', () => {
  const ann = person('ann');
  function turn(text: string): TurnId {
    const session = store.sessions.open('k', ann, chatAddress('c1'), true, clock.now()).id;
    const place = { session, actor: ann, address: chatAddress('c1'), direct: true, replyTo: null };
    const { id } = store.turns.create(place, clock.now());
    const message = inbound(text, { sentAt: clock.now() });
    const row = store.inbox.put({ kind: 'message', event: message, session }, clock.now());
    store.inbox.take([row.id], id);
    return id;
  }
  function answer(id: TurnId, text: string, address = chatAddress('c1')): void {
    put(`final:${id}`, { turn: id, text, address });
    store.turns.end(id, 'answered', clock.now());
  }

  it('more than ten minutes after its turn: it opens with the message it answers, in its first part only', async () => {
    telegram.answer = () => fails('unreached');
    const id = turn('hi');
    await clock.skip(2 * MIN);
    answer(id, `${'a'.repeat(20)}b`);
    delivery.wake();
    await clock.skip(9 * MIN);
    telegram.answer = () => {};
    await clock.skip(20 * MIN);
    expect(telegram.shown('c1')).toEqual([`(answer to your message of 12:00)\n\n${'a'.repeat(20)}`, 'b']);
  });

  it('in time it does not', async () => {
    failNext('unreached', 3);
    const id = turn('hi');
    answer(id, 'hello');
    delivery.wake();
    await clock.skip(9 * MIN);
    expect(telegram.shown('c1')).toEqual(['hello']);
  });

  it('after the answer of a later turn it does, too (gateway 21)', async () => {
    const first = turn('one');
    clock.jump(1_000);
    const second = turn('two');
    telegram.answer = ({ to }) => {
      if (to.thread === '7' && telegram.calls.length < 3) fails('unreached');
    };
    answer(first, 'one', { ...chatAddress('c3'), thread: '7' });
    answer(second, 'two');
    delivery.wake();
    await clock.skip(MIN);
    expect(telegram.log).toContain('send two');
    expect(telegram.shown('c3')).toEqual(['(answer to your message of 12:00)\n\none']);
  });
});

describe('what has waited too long', () => {
  it('is dead also where its platform is down for good or not here any more', async () => {
    delivery.setUp('telegram', false);
    put('one');
    put('stray', { address: { ...chatAddress('c1'), platform: 'gone' } });
    await clock.skip(24 * HOUR + 10 * MIN);
    expect(states('one', 'stray')).toBe('dead dead');
    expect(gaveUp).toEqual(['one', 'stray']);
    put('fresh');
    await clock.skip(23 * HOUR);
    expect(states('fresh')).toBe('pending');
  });
});

describe('expiry', () => {
  it('a card is not sent after its time', async () => {
    delivery.setUp('telegram', false);
    put('card', { kind: 'card', expiresAt: clock.now() + 1_000 });
    put('next');
    await clock.skip(1_000);
    delivery.setUp('telegram', true);
    await clock.skip(0);
    expect(telegram.log).toEqual(['send next']);
    expect(row('card')).toMatchObject({ state: 'cancelled', error: 'expired before it was sent' });
  });

  it('a moment before it is', async () => {
    await say('card', { kind: 'card', expiresAt: clock.now() + 1 });
    expect(states('card')).toBe('sent');
  });
});

describe('after a boot', () => {
  it('what the dead process was sending comes once more after 5 s, labelled; what came since waits behind it', async () => {
    put('hello');
    store.outbox.claim(row('hello').id);
    put('next');
    store.outbox.recover(clock.now());
    delivery.wake();
    await clock.skip(4_999);
    expect(telegram.calls).toEqual([]);
    await clock.skip(1);
    expect(telegram.shown('c1')).toEqual(['(may be a repeat)\n\nhello', 'next']);
  });

  it('an edit it was making is made again at once', async () => {
    await say('preview', { kind: 'preview', text: 'Hel' });
    put('final', { text: 'Hello', edits: 'preview' });
    store.outbox.claim(row('final').id);
    store.outbox.recover(clock.now());
    delivery.wake();
    await clock.skip(0);
    expect(telegram.log).toEqual(['send Hel', 'edit Hello']);
  });
});

describe('a store that fails', () => {
  it('never costs a message that was sent: the row is written as soon as that works', async () => {
    const { sent } = store.outbox;
    let broken = 3;
    store.outbox.sent = (...args) => {
      if (broken-- > 0) throw new Error('database or disk is full');
      sent(...args);
    };
    put('hello');
    await say('next');
    expect(states('hello')).toBe('sending');
    await clock.skip(3_000);
    expect(states('hello', 'next')).toBe('sent sent');
    expect(telegram.log).toEqual(['send hello', 'send next']);
  });

  it('when it cannot be read, delivery looks again', async () => {
    const { heads } = store.outbox;
    store.outbox.heads = () => {
      throw new Error('disk I/O error');
    };
    await say('hello');
    store.outbox.heads = heads;
    await clock.skip(1_000);
    expect(states('hello')).toBe('sent');
  });
});

describe('flush and stop', () => {
  it('sends what can be sent, finals and cards first, then takes no more', async () => {
    const tight = { rate: { botPerSecond: 1, direct: { burst: 9, everyMs: 1 }, group: { burst: 9, everyMs: 1 } } };
    restart(tight);
    put('progress', { kind: 'progress', chat: 'c1' });
    put('note', { kind: 'notice', chat: 'c2' });
    put('final', { chat: 'c3' });
    put('card', { kind: 'card', chat: 'c4' });
    const flushed = delivery.flush(2_500);
    await clock.skip(2_500);
    await flushed;
    expect(telegram.log).toEqual(['send final', 'send card', 'send note']);
    await say('late');
    await clock.skip(HOUR);
    expect(telegram.calls).toHaveLength(3);
    expect(states('progress', 'late')).toBe('pending pending');
  });

  it('ends at once when nothing can be sent', async () => {
    put('in an hour');
    store.outbox.retry(row('in an hour').id, clock.now() + HOUR, '', 'pending', false);
    await say('elsewhere', { address: { ...chatAddress('c1'), platform: 'gone' } });
    const before = clock.now();
    await delivery.flush(5_000);
    expect(clock.now()).toBe(before);
  });

  it('waits for what is in flight, then tells it to end', async () => {
    let told = false;
    telegram.send = (_to, _part, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          told = true;
          reject(new Error('aborted'));
        });
      });
    await say('hello');
    const flushed = delivery.flush(1_000);
    await clock.skip(999);
    expect(told).toBe(false);
    await clock.skip(20);
    await flushed;
    expect(told).toBe(true);
    expect(states('hello')).toBe('ambiguous');
  });

  it('does not wait for ever for what does not listen, and writes nothing to a closed store', async () => {
    const slow = door();
    telegram.answer = () => slow.wait;
    await say('hello');
    const flushed = delivery.flush(1_000);
    await clock.skip(2_100);
    await flushed;
    store.close();
    slow.open();
    await settle();
    await clock.skip(HOUR);
    expect(telegram.calls).toHaveLength(1);
  });

  it('a timer that is left finds nothing to do', async () => {
    await say('hello');
    delivery.wake();
    delivery.stop();
    store.close();
    await clock.skip(HOUR);
    expect(clock.armed).toBe(0);
  });
});

it('many wakes are one look', async () => {
  let looks = 0;
  const { heads } = store.outbox;
  store.outbox.heads = (platform) => {
    looks++;
    return heads(platform);
  };
  for (let i = 0; i < 1_000; i++) delivery.wake();
  await clock.skip(0);
  expect(looks).toBe(1);
});
