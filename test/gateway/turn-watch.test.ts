import { beforeEach, describe, expect, it } from 'vitest';
import { TurnWatch } from '../../src/gateway/turn-watch.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { WarpClock } from '../fakes/warp-clock.ts';

const MIN = 60_000;

let clock: FakeClock;
let said: string[];

beforeEach(() => {
  clock = new FakeClock();
  said = [];
});

function watch(limits = { noteMs: 3 * MIN, idleMs: 10 * MIN, totalMs: 120 * MIN }): TurnWatch {
  const made: TurnWatch = new TurnWatch({
    clock,
    limits,
    note: (line) => void said.push(line),
    end: (sentence) => {
      said.push(sentence);
      made.stop();
    },
  });
  return made;
}

describe('TurnWatch', () => {
  it('says each three minutes what the turn does (gateway 32)', async () => {
    const turn = watch();
    await clock.skip(3 * MIN);
    turn.moved('shell sleep 500');
    await clock.skip(3 * MIN);
    expect(said).toEqual(['Still working: the model, 3 min', 'Still working: shell sleep 500, 6 min']);
  });

  it('ends a turn in which nothing moves (h72016) (gateway 32)', async () => {
    watch();
    await clock.skip(60 * MIN);
    expect(said).toEqual([
      'Still working: the model, 3 min',
      'Still working: the model, 6 min',
      'Still working: the model, 9 min',
      'I stopped: nothing had moved for 10 min. /retry tries again.',
    ]);
    expect(clock.armed).toBe(0);
  });

  it('ends it in time when the clock is put back meanwhile', async () => {
    const warp = new WarpClock();
    const limits = { noteMs: 3 * MIN, idleMs: 10 * MIN, totalMs: 120 * MIN };
    const note = (line: string) => void said.push(line);
    const turn: TurnWatch = new TurnWatch({ clock: warp, limits, note, end: (why) => void said.push(why) });
    await warp.skip(5 * MIN);
    warp.putBack(60 * MIN);
    await warp.skip(15 * MIN);
    turn.stop();
    expect(said.at(-1)).toBe('I stopped: nothing had moved for 10 min. /retry tries again.');
    expect(said[0]).toBe('Still working: the model, 3 min');
  });

  it('ends one that goes on for ever', async () => {
    const turn = watch({ noteMs: 60 * MIN, idleMs: 10 * MIN, totalMs: 30 * MIN });
    for (let i = 0; i < 40; i++) {
      await clock.skip(MIN);
      turn.moved();
    }
    expect(said).toEqual(['I stopped: a turn may take 30 min (turns.total\\_s). /retry begins again.']);
  });

  it('does not count the time it waits for a person, for either', async () => {
    const turn = watch({ noteMs: 60 * MIN, idleMs: 10 * MIN, totalMs: 30 * MIN });
    await clock.skip(5 * MIN);
    turn.waiting(true);
    await clock.skip(24 * 60 * MIN);
    expect([said, clock.armed]).toEqual([[], 0]);
    turn.waiting(false);
    await clock.skip(9 * MIN);
    turn.moved();
    await clock.skip(9 * MIN);
    turn.moved();
    expect(said).toEqual([]);
    await clock.skip(7 * MIN);
    expect(said).toEqual(['I stopped: a turn may take 30 min (turns.total\\_s). /retry begins again.']);
  });

  it('says nothing after its end', async () => {
    watch().stop();
    await clock.skip(60 * MIN);
    expect(said).toEqual([]);
  });
});
