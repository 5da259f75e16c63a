// A year of 500 jobs in 12 zones on a minute clock, with restarts, downtime and kills at random points: every slot that a walk
// over the zones' minutes finds must have exactly one record, a firing or a place in a gap. Prints what differs; nothing should.
// npm run bench -- jobs-year [seed] [days]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomFrom } from '../../test/schedule/random-line.ts';
import { simulate, ZONES } from '../../test/schedule/simulated-year.ts';

const JOBS = 500;
const FROM = Date.parse('2026-01-10T00:00:00Z');
const [seed = 365, days = 365] = process.argv.slice(2).map(Number);

const random = randomFrom(seed);
const totals = { jobs: 0, slots: 0, firings: 0, gaps: 0, boots: 0, unknown: 0, again: 0, wrong: 0 };
for (const [i, tz] of ZONES.entries()) {
  const began = performance.now();
  const jobs = Math.floor((JOBS * (i + 1)) / ZONES.length) - Math.floor((JOBS * i) / ZONES.length);
  const folder = mkdtempSync(join(tmpdir(), 'hermod-year-'));
  const { wrong, ...counts } = simulate(
    { tz, jobs, from: FROM, days, stops: 0.0005, kills: 0.02, random },
    join(folder, 'hermod.db'),
  );
  rmSync(folder, { recursive: true, force: true });
  for (const [key, count] of Object.entries(counts)) totals[key as keyof typeof counts] += count;
  totals.wrong += wrong.length;
  for (const line of wrong.slice(0, 5)) console.log(`  ${line}`);
  const took = ((performance.now() - began) / 1000).toFixed(0);
  console.log(`${tz.padEnd(22)} ${jobs} jobs, ${counts.slots} slots, ${took} s, wrong so far: ${totals.wrong}`);
}
console.log(JSON.stringify({ seed, ...totals }));
process.exitCode = totals.wrong === 0 ? 0 : 1;
