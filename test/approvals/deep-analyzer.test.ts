import { afterEach, describe, expect, it } from 'vitest';
import { createDeepAnalyzer, type DeepAnalyzer } from '../../src/approvals/deep-analyzer.ts';
import { createDetector } from '../../src/approvals/detector.ts';
import { currentRun, withRun } from '../../src/context/run-context.ts';
import type { Id } from '../../src/contract/ids.ts';
import type { CliRun } from '../../src/contract/run.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { FACTS } from './facts.ts';

const open: { close(): Promise<void> }[] = [];

function keep<T extends { close(): Promise<void> }>(made: T): T {
  open.push(made);
  return made;
}

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const ask = (analyzer: DeepAnalyzer, text: string, language?: string) =>
  analyzer.analyzeLarge({ text, language, facts: FACTS });

describe('long texts', () => {
  it('are judged in a thread with the same result', async () => {
    const analyzer = keep(createDeepAnalyzer(new FakeClock()));
    const long = `${'echo hello;'.repeat(1_700)}rm -rf /`;
    expect(await ask(analyzer, long)).toMatchObject({ grade: 'hardline', readable: true });
    expect(await ask(analyzer, '# nothing\n'.repeat(2_000))).toMatchObject({ grade: 'safe' });
    expect(await ask(analyzer, 'import os\nos.remove("a")', 'python')).toMatchObject({ grade: 'dangerous' });
  });

  it('keep their order and do not wait for each other', async () => {
    const analyzer = keep(createDeepAnalyzer(new FakeClock()));
    const texts = ['ls', 'rm -rf x', 'reboot', 'echo "'];
    const grades = await Promise.all(texts.map((text) => ask(analyzer, text)));
    expect(grades.map(({ grade }) => grade)).toEqual(['safe', 'dangerous', 'hardline', 'dangerous']);
  });

  it('are unreadable once the deadline has passed, and the next one is judged again', async () => {
    const clock = new FakeClock();
    const analyzer = keep(createDeepAnalyzer(clock));
    expect((await ask(analyzer, 'ls')).grade).toBe('safe');
    const late = ask(analyzer, 'cat a b c;'.repeat(1_900));
    while (clock.armed === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.skip(500);
    expect(await late).toMatchObject({ readable: false, grade: 'dangerous' });
    expect((await ask(analyzer, 'rm -rf /')).grade).toBe('hardline');
  });

  it('are unreadable after the end', async () => {
    const analyzer = createDeepAnalyzer(new FakeClock());
    await analyzer.close();
    expect(await ask(analyzer, 'ls')).toMatchObject({ readable: false });
  });

  it('carry no run into the thread, and back to their own', async () => {
    const run: CliRun = {
      ...{ kind: 'cli', terminal: 'tty', depth: 0, signal: new AbortController().signal },
      ...{ runId: 'r' as Id<'run'>, rootId: 'r' as Id<'run'>, session: 's' as Id<'session'> },
    };
    await withRun(run, async () => {
      const analyzer = keep(createDeepAnalyzer(new FakeClock()));
      await ask(analyzer, 'ls');
      expect(currentRun()?.runId).toBe('r');
    });
  });
});

describe('the detector as the gate has it', () => {
  it('judges short texts at once and long ones later', async () => {
    const detector = keep(createDetector(new FakeClock()));
    expect(detector.analyze('rm -rf /', FACTS)).toMatchObject({ grade: 'hardline' });
    const long = detector.analyze(`${'# a line\n'.repeat(3_000)}reboot`, FACTS);
    expect(long).toBeInstanceOf(Promise);
    expect(await long).toMatchObject({ grade: 'hardline' });
    expect(detector.scanCode('python', 'print(1)', FACTS)).toMatchObject({ grade: 'safe' });
    expect(detector.shapeOf('git.history')).toBe('exact');
    expect(detector.shapeOf('fs.delete')).toBe('exact');
  });
});
