import { defineConfig } from 'vitest/config';
import { compileCache } from './test/setup/compile-cache.ts';
import { LongFirst } from './test/setup/long-first.ts';
import { readOnlyHome } from './test/setup/read-only-home.ts';

const HOME = readOnlyHome();
const HERMOD_TEST_COMPILE_CACHE = compileCache();

/** Tests that start real processes, send real signals or open a browser; they come last and have time. */
const processes = ['test/process/**/*.test.ts', 'test/scripts/**/*.test.ts', 'test/page/**/*.test.ts'];

/** Tests that change what a whole process shares: a prototype, the environment, a module, who hears of warnings. */
const alone = [
  'test/approvals/interleaving.test.ts',
  'test/corpus/schedules.test.ts',
  'test/providers/{anthropic,openai-compatible}.test.ts',
  'test/scenarios/full-disk.test.ts',
  'test/schedule/kills.test.ts',
];

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    globalSetup: ['test/setup/read-only-home.ts', 'test/setup/compile-cache.ts'],
    projects: [
      {
        test: {
          // No module of hermod keeps state, so files may follow one another in one process.
          name: 'core',
          include: ['test/**/*.test.ts'],
          exclude: [...processes, ...alone],
          isolate: false,
          env: { HOME },
          testTimeout: 60_000,
          maxWorkers: 6,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'alone',
          include: alone,
          env: { HOME },
          testTimeout: 60_000,
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'process',
          include: processes,
          env: { HOME, HERMOD_TEST_COMPILE_CACHE },
          testTimeout: 60_000,
          maxWorkers: 4,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
