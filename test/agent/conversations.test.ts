import { beforeEach, describe, expect, it } from 'vitest';
import { Conversations } from '../../src/agent/conversations.ts';
import { type BootId, type CallId, newId, type SessionId, type TurnId } from '../../src/contract/ids.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { chatAddress, person } from '../fakes/runs.ts';

const BOOT = newId<BootId>();
const MB = 1024 * 1024;

let store: Store;
let clock: FakeClock;
let limit: number;
let conversations: Conversations;

beforeEach(() => {
  store = openStore(':memory:');
  clock = new FakeClock();
  limit = 64 * MB;
  conversations = new Conversations({ store, clock, bytes: () => limit });
});

const session = (chat = 'c1') =>
  store.sessions.open(`telegram:dm:b1:${chat}`, person('ann'), chatAddress(chat), true, clock.now()).id;

function begin(id: SessionId, words: string): TurnId {
  const place = { actor: person('ann'), address: chatAddress('c1'), direct: true, replyTo: null };
  const turn = store.turns.create({ session: id, ...place }, clock.now()).id;
  store.transcript.append({ session: id, turn, step: 0, role: 'user', content: words }, clock.now());
  return turn;
}

function end(id: SessionId, turn: TurnId, words: string, calls: readonly string[] = []): readonly CallId[] {
  const made = calls.map((raw) => ({ providerId: 'p', name: 'shell', raw }));
  const message = { session: id, turn, step: 1, role: 'assistant', content: words, calls: made } as const;
  return store.transcript.append(message, clock.now()).calls.map((call) => call.id);
}

const exchange = (id: SessionId, words: string, answer = `re ${words}`) => end(id, begin(id, words), answer);
const read = (id: SessionId, turn: TurnId) => conversations.read(id, turn).map(({ content }) => content);

describe('a conversation', () => {
  it('is read as the rows are, turn after turn, whatever is in memory', () => {
    const id = session();
    for (let i = 0; i < 5; i++) {
      const turn = begin(id, `q${i}`);
      expect(conversations.read(id, turn)).toEqual(store.transcript.read(id));
      const [call] = end(id, turn, '', ['{}']);
      store.transcript.begin(call as CallId, BOOT, clock.now());
      expect(conversations.read(id, turn)).toEqual(store.transcript.read(id));
      store.transcript.finish(call as CallId, 'done', `r${i}`, clock.now());
      expect(conversations.read(id, turn)).toEqual(store.transcript.read(id));
      end(id, turn, `a${i}`);
    }
  });

  it('reads what is settled once: a later turn asks for its own rows only (gateway 35)', () => {
    const id = session();
    for (let i = 0; i < 500; i++) exchange(id, `q${i}`);
    conversations.read(id, begin(id, 'now'));
    const asked: number[] = [];
    const { after, newest } = store.transcript;
    Object.assign(store.transcript, {
      after: (...args: Parameters<typeof after>) => {
        const rows = after(...args);
        asked.push(rows.length);
        return rows;
      },
      newest: (...args: Parameters<typeof newest>) => {
        asked.push(Number.POSITIVE_INFINITY);
        return newest(...args);
      },
    });
    expect(read(id, begin(id, 'next'))).toHaveLength(1_002);
    expect(asked).toEqual([2]);
  });

  it('hears of /undo, of better words, and of a result that comes after the end of its turn', () => {
    const id = session();
    exchange(id, 'one');
    const late = begin(id, 'two');
    const [call] = end(id, late, '', ['{}']);
    store.transcript.begin(call as CallId, BOOT, clock.now());
    const now = begin(id, 'three');
    expect(read(id, now)).toEqual(['one', 're one', 'two', '', 'three']);
    store.transcript.finish(call as CallId, 'unknown', 'nobody knows', clock.now());
    expect(conversations.read(id, now)[3]?.calls[0]?.result).toBe('nobody knows');
    end(id, now, 're three');
    store.transcript.undo(id, 2);
    const last = begin(id, 'four');
    expect(read(id, last)).toEqual(['one', 're one', 'four']);
    store.transcript.hideWords(last);
    expect(read(id, last)).toEqual(['one', 're one']);
  });

  it('of a worker is no part of it', () => {
    const id = session();
    const turn = begin(id, 'q');
    const hidden = {
      session: id,
      turn: newId<TurnId>(),
      step: 0,
      role: 'user',
      content: 'task',
      hidden: true,
    } as const;
    store.transcript.append(hidden, clock.now());
    expect(read(id, turn)).toEqual(['q']);
  });
});

describe('a conversation longer than any window', () => {
  const LEFT = /^Earlier messages of this conversation are left out/;
  const long = (id: SessionId, from: number, count: number) => {
    for (let i = from; i < from + count; i++) exchange(id, `q${i}`, 'x'.repeat(9_000));
  };
  const firstQuestion = (texts: readonly string[]) => texts.find((text) => text.startsWith('q'));

  it('loses its oldest turns, whole ones, says so, and keeps its new beginning for long', () => {
    const id = session();
    long(id, 0, 200);
    const before = read(id, begin(id, 'now'));
    expect(before[0]).toMatch(LEFT);
    expect(before[1]).toMatch(/^q1\d\d$/);
    expect(before.length).toBeGreaterThan(80);
    expect(before.join('').length).toBeLessThan(MB);
    const starts = new Set<string | undefined>();
    for (let i = 200; i < 260; i++) {
      long(id, i, 1);
      const texts = read(id, begin(id, 'more'));
      expect(texts[0]).toMatch(LEFT);
      expect(texts.join('').length).toBeLessThan(MB + 10_000);
      starts.add(firstQuestion(texts));
    }
    expect(starts.size).toBeLessThan(6);
  });

  it('a short one says nothing of the kind', () => {
    const id = session();
    long(id, 0, 20);
    expect(firstQuestion(read(id, begin(id, 'now')))).toBe('q0');
  });
});

describe('memory', () => {
  it('is bounded over all conversations: the longest unused goes first (gateway 26)', () => {
    limit = 60_000;
    const ids = ['c1', 'c2', 'c3'].map(session);
    for (const id of ids) {
      exchange(id, 'q', 'x'.repeat(25_000));
      read(id, begin(id, 'now'));
    }
    expect(conversations.bytes).toBeLessThanOrEqual(limit);
    expect(conversations.bytes).toBeGreaterThan(50_000);
    expect(read(ids[0] as SessionId, begin(ids[0] as SessionId, 'again'))).toHaveLength(4);
  });

  it('holds nothing of who has been silent for ten minutes, and nothing when it is needed (gateway 26)', async () => {
    const [one, two] = [session('c1'), session('c2')];
    for (const id of [one, two]) exchange(id, 'q');
    read(one, begin(one, 'now'));
    await clock.skip(300_000);
    read(two, begin(two, 'now'));
    const both = conversations.bytes;
    await clock.skip(300_000);
    expect(conversations.bytes).toBeLessThan(both);
    expect(conversations.bytes).toBeGreaterThan(0);
    await clock.skip(600_000);
    expect([conversations.bytes, clock.armed]).toEqual([0, 0]);
    read(one, begin(one, 'again'));
    conversations.empty();
    expect(conversations.bytes).toBe(0);
  });
});
