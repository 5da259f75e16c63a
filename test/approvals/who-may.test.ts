import { describe, expect, it } from 'vitest';
import { eligible, mayAnswer } from '../../src/approvals/who-may.ts';
import type { Actor } from '../../src/contract/message.ts';
import type { ApprovalRow } from '../../src/store/approvals.ts';
import { person } from '../fakes/runs.ts';

type Asked = Pick<ApprovalRow, 'kind' | 'runKind' | 'requester' | 'details'>;
const details = {
  advised: false,
  people: 1,
  requesterOnly: false,
  votes: [],
  copies: 1,
  grants: [],
  bar: null,
  timedMinutes: 60,
} as const;
const row = (more: Partial<Asked> = {}): Asked => ({
  kind: 'call',
  runKind: 'chat',
  requester: person('ann'),
  details,
  ...more,
});
const open = { who: 'requester_or_approver', approvers: ['telegram:bob'] } as const;
const strict = { who: 'approvers', approvers: ['telegram:bob'] } as const;

describe('mayAnswer', () => {
  const cases: readonly [string, Actor, Asked, typeof open | typeof strict, boolean][] = [
    ['the requester', person('ann'), row(), open, true],
    ['an approver', person('bob'), row(), open, true],
    ['another member', person('eve'), row(), open, false],
    ['the same id on another platform', { ...person('ann'), platform: 'discord' }, row(), open, false],
    ['the same name with another id', person('eve', 'ann'), row(), open, false],
    ['the requester where only approvers count', person('ann'), row(), strict, false],
    ['an approver where only approvers count', person('bob'), row(), strict, true],
    ['a bot with the id of the requester', { ...person('ann'), bot: true }, row(), open, false],
    ['a stand-in with the id of an approver', { ...person('bob'), standIn: true }, row(), open, false],
    ['the owner of a job where only approvers count', person('ann'), row({ runKind: 'cron' }), strict, true],
    [
      'an approver, on what only the requester may answer',
      person('bob'),
      row({ details: { ...details, requesterOnly: true } }),
      open,
      false,
    ],
    ['an approver, on a question', person('bob'), row({ kind: 'question' }), open, false],
    ['the requester, on a question', person('ann'), row({ kind: 'question' }), strict, true],
  ];
  it.each(cases)('%s', (_, by, asked, config, expected) => {
    expect(mayAnswer(by, asked, config)).toBe(expected);
  });

  it('counts nobody twice', () => {
    expect(eligible(row(), { who: 'requester_or_approver', approvers: ['telegram:ann', 'telegram:bob'] })).toEqual([
      'telegram:ann',
      'telegram:bob',
    ]);
  });
});
