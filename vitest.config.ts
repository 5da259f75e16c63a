import { defineConfig } from 'vitest/config';
import { readOnlyHome } from './test/setup/read-only-home.ts';

const HOME = readOnlyHome();

/** Tests that start real processes, send real signals or open a browser; they come last and have time. */
const processes = ['test/process/**/*.test.ts', 'test/scripts/**/*.test.ts', 'test/page/**/*.test.ts'];

export default defineConfig({
  test: {
    globalSetup: ['test/setup/read-only-home.ts'],
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'core',
          include: ['test/**/*.test.ts'],
          exclude: processes,
          env: { HOME },
          testTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'process',
          include: processes,
          env: { HOME },
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
