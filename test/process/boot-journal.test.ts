import { beforeEach, describe, expect, it } from 'vitest';
import type { BootId } from '../../src/contract/ids.ts';
import { BootJournal, readJournal } from '../../src/process/boot-journal.ts';
import type { AttemptKind } from '../../src/store/attempts.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { quietLog } from '../agent/quiet-log.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { inbound } from '../gateway/inbound.ts';

let store: Store;
let clock: FakeClock;
let boot: BootId;
let log: ReturnType<typeof quietLog>;
let waiting: boolean;

function open(): BootJournal {
  boot = store.boots.begin(1, clock.now()).id;
  const deps = { store, boot, clock, log: log.log, settleMs: () => 60_000, resumesWait: () => waiting };
  return new BootJournal(deps);
}

beforeEach(() => {
  store = openStore(':memory:');
  clock = new FakeClock(1_000_000);
  log = quietLog();
  waiting = false;
});

const row = () => store.boots.recent(1)[0];

function attempt(kind: AttemptKind) {
  const event = inbound('work');
  const session = store.sessions.open('c1', event.by, event.address, true, clock.now()).id;
  const turn = store.turns.create(
    { session, actor: event.by, address: event.address, direct: true, replyTo: null },
    clock.now(),
  );
  return { turn, id: store.turns.begin(turn, kind, boot, clock.now()) };
}

describe('the journal of a boot', () => {
  it('beats each 10 s from ready on, and no more once the stop began', async () => {
    const journal = open();
    journal.ready();
    await clock.skip(25_000);
    expect(row()).toMatchObject({ readyAt: 1_000_000, heartbeatAt: 1_020_000 });
    journal.stopBegan('SIGTERM');
    await clock.skip(600_000);
    expect(row()).toMatchObject({ heartbeatAt: 1_020_000, stopBeganAt: 1_025_000, signal: 'SIGTERM', settledAt: null });
    expect(clock.armed).toBe(0);
  });

  it('says whose tools were executing when the stop came', () => {
    const journal = open();
    journal.ready();
    const { turn } = attempt('first');
    const calls = ['one', 'two'].map((name) => ({ providerId: name, name, raw: '{}' }));
    const message = { session: turn.session, turn: turn.id, step: 1, role: 'assistant', content: '', calls } as const;
    const [first] = store.transcript.append(message, clock.now()).calls;
    if (first) store.transcript.begin(first.id, boot, clock.now());
    journal.stopBegan(null);
    expect(row()).toMatchObject({ executing: [turn.session], signal: null });
  });

  it('settles when the time has passed and nothing is resumed', async () => {
    const journal = open();
    journal.ready();
    await clock.skip(59_999);
    expect(journal.settled).toBe(false);
    await clock.skip(1);
    expect(journal.settled).toBe(true);
    expect(row()).toMatchObject({ settledAt: 1_060_000 });
  });

  it.each<AttemptKind>(['resume', 'continue'])('never settles by time alone: not while a %s is open', async (kind) => {
    const journal = open();
    journal.ready();
    const { turn, id } = attempt(kind);
    await clock.skip(7_200_000);
    expect(journal.settled).toBe(false);
    store.turns.endAttempt(id, 'ended', clock.now());
    store.turns.end(turn.id, 'answered', clock.now());
    await clock.skip(10_000);
    expect(journal.settled).toBe(true);
  });

  it('nor while an interrupted turn waits for its place; a fresh turn says nothing', async () => {
    const journal = open();
    journal.ready();
    attempt('first');
    waiting = true;
    await clock.skip(7_200_000);
    expect(journal.settled).toBe(false);
    waiting = false;
    await clock.skip(10_000);
    expect(journal.settled).toBe(true);
  });

  it('goes on when a beat cannot be written', async () => {
    const journal = open();
    journal.ready();
    store.db.exec('ALTER TABLE boots RENAME COLUMN heartbeat_at TO gone');
    await clock.skip(10_000);
    expect(log.lines).toMatchObject([{ level: 'error' }]);
    expect(journal.beatAt).toBe(1_000_000);
    store.db.exec('ALTER TABLE boots RENAME COLUMN gone TO heartbeat_at');
    await clock.skip(10_000);
    expect(row()).toMatchObject({ heartbeatAt: 1_020_000 });
    expect(journal.beatAt).toBe(1_020_000);
  });

  it('an end before ready is a failed start, whatever asked for it; the first end stands', () => {
    open().end('signal');
    expect(row()).toMatchObject({ how: 'start_failed' });
    const second = open();
    second.ready();
    second.end('forced');
    second.end('signal');
    expect(row()).toMatchObject({ how: 'forced' });
  });

  it('a plan is written with who made it', () => {
    const journal = open();
    journal.ready();
    journal.plan('restart', 'telegram:1');
    expect(row()).toMatchObject({ plan: 'restart', planBy: 'telegram:1' });
  });
});

describe('what earlier boots say', () => {
  /** Ended boots, oldest first, each with a turn that it cut off. */
  function cut(count: number): void {
    for (let i = 0; i < count; i++) {
      const journal = open();
      journal.ready();
      attempt('first');
    }
    open();
    store.turns.recover(boot, clock.now());
    store.boots.tally();
  }

  it('the streak, without the present boot', () => {
    cut(4);
    expect(readJournal(store, log.log)).toMatchObject({ streak: 4 });
    expect(readJournal(store, log.log)?.boots).toHaveLength(4);
  });

  it('knows which of them was the first, however many follow', () => {
    expect(readJournal(store, log.log)?.since).toBeUndefined();
    cut(1);
    const first = store.boots.recent(2)[1]?.id;
    for (let i = 0; i < 3; i++) {
      expect(readJournal(store, log.log)).toMatchObject({ streak: i + 1, since: first });
      attempt('first');
      open();
      store.turns.recover(boot, clock.now());
      store.boots.tally();
    }
  });

  it('a resumed turn that ended proves a boot', () => {
    cut(2);
    store.boots.ready(boot, clock.now());
    store.turns.endAttempt(attempt('resume').id, 'ended', clock.now());
    attempt('first');
    cut(1);
    expect(readJournal(store, log.log)).toMatchObject({ streak: 1 });
  });

  it.each([
    ['an unknown end', `UPDATE boots SET how = 'exploded' WHERE rowid = 1`],
    ['torn JSON', `UPDATE boots SET executing = '["a' WHERE rowid = 1`],
    ['a time before time', `UPDATE boots SET started_at = -5 WHERE rowid = 1`],
    ['a count below none', `UPDATE boots SET interrupted = -1 WHERE rowid = 1`],
    ['no table', 'ALTER TABLE boots RENAME TO lost'],
  ])('%s: nothing can be said, and the log knows (gateway 8)', (_, sql) => {
    cut(2);
    store.db.pragma('foreign_keys = OFF');
    store.db.exec(sql);
    expect(readJournal(store, log.log)).toBeUndefined();
    expect(log.lines.at(-1)).toMatchObject({ level: 'error' });
  });
});

describe('the class of a boot that ended without a word', () => {
  it.each([
    ['torn JSON', `UPDATE boots SET executing = '["a'`],
    ['another shape', `UPDATE boots SET executing = '{"a": 1}'`],
    ['an unknown plan', `UPDATE boots SET plan = 'escape'`],
    ['a time before time', 'UPDATE boots SET ready_at = -5'],
  ])('%s in it keeps no boot from beginning (gateway 8)', (_, sql) => {
    open();
    store.db.pragma('ignore_check_constraints = ON');
    store.db.exec(sql);
    store.db.pragma('ignore_check_constraints = OFF');
    open();
    expect(store.db.prepare('SELECT how FROM boots ORDER BY rowid').pluck().all()).toEqual(['vanished', null]);
    expect(readJournal(store, log.log)).toBeUndefined();
  });

  it('is asked of whoever has evidence', () => {
    const [frozen, killed] = [open(), open()];
    expect(frozen === killed).toBe(false);
    const first = store.boots.recent(2)[1];
    const second = store.boots.recent(2)[0];
    const classify = ({ id }: { id: BootId }) => (id === second?.id ? 'watchdog' : 'vanished');
    store.boots.begin(9, clock.now(), { classify });
    expect(store.boots.recent(3).map(({ id, how }) => [id, how])).toEqual([
      [store.boots.recent(1)[0]?.id, null],
      [second?.id, 'watchdog'],
      [first?.id, 'start_failed'],
    ]);
  });

  it('takes the id it is given', () => {
    const id = 'a'.repeat(26) as BootId;
    expect(store.boots.begin(9, 1, { id }).id).toBe(id);
  });
});
