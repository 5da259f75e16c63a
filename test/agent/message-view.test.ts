import { describe, expect, it } from 'vitest';
import { messageView } from '../../src/agent/message-view.ts';
import type { CallId, TurnId } from '../../src/contract/ids.ts';
import type { CallRow, MessageRow } from '../../src/store/transcript.ts';

let seq = 0;
const row = (turn: string, role: MessageRow['role'], content: string, more: Partial<MessageRow> = {}): MessageRow => ({
  seq: ++seq,
  turn: turn as TurnId,
  step: 0,
  role,
  content,
  mark: null,
  model: 'p:m',
  keep: undefined,
  createdAt: 0,
  calls: [],
  ...more,
});
const made = (state: CallRow['state'], result: string | null, raw = '{}'): CallRow => ({
  id: `c${++seq}` as CallId,
  turn: 't1' as TurnId,
  message: 0,
  position: 0,
  providerId: '',
  name: 'echo',
  raw,
  state,
  flagged: false,
  result,
  untrusted: null,
});
const view = (rows: readonly MessageRow[], turn = 't1') => messageView(rows, { turn: turn as TurnId, model: 'p:m' });

describe('messageView', () => {
  it('joins two person messages in a row by a blank line', () => {
    expect(view([row('t1', 'user', 'one'), row('t1', 'user', 'two')])).toEqual([
      { role: 'user', content: 'one\n\ntwo' },
    ]);
  });

  it('gives every call a result, whatever its state', () => {
    const calls = [
      made('done', 'fine'),
      made('planned', null),
      made('asked', null),
      made('begun', null),
      made('refused', 'no'),
    ];
    const results = view([row('t1', 'user', 'x'), row('t1', 'assistant', '', { calls })]).slice(2);
    expect(results.map((m) => (m.role === 'tool' ? [m.content, m.isError] : m))).toEqual([
      ['fine', false],
      ['not run', true],
      ['not run', true],
      ['interrupted; outcome unknown, check before repeating', true],
      ['no', true],
    ]);
  });

  it('ends earlier turns with the assistant, and marks what was stopped', () => {
    const rows = [
      row('t0', 'user', 'a'),
      row('t1', 'user', 'b'),
      row('t1', 'assistant', 'half', { mark: 'partial' }),
      row('t2', 'user', 'c'),
    ];
    expect(view(rows, 't2').map((m) => m.content)).toEqual([
      'a',
      '[no answer: this turn ended without one]',
      'b',
      'half\n[stopped here]',
      'c',
    ]);
  });

  it("marks hermod's own words (gateway 33)", () => {
    expect(view([row('t1', 'user', 'restarted', { mark: 'daemon' })])[0]?.content).toBe(
      '[from hermod, not from the person] restarted',
    );
  });

  it('sends provider data back inside its turn and to its model only', () => {
    const rows = [row('t1', 'user', 'x'), row('t1', 'assistant', '', { keep: { sig: 1 }, calls: [made('done', 'r')] })];
    expect(view(rows)[1]).toMatchObject({ keep: { sig: 1 } });
    expect(view(rows, 't2')[1]).not.toHaveProperty('keep');
    expect(messageView(rows, { turn: 't1' as TurnId, model: 'p:other' })[1]).not.toHaveProperty('keep');
  });

  it('sends well-formed text and objects only', () => {
    const rows = [
      row('t1', 'user', 'a\ud800b'),
      row('t1', 'assistant', '\udc00', { calls: [made('failed', '\ud800', '{"a": "x')] }),
    ];
    const sent = JSON.stringify(view(rows));
    expect(sent).not.toMatch(/\\ud[89a-f]/i);
    expect(view(rows)[1]).toMatchObject({ calls: [{ raw: '{}' }] });
  });
});
