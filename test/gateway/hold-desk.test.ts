import { beforeEach, describe, expect, it } from 'vitest';
import type { Broker } from '../../src/approvals/broker.ts';
import type { ButtonPress } from '../../src/contract/message.ts';
import { type AccessVerdict, access } from '../../src/gateway/access.ts';
import { HoldDesk } from '../../src/gateway/hold-desk.ts';
import { sessionKey } from '../../src/gateway/session-key.ts';
import { type HoldChoice, holdCard, writeHoldAnswer } from '../../src/process/hold-card.ts';
import { closeHold, putHold } from '../../src/process/holds.ts';
import type { TurnRow } from '../../src/store/turns.ts';
import { quietLog } from '../agent/quiet-log.ts';
import { settle } from '../fakes/fake-clock.ts';
import { person } from '../fakes/runs.ts';
import { inbound } from './inbound.ts';
import { laneFixture } from './lane-fixture.ts';

const DAY = 86_400_000;
const ACCESS = {
  admins: ['telegram:boss'],
  allow: ['telegram:ann', 'telegram:bob'],
  deny: [],
  groups: [],
  roles: [],
  open: [],
  pairing: false,
  bots: 'none' as const,
};
const STORY = { rule: 'session_loop', times: 3, said: 'x', last: '14:02', cause: 'SIGTERM', call: undefined } as const;

let lane: ReturnType<typeof laneFixture>;
let desk: HoldDesk;
let sessions: { group_per_actor: boolean; thread_per_actor: boolean };
let ended: string[];

beforeEach(() => {
  lane = laneFixture();
  sessions = { group_per_actor: true, thread_per_actor: false };
  ended = [];
  const broker = { cancelSession: () => 0, pendingOf: () => [] } as unknown as Broker;
  desk = new HoldDesk({
    ...lane,
    log: quietLog().log,
    broker,
    lifeMs: () => 7 * DAY,
    sessions: () => sessions,
    endProcesses: (session) => void ended.push(session),
    wake: () => {},
  });
  lane.lanes.start();
});

/** A turn of Ann's that was cut off and is held, with its card. */
function held(chat = 'c1'): TurnRow {
  const { store, clock, boot } = lane;
  const event = inbound('restart the proxy', { chat });
  const key = sessionKey(event, sessions);
  const session = store.sessions.open(key, event.by, event.address, event.direct, clock.now()).id;
  const { id } = store.inbox.put({ kind: 'message', event, session }, clock.now());
  const { address, direct, by: actor } = event;
  const turn = store.turns.create({ session, actor, address, direct, replyTo: null }, clock.now());
  store.inbox.take([id], turn.id);
  store.transcript.append({ session, turn: turn.id, step: 0, role: 'user', content: event.text }, clock.now());
  store.turns.endAttempt(store.turns.begin(turn, 'first', boot, clock.now()), 'ended', clock.now());
  store.turns.setState(turn.id, 'held', 'session_loop');
  putHold(store, turn, holdCard(turn.id, 1, STORY), clock.now(), 7 * DAY);
  return store.turns.get(turn.id) as TurnRow;
}

function presses(turn: TurnRow, choice: HoldChoice, by = 'ann', over: Partial<ButtonPress> = {}, attempts = 1) {
  const { address, direct } = turn;
  const data = writeHoldAnswer({ turn: turn.id, attempts, choice });
  const press: ButtonPress = { eventId: 'p', by: person(by), address, direct, sentAt: lane.clock.now(), data, ...over };
  const verdict: AccessVerdict = access(press, ACCESS);
  const said = lane.store.tx(() => desk.press(press, verdict));
  said?.after?.();
  return said?.text;
}

const state = ({ id }: TurnRow) => {
  const turn = lane.store.turns.get(id);
  return `${turn?.state} ${turn?.rule}`;
};
const closed = () => lane.outbox().at(-1);

describe('the buttons of a hold (gateway 9)', () => {
  it('Continue: a new attempt, and the card says so', async () => {
    const turn = held();
    expect(presses(turn, 'c')).toBe('Going on.');
    expect(state(turn)).toBe('running null');
    expect(lane.attempts()).toEqual(['first ended', 'continue open']);
    expect(lane.runner.last.turn.id).toBe(turn.id);
    expect(closed()).toBe('card pending: Going on with it (Continue, ann).');
    lane.runner.last.reply('Done.');
    await settle();
    expect(state(turn)).toBe('answered null');
  });

  it('Continue is written before it runs: a process that dies in between has an attempt open', () => {
    const turn = held();
    const { address, direct } = turn;
    const data = writeHoldAnswer({ turn: turn.id, attempts: 1, choice: 'c' });
    const press = { eventId: 'p', by: person('ann'), address, direct, sentAt: 0, data };
    lane.store.tx(() => desk.press(press, access(press, ACCESS)));
    expect(lane.runner.turns).toEqual([]);
    expect(lane.attempts()).toEqual(['first ended', 'continue open']);
  });

  it('Start fresh: the conversation is over, with what waits in it', () => {
    const turn = held();
    expect(presses(turn, 'f')).toBe('New session. Ended: 1 interrupted turn.');
    expect(state(turn)).toBe('stopped reset');
    expect(lane.store.sessions.get(turn.session)?.endedAt).not.toBeNull();
    expect(closed()).toBe('card pending: Not taken up again: a new session begins (Start fresh, ann).');
    expect(ended).toEqual([turn.session]);
  });

  it('Keep waiting: nothing changes', () => {
    const turn = held();
    expect(presses(turn, 'k')).toMatch(/^It waits/);
    expect(state(turn)).toBe('held session_loop');
    expect(lane.outbox()).toHaveLength(1);
  });

  it.each<HoldChoice>(['c', 'f', 'k'])('%s twice: the second time it is settled', (choice) => {
    const turn = held();
    presses(turn, choice);
    expect(presses(turn, choice)).toMatch(choice === 'k' ? /^It waits/ : /settled already/);
  });

  it('a button of an older card of the same turn answers nothing', () => {
    const turn = held();
    expect(presses(turn, 'c', 'ann', {}, 2)).toBe('This is settled already.');
    expect(state(turn)).toBe('held session_loop');
  });

  it('other data is not ours', () => {
    expect(presses(held(), 'c', 'ann', { data: 'h1:ap:x' })).toBeUndefined();
  });

  it('waits for lanes that are not open yet, or not any more', async () => {
    const turn = held();
    await lane.lanes.drain(0);
    expect(presses(turn, 'c')).toMatch(/starting or stopping/);
    expect(state(turn)).toBe('held session_loop');
    expect(lane.outbox()).toHaveLength(1);
  });
});

describe('who may press (gateway 9)', () => {
  const elsewhere = { address: { platform: 'telegram', bot: 'b1', chat: 'other' } };
  it.each<[string, string, Partial<ButtonPress>, boolean]>([
    ['the requester', 'ann', {}, true],
    ['an admin', 'boss', {}, true],
    ['an admin, from anywhere', 'boss', elsewhere, true],
    ['somebody allowed who does not share the conversation', 'bob', {}, false],
    ['the requester from another chat', 'ann', elsewhere, false],
    ['a stranger', 'eve', {}, false],
  ])('in a group: %s', (_, by, over, may) => {
    const turn = held('-5');
    expect(presses(turn, 'c', by, over)).toMatch(may ? /Going on/ : /Only who asked/);
    expect(state(turn)).toBe(may ? 'running null' : 'held session_loop');
  });

  it('in a shared conversation everybody who is allowed', () => {
    sessions = { group_per_actor: false, thread_per_actor: false };
    expect(presses(held('-6'), 'c', 'bob')).toMatch(/Going on/);
    expect(presses(held('-7'), 'c', 'eve')).toMatch(/Only who asked/);
  });
});

describe('what else settles a hold (gateway 9)', () => {
  it('a plain message: the turn is superseded, its card closed, and the message is the next turn', async () => {
    const turn = held();
    const event = inbound('never mind, do Y');
    const { store, clock } = lane;
    store.inbox.put({ kind: 'message', event, session: turn.session }, clock.now());
    lane.lanes.kick(turn.session);
    expect(state(turn)).toBe('superseded newer_input');
    expect(closed()).toMatch(/^card pending: Not taken up again: your next message came/);
    expect(lane.runner.said).toEqual(['[now]\nnever mind, do Y']);
  });

  it('time: given up after resume.hold_days, not before, and told once', async () => {
    const turn = held();
    desk.start();
    await lane.clock.skip(7 * DAY - 3_600_000);
    expect(state(turn)).toBe('held session_loop');
    await lane.clock.skip(3_600_000);
    expect(state(turn)).toBe('abandoned hold_expired');
    expect(lane.outbox()).toHaveLength(2);
    expect(closed()).toMatch(/Given up/);
    expect(lane.inbox()).toEqual(['refused']);
    await lane.clock.skip(DAY);
    expect(lane.outbox()).toHaveLength(2);
    desk.stop();
    expect(lane.clock.armed).toBe(0);
  });

  it('a turn that merely waits for its place is not given up', async () => {
    const turn = held();
    lane.store.turns.setState(turn.id, 'held', 'suspect');
    desk.start();
    await lane.clock.skip(30 * DAY);
    expect(state(turn)).toBe('held suspect');
    desk.stop();
  });

  it('the first outcome stands on the card', () => {
    const turn = held();
    closeHold(lane.store, turn, 'first', 1);
    closeHold(lane.store, turn, 'second', 2);
    expect(lane.outbox().at(-1)).toBe('card pending: first');
  });
});
