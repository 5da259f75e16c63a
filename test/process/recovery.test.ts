import { beforeEach, describe, expect, it } from 'vitest';
import type { BootId, InboxId, TurnId } from '../../src/contract/ids.ts';
import { type RecoveryDeps, recover } from '../../src/process/recovery.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import type { TurnRow } from '../../src/store/turns.ts';
import { quietLog } from '../agent/quiet-log.ts';
import { person } from '../fakes/runs.ts';
import { inbound } from '../gateway/inbound.ts';

const DIED = 1_000_000;
const LIMITS = {
  resume: { enabled: true, max_attempts: 5, max_age_s: 3600, hold_days: 7 },
  breaker: { session_limit: 0, global_limit: 0 },
};
const resuming = (over: Partial<typeof LIMITS.resume>) => ({ ...LIMITS, resume: { ...LIMITS.resume, ...over } });

let store: Store;
let boot: BootId;
let log: ReturnType<typeof quietLog>;

beforeEach(() => {
  store = openStore(':memory:');
  log = quietLog();
  boot = store.boots.begin(100, DIED - 60_000).id;
  store.boots.ready(boot, DIED - 59_000);
});

/** A turn that was running, with the message it took. */
function turnIn(chat: string): { turn: TurnRow; message: InboxId } {
  const event = inbound(`do it in ${chat}`, { chat });
  const session = store.sessions.open(chat, event.by, event.address, true, DIED - 50_000).id;
  const { id: message } = store.inbox.put({ kind: 'message', event, session }, DIED - 50_000);
  const turn = store.turns.create(
    { session, actor: event.by, address: event.address, direct: true, replyTo: null },
    DIED - 50_000,
  );
  store.inbox.take([message], turn.id);
  store.turns.begin(turn, 'first', boot, DIED - 50_000);
  return { turn, message };
}

function call(turn: TurnRow, raw: string, begun: boolean): void {
  const calls = [{ providerId: 'p', name: 'shell', raw }];
  const message = { session: turn.session, turn: turn.id, step: 1, role: 'assistant', content: '', calls } as const;
  const row = store.transcript.append(message, DIED - 40_000).calls[0];
  if (row && begun) store.transcript.begin(row.id, boot, DIED - 30_000);
}

function asks(turn: TurnRow, over: Record<string, unknown> = {}): void {
  const row = {
    id: `ap-${turn.id}`,
    kind: 'call',
    turn: turn.id,
    depth: 0,
    state: 'pending',
    session: turn.session,
    boot,
    ...over,
  };
  const columns = store.db
    .prepare('SELECT name, type FROM pragma_table_info(?) WHERE "notnull" = 1')
    .all('approvals') as { name: string; type: string }[];
  const blank = Object.fromEntries(columns.map(({ name, type }) => [name, type === 'INTEGER' ? 0 : '']));
  const all = { ...blank, ...row };
  const names = Object.keys(all);
  store.db.prepare(`INSERT INTO approvals (${names}) VALUES (${names.map((name) => `@${name}`)})`).run(all);
}

/** The next boot, some time after the last one died. */
function nextBoot(deps: Partial<RecoveryDeps> = {}, afterMs = 5_000): readonly TurnId[] {
  store.boots.beat(boot, DIED);
  const now = DIED + afterMs;
  boot = store.boots.begin(101, now).id;
  const rest = {
    allowed: () => true,
    limits: LIMITS,
    platform: () => true,
    restored: false,
    settleApprovals: () => {},
    show: {
      call: ({ name, raw }: { name: string; raw: string }) => `\`${name} ${raw.replaceAll('hunter2', '[secret]')}\``,
      words: (text: string, limit: number) => text.slice(0, limit),
      time: (at: number) => `at ${at}`,
    },
  };
  const { judged } = recover({ store, boot, now, log: log.log, ...rest, ...deps });
  return judged.filter(({ goesOn }) => goesOn).map(({ turn }) => turn.id);
}

const said = () =>
  store.db
    .prepare("SELECT json_extract(body, '$.text') FROM outbox WHERE state = 'pending' ORDER BY seq")
    .pluck()
    .all() as string[];
const attempts = () => store.db.prepare('SELECT outcome FROM attempts ORDER BY rowid').pluck().all();
const inbox = () => store.db.prepare('SELECT state, reason FROM inbox ORDER BY seq').raw().all();

describe('after a process was cut off', () => {
  it('a running turn was interrupted and goes on; its message stays with it', () => {
    const { turn } = turnIn('c1');
    expect(nextBoot()).toEqual([turn.id]);
    expect(attempts()).toEqual(['interrupted']);
    expect(inbox()).toEqual([['claimed', null]]);
    expect(store.turns.get(turn.id)).toMatchObject({ state: 'held', rule: 'resume', interruptedAt: DIED });
    expect(said()).toEqual([]);
  });

  it('a turn that waits for a person goes on waiting: nothing of it was cut off', () => {
    const { turn } = turnIn('c1');
    call(turn, '{"command":"rm -rf build"}', false);
    asks(turn);
    expect(nextBoot()).toEqual([]);
    expect(attempts()).toEqual(['parked']);
    expect(store.turns.get(turn.id)).toMatchObject({ state: 'parked', rule: 'awaiting_person', interruptedAt: null });
    expect(said()).toEqual([]);
    expect(nextBoot()).toEqual([]);
  });

  it.each([
    ['an offer', { kind: 'offer' }],
    ['a worker’s question', { depth: 1 }],
    ['a question that is settled', { state: 'denied' }],
  ])('%s does not park a turn', (_, over) => {
    const { turn } = turnIn('c1');
    asks(turn, over);
    expect(nextBoot()).toEqual([turn.id]);
    expect(attempts()).toEqual(['interrupted']);
  });

  it('a parked turn whose question was answered just before the end goes on', () => {
    const { turn } = turnIn('c1');
    asks(turn);
    nextBoot();
    store.db.prepare("UPDATE approvals SET state = 'granted'").run();
    expect(nextBoot()).toEqual([turn.id]);
  });

  it('a call that had begun is unknown: told once, without secrets, never planned again', () => {
    const { turn } = turnIn('c1');
    call(turn, '{"command":"curl -H hunter2"}', true);
    call(turn, '{"command":"ls"}', false);
    nextBoot();
    nextBoot();
    const states = store.transcript.ofTurn(turn.id).flatMap(({ calls }) => calls.map(({ state }) => state));
    expect(states).toEqual(['unknown', 'planned']);
    expect(said()).toEqual([
      '`shell {"command":"curl -H [secret]"}` was running when hermod was restarted. Its outcome is unknown, and I do not run it again by myself.',
    ]);
    expect(store.outbox.heads('telegram')).toMatchObject([{ address: turn.address, kind: 'notice' }]);
  });

  it('what was being sent is ambiguous, what a dead turn had taken is new again', () => {
    const { turn, message } = turnIn('c1');
    const { address, direct } = turn;
    const { id } = store.outbox.put({ key: 'k', kind: 'final', address, direct, message: { text: 'hi' } }, DIED) ?? {
      id: undefined,
    };
    if (id) store.outbox.claim(id);
    store.turns.end(turn.id, 'failed', DIED);
    nextBoot();
    expect(store.outbox.get('k')).toMatchObject({ state: 'ambiguous', dueAt: DIED + 10_000 });
    expect(store.inbox.waiting(turn.session, DIED + 5_000)).toMatchObject([{ id: message }]);
    expect(log.lines).toMatchObject([
      {
        level: 'warn',
        facts: { interrupted: 0, unknown: 0, ambiguous: 1, reopened: 1 },
        sentence: 'the last boot was cut off',
      },
    ]);
  });

  it('nobody’s yolo survives', () => {
    const { turn } = turnIn('c1');
    store.sessions.setYolo(turn.session, DIED * 2);
    nextBoot();
    expect(store.sessions.get(turn.session)?.yoloUntil).toBeNull();
  });

  it('after an orderly end there is nothing to say', () => {
    expect(nextBoot()).toEqual([]);
    expect(log.lines).toEqual([]);
  });

  it('is one transaction: what fails in it leaves everything as it was', () => {
    const { turn } = turnIn('c1');
    call(turn, '{}', true);
    const settleApprovals = () => {
      throw new Error('in the middle');
    };
    expect(() => nextBoot({ settleApprovals })).toThrow('in the middle');
    expect(attempts()).toEqual([null]);
    expect(store.transcript.ofTurn(turn.id)[0]?.calls[0]?.state).toBe('begun');
  });
});

describe('what is not resumed', () => {
  const HELD = /have not started it again/;

  it('is held and told, once, however many boots follow', () => {
    const { turn } = turnIn('c1');
    expect(nextBoot({}, 3_600_001)).toEqual([]);
    expect(store.turns.get(turn.id)).toMatchObject({ state: 'held', rule: 'stale' });
    expect(nextBoot({}, 7_200_000)).toEqual([]);
    expect(said()).toHaveLength(1);
    expect(said()[0]).toMatch(/^I was interrupted once while working on "do it in c1"/);
    expect(said()[0]).toMatch(HELD);
  });

  it('is old by when it was cut off, not by when somebody noticed', () => {
    const { turn } = turnIn('c1');
    expect(nextBoot({ limits: resuming({ max_age_s: 4 }) })).toEqual([]);
    expect(store.turns.get(turn.id)).toMatchObject({ state: 'held', rule: 'stale' });
  });

  it('after too many attempts', () => {
    const { turn } = turnIn('c1');
    for (let i = 1; i < 5; i++) {
      expect(nextBoot()).toEqual([turn.id]);
      store.turns.begin(turn, 'resume', boot, DIED);
    }
    expect(nextBoot()).toEqual([]);
    expect(store.turns.get(turn.id)).toMatchObject({ state: 'held', rule: 'attempts' });
    expect(said()[0]).toMatch(/^I was interrupted 5 times/);
  });

  it('when resuming is off', () => {
    const { turn } = turnIn('c1');
    expect(nextBoot({ limits: resuming({ enabled: false }) })).toEqual([]);
    expect(store.turns.get(turn.id)).toMatchObject({ state: 'held', rule: 'resume_off' });
  });

  it.each<[string, Partial<RecoveryDeps>]>([
    ['not_allowed', { allowed: () => false }],
    ['session_ended', {}],
  ])('%s: abandoned, and nothing of it leaves', (rule, deps) => {
    const { turn } = turnIn('c1');
    if (rule === 'session_ended') store.sessions.end('c1', DIED);
    const { address, direct } = turn;
    call(turn, '{}', false);
    store.outbox.put({ key: 'preview', kind: 'preview', address, direct, message: { text: 'x' }, turn: turn.id }, DIED);
    expect(nextBoot(deps)).toEqual([]);
    expect(store.turns.get(turn.id)).toMatchObject({ state: 'abandoned', rule });
    expect(inbox()).toEqual([['refused', rule]]);
    expect(store.transcript.ofTurn(turn.id)[0]?.calls[0]?.state).toBe('skipped');
    expect(said()).toEqual([]);
  });

  it('is judged one by one', () => {
    const [a, b] = [turnIn('c1').turn, turnIn('c2').turn];
    store.sessions.end('c1', DIED);
    expect(nextBoot({ allowed: (turn) => turn.actor.id === person('ann').id })).toEqual([b.id]);
    expect(store.turns.get(a.id)?.state).toBe('abandoned');
    expect(log.lines.filter(({ sentence }) => sentence === 'judged an unfinished turn')).toMatchObject([
      { facts: { turn: a.id, rule: 'session_ended' } },
      { facts: { turn: b.id, rule: 'resume', attempts: 1 } },
    ]);
  });
});
