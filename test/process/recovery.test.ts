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

  it('tells of its unknown call on its card, and nowhere else; of a turn nobody may see, nothing (gateway 9)', () => {
    const [held, denied] = [turnIn('c1').turn, turnIn('c2').turn];
    for (const turn of [held, denied]) call(turn, '{"command":"docker restart web"}', true);
    nextBoot({ allowed: ({ id }) => id === held.id }, 3_600_001);
    expect(said()).toEqual([
      'I was interrupted once while working on "do it in c1" (last at 1000000, hermod ended without a word while running: `shell {"command":"docker restart web"}`; outcome unknown). I have not started it again: that was a while ago.',
    ]);
  });

  it.each<[string, Partial<RecoveryDeps>]>([
    ['not_allowed', { allowed: () => false }],
    ['session_ended', {}],
  ])('%s: abandoned, and nothing of it leaves (gateway 9)', (rule, deps) => {
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

  it.each<[string, Partial<RecoveryDeps>]>([
    ['not_allowed', { allowed: () => false }],
    ['session_ended', {}],
  ])('held before, now %s: its card asks no more (gateway 9)', (rule, deps) => {
    const { turn } = turnIn('c1');
    nextBoot({}, 3_600_001);
    if (rule === 'session_ended') store.sessions.end('c1', DIED);
    nextBoot(deps, 3_600_002);
    expect(store.turns.get(turn.id)).toMatchObject({ state: 'abandoned', rule });
    expect(said()).toEqual([expect.stringMatching(HELD), `Not taken up again (${rule}).`]);
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

describe('the breaker', () => {
  const BREAKER = { ...LIMITS, breaker: { session_limit: 3, global_limit: 5 } };
  const again = (turn: TurnRow) => store.turns.begin(turn, 'resume', boot, DIED);
  const rules = () => store.db.prepare('SELECT rule FROM turns WHERE ended_at IS NULL ORDER BY rowid').pluck().all();

  it('a session that is cut off again and again: twice resumed, the second time as a suspect, then held', () => {
    const { turn } = turnIn('c1');
    const seen = ['resume', 'suspect', 'session_loop', 'session_loop'].map((rule, i) => {
      const goesOn = nextBoot({ limits: BREAKER }).length === 1;
      expect(rules()).toEqual([rule]);
      if (goesOn) again(turn);
      return `${i + 1}: ${goesOn}`;
    });
    expect(seen).toEqual(['1: true', '2: true', '3: false', '4: false']);
    expect(said()).toEqual([expect.stringMatching(/^I was interrupted 3 times/)]);
  });

  it('five sessions in five interrupted boots: then nothing is resumed any more', () => {
    for (let i = 1; i <= 5; i++) {
      const { turn } = turnIn(`c${i}`);
      nextBoot({ limits: BREAKER });
      if (i < 5) store.turns.setState(turn.id, 'held', 'stale');
    }
    expect(rules()).toEqual(['stale', 'stale', 'stale', 'stale', 'global_loop']);
  });

  it('planned restarts never count; what bounds them is how often the turn was tried', () => {
    const { turn } = turnIn('c1');
    const tried = Array.from({ length: 7 }, () => {
      store.boots.plan(boot, 'restart', 'telegram:1');
      store.boots.end(boot, 'restarted', DIED);
      const goesOn = nextBoot({ limits: BREAKER }).length === 1;
      if (goesOn) again(turn);
      return goesOn;
    });
    expect(tried).toEqual([true, true, true, true, false, false, false]);
    expect(rules()).toEqual(['attempts']);
  });

  it('a message that waits goes first, and what was cut off before it is forgotten', () => {
    const { turn } = turnIn('c1');
    for (let i = 0; i < 2; i++) {
      nextBoot({ limits: BREAKER });
      again(turn);
    }
    const event = inbound('never mind', { chat: 'c1' });
    const { id } = store.inbox.put({ kind: 'message', event, session: turn.session }, DIED + 6_000);
    expect(nextBoot({ limits: BREAKER }, 7_000)).toEqual([]);
    expect(store.turns.get(turn.id)).toMatchObject({ state: 'superseded', rule: 'newer_input' });
    expect(inbox()).toEqual([
      ['merged', 'newer_input'],
      ['new', null],
    ]);
    const next = store.turns.create({ ...turn, replyTo: null }, DIED + 7_000);
    store.inbox.take([id], next.id);
    store.turns.begin(next, 'first', boot, DIED + 7_000);
    // Cut off once when the message was there already, and once more: without it, that would be four times.
    expect(nextBoot({ limits: BREAKER }, 20_000)).toEqual([next.id]);
    expect(rules()).toEqual(['suspect']);
  });

  it('words that came for a held turn while a stop was under way: its card says that they come first (gateway 9)', () => {
    const { turn } = turnIn('c1');
    nextBoot({}, 3_600_001);
    expect(said()).toEqual([expect.stringMatching(/have not started it again/)]);
    store.inbox.put({ kind: 'message', event: inbound('hello'), session: turn.session }, DIED);
    nextBoot({}, 3_600_002);
    expect(store.turns.get(turn.id)).toMatchObject({ state: 'superseded', rule: 'newer_input' });
    expect(said().at(-1)).toBe('Not taken up again: your next message came.');
    expect(said()).toHaveLength(2);
  });

  it('what a person has answered goes on, whatever else is held', () => {
    const { turn } = turnIn('c1');
    for (let i = 0; i < 3; i++) {
      nextBoot();
      again(turn);
    }
    asks(turn);
    nextBoot({ limits: BREAKER });
    expect(store.turns.get(turn.id)).toMatchObject({ state: 'parked', rule: 'awaiting_person' });
    const decide = "UPDATE approvals SET state = 'granted', decided_by = '{}'";
    const settleApprovals = () => void store.db.prepare(decide).run();
    expect(nextBoot({ limits: BREAKER, settleApprovals })).toEqual([turn.id]);
    expect(store.turns.get(turn.id)).toMatchObject({ state: 'parked', rule: 'answered' });
  });

  it('what nobody answered in time is judged like any other', () => {
    const { turn } = turnIn('c1');
    asks(turn);
    const settleApprovals = () => void store.db.prepare("UPDATE approvals SET state = 'expired'").run();
    expect(nextBoot({ settleApprovals })).toEqual([turn.id]);
    expect(rules()).toEqual(['resume']);
    expect(attempts()).toEqual(['parked']);
  });

  it('a platform that is not configured: it waits, and nobody is told', () => {
    const { turn } = turnIn('c1');
    expect(nextBoot({ platform: () => false })).toEqual([]);
    expect(store.turns.get(turn.id)).toMatchObject({ state: 'held', rule: 'no_platform' });
    expect(said()).toEqual([]);
    expect(nextBoot()).toEqual([turn.id]);
  });

  it.each([
    ['boots', "UPDATE boots SET how = 'exploded' WHERE rowid = 1"],
    ['attempts', "UPDATE attempts SET kind = 'wild'"],
    ['attempts of a boot that is gone', 'DELETE FROM boots WHERE rowid = 1'],
  ])('unreadable %s: nothing is resumed, once told; what is held stays so (gateway 8)', (_, sql) => {
    const { turn } = turnIn('c1');
    store.boots.end(boot, 'signal', DIED);
    boot = store.boots.begin(9, DIED).id;
    store.db.pragma('foreign_keys = OFF');
    store.db.pragma('ignore_check_constraints = ON');
    store.db.exec(sql);
    expect(nextBoot({ limits: BREAKER })).toEqual([]);
    expect(nextBoot({ limits: BREAKER })).toEqual([]);
    expect(store.turns.get(turn.id)).toMatchObject({ state: 'held', rule: 'state_unreadable' });
    expect(said()).toEqual([expect.stringMatching(/my record of restarts cannot be read\.$/)]);
  });

  it('a database that came back from a backup: its past waits for a person', () => {
    const { turn } = turnIn('c1');
    expect(nextBoot({ restored: true })).toEqual([]);
    expect(store.turns.get(turn.id)).toMatchObject({ state: 'held', rule: 'restored' });
  });
});
