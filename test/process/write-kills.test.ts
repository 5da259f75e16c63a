import { expect, it } from 'vitest';
import { writeKills } from './write-kills.ts';

it('SIGKILL and SIGTERM while people write: the file is whole each time, and everything comes to an end (h102198, h110497) (gateway 27)', async () => {
  const report = await writeKills({ kills: 3, perSecond: 12 });
  expect(report).toMatchObject({ torn: [], open: 0, kills: { SIGKILL: 2, SIGTERM: 1 } });
  expect(report.rows).toBeGreaterThan(report.messages);
}, 240_000);
