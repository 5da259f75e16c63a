import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { authority, NO_MARKERS } from '../../src/context/authority.ts';
import { type Capsule, narrow, seal, unseal } from '../../src/context/capsule.ts';
import { childRun } from '../../src/context/run-context.ts';
import type { RunId } from '../../src/contract/ids.ts';
import { chatRun, cliRun, cronRun, unattendedRun } from '../fakes/runs.ts';

// One seed: a run that fails, fails again. Another finds more, when somebody looks for more.
fc.configureGlobal({ seed: 7 });

const bounds = { tools: ['read_file', 'shell'], maxSteps: 30 };
const signal = new AbortController().signal;
const wire = (capsule: Capsule): unknown => JSON.parse(JSON.stringify(capsule));
const kinds = [
  ['chat', chatRun()],
  ['cron', cronRun({ mode: 'ask' })],
  ['cron without a mode', cronRun()],
  ['cli', cliRun()],
  ['unattended', unattendedRun()],
] as const;

describe('a capsule', () => {
  it.each(kinds)('keeps kind, people and authority of a %s run over a wire', (_name, parent) => {
    const worker = childRun(parent, 'w1' as RunId);
    const { run, tools, maxSteps } = unseal(wire(seal(worker, bounds)), signal);
    expect({ ...run, signal: worker.signal }).toEqual({ ...worker });
    expect(authority(run, NO_MARKERS)).toEqual(authority(worker, NO_MARKERS));
    expect({ tools, maxSteps }).toEqual(bounds);
    expect(run.signal).toBe(signal);
  });

  it.each(kinds)('never carries the authority of a person of a %s run itself', (_name, parent) => {
    expect(() => seal(parent, bounds)).toThrow(/worker/);
    expect(() => unseal({ version: 1, run: { ...parent, signal: undefined }, ...bounds }, signal)).toThrow();
  });

  it('can only become narrower', () => {
    const names = ['a', 'b', 'c', 'd'];
    const bound = fc.record(
      { tools: fc.subarray(names), maxSteps: fc.integer({ min: 1, max: 100 }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.subarray(names),
        fc.integer({ min: 1, max: 100 }),
        fc.array(bound, { maxLength: 5 }),
        ([, parent], tools, maxSteps, chain) => {
          let before = seal(childRun(parent, 'w' as RunId), { tools, maxSteps });
          for (const [i, next] of chain.entries()) {
            const after = narrow(before, `w${i}` as RunId, next as Partial<typeof bounds>);
            expect(after.tools.every((name) => before.tools.includes(name))).toBe(true);
            expect(after.maxSteps).toBeLessThanOrEqual(before.maxSteps);
            expect(after.run).toEqual({ ...before.run, runId: `w${i}`, depth: before.run.depth + 1 });
            before = after;
          }
        },
      ),
    );
  });

  it.each([
    ['nothing', undefined],
    ['another version', { ...seal(childRun(chatRun(), 'w' as RunId), bounds), version: 2 }],
    ['a key more', { ...seal(childRun(chatRun(), 'w' as RunId), bounds), yolo: true }],
    [
      'a key more in the run',
      {
        ...seal(childRun(chatRun(), 'w' as RunId), bounds),
        run: { ...childRun(chatRun(), 'w' as RunId), signal: undefined, approver: 'me' },
      },
    ],
    [
      'a kind that does not exist',
      { version: 1, run: { ...childRun(chatRun(), 'w' as RunId), kind: 'root' }, ...bounds },
    ],
    [
      'a cron run dressed as a chat',
      { version: 1, run: { ...childRun(cronRun(), 'w' as RunId), kind: 'chat' }, ...bounds },
    ],
  ])('is refused when it is %s', (_what, data) => {
    expect(() => unseal(data, signal)).toThrow(/none/);
  });
});
