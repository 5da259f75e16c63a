import { beforeEach, describe, expect, it } from 'vitest';
import type { TurnId } from '../../src/contract/ids.ts';
import type { OutboxPut, OutboxRow, OutboxState } from '../../src/store/outbox.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { chatAddress } from '../fakes/runs.ts';

let store: Store;
beforeEach(() => {
  store = openStore(':memory:');
});

const SAID = { messageId: 'm1', at: chatAddress('c1') };

function put(key: string, row: Partial<OutboxPut> & { chat?: string } = {}, now = 1_000): OutboxRow {
  const { chat = 'c1', ...rest } = row;
  const whole = { kind: 'notice', direct: true, message: { text: key }, address: chatAddress(chat), ...rest } as const;
  return store.outbox.put({ key, ...whole }, now) as OutboxRow;
}

/** As delivery does it: whatever is no part yet becomes one. */
function heads(platform = 'telegram'): string[] {
  return store.outbox.heads(platform).map((row) => row.key);
}

function state(key: string): OutboxState | undefined {
  return store.outbox.get(key)?.state;
}

function sent(key: string): void {
  const row = store.outbox.get(key) as OutboxRow;
  expect(store.outbox.claim(row.id)).toBe(true);
  store.outbox.sent(row.id, { ...SAID, messageId: `m:${key}` }, 2_000);
}

describe('a row', () => {
  it('comes back as it was put', () => {
    const message = { text: 'hi', buttons: [[{ label: 'Yes', data: 'h1:x' }]], replyTo: '7' };
    const address = { ...chatAddress('c1'), thread: '9', via: 'biz' };
    const row = {
      key: 'k',
      kind: 'card',
      address,
      direct: false,
      message,
      turn: 't1' as TurnId,
      edits: 'e',
      expiresAt: 9,
    } as const;
    expect(store.outbox.put(row, 5)).toMatchObject({
      ...row,
      state: 'pending',
      part: null,
      parts: null,
      attempts: 0,
      dueAt: 5,
      createdAt: 5,
      messageId: null,
      sentTo: null,
      error: null,
    });
  });

  it('exists once a key: the second put changes nothing, whatever became of the first', () => {
    put('k', { message: { text: 'first' } });
    sent('k');
    expect(
      store.outbox.put(
        { key: 'k', kind: 'final', direct: true, message: { text: 'second' }, address: chatAddress('c1') },
        2,
      ),
    ).toBeNull();
    expect(store.outbox.get('k')).toMatchObject({ state: 'sent', message: { text: 'first' } });
  });

  it('is claimed by one', () => {
    const { id } = put('k');
    expect([store.outbox.claim(id), store.outbox.claim(id)]).toEqual([true, false]);
    expect(store.outbox.get('k')).toMatchObject({ state: 'sending', attempts: 1 });
  });

  it.each(['sent', 'dead', 'superseded', 'cancelled', 'held'] as const)('is not claimed when it is %s', (end) => {
    const { id } = put('k');
    if (end === 'sent') sent('k');
    else if (end === 'held') store.outbox.hold(id, 'why');
    else store.outbox.close(id, end);
    expect(store.outbox.claim(id)).toBe(false);
  });

  it('once sent is not closed', () => {
    const { id } = put('k');
    sent('k');
    store.outbox.close(id, 'dead', 'why');
    expect(store.outbox.get('k')).toMatchObject({ state: 'sent', error: null, messageId: 'm:k' });
  });

  it('waits again, and a limit costs no attempt', () => {
    const { id } = put('k');
    store.outbox.claim(id);
    store.outbox.retry(id, 9_000, 'limit', 'pending', true);
    expect(store.outbox.get('k')).toMatchObject({ state: 'pending', attempts: 0, dueAt: 9_000, error: 'limit' });
    store.outbox.claim(id);
    store.outbox.retry(id, 9_500, 'lost', 'ambiguous', false);
    expect(store.outbox.get('k')).toMatchObject({ state: 'ambiguous', attempts: 1, dueAt: 9_500 });
    expect(store.outbox.claim(id)).toBe(true);
  });
});

describe('heads', () => {
  it('are the oldest of each chat, due or not', () => {
    put('a1');
    put('a2');
    put('b1', { chat: 'c2' });
    const { id } = store.outbox.get('a1') as OutboxRow;
    store.outbox.claim(id);
    store.outbox.retry(id, 1e15, 'later', 'pending', false);
    expect(heads()).toEqual(['a1', 'b1']);
  });

  it('finals and cards pass notices, these pass progress; among chats too', () => {
    put('p', { kind: 'progress' });
    put('v', { kind: 'preview', chat: 'c2' });
    put('n', { kind: 'notice' });
    put('j', { kind: 'job', chat: 'c3' });
    put('f', { kind: 'final', chat: 'c4' });
    put('c', { kind: 'card' });
    expect(heads()).toEqual(['f', 'c', 'j', 'v']);
  });

  it('a chat with a call in flight has none, whatever came since', () => {
    const { id } = put('p', { kind: 'progress' });
    store.outbox.claim(id);
    put('f', { kind: 'final' });
    put('other', { chat: 'c2' });
    expect(heads()).toEqual(['other']);
    store.outbox.sent(id, SAID, 1);
    expect(heads()).toEqual(['f', 'other']);
  });

  it('know platforms and bots apart', () => {
    put('t');
    put('t2', { address: { ...chatAddress('c1'), bot: 'b2' } });
    put('d', { address: { ...chatAddress('c1'), platform: 'discord' } });
    expect(heads()).toEqual(['t', 't2']);
    expect(heads('discord')).toEqual(['d']);
  });

  it('read an index, not the table', () => {
    const sql = store.db.prepare(
      "EXPLAIN QUERY PLAN SELECT * FROM outbox WHERE platform = ? AND state IN ('pending', 'ambiguous', 'sending')",
    );
    const plan = sql.all('telegram').map((row) => (row as { detail: string }).detail);
    expect(plan.join()).toContain('outbox_waiting');
  });
});

describe('parts', () => {
  it('stand before whatever their chat says later, and leave in order', () => {
    const row = put('k', { kind: 'final' });
    put('later', { kind: 'final' });
    store.outbox.split(row, [{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    const order: string[] = [];
    for (let next = heads()[0]; next !== undefined; next = heads()[0]) {
      order.push(next);
      sent(next);
    }
    expect(order).toEqual(['k', 'k#1', 'k#2', 'later']);
  });

  it('carry what the row carried, its age too', () => {
    const row = put('k', { kind: 'final', turn: 't' as TurnId, edits: 'preview:t', expiresAt: 9 });
    store.outbox.retry(row.id, 7_000, '', 'pending', true);
    store.outbox.split(store.outbox.get('k') as OutboxRow, [{ text: 'one' }, { text: 'two' }]);
    expect(store.outbox.get('k')).toMatchObject({ message: { text: 'one' }, part: 0, parts: 2, edits: 'preview:t' });
    expect(store.outbox.get('k#1')).toMatchObject({
      kind: 'final',
      turn: 't',
      edits: 'preview:t#1',
      expiresAt: 9,
      part: 1,
      parts: 2,
      createdAt: 1_000,
      dueAt: 7_000,
      message: { text: 'two' },
    });
  });

  it('none: there is nothing to say', () => {
    store.outbox.split(put('k'), []);
    expect(store.outbox.get('k')).toMatchObject({ state: 'cancelled', error: 'nothing to say' });
  });

  it('a row that is one part already has its place', () => {
    expect(put('k', { whole: true })).toMatchObject({ part: 0, parts: 1 });
  });
});

describe('held', () => {
  it('a row holds its later parts, not what the chat says besides', () => {
    const row = put('k');
    store.outbox.split(row, [{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    put('other');
    sent('k');
    const { id } = store.outbox.get('k#1') as OutboxRow;
    store.outbox.claim(id);
    store.outbox.hold(id, 'token refused');
    expect(['k', 'k#1', 'k#2', 'other'].map(state)).toEqual(['sent', 'held', 'held', 'pending']);
    expect(heads()).toEqual(['other']);
  });

  it('waits again when its platform is back, in the old order, unless too old', () => {
    const old = put('old', {}, 1_000);
    const young = put('young', {}, 5_000);
    put('other', {}, 6_000);
    const discord = put('d', { address: { ...chatAddress('c1'), platform: 'discord' } });
    for (const { id } of [old, young, discord]) store.outbox.hold(id, 'token refused');
    store.outbox.release('telegram', 7_000, 5_000);
    expect(['old', 'young', 'd'].map(state)).toEqual(['dead', 'pending', 'held']);
    expect(store.outbox.get('young')).toMatchObject({ dueAt: 7_000 });
    expect(heads()).toEqual(['young']);
  });
});

describe('what replaces a row', () => {
  it('counts while it waits', () => {
    const card = put('card', { kind: 'card' });
    expect(store.outbox.replaced(card)).toBe(false);
    const closed = put('card-closed', { kind: 'card', edits: 'card' });
    expect(store.outbox.replaced(card)).toBe(true);
    store.outbox.close(closed.id, 'cancelled');
    expect(store.outbox.replaced(card)).toBe(false);
  });

  it('replaces all parts of it', () => {
    store.outbox.split(put('card', { kind: 'card' }), [{ text: 'command.txt' }, { text: 'buttons' }]);
    put('card-closed', { kind: 'card', edits: 'card' });
    expect(store.outbox.replaced(store.outbox.get('card#1') as OutboxRow)).toBe(true);
  });

  it('a forgotten message counts as never sent', () => {
    put('preview');
    sent('preview');
    store.outbox.forget('preview');
    expect(state('preview')).toBe('superseded');
  });
});

describe('a chat that moved', () => {
  it('takes the waiting parts of the row along', () => {
    const row = put('k');
    store.outbox.split(row, [{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    put('other');
    sent('k');
    const { id } = store.outbox.get('k#1') as OutboxRow;
    store.outbox.claim(id);
    store.outbox.moveTo(id, { ...chatAddress('c9'), thread: '4' }, 3_000);
    const to = { ...chatAddress('c9'), thread: '4' };
    for (const key of ['k#1', 'k#2']) {
      expect(store.outbox.get(key)).toMatchObject({ address: to, sentTo: to, state: 'pending', dueAt: 3_000 });
    }
    expect(store.outbox.get('k')).toMatchObject({ state: 'sent', sentTo: chatAddress('c1') });
    expect(heads()).toEqual(['k#1', 'other']);
  });

  it('what may have arrived stays so', () => {
    const { id } = put('k');
    store.outbox.retry(id, 1, 'lost', 'ambiguous', false);
    store.outbox.moveTo(id, chatAddress('c9'), 1);
    expect(state('k')).toBe('ambiguous');
  });
});

describe('a turn', () => {
  const turn = 't1' as TurnId;
  const everything = (): void => {
    for (const kind of ['final', 'preview', 'progress', 'notice', 'card'] as const) put(kind, { kind, turn });
    put('other', { kind: 'final', turn: 't2' as TurnId });
    put('shown', { kind: 'preview', turn });
    sent('shown');
  };
  const states = () => ['final', 'preview', 'progress', 'notice', 'card', 'other', 'shown'].map(state).join(' ');

  it('that was stopped says nothing more', () => {
    everything();
    store.outbox.cancelTurn(turn);
    expect(states()).toBe('cancelled cancelled cancelled pending pending pending sent');
  });

  it('that ends shows no more of how it came about', () => {
    everything();
    store.outbox.dropLive(turn);
    expect(states()).toBe('pending cancelled cancelled pending pending pending sent');
  });
});

describe('recover', () => {
  it('what was being sent may have arrived: finals wait, edits go again, previews are dropped', () => {
    put('shown', { kind: 'preview' });
    sent('shown');
    const rows = [
      put('final', { kind: 'final', chat: 'c1' }),
      put('edit', { kind: 'final', chat: 'c2', edits: 'shown' }),
      put('edit of nothing', { kind: 'final', chat: 'c3', edits: 'unknown' }),
      put('preview', { kind: 'preview', chat: 'c4' }),
      put('progress', { kind: 'progress', chat: 'c5' }),
    ];
    put('waiting', { chat: 'c6' });
    for (const { id } of rows) store.outbox.claim(id);
    expect(store.outbox.recover(50_000)).toBe(5);
    expect(rows.map(({ key }) => state(key))).toEqual(['ambiguous', 'pending', 'ambiguous', 'cancelled', 'cancelled']);
    expect(store.outbox.get('final')).toMatchObject({ dueAt: 55_000, attempts: 1 });
    expect(store.outbox.get('edit')).toMatchObject({ dueAt: 50_000 });
    expect(store.outbox.recover(60_000)).toBe(0);
  });
});

it('counts rows by state', () => {
  put('a');
  put('b');
  sent('a');
  expect(store.outbox.counts()).toEqual({ pending: 1, sent: 1 });
});
