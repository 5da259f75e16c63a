import { expect, it } from 'vitest';
import { chaos } from './chaos.ts';

it('eight kills at any time: nothing lost, nothing run twice, no repeat without a word (gateway 19)', async () => {
  const report = await chaos({ people: 4, kills: 8, seed: 7 });
  expect(report).toMatchObject({ lost: [], ranTwice: [], doubled: [], open: 0, checks: 9, damage: [] });
  expect(report.messages).toBeGreaterThan(4);
  expect(report.kills.SIGKILL + report.kills.SIGTERM).toBe(8);
}, 240_000);
