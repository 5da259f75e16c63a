import { describe, expect, it } from 'vitest';
import { readApprove, readDeny } from '../../src/approvals/answer-command.ts';

const codes = (word: string) => ['k7f2', 'nope', '235m'].includes(word);

describe('readApprove', () => {
  it.each([
    ['', { target: undefined, choice: 'once' }],
    ['once', { target: undefined, choice: 'once' }],
    ['k7f2', { target: 'k7f2', choice: 'once' }],
    ['K7F2 session', { target: 'k7f2', choice: 'session' }],
    ['always k7f2', { target: 'k7f2', choice: 'always' }],
    ['all', { target: 'all', choice: 'once' }],
    ['30m', { target: undefined, choice: 'timed', minutes: 30 }],
    ['k7f2 2h', { target: 'k7f2', choice: 'timed', minutes: 120 }],
    ['90min k7f2', { target: 'k7f2', choice: 'timed', minutes: 90 }],
    ['1m', { target: undefined, choice: 'timed', minutes: 1 }],
    ['12h', { target: undefined, choice: 'timed', minutes: 720 }],
    ['235m', { target: '235m', choice: 'once' }],
    ['235m 2h', { target: '235m', choice: 'timed', minutes: 120 }],
    ['z2z2', { target: 'z2z2', choice: 'once' }],
  ])('%j', (args, expected) => {
    expect(readApprove(args, codes)).toEqual(expected);
  });
  it.each(['0m', '13h', '721m'])('%s is no length', (args) => {
    expect(readApprove(args, codes)).toBe('A timed yes lasts from 1 min to 12 h.');
  });
  it('says what it does not understand', () => {
    expect(readApprove('forever', codes)).toContain('I do not understand "forever"');
  });
});

describe('readDeny', () => {
  it.each([
    ['', { target: undefined }],
    ['k7f2', { target: 'k7f2' }],
    ['k7f2 use the other folder', { target: 'k7f2', reason: 'use the other folder' }],
    ['use the other folder K7F2', { target: 'k7f2', reason: 'use the other folder' }],
    ['too broad', { target: undefined, reason: 'too broad' }],
    ['all', { target: 'all' }],
    ['all not today', { target: 'all', reason: 'not today' }],
    ['not at all', { target: undefined, reason: 'not at all' }],
    ['nope', { target: 'nope' }],
    ['stop', { target: undefined, reason: 'stop' }],
    ['z2z2', { target: 'z2z2' }],
  ])('%j', (args, expected) => {
    expect(readDeny(args, codes)).toEqual({ choice: 'deny', ...expected });
  });
  it('cuts a reason at 500 characters', () => {
    expect(readDeny('x'.repeat(600), codes).reason).toHaveLength(500);
  });
});
