import { beforeEach, describe, expect, it } from 'vitest';
import type { TurnId } from '../../src/contract/ids.ts';
import { type BackNews, tellBack, tellCutOff, tellDown } from '../../src/process/restart-notices.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import type { TurnRow } from '../../src/store/turns.ts';
import { chatAddress } from '../fakes/runs.ts';

const MIN = 60_000;
const START = 1_000_000_000;

let store: Store;
beforeEach(() => {
  store = openStore(':memory:');
});

const place = (chat = 'c1') => ({ address: chatAddress(chat), direct: true });
const news = (over: Partial<BackNews> = {}, chat = 'c1'): BackNews => ({
  ...place(chat),
  resumed: false,
  unknown: [],
  ...over,
});
const turn = (chat = 'c1') => ({ id: 't1' as TurnId, ...place(chat) }) as TurnRow;
/** What leaves, oldest first; an edit names what it edits. */
const said = () =>
  store.db
    .prepare(`SELECT chat || (CASE WHEN edits IS NULL THEN ': ' ELSE ' again: ' END) || json_extract(body, '$.text')
      FROM outbox ORDER BY seq`)
    .pluck()
    .all();

describe('going down and back', () => {
  it('is a pair, in one message', () => {
    tellDown(store, place(), 'Down.', START);
    tellBack(store, [news({ resumed: true })], START + MIN);
    expect(said()).toEqual(['c1: Down.', 'c1 again: Resumed after a restart.']);
    expect(store.outbox.get(said().length === 2 ? lastEdits() : '')?.message.text).toBe('Down.');
  });

  it('back is told once, also where nothing is resumed', () => {
    tellDown(store, place(), 'Down.', START);
    tellBack(store, [], START + MIN);
    tellBack(store, [news({ resumed: true })], START + 2 * MIN);
    expect(said()).toEqual(['c1: Down.', 'c1 again: Back after a restart.']);
  });

  it('nobody is told "back" who was not told "down"', () => {
    tellBack(store, [news({ resumed: true }, 'c2')], START);
    expect(said()).toEqual([]);
  });

  it('20 boots in 5 minutes: one pair a chat, and each "down" has its "back" (gateway 12)', () => {
    for (let boot = 0; boot < 20; boot++) {
      for (const chat of ['c1', 'c2']) tellDown(store, place(chat), 'Down.', START + boot * 15_000);
      tellBack(store, [news({ resumed: true }), news({ resumed: true }, 'c2')], START + boot * 15_000 + 5_000);
    }
    expect(said().sort()).toEqual([
      'c1 again: Resumed after a restart.',
      'c1: Down.',
      'c2 again: Resumed after a restart.',
      'c2: Down.',
    ]);
  });

  it('ten minutes later they are told again', () => {
    tellDown(store, place(), 'Down.', START);
    tellBack(store, [], START + MIN);
    expect(tellDown(store, place(), 'Down.', START + 10 * MIN - 1)).toBe(false);
    expect(tellDown(store, place(), 'Down.', START + 10 * MIN)).toBe(true);
    expect(said()).toHaveLength(3);
  });

  it('a clock that was set back silences nobody', () => {
    tellDown(store, place(), 'Down.', START);
    expect(tellDown(store, place(), 'Down.', START - 365 * 24 * 60 * MIN)).toBe(true);
  });

  const lastEdits = () =>
    store.db.prepare('SELECT edits FROM outbox ORDER BY seq DESC LIMIT 1').pluck().get() as string;
});

describe('a turn that is cut off', () => {
  it('says so in the message that showed its progress, where that was sent', () => {
    const { address, direct } = place();
    const row = store.outbox.put(
      { key: 'progress:t1', kind: 'progress', address, direct, message: { text: 'x' } },
      START,
    );
    if (row) store.outbox.sent(row.id, { messageId: 'm1', at: address }, START);
    tellCutOff(store, turn(), false, START + 1);
    expect(said().at(-1)).toBe('c1 again: Interrupted by a restart. I go on when I am back.');
  });

  it('says so in a message of its own, and does not promise a restart where none was meant', () => {
    tellCutOff(store, turn(), true, START);
    expect(said()).toEqual(['c1: I was stopped in the middle of this. I go on when I am started again.']);
  });
});

describe('outcomes nobody knows', () => {
  it('stand in the same message as "back"', () => {
    tellDown(store, place(), 'Down.', START);
    tellBack(store, [news({ resumed: true }), news({ unknown: ['`a` is unknown.'] })], START + MIN);
    expect(said().at(-1)).toBe('c1 again: Resumed after a restart.\n`a` is unknown.');
  });

  it('are a message of their own after an end without a word, with all that is known of the chat', () => {
    tellBack(store, [news({ unknown: ['`a` is unknown.'] }), news({ unknown: ['`b` is unknown.'] })], START);
    tellBack(store, [news({ unknown: ['`c` is unknown.'] }, 'c2')], START);
    expect(said()).toEqual(['c1: `a` is unknown.\n`b` is unknown.', 'c2: `c` is unknown.']);
  });

  it('come as a message of their own below a "back" of minutes ago: an edit would wake nobody', () => {
    tellDown(store, place(), 'Down.', START);
    tellBack(store, [], START + MIN);
    tellBack(store, [news({ unknown: ['`a` is unknown.'] })], START + 2 * MIN);
    tellBack(store, [news({ unknown: ['`b` is unknown.'] })], START + 3 * MIN);
    expect(said().slice(1)).toEqual([
      'c1 again: Back after a restart.',
      'c1: `a` is unknown.',
      'c1 again: `b` is unknown.',
    ]);
    expect(tellDown(store, place(), 'Down.', START + 4 * MIN)).toBe(false);
  });

  it('again and again: the one message says the latest', () => {
    for (let boot = 0; boot < 3; boot++) tellBack(store, [news({ unknown: [`${boot}`] })], START + boot * MIN);
    expect(said()).toEqual(['c1: 0', 'c1 again: 1', 'c1 again: 2']);
  });
});
