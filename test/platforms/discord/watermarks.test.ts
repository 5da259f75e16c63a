import { describe, expect, it } from 'vitest';
import { Watermarks } from '../../../src/platforms/discord/watermarks.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { memoryState } from './rig.ts';

const id = (n: number) => String(500_000_000_000_000_000n + BigInt(n));
const channel = (n: number) => String(600_000_000_000_000_000n + BigInt(n));

function opened() {
  const clock = new FakeClock();
  const entries = new Map<string, string>();
  const state = memoryState(entries);
  const again = () => new Watermarks(state, clock);
  return { clock, entries, marks: again(), again };
}

describe('how far each channel has been heard', () => {
  it('is on disk before the first message of a channel is told, and points before it', () => {
    const { marks, again } = opened();
    marks.begin(channel(1), 'guild', id(10));
    expect(again().get(channel(1))).toEqual({ channel: channel(1), guild: 'guild', last: id(9), used: true });
  });

  it('only moves forward, and is written within two seconds', async () => {
    const { clock, marks, again } = opened();
    marks.begin(channel(1), undefined, id(10));
    marks.advance(channel(1), undefined, id(12));
    marks.advance(channel(1), undefined, id(11));
    expect(again().get(channel(1))?.last).toBe(id(9));
    await clock.skip(2_000);
    expect(again().get(channel(1))?.last).toBe(id(12));
    expect(clock.armed).toBe(0);
  });

  it('stays where it is while what lies behind it is not known', () => {
    const { marks } = opened();
    marks.begin(channel(1), undefined, id(10));
    marks.open(channel(1));
    marks.advance(channel(1), undefined, id(20));
    expect(marks.get(channel(1))?.last).toBe(id(9));
    marks.close(channel(1));
    marks.advance(channel(1), undefined, id(20));
    expect(marks.get(channel(1))?.last).toBe(id(20));
  });

  it('a channel seen for the first time starts at what was said there last', () => {
    const { marks } = opened();
    marks.seed({ channel: channel(1), guild: 'guild', last: id(5) });
    marks.seed({ channel: channel(1), guild: 'guild', last: id(9) });
    expect(marks.get(channel(1))?.last).toBe(id(5));
  });

  it('keeps five hundred, those where people talked to us last of all', () => {
    const { marks } = opened();
    marks.begin(channel(0), undefined, id(1));
    for (let n = 1; n <= 600; n++) marks.seed({ channel: channel(n), guild: 'guild', last: id(n) });
    expect(marks.all()).toHaveLength(500);
    expect(marks.get(channel(0))).toBeDefined();
    expect(marks.get(channel(600))).toBeDefined();
    expect(marks.get(channel(1))).toBeUndefined();
  });
});
