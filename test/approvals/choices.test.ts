import { describe, expect, it } from 'vitest';
import { type ChoiceFacts, choices, offerChoices } from '../../src/approvals/choices.ts';

const facts: ChoiceFacts = {
  guard: 'shell',
  runKind: 'chat',
  decision: { onceOnly: false, people: 1 },
  bar: null,
  whole: true,
  config: { allow_permanent: true, timed_grant_minutes: 60 },
};
const only = ['once', 'deny'];

describe('choices', () => {
  const table: readonly [string, Partial<ChoiceFacts>, readonly string[]][] = [
    ['one simple literal command', {}, ['once', 'timed', 'session', 'always', 'deny']],
    [
      'the same where nothing is permanent',
      { config: { allow_permanent: false, timed_grant_minutes: 60 } },
      ['once', 'timed', 'session', 'deny'],
    ],
    [
      'the same without timed yeses',
      { config: { allow_permanent: true, timed_grant_minutes: 0 } },
      ['once', 'session', 'always', 'deny'],
    ],
    ['the same from a terminal', { runKind: 'cli' }, ['once', 'timed', 'session', 'always', 'deny']],
    ['several commands, or anything else that bars a grant', { bar: 'it has several commands' }, only],
    ['what does not stand whole on the card', { whole: false }, only],
    ['person-only rules, and what the guardian advises against', { decision: { onceOnly: true, people: 1 } }, only],
    ['two people', { decision: { onceOnly: true, people: 2 } }, only],
    ['a script', { guard: 'code', bar: 'it runs code' }, ['once', 'session', 'deny']],
    ['a tool call', { guard: 'tool', bar: 'it is no command' }, ['once', 'session', 'deny']],
    ['a job that asks', { runKind: 'cron' }, ['once', 'job', 'deny']],
    ['a job with what Always could not cover', { runKind: 'cron', bar: 'it has several commands' }, only],
    ['a job with a script', { runKind: 'cron', guard: 'code', bar: 'it runs code' }, only],
    [
      'a job where nothing is permanent',
      { runKind: 'cron', config: { allow_permanent: false, timed_grant_minutes: 60 } },
      only,
    ],
  ];
  it.each(table)('for %s', (_, more, expected) => {
    expect(choices({ ...facts, ...more })).toEqual(expected);
  });
});

describe('offerChoices', () => {
  it.each([
    ['where Always would be possible', {}, ['job', 'deny']],
    ['with several commands', { bar: 'it has several commands' }, ['deny']],
    ['of a script', { guard: 'code', bar: 'it runs code' }, ['deny']],
    ['too long to show', { whole: false }, ['deny']],
  ] as const)('%s', (_, more, expected) => {
    expect(offerChoices({ ...facts, ...more })).toEqual(expected);
  });
});
