import { defineConfig } from 'vitest/config';
import { compileCache } from './test/setup/compile-cache.ts';
import { LongFirst } from './test/setup/long-first.ts';
import { readOnlyHome } from './test/setup/read-only-home.ts';

const HOME = readOnlyHome();
const HERMOD_TEST_COMPILE_CACHE = compileCache();

/** Tests that start real processes, send real signals or open a browser; they come last and have time. */
const processes = ['test/process/**/*.test.ts', 'test/scripts/**/*.test.ts', 'test/page/**/*.test.ts'];

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    globalSetup: ['test/setup/read-only-home.ts', 'test/setup/compile-cache.ts'],
    projects: [
      {
        test: {
          name: 'core',
          include: ['test/**/*.test.ts'],
          exclude: processes,
          env: { HOME },
          testTimeout: 60_000,
          maxWorkers: 4,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'process',
          include: processes,
          env: { HOME, HERMOD_TEST_COMPILE_CACHE },
          testTimeout: 60_000,
          maxWorkers: 3,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
