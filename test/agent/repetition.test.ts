import { describe, expect, it } from 'vitest';
import {
  CUT_AGAIN,
  GOING_ROUND,
  judgeRepetition,
  type PastCall,
  SAME_AGAIN,
  toolsAreOff,
} from '../../src/agent/repetition.ts';

const did = (key: string, result = `r${key}`, state: PastCall['state'] = 'done'): PastCall => ({
  tool: key.slice(0, 1),
  key,
  state,
  result,
});
const past = (...keys: string[]) => keys.map((key) => did(key));

describe('judgeRepetition', () => {
  it.each<[string, readonly PastCall[], string, string]>([
    ['the first call', [], 'a', 'run'],
    ['a second equal call', past('a'), 'a', 'run'],
    ['a third after two equal results', past('a', 'a'), 'a', SAME_AGAIN],
    ['a third after two different results', [did('a', '1'), did('a', '2')], 'a', 'run'],
    ['a third after something else', past('a', 'a', 'b'), 'a', 'run'],
    ['a third with other arguments', past('a1', 'a1'), 'a2', 'run'],
    ['a fourth', [...past('a', 'a'), did('a', SAME_AGAIN, 'skipped')], 'a', GOING_ROUND],
    ['another call after the third', [...past('a', 'a'), did('a', SAME_AGAIN, 'skipped')], 'b', 'run'],
    ['five of A-B', past('a', 'b', 'a', 'b'), 'a', 'run'],
    ['six of A-B', past('a', 'b', 'a', 'b', 'a'), 'b', GOING_ROUND],
    ['A-B-C', past('a', 'b', 'c', 'a', 'b'), 'c', 'run'],
    ['anything after tools are off', [did('a', GOING_ROUND, 'skipped')], 'b', GOING_ROUND],
    ['anything after a call cut twice', [did('a', CUT_AGAIN, 'skipped')], 'b', GOING_ROUND],
    ['calls that still run', [did('a', ''), { ...did('a'), result: null }, { ...did('a'), result: null }], 'a', 'run'],
  ])('%s', (_why, before, key, verdict) => {
    expect(judgeRepetition(before, key)).toBe(verdict);
  });
});

describe('toolsAreOff', () => {
  const failed = (key: string) => did(key, 'no', 'failed');
  const seven = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7'].map(failed);

  it('counts eight failures of one tool in a row, whatever other tools did in between', () => {
    expect(toolsAreOff(seven)).toBe(false);
    expect(toolsAreOff([...seven, failed('a8')])).toBe(true);
    expect(toolsAreOff([...seven, did('b1'), failed('a8')])).toBe(true);
    expect(toolsAreOff([...seven, did('a8'), failed('a9')])).toBe(false);
  });
});
