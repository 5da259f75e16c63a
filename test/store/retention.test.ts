import { beforeEach, describe, expect, it } from 'vitest';
import type { SessionId } from '../../src/contract/ids.ts';
import { RetentionTimer } from '../../src/gateway/retention-timer.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { quietLog } from '../agent/quiet-log.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { chatAddress, person } from '../fakes/runs.ts';
import { inbound } from '../gateway/inbound.ts';

const DAY = 86_400_000;
const AGES = { sessionMs: 90 * DAY };
const NOW = 1_000 * DAY;

let store: Store;
beforeEach(() => {
  store = openStore(':memory:');
});

const count = (table: string) => store.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
function sweepAll(): number[] {
  const swept: number[] = [];
  do swept.push(store.retention.sweep(AGES, NOW));
  while (swept.at(-1) !== 0 && swept.length < 50);
  return swept;
}

/** A session with a turn, words, a call, an attempt and an inbox row. */
function session(key: string, at: number): SessionId {
  const { id } = store.sessions.open(key, person('ann'), chatAddress(key), true, at);
  const boot = store.boots.begin(1, at).id;
  const place = { session: id, actor: person('ann'), address: chatAddress(key), direct: true, replyTo: null };
  const turn = store.turns.create(place, at);
  const attempt = store.turns.begin(turn, 'first', boot, at);
  const said = { session: id, turn: turn.id, step: 0, role: 'user', content: `words of ${key}` } as const;
  store.transcript.append({ ...said, calls: [{ providerId: 'p', name: 'n', raw: '{}' }] }, at);
  const row = store.inbox.put({ kind: 'message', event: inbound('x'), session: id }, at);
  store.inbox.take([row.id], turn.id);
  store.inbox.finishTurn(turn.id, 'answered', at);
  store.turns.endAttempt(attempt, 'ended', at);
  store.turns.end(turn.id, 'answered', at);
  return id;
}

describe('retention', () => {
  it('of inbox rows that are done is seven days; those without an end stay', () => {
    const put = (at: number) => store.inbox.put({ kind: 'command', event: inbound('x') }, at).id;
    const [old, young] = [put(NOW - 20 * DAY), put(NOW - 20 * DAY), put(NOW - 20 * DAY)];
    store.inbox.finish(old as typeof young, 'answered', NOW - 8 * DAY);
    store.inbox.finish(young, 'answered', NOW - 6 * DAY);
    expect([...sweepAll(), count('inbox')]).toEqual([1, 0, 2]);
  });

  it('of the outbox: sent seven days, dead thirty, waiting and cards of held turns for as long as they are', () => {
    const put = (key: string, days: number, state?: 'dead' | 'cancelled') => {
      const message = { text: key };
      const row = { key, kind: 'notice', address: chatAddress('c'), direct: true, message } as const;
      const put = store.outbox.put(row, NOW - days * DAY);
      if (put && state) store.outbox.close(put.id, state);
    };
    put('old', 8, 'cancelled');
    put('young', 6, 'cancelled');
    put('lost', 29, 'dead');
    put('long lost', 31, 'dead');
    put('waits', 100);
    put('held:1', 100, 'cancelled');
    sweepAll();
    const left = store.db.prepare('SELECT key FROM outbox ORDER BY key').pluck().all();
    expect(left).toEqual(['held:1', 'lost', 'waits', 'young']);
  });

  it('of sessions counts from their end and takes everything of them along; open ones stay for ever', () => {
    const gone = session('gone', NOW - 200 * DAY);
    session('open', NOW - 200 * DAY);
    session('ended', NOW - 200 * DAY);
    store.sessions.end('gone', NOW - 91 * DAY);
    store.sessions.end('ended', NOW - 89 * DAY);
    sweepAll();
    expect(store.sessions.get(gone)).toBeUndefined();
    expect(['sessions', 'turns', 'transcript', 'calls', 'attempts'].map(count)).toEqual([2, 2, 2, 2, 2]);
    expect(store.db.prepare('SELECT rowid FROM transcript_words').all()).toHaveLength(2);
    const scope = { kind: 'direct', owner: 'telegram:ann' } as const;
    expect(store.search.find('words', scope, 9).map(({ content }) => content)).toEqual([
      'words of ended',
      'words of open',
    ]);
  });

  it('of boots is two hundred; an unfinished turn keeps its own', () => {
    const first = store.boots.begin(1, 1).id;
    const { id } = store.sessions.open('k', person('ann'), chatAddress('k'), true, 1);
    const place = { session: id, actor: person('ann'), address: chatAddress('k'), direct: true, replyTo: null };
    store.turns.begin(store.turns.create(place, 1), 'first', first, 1);
    for (let i = 0; i < 250; i++) store.boots.begin(1, i + 2);
    sweepAll();
    expect([count('boots'), count('attempts')]).toEqual([201, 1]);
  });

  it('goes in batches of 500, a second apart, then hourly, and survives a store that fails', async () => {
    const clock = new FakeClock(NOW);
    for (let i = 0; i < 1_200; i++) {
      const { id } = store.inbox.put({ kind: 'command', event: inbound('x') }, NOW - 20 * DAY);
      store.inbox.finish(id, 'answered', NOW - 10 * DAY);
    }
    const { log, lines } = quietLog();
    let files = 0;
    const timer = new RetentionTimer({
      ...{ store, clock, log, sessionMs: () => AGES.sessionMs },
      files: () => void files++,
    });
    timer.start();
    timer.start();
    await clock.skip(60_000);
    expect(count('inbox')).toBe(700);
    await clock.skip(1_000);
    expect(count('inbox')).toBe(200);
    await clock.skip(10_000);
    expect([count('inbox'), clock.armed, files]).toEqual([0, 1, 1]);
    await clock.skip(3_600_000);
    expect(files).toBe(2);
    Object.assign(store.retention, {
      sweep: () => {
        throw new Error('disk');
      },
    });
    await clock.skip(3 * 3_600_000);
    expect(lines.length).toBeGreaterThan(1);
    timer.stop();
    expect(clock.armed).toBe(0);
  });
});
