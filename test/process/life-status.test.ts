import { describe, expect, it } from 'vitest';
import { type LifeStatus, lifeNotes, lifeText } from '../../src/process/life-status.ts';
import type { BootEnd } from '../../src/store/boots.ts';

const WELL: LifeStatus = {
  streak: 0,
  limit: 5,
  settled: true,
  ends: [],
  held: [],
  resuming: 0,
  lagMs: 3,
  watched: true,
};
const end = (how: BootEnd, interrupted = 0) => ({ how, interrupted, at: 1 });

describe('how the life of the daemon reads', () => {
  it.each<[readonly string[], Partial<LifeStatus>]>([
    [['breaker: clear'], {}],
    [['breaker: clear, last boot clean'], { ends: [end('signal')] }],
    [['breaker: clear, last 2 boots clean'], { ends: [end('stopped', 1), end('vanished'), end('crash', 1)] }],
    [['breaker: clear'], { ends: [end('vanished', 1)] }],
    [['breaker: the last boot was interrupted (limit 5)'], { streak: 1, settled: false, ends: [end('crash', 2)] }],
    [
      ['breaker: the last 5 boots were interrupted (limit 5); interrupted turns wait for a person'],
      { streak: 5, settled: false },
    ],
    [['breaker: the last 9 boots were interrupted (limit 0)'], { streak: 9, limit: 0, settled: false }],
    [['breaker: clear'], { streak: 5, ends: [end('crash', 1)] }],
    [
      ['breaker: the journal of boots cannot be read; interrupted turns wait for a person'],
      { streak: null, settled: false },
    ],
    [
      ['breaker: clear', 'held turns: 2 by session_loop, 1 by stale; each has a card in its chat'],
      { held: ['session_loop', 'stale', 'session_loop'] },
    ],
    [['breaker: clear', 'interrupted turns that wait for their place: 2'], { resuming: 2 }],
    [['breaker: clear', 'event loop: up to 731 ms late in the last minute'], { lagMs: 730.6 }],
    [['breaker: clear', 'watchdog: its thread is being started again'], { watched: false }],
  ])('%j', (lines, life) => {
    expect(lifeText({ ...WELL, ...life })).toEqual(lines);
  });

  it.each<[readonly string[], Partial<LifeStatus>]>([
    [[], {}],
    [['journal_unreadable'], { streak: null }],
    [['breaker'], { streak: 5, settled: false }],
    [[], { streak: 5 }],
    [[], { streak: 4, settled: false }],
    [['held_turns', 'watchdog'], { held: ['stale'], watched: false }],
  ])('probes read %j', (notes, life) => {
    expect(lifeNotes({ ...WELL, ...life })).toEqual(notes);
  });
});
