import { describe, expect, it } from 'vitest';
import { type InputFacts, placeInput, queuedText, refusedText } from '../../src/gateway/input-place.ts';

const IDLE: InputFacts = {
  aged: false,
  continues: undefined,
  waiting: { messages: 0, bytes: 0 },
  most: { messages: 2, bytes: 100 },
  bytes: 10,
  busy: false,
  running: false,
  mode: 'queue',
  files: false,
  workers: false,
  own: false,
};
const RUNNING: InputFacts = { ...IDLE, busy: true, running: true, own: true };
const FULL = { messages: 2, bytes: 20 };

describe('placeInput', () => {
  it.each<[string, InputFacts, string]>([
    ['idle', IDLE, 'go'],
    ['idle, whatever the mode', { ...IDLE, mode: 'interrupt' }, 'go'],
    ['idle, something waits for its other pieces', { ...IDLE, waiting: { messages: 1, bytes: 10 } }, 'go'],
    ['written hours ago', { ...RUNNING, aged: true, waiting: FULL }, 'ask'],
    ['as much waits as may', { ...RUNNING, waiting: FULL }, 'refuse'],
    ['as much waits as may, nothing runs', { ...IDLE, waiting: FULL }, 'refuse'],
    ['one more piece of what waits', { ...RUNNING, waiting: FULL, continues: 'waiting' }, 'join'],
    ['a piece that is too much', { ...RUNNING, waiting: { messages: 1, bytes: 95 }, continues: 'waiting' }, 'refuse'],
    ['exactly as many bytes as may', { ...RUNNING, waiting: { messages: 1, bytes: 90 } }, 'queue'],
    ['a late piece of what runs', { ...RUNNING, mode: 'interrupt', continues: 'running' }, 'fold'],
    ['queue', RUNNING, 'queue'],
    ['steer', { ...RUNNING, mode: 'steer' }, 'steer'],
    ['steer with a file', { ...RUNNING, mode: 'steer', files: true }, 'queue files'],
    ['steer what somebody else asked', { ...RUNNING, mode: 'steer', own: false }, 'queue foreign'],
    ['steer what waits for a person since the last boot', { ...RUNNING, mode: 'steer', running: false }, 'queue'],
    ['interrupt', { ...RUNNING, mode: 'interrupt', files: true }, 'interrupt'],
    ['interrupt workers', { ...RUNNING, mode: 'interrupt', workers: true }, 'queue workers'],
    [
      'interrupt what waits for a person since the last boot',
      { ...RUNNING, mode: 'interrupt', running: false },
      'queue',
    ],
  ])('%s', (_, facts, place) => {
    const { kind, ...why } = placeInput(facts);
    expect([kind, ...Object.values(why)].join(' ')).toBe(place);
  });
});

it('says what waits', () => {
  expect(queuedText(2)).toBe('Queued, 2 before it.');
  expect(queuedText(1, 'files')).toBe('Queued, 1 before it: a running turn takes words, not files.');
  expect(refusedText(20, 1)).toBe(
    'Not queued: 20 messages already wait here. /status shows them, /stop all clears yours.',
  );
  expect(refusedText(1, 3)).toMatch(/^3 messages not queued: 1 message already waits here\./);
});
