import { beforeEach, describe, expect, it } from 'vitest';
import type { TurnId } from '../../src/contract/ids.ts';
import type { TurnRule } from '../../src/process/breaker.ts';
import { nextResumes, ResumeQueue, type Waiting } from '../../src/process/resume-queue.ts';
import type { TurnRow } from '../../src/store/turns.ts';
import { settle } from '../fakes/fake-clock.ts';

const one = (id: string, rule: TurnRule, { attempts = 1, platform = 'a' } = {}): Waiting => ({
  turn: { id: id as TurnId, address: { platform, bot: '', chat: '' } } as TurnRow,
  rule,
  attempts,
});
const ids = (list: readonly Waiting[]) => list.map(({ turn }) => turn.id).join(' ');

describe('which interrupted turns begin now', () => {
  const [r1, r2, r3] = [one('r1', 'resume'), one('r2', 'resume'), one('r3', 'resume')];
  const [s1, s2] = [one('s1', 'suspect', { attempts: 4 }), one('s2', 'suspect', { attempts: 2 })];
  const a1 = one('a1', 'answered');
  it.each<[string, readonly Waiting[], readonly Waiting[], string]>([
    ['as many as may run', [r1, r2, r3], [], 'r1 r2'],
    ['one place is free', [r2, r3], [r1], 'r2'],
    ['none is free', [r3], [r1, r2], ''],
    ['a suspect only after all others', [s1, r1], [], 'r1'],
    ['nor beside one that runs', [s1], [r1], ''],
    ['fewest attempts first, one alone', [s1, s2], [], 's2'],
    ['nothing beside a suspect', [r1, s1], [s2], ''],
    ['what a person answered goes at once', [a1, r3], [r1, r2], 'a1'],
    ['even beside a suspect', [a1, r1], [s2], 'a1'],
    ['an answered one takes no place', [r1, r2], [a1], 'r1 r2'],
  ])('%s', (_, ready, running, begin) => {
    expect(ids(nextResumes(ready, running, 2))).toBe(begin);
  });
});

describe('the queue', () => {
  let begun: string[];
  let ends: Map<string, () => void>;
  let gone: Set<string>;
  let queue: ResumeQueue;
  beforeEach(() => {
    begun = [];
    ends = new Map();
    gone = new Set();
    queue = new ResumeQueue({
      parallel: () => 2,
      dispatch({ turn }) {
        if (gone.has(turn.id)) return undefined;
        begun.push(turn.id);
        return new Promise((resolve) => ends.set(turn.id, resolve));
      },
    });
  });
  const end = async (id: string) => {
    ends.get(id)?.();
    await settle();
  };

  it('nothing goes before the start, nor before its platform is open', async () => {
    queue.add(one('x', 'resume'));
    queue.open('a');
    expect(begun).toEqual([]);
    queue.start();
    queue.add(one('y', 'resume', { platform: 'b' }));
    expect(begun).toEqual(['x']);
    queue.open('b');
    expect(begun).toEqual(['x', 'y']);
    expect(queue.size).toBe(0);
  });

  it('the next begins when one has ended; suspects at the end, one by one', async () => {
    queue.open('a');
    for (const id of ['r1', 'r2', 'r3']) queue.add(one(id, 'resume'));
    queue.add(one('s1', 'suspect', { attempts: 3 }));
    queue.add(one('s2', 'suspect', { attempts: 2 }));
    queue.start();
    expect(begun).toEqual(['r1', 'r2']);
    await end('r1');
    expect(begun).toEqual(['r1', 'r2', 'r3']);
    await end('r2');
    expect(queue.size).toBe(2);
    await end('r3');
    expect(begun.at(-1)).toBe('s2');
    await end('s2');
    expect(begun.at(-1)).toBe('s1');
  });

  it('a suspect does not wait for a platform that is away', () => {
    queue.open('a');
    queue.add(one('far', 'resume', { platform: 'b' }));
    queue.add(one('s1', 'suspect'));
    queue.start();
    expect(begun).toEqual(['s1']);
  });

  it('what a person answered waits for no platform', () => {
    queue.start();
    queue.add(one('a1', 'answered', { platform: 'b' }));
    expect(begun).toEqual(['a1']);
  });

  it('a turn with nothing left to do makes room at once', async () => {
    queue.open('a');
    gone.add('r1');
    for (const id of ['r1', 'r2', 'r3']) queue.add(one(id, 'resume'));
    queue.start();
    await settle();
    expect(begun).toEqual(['r2', 'r3']);
  });

  it('the same turn waits once', () => {
    queue.add(one('x', 'resume'));
    queue.add(one('x', 'resume'));
    expect(queue.size).toBe(1);
    expect(queue.has('x' as TurnId)).toBe(true);
  });

  it('nothing begins after the stop', async () => {
    queue.open('a');
    for (const id of ['r1', 'r2', 'r3']) queue.add(one(id, 'resume'));
    queue.start();
    queue.stop();
    await end('r1');
    expect(begun).toEqual(['r1', 'r2']);
    expect(queue.size).toBe(0);
  });
});
