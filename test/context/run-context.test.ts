import { describe, expect, it } from 'vitest';
import {
  beginRun,
  childRun,
  currentRun,
  endRun,
  isLive,
  keepRun,
  outsideRun,
  withRun,
} from '../../src/context/run-context.ts';
import type { RunId } from '../../src/contract/ids.ts';
import type { RunContext } from '../../src/contract/run.ts';
import { settle } from '../fakes/fake-clock.ts';
import { chatRun, cronRun } from '../fakes/runs.ts';

describe('withRun', () => {
  it('is there inside, over awaits, and gone outside', async () => {
    const run = chatRun();
    const seen: (RunContext | undefined)[] = [currentRun()];
    const done = withRun(run, async () => {
      seen.push(currentRun());
      await settle();
      seen.push(currentRun());
    });
    seen.push(currentRun());
    await done;
    expect([...seen, currentRun()]).toEqual([undefined, run, undefined, run, undefined]);
  });

  it('gives the outer run back after a nested one returns and after one throws', async () => {
    const [outer, inner, failing] = [chatRun(), cronRun(), cronRun()];
    await withRun(outer, async () => {
      await withRun(inner, () => expect(currentRun()).toBe(inner));
      expect(currentRun()).toBe(outer);
      await expect(withRun(failing, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
      expect(currentRun()).toBe(outer);
      expect([outer, inner, failing].map(isLive)).toEqual([true, false, false]);
    });
  });

  it('turns a synchronous throw into a rejection and ends the run', async () => {
    const run = chatRun();
    const failed = withRun(run, () => {
      throw new Error('at once');
    });
    await expect(failed).rejects.toThrow('at once');
    expect(isLive(run)).toBe(false);
  });

  it('keeps overlapping runs apart, whatever the order they end in', async () => {
    const runs = Array.from({ length: 20 }, (_, i) => (i % 2 ? cronRun() : chatRun()));
    const seen = await Promise.all(
      runs.map((run, i) =>
        withRun(run, async () => {
          await settle(runs.length - i);
          return currentRun();
        }),
      ),
    );
    expect(seen).toEqual(runs);
  });

  it('freezes the run to the bottom', async () => {
    const run = Object.freeze(chatRun());
    await withRun(run, () => {
      const here = currentRun() as { depth: number; actor: { name: string } };
      expect(() => {
        here.depth = 0;
      }).toThrow(TypeError);
      expect(() => {
        here.actor.name = 'eve';
      }).toThrow(TypeError);
    });
  });
});

describe('isLive', () => {
  it('lasts until the outermost opening settles, and never comes back', async () => {
    const run = chatRun();
    expect(isLive(run)).toBe(false);
    await withRun(run, async () => {
      await withRun(run, () => undefined);
      expect(isLive(run)).toBe(true);
    });
    expect(isLive(run)).toBe(false);
    await withRun(run, () => expect(isLive(run)).toBe(false));
  });

  it('a worker has none left once its parent ended', async () => {
    const parent = chatRun();
    const worker = childRun(parent, 'w' as RunId);
    let release = () => {};
    let late: Promise<boolean> | undefined;
    await withRun(parent, async () => {
      late = withRun(worker, async () => {
        expect(isLive(worker)).toBe(true);
        await new Promise<void>((resolve) => (release = resolve));
        return isLive(worker);
      });
      await settle();
    });
    release();
    expect(await late).toBe(false);
  });
});

describe('childRun', () => {
  it('keeps kind, session, people and root, one deeper', () => {
    const parent = cronRun();
    const grandchild = childRun(childRun(parent, 'w1' as RunId), 'w2' as RunId);
    expect(grandchild).toEqual({ ...parent, runId: 'w2', depth: 2 });
  });
});

describe('beginRun and endRun', () => {
  it('touch nothing ambient: only what goes through the handle is in the run', () => {
    const run = chatRun();
    const handle = beginRun(run);
    expect(currentRun()).toBeUndefined();
    expect(handle.run(currentRun)).toBe(run);
    expect(isLive(run)).toBe(true);
    endRun(handle);
    expect(currentRun()).toBeUndefined();
    expect(isLive(run)).toBe(false);
    expect(handle.run(() => isLive(run))).toBe(false);
  });

  it('leaves the run around it alone', async () => {
    const outer = cronRun();
    await withRun(outer, () => {
      const handle = beginRun(chatRun());
      expect(currentRun()).toBe(outer);
      endRun(handle);
      expect(currentRun()).toBe(outer);
      expect(isLive(outer)).toBe(true);
    });
  });

  it('ending nothing, null, something foreign or twice is harmless', async () => {
    const run = chatRun();
    const handle = beginRun(run);
    await withRun(run, () => {
      for (const odd of [undefined, null, 0, 'x', {}, { run: () => 1 }, run, handle, handle]) endRun(odd);
      endRun();
      expect(isLive(run)).toBe(true);
    });
    expect(isLive(run)).toBe(false);
  });

  it('overlapping handles do not capture, restore or remove each other', () => {
    const [a, b] = [chatRun(), cronRun()];
    const [first, second] = [beginRun(a), beginRun(b)];
    endRun(first);
    expect([isLive(a), isLive(b)]).toEqual([false, true]);
    expect(second.run(currentRun)).toBe(b);
    endRun(second);
    expect(isLive(b)).toBe(false);
  });
});

describe('outsideRun and keepRun', () => {
  it('build something that carries no run', async () => {
    let fire = () => {};
    let seen: RunContext | undefined = chatRun();
    await withRun(chatRun(), () =>
      outsideRun(() => {
        expect(currentRun()).toBeUndefined();
        void new Promise<void>((resolve) => (fire = resolve)).then(() => (seen = currentRun()));
      }),
    );
    fire();
    await settle();
    expect(seen).toBeUndefined();
  });

  it('bind a callback of this run, whoever calls it', async () => {
    const run = chatRun();
    let callback: () => RunContext | undefined = () => undefined;
    await withRun(run, () => (callback = keepRun(currentRun)));
    expect(await withRun(cronRun(), () => callback())).toBe(run);
    expect(isLive(run)).toBe(false);
  });
});
