import { describe, expect, it } from 'vitest';
import type { TurnId } from '../../src/contract/ids.ts';
import {
  causeText,
  type HoldStory,
  holdCard,
  holdText,
  readHoldAnswer,
  writeHoldAnswer,
} from '../../src/process/hold-card.ts';

const TURN = 'abcdefghijklmnopqrstuvwxyz'.slice(0, 26) as TurnId;
const STORY: HoldStory = {
  rule: 'session_loop',
  times: 3,
  said: 'restart the proxy',
  last: '14:02',
  cause: 'SIGTERM',
  call: '`docker restart web`',
};

describe('the card of a held turn', () => {
  it.each<[string, Partial<HoldStory>]>([
    [
      'I was interrupted 3 times while working on "restart the proxy" (last 14:02, SIGTERM while running: `docker restart web`; outcome unknown). I have not started it again.',
      {},
    ],
    [
      'I was interrupted once while working on "restart the proxy" (last 14:02, SIGTERM). I have not started it again: that was a while ago.',
      { times: 1, call: undefined, rule: 'stale' },
    ],
    [
      'I was interrupted 5 times while working here (last 14:02, SIGTERM). I have not started it again: I have tried it too often.',
      { times: 5, said: '', call: undefined, rule: 'attempts' },
    ],
  ])('%s', (text, over) => {
    expect(holdText({ ...STORY, ...over })).toBe(text);
  });

  it('offers three ways on, in data that fits every platform', () => {
    const { buttons = [] } = holdCard(TURN, 12, STORY);
    expect(buttons.flat().map(({ label, data }) => [label, readHoldAnswer(data)?.choice])).toEqual([
      ['Continue', 'c'],
      ['Start fresh', 'f'],
      ['Keep waiting', 'k'],
    ]);
    for (const { data } of buttons.flat()) expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
  });

  it('reads back what it wrote, and nothing else', () => {
    const answer = { turn: TURN, attempts: 3, choice: 'f' } as const;
    expect(readHoldAnswer(writeHoldAnswer(answer))).toEqual(answer);
    for (const data of [
      '',
      'h1:ap:x',
      `h1:ho:${TURN}:3:x`,
      `h1:ho:${TURN}::c`,
      `h2:ho:${TURN}:3:c`,
      `h1:ho:${TURN}:3:c `,
    ])
      expect(readHoldAnswer(data)).toBeUndefined();
  });

  it.each([
    ['SIGTERM', 'signal', 'SIGTERM'],
    ['SIGINT, twice', 'forced', 'SIGINT'],
    ['an error in hermod', 'crash', null],
    ['hermod froze', 'watchdog', null],
    ['the stop took too long', 'overrun', 'SIGTERM'],
    ['hermod ended without a word', 'vanished', null],
    ['a planned restart', 'restarted', null],
  ] as const)('says %s for %s', (text, how, signal) => {
    expect(causeText(how, signal)).toBe(text);
  });
});
