import { beforeEach, describe, expect, it } from 'vitest';
import type { InboxId, SessionId, TurnId } from '../../src/contract/ids.ts';
import type { InboundMessage } from '../../src/contract/message.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { chatAddress, person } from '../fakes/runs.ts';
import { inbound } from '../gateway/inbound.ts';

let store: Store;
let session: SessionId;
beforeEach(() => {
  store = openStore(':memory:');
  session = store.sessions.open('k', person('ann'), chatAddress('c1'), true, 0).id;
});

const paste = { join: { key: 'p', waitMs: 2_000 } };

function put(text: string, said: Parameters<typeof inbound>[1] = {}, now = 1_000, readyAt?: number): InboxId {
  return store.inbox.put({ kind: 'message', event: inbound(text, said), session }, now, readyAt).id;
}

const waiting = (now = 1e12) => store.inbox.waiting(session, now).map(({ message }) => message.text);
const states = () => store.db.prepare('SELECT state, reason FROM inbox ORDER BY seq').raw().all();

function newTurn(): TurnId {
  const turn = { session, actor: person('ann'), address: chatAddress('c1'), direct: true, replyTo: null };
  return store.turns.create(turn, 0).id;
}

describe('an event', () => {
  it('is a row once, whatever it says the second time (gateway 20)', () => {
    const event = inbound('one', { eventId: 'e' });
    const first = store.inbox.put({ kind: 'message', event, session }, 1);
    const again = store.inbox.put({ kind: 'command', event: { ...event, text: 'two' }, session }, 2);
    expect([first.fresh, again]).toEqual([true, { id: first.id, fresh: false }]);
    expect(waiting()).toEqual(['one']);
  });

  it('of another bot or platform is another event', () => {
    const places = [
      chatAddress('c1'),
      { ...chatAddress('c1'), bot: 'b2' },
      { ...chatAddress('c1'), platform: 'discord' },
    ];
    const fresh = places.map(
      (address) => store.inbox.put({ kind: 'message', event: inbound('x', { eventId: 'e', address }) }, 1).fresh,
    );
    expect(fresh).toEqual([true, true, true]);
  });

  it('comes back as it came in', () => {
    const message: InboundMessage = inbound('hello', {
      attachments: [{ kind: 'image', name: 'a', ref: 'r' }],
      replyTo: { messageId: '1', quoted: 'q' },
    });
    store.inbox.put({ kind: 'internal', event: message, session }, 5);
    expect(store.inbox.waiting(session, 5)).toMatchObject([{ kind: 'internal', message, receivedAt: 5 }]);
  });

  it('that nobody can read is kept, and done', () => {
    const input = { platform: 'telegram', bot: 'b1', eventId: 'e', reason: 'no sender', raw: '{"broken' };
    store.inbox.putRefused(input, 5);
    store.inbox.putRefused(input, 6);
    expect(states()).toEqual([['refused', 'no sender']]);
    expect(store.inbox.open()).toBe(0);
    expect(store.inbox.original(inbound('x'))).toBeUndefined();
  });
});

describe('waiting', () => {
  it('are the messages that no turn has taken, oldest first; no commands, no presses', () => {
    put('a');
    store.inbox.put({ kind: 'command', event: inbound('/stop'), session }, 1);
    const taken = put('b');
    put('c');
    store.inbox.take([taken], newTurn());
    expect(waiting()).toEqual(['a', 'c']);
    expect(store.inbox.waitingCount(session)).toBe(2);
    expect(store.inbox.sessions()).toEqual([session]);
  });

  it('nothing before the oldest is ready, then what is ready too', () => {
    put('slow', {}, 1_000, 3_000);
    put('quick');
    put('later', {}, 1_000, 9_000);
    expect(store.inbox.nextReadyAt(session)).toBe(3_000);
    expect([waiting(2_999), waiting(3_000)]).toEqual([[], ['slow', 'quick']]);
  });

  it('nothing in a session without messages', () => {
    expect([waiting(), store.inbox.nextReadyAt(session), store.inbox.waitingCount(session)]).toEqual([
      [],
      undefined,
      0,
    ]);
  });

  it('a later piece moves the whole back, up to 10 s after the first', () => {
    put('a', paste, 1_000, 3_000);
    put('other', { join: { key: 'q', waitMs: 1 } }, 1_000, 1_001);
    put('b', paste, 2_500, 4_500);
    store.inbox.defer(session, 'p', 4_500);
    expect(store.inbox.nextReadyAt(session)).toBe(4_500);
    store.inbox.defer(session, 'p', 99_000);
    expect(store.inbox.nextReadyAt(session)).toBe(11_000);
    expect(waiting(11_000)).toEqual(['a', 'other', 'b']);
  });

  it('a piece that a turn has taken stays where it is', () => {
    const a = put('a', paste, 1_000, 3_000);
    store.inbox.take([a], newTurn());
    put('b', paste, 20_000, 22_000);
    store.inbox.defer(session, 'p', 22_000);
    expect(store.inbox.nextReadyAt(session)).toBe(22_000);
  });
});

describe('a clock that is put back', () => {
  it('keeps nobody waiting: what seems to have come later is ready, and orders by its place', () => {
    put('one', {}, 7_200_000, 7_202_000);
    const late = put('two', {}, 3_600_000, 3_602_000);
    expect(waiting(3_600_000)).toEqual(['one']);
    expect(waiting(3_602_000)).toEqual(['one', 'two']);
    store.inbox.setSteer(late);
    expect(store.inbox.steering(session, 'ann', 3_000_000).map(({ id }) => id)).toEqual([late]);
    expect(waiting(7_201_000)).toEqual([]);
  });
});

describe('an end', () => {
  it('comes once and stays', () => {
    const id = put('a');
    store.inbox.finish(id, 'merged', 5, 'answered an approval');
    store.inbox.finish(id, 'answered', 6);
    expect(states()).toEqual([['merged', 'answered an approval']]);
  });

  it('of a turn is the end of what it took, and nothing else', () => {
    const turn = newTurn();
    store.inbox.take([put('a'), put('b')], turn);
    put('c');
    expect(store.inbox.ofTurn(turn).map(({ message }) => message.text)).toEqual(['a', 'b']);
    store.inbox.finishTurn(turn, 'answered', 5);
    expect(states()).toEqual([
      ['answered', null],
      ['answered', null],
      ['new', null],
    ]);
    expect(store.inbox.open()).toBe(1);
  });

  it('refusing clears what waits, or one person’s part of it', () => {
    put('a');
    put('b', { by: person('bob') });
    store.inbox.take([put('running')], newTurn());
    expect(store.inbox.refuseWaiting(session, 5, '/stop all', 'ann')).toBe(1);
    expect(states()).toEqual([
      ['refused', '/stop all'],
      ['new', null],
      ['claimed', null],
    ]);
    expect(store.inbox.refuseWaiting(session, 5, '/new')).toBe(1);
    expect(store.inbox.refuseWaiting(session, 5, '/new')).toBe(0);
  });
});

describe('an edit', () => {
  it('finds its message, by chat, id and author', () => {
    const id = put('old', { messageId: '7' });
    expect(store.inbox.original(inbound('new', { messageId: '7' }))).toEqual({ id, text: 'old' });
    expect(store.inbox.original(inbound('new', { messageId: '8' }))).toBeUndefined();
    expect(store.inbox.original(inbound('new', { messageId: '7', chat: 'c2' }))).toBeUndefined();
    expect(store.inbox.original(inbound('new', { messageId: '7', by: person('bob') }))).toBeUndefined();
  });

  it('knows no commands: an edited /stop is nothing', () => {
    store.inbox.put({ kind: 'command', event: inbound('/stop', { messageId: '7' }) }, 1);
    expect(store.inbox.original(inbound('/start', { messageId: '7' }))).toBeUndefined();
  });

  it('replaces the text of a row that waits, nothing else of it', () => {
    const event = inbound('old', { messageId: '7', ...paste });
    const { id } = store.inbox.put({ kind: 'message', event, session }, 1_000, 3_000);
    expect(store.inbox.replaceText(id, 'new "text"')).toBe(true);
    expect(store.inbox.waiting(session, 3_000)).toMatchObject([{ message: { ...event, text: 'new "text"' } }]);
  });

  it('of a row that a turn has is too late', () => {
    const id = put('old');
    store.inbox.take([id], newTurn());
    expect(store.inbox.replaceText(id, 'new')).toBe(false);
  });
});

describe('recover', () => {
  it('gives back what a turn took that no longer lives', () => {
    const [dead, living] = [newTurn(), newTurn()];
    store.inbox.take([put('a')], dead);
    store.inbox.take([put('b')], living);
    put('c');
    store.turns.end(dead, 'failed', 5);
    expect(store.inbox.recover()).toBe(1);
    expect(waiting()).toEqual(['a', 'c']);
    expect(store.inbox.ofTurn(living)).toHaveLength(1);
  });
});
