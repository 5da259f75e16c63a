import { beforeEach, describe, expect, it } from 'vitest';
import {
  type ApprovalId,
  type BootId,
  type CallId,
  newId,
  type RunId,
  type SessionId,
} from '../../src/contract/ids.ts';
import type { NewApproval } from '../../src/store/approvals.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { chatAddress, person } from '../fakes/runs.ts';

let store: Store;
beforeEach(() => {
  store = openStore(':memory:');
});

const approval = (more: Partial<NewApproval> = {}): NewApproval => ({
  id: newId<ApprovalId>(),
  code: 'k7f2',
  kind: 'call',
  run: 'r1' as RunId,
  rootRun: 'r1' as RunId,
  runKind: 'chat',
  depth: 0,
  turn: null,
  call: null,
  session: 's1' as SessionId,
  address: chatAddress('c1'),
  direct: true,
  requester: person('ann', 'Ann'),
  guard: 'shell',
  tool: 'shell',
  command: 'rm -rf build',
  input: '{"command":"rm -rf build"}',
  cwd: '/w',
  backend: 'local',
  digest: 'd1',
  scriptHash: null,
  findings: [{ rule: 'fs.delete', grade: 'dangerous', span: [0, 12], why: 'deletes', personOnly: false, smart: true }],
  choices: ['once', 'deny'],
  details: {
    advised: false,
    people: 1,
    requesterOnly: false,
    votes: [],
    copies: 1,
    grants: [],
    bar: null,
    timedMinutes: 60,
  },
  boot: 'b1' as BootId,
  createdAt: 100,
  expiresAt: 1000,
  ...more,
});
const yes = { state: 'granted', choice: 'once', by: person('ann'), surface: 'button' } as const;

describe('approvals', () => {
  it('reads back what was written', () => {
    const row = approval();
    store.approvals.insert(row);
    const open = {
      state: 'pending',
      choice: null,
      decidedBy: null,
      surface: null,
      reason: null,
      decidedAt: null,
      begunAt: null,
    };
    expect(store.approvals.get(row.id)).toEqual({ ...row, ...open });
    expect(store.approvals.pendingOf('s1' as SessionId)).toHaveLength(1);
    expect(store.approvals.pendingOf('s2' as SessionId)).toHaveLength(0);
  });

  it('has one winner, and none at or after its expiry', () => {
    const [first, late] = [store.approvals.insert(approval()), store.approvals.insert(approval())];
    expect(store.approvals.settle(first.id, yes, 999)).toMatchObject({
      state: 'granted',
      choice: 'once',
      decidedAt: 999,
    });
    expect(store.approvals.settle(first.id, { state: 'denied' }, 999)).toBeUndefined();
    expect(store.approvals.settle(late.id, yes, 1000)).toBeUndefined();
    expect(store.approvals.close(late.id, { state: 'expired' }, 1000)).toMatchObject({ state: 'expired' });
    expect(store.approvals.close(first.id, { state: 'cancelled' }, 1000)).toBeUndefined();
    expect(store.approvals.get(first.id)?.state).toBe('granted');
  });

  it('one yes is one start', () => {
    const { id } = store.approvals.insert(approval());
    expect(store.approvals.begin(id, 150)).toBe(false);
    store.approvals.settle(id, yes, 200);
    expect([store.approvals.begin(id, 210), store.approvals.begin(id, 211)]).toEqual([true, false]);
    expect(store.approvals.lapse(id)).toBeUndefined();
  });

  it('a yes that was never begun can lapse', () => {
    const { id } = store.approvals.insert(approval());
    store.approvals.settle(id, yes, 200);
    expect(store.approvals.lapse(id)).toMatchObject({ state: 'expired', reason: 'restart', decidedBy: person('ann') });
    expect(store.approvals.begin(id, 300)).toBe(false);
  });

  it('amends only what is pending', () => {
    const row = store.approvals.insert(approval());
    expect(store.approvals.amend(row.id, { ...row.details, copies: 2 })).toBe(true);
    expect(store.approvals.get(row.id)?.details.copies).toBe(2);
    store.approvals.settle(row.id, yes, 200);
    expect(store.approvals.amend(row.id, row.details)).toBe(false);
  });

  it('finds cards by chat, by the message they were sent as, and by what replaced them', () => {
    const { id } = store.approvals.insert(approval());
    const at = { ...chatAddress('c1'), thread: 't9' };
    const put = (key: string, edits?: string) => {
      const more = edits === undefined ? {} : { edits };
      return store.outbox.put({ key, kind: 'card', address: at, direct: true, message: { text: 'x' }, ...more }, 1)!;
    };
    store.approvals.addCard({ approval: id, nonce: 'abcdef', address: at, outboxKey: `card:${id}:0` });
    const row = put(`card:${id}:0`);
    expect(store.approvals.cards(id)).toMatchObject([{ nonce: 'abcdef', address: at, sent: [] }]);
    store.outbox.sent(row.id, { messageId: 'm1', at }, 50);
    store.outbox.sent(put(`card-closed:${id}:0`, `card:${id}:0`).id, { messageId: 'm2', at }, 60);
    expect(store.approvals.cards(id)[0]?.sent).toEqual([
      { messageId: 'm1', at, sentAt: 50 },
      { messageId: 'm2', at, sentAt: 60 },
    ]);
    expect(store.approvals.cardAt(chatAddress('c1'), 'm2')?.approval).toBe(id);
    expect(store.approvals.cardAt(chatAddress('c2'), 'm2')).toBeUndefined();
    expect(store.approvals.cardAt(chatAddress('c1'), 'm3')).toBeUndefined();
    expect(store.approvals.pendingAt(chatAddress('c1')).map((found) => found.id)).toEqual([id]);
    expect(store.approvals.pendingAt(chatAddress('c2'))).toEqual([]);
  });

  it('forgets the exact text when the result of its call is stored', () => {
    const boot = store.boots.begin(1, 0);
    const session = store.sessions.open('k', person('ann'), chatAddress('c1'), true, 0);
    const turn = store.turns.create(
      { session: session.id, actor: person('ann'), address: chatAddress('c1'), direct: true, replyTo: null },
      0,
    );
    const calls = [
      { providerId: 'p', name: 'shell', raw: '{}' },
      { providerId: 'q', name: 'shell', raw: '{}' },
    ];
    const message = store.transcript.append(
      { session: session.id, turn: turn.id, step: 1, role: 'assistant', content: '', calls },
      0,
    );
    const [call, other] = message.calls.map((made) => made.id) as [CallId, CallId];
    const [asked, kept] = [
      store.approvals.insert(approval({ call })),
      store.approvals.insert(approval({ call: other })),
    ];
    store.approvals.settle(asked.id, yes, 200);
    expect(store.approvals.unfinished().map(({ id }) => id)).toEqual([asked.id]);
    store.transcript.flag(call, 'd1');
    store.transcript.begin(call, boot.id, 210);
    expect(store.approvals.get(asked.id)?.command).toBe('rm -rf build');
    store.transcript.finish(call, 'unknown', 'interrupted', 220);
    expect(store.approvals.get(asked.id)).toMatchObject({ command: null, input: null, digest: 'd1' });
    expect(store.approvals.get(kept.id)?.command).toBe('rm -rf build');
    expect(store.approvals.unfinished()).toEqual([]);
    expect(store.approvals.repeats(turn.id, 'shell', 'd1')).toBe(true);
    expect(store.approvals.repeats(turn.id, 'shell', 'd2')).toBe(false);
    expect(store.approvals.repeats(turn.id, 'code', 'd1')).toBe(false);
  });
});
