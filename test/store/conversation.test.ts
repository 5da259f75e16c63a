import { beforeEach, describe, expect, it } from 'vitest';
import type { BootId, CallId, TurnId } from '../../src/contract/ids.ts';
import { createPlatformState } from '../../src/store/platform-state.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import type { TurnRow } from '../../src/store/turns.ts';
import { chatAddress, person } from '../fakes/runs.ts';

let store: Store;
let boot: BootId;
beforeEach(() => {
  store = openStore(':memory:');
  boot = store.boots.begin(100, 1_000).id;
});

const open = (key = 'k') => store.sessions.open(key, person('ann'), { ...chatAddress('c1'), thread: '3' }, false, 5);

function newTurn(key = 'k', now = 10): TurnRow {
  const turn = { session: open(key).id, actor: person('ann'), address: chatAddress('c1'), direct: true, replyTo: '7' };
  return store.turns.create(turn, now);
}

const callsOf = (turn: TurnId) => store.transcript.ofTurn(turn).flatMap(({ calls }) => calls);
const plan = { providerId: 'p', name: 'shell', raw: '{"command":"ls"}' };

/** A turn with one assistant message that calls twice. */
function calling(): { turn: TurnRow; calls: readonly CallId[] } {
  const turn = newTurn();
  const message = { session: turn.session, turn: turn.id, step: 1, role: 'assistant', content: 'Looking.' } as const;
  const { calls } = store.transcript.append({ ...message, calls: [plan, { ...plan, providerId: '' }] }, 20);
  return { turn, calls: calls.map(({ id }) => id) };
}

describe('sessions', () => {
  it('a key has one open session; whoever comes second finds it', () => {
    const first = open();
    const second = store.sessions.open('k', person('bob'), chatAddress('c9'), true, 99);
    expect(second).toEqual(first);
    expect(first).toMatchObject({
      owner: 'telegram:ann',
      address: { ...chatAddress('c1'), thread: '3' },
      direct: false,
      createdAt: 5,
      endedAt: null,
      title: null,
      cwd: null,
      yoloUntil: null,
    });
  });

  it('an ended one stays ended; the key gets another', () => {
    const { id } = open();
    expect(store.sessions.end('k', 50)).toMatchObject({ id, endedAt: 50 });
    expect(store.sessions.end('k', 51)).toBeUndefined();
    expect(store.sessions.current('k')).toBeUndefined();
    expect(open().id).not.toBe(id);
    expect(store.sessions.get(id)).toMatchObject({ endedAt: 50 });
  });

  it('remember title, folder and yolo; no yolo survives a boot', () => {
    const { id } = open();
    store.sessions.setTitle(id, 'Backups');
    store.sessions.setCwd(id, 'src');
    store.sessions.setYolo(id, 900);
    expect(store.sessions.get(id)).toMatchObject({ title: 'Backups', cwd: 'src', yoloUntil: 900 });
    store.sessions.clearYolo();
    expect(store.sessions.get(id)).toMatchObject({ yoloUntil: null, title: 'Backups' });
  });
});

describe('turns', () => {
  it('come back as they were made', () => {
    const turn = newTurn();
    expect(store.turns.get(turn.id)).toEqual(turn);
    expect(turn).toMatchObject({
      actor: person('ann'),
      address: chatAddress('c1'),
      direct: true,
      replyTo: '7',
      state: 'running',
      rule: null,
      interruptedAt: null,
      createdAt: 10,
      endedAt: null,
    });
    expect(store.turns.get('none' as TurnId)).toBeUndefined();
  });

  it('that are unfinished are listed, the oldest first, of all sessions or one', () => {
    const [b, a, other] = [newTurn('k', 20), newTurn('k', 10), newTurn('k2', 15)];
    const done = newTurn('k', 5);
    store.turns.end(done.id, 'answered', 30);
    expect(store.turns.unfinished().map(({ id }) => id)).toEqual([a.id, other.id, b.id]);
    expect(store.turns.unfinishedOf(a.session).map(({ id }) => id)).toEqual([a.id, b.id]);
  });

  it('end once and change no more', () => {
    const { id } = newTurn();
    store.turns.end(id, 'stopped', 30, 'stop');
    store.turns.end(id, 'answered', 40);
    store.turns.setState(id, 'parked', 'awaiting_person');
    expect(store.turns.get(id)).toMatchObject({ state: 'stopped', rule: 'stop', endedAt: 30 });
  });

  it('a new attempt makes a held turn run', () => {
    const turn = newTurn();
    store.turns.setState(turn.id, 'held', 'stale');
    store.turns.begin(turn, 'continue', boot, 30);
    expect(store.turns.get(turn.id)).toMatchObject({ state: 'running', rule: null });
    expect(store.turns.attempts(turn.id)).toBe(1);
  });
});

describe('an attempt that was left open', () => {
  const attempts = () => store.db.prepare('SELECT outcome, ended_at FROM attempts ORDER BY rowid').raw().all();

  it('in another boot was interrupted, at that boot’s last sign of life', () => {
    const turn = newTurn();
    store.turns.begin(turn, 'first', boot, 2_000);
    store.boots.ready(boot, 1_500);
    store.boots.beat(boot, 61_000);
    const next = store.boots.begin(101, 3_600_000).id;
    expect(store.turns.recover(next, 3_600_001)).toEqual([turn.id]);
    expect(attempts()).toEqual([['interrupted', 61_000]]);
    expect(store.turns.get(turn.id)).toMatchObject({ state: 'running', interruptedAt: 61_000 });
    expect(store.turns.recover(next, 3_700_000)).toEqual([]);
  });

  it('is never older than itself', () => {
    const turn = newTurn();
    store.turns.begin(turn, 'first', boot, 500_000);
    const next = store.boots.begin(101, 3_600_000).id;
    store.turns.recover(next, 3_600_001);
    expect(store.turns.get(turn.id)?.interruptedAt).toBe(500_000);
  });

  it('at an orderly end counts from that', () => {
    const turn = newTurn();
    store.turns.begin(turn, 'first', boot, 2_000);
    store.boots.end(boot, 'signal', 70_000);
    store.turns.recover(store.boots.begin(101, 90_000).id, 90_000);
    expect(store.turns.get(turn.id)?.interruptedAt).toBe(70_000);
  });

  it('in this boot is running', () => {
    store.turns.begin(newTurn(), 'first', boot, 2_000);
    expect(store.turns.recover(boot, 3_000)).toEqual([]);
    expect(attempts()).toEqual([[null, null]]);
  });

  it('that ended by itself stays so', () => {
    store.turns.endAttempt(store.turns.begin(newTurn(), 'first', boot, 2_000), 'ended', 2_500);
    expect(store.turns.recover(store.boots.begin(101, 9_000).id, 9_000)).toEqual([]);
    expect(attempts()).toEqual([['ended', 2_500]]);
  });
});

describe('the transcript', () => {
  it('keeps words and calls in order', () => {
    const { turn, calls } = calling();
    expect(store.transcript.read(turn.session)).toMatchObject([
      {
        turn: turn.id,
        step: 1,
        role: 'assistant',
        content: 'Looking.',
        mark: null,
        model: null,
        keep: undefined,
        createdAt: 20,
        calls: [
          { id: calls[0], position: 0, ...plan, state: 'planned', flagged: false, result: null, untrusted: null },
          { id: calls[1], position: 1, ...plan, providerId: '', state: 'planned' },
        ],
      },
    ]);
  });

  it('gives back what a provider wants back', () => {
    const { session, id } = newTurn();
    const keep = { thinking: [{ signature: 'x' }] };
    store.transcript.append(
      { session, turn: id, step: 1, role: 'assistant', content: '', model: 'a:b', mark: 'partial', keep },
      1,
    );
    expect(store.transcript.ofTurn(id)).toMatchObject([{ keep, model: 'a:b', mark: 'partial' }]);
  });

  it('a call goes planned, asked, begun, to an end, and never back', () => {
    const [id] = calling().calls as [CallId];
    const state = () => store.transcript.call(id)?.state;
    store.transcript.asked(id);
    expect(state()).toBe('asked');
    expect(store.transcript.begin(id, boot, 30)).toBe(true);
    store.transcript.asked(id);
    expect([state(), store.transcript.begin(id, boot, 31)]).toEqual(['begun', false]);
    store.transcript.finish(id, 'done', 'a.txt', 40, 'file:a');
    store.transcript.finish(id, 'failed', 'late', 41);
    expect(store.transcript.call(id)).toMatchObject({ state: 'done', result: 'a.txt', untrusted: 'file:a' });
    expect(store.transcript.begin(id, boot, 50)).toBe(false);
  });

  it('a call may be refused before it begins', () => {
    const [id] = calling().calls as [CallId];
    store.transcript.finish(id, 'refused', 'no', 40);
    expect(store.transcript.begin(id, boot, 50)).toBe(false);
  });

  it('skips what a turn will not do any more; what runs is not skipped', () => {
    const { turn, calls } = calling();
    store.transcript.begin(calls[0] as CallId, boot, 30);
    store.transcript.skipOpen(turn.id, 'not run', 40);
    expect(callsOf(turn.id).map(({ state, result }) => [state, result])).toEqual([
      ['begun', null],
      ['skipped', 'not run'],
    ]);
  });

  it('flags a call with the digest the gate saw', () => {
    const [id] = calling().calls as [CallId];
    store.transcript.flag(id, 'd1');
    expect(store.transcript.call(id)).toMatchObject({ flagged: true });
  });

  it('what a dead boot had begun is unknown, and told once', () => {
    const { turn, calls } = calling();
    store.transcript.begin(calls[0] as CallId, boot, 30);
    expect(store.transcript.recover(boot, 40)).toEqual([]);
    const next = store.boots.begin(101, 50).id;
    expect(store.transcript.recover(next, 60)).toMatchObject([{ id: calls[0], turn: turn.id, name: 'shell' }]);
    expect(store.transcript.recover(next, 61)).toEqual([]);
    expect(callsOf(turn.id)).toMatchObject([
      { state: 'unknown', result: 'interrupted; outcome unknown, check before repeating' },
      { state: 'planned', result: null },
    ]);
  });
});

describe('boots', () => {
  it('an earlier one without an end gets its class; its end is its last sign of life', () => {
    const first = boot;
    const second = store.boots.begin(101, 2_000).id;
    store.boots.ready(second, 3_000);
    const third = store.boots.begin(102, 9_000).id;
    store.boots.ready(third, 9_100);
    store.boots.beat(third, 20_000);
    store.boots.stopBegan(third, { signal: 'SIGTERM', executing: [] }, 21_000);
    const fourth = store.boots.begin(103, 50_000).id;
    expect(store.boots.recent(9)).toMatchObject([
      { id: fourth, startedAt: 50_000, readyAt: null, endedAt: null, how: null },
      { id: third, how: 'vanished', endedAt: 21_000, readyAt: 9_100 },
      { id: second, how: 'vanished', endedAt: 3_000 },
      { id: first, how: 'start_failed', endedAt: 1_000 },
    ]);
  });

  it('an end is written once', () => {
    store.boots.end(boot, 'signal', 5_000);
    store.boots.end(boot, 'crash', 6_000);
    store.boots.begin(101, 7_000);
    expect(store.boots.recent(2)[1]).toMatchObject({ how: 'signal', endedAt: 5_000 });
  });

  it('recent are the newest', () => {
    for (let i = 0; i < 5; i++) store.boots.begin(200 + i, 2_000);
    expect(store.boots.recent(3)).toHaveLength(3);
    expect(store.boots.recent(1)[0]).toMatchObject({ how: null });
  });
});

describe('the corner of a platform', () => {
  it('remembers the last value, of this platform only', () => {
    const telegram = createPlatformState(store.db, 'telegram');
    const discord = createPlatformState(store.db, 'discord');
    telegram.set('menu', 'h1');
    telegram.set('menu', 'h2');
    expect([telegram.get('menu'), discord.get('menu'), telegram.get('other')]).toEqual(['h2', undefined, undefined]);
  });
});
