// How the detector grades the corpus of command lines, with every miss, and how long it takes.
import { readFileSync } from 'node:fs';
import { analyze, INLINE_LENGTH } from '../../src/approvals/analyze.ts';
import { FACTS } from '../../test/approvals/facts.ts';
import { hostileShapes } from '../../test/approvals/hostile-shapes.ts';

interface Row {
  readonly cmd: string;
  readonly expect: string;
  readonly why: string;
}

const GRADES = ['hardline', 'dangerous', 'safe'];
const rows = readFileSync(new URL('../../test/corpus/commands.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);
const graded = rows.map((row) => ({ ...row, grade: analyze(row.cmd, FACTS).grade as string }));

const of = (expect: string) => graded.filter((row) => row.expect === expect);
const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(2)} %`;

console.log(`${'graded'.padEnd(24)}${GRADES.map((grade) => grade.padStart(11)).join('')}`);
for (const expect of GRADES) {
  const counts = GRADES.map((grade) => of(expect).filter((row) => row.grade === grade).length);
  console.log(
    `${`${expect} (${of(expect).length} rows)`.padEnd(24)}${counts.map((count) => String(count).padStart(11)).join('')}`,
  );
}

const risky = graded.filter((row) => row.expect !== 'safe');
const safe = of('safe');
const figures: readonly (readonly [what: string, figure: string, target: string])[] = [
  [
    'hardline rows graded exactly',
    percent(of('hardline').filter((row) => row.grade === 'hardline').length, of('hardline').length),
    '99 %',
  ],
  [
    'hardline and dangerous rows flagged',
    percent(risky.filter((row) => row.grade !== 'safe').length, risky.length),
    '98 %',
  ],
  ['safe rows flagged', percent(safe.filter((row) => row.grade !== 'safe').length, safe.length), 'at most 2 %'],
  ['safe rows at hardline', String(safe.filter((row) => row.grade === 'hardline').length), '0'],
];
console.log('');
for (const [what, figure, target] of figures)
  console.log(`${what.padEnd(40)}${figure.padStart(10)}   (target ${target})`);

const missed = graded.filter(
  (row) => row.grade !== row.expect && !(row.expect === 'dangerous' && row.grade === 'hardline'),
);
for (const row of missed)
  console.log(`missed: ${row.expect} graded ${row.grade}: ${JSON.stringify(row.cmd)} (${row.why})`);

/** The corpus in texts of about 4 KB, as a person would paste scripts. */
function texts(size: number): readonly string[] {
  const out: string[] = [];
  let current = '';
  for (const { cmd } of rows) {
    if (/[#]|<</.test(cmd)) continue;
    if (current.length + cmd.length > size) {
      out.push(current);
      current = '';
    }
    current += `${cmd}\n`;
  }
  return out;
}

function timed(list: readonly string[], rounds: number): readonly number[] {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const text of list) {
      const began = performance.now();
      analyze(text, FACTS);
      times.push(performance.now() - began);
    }
  }
  return times.sort((a, b) => a - b);
}

const at = (times: readonly number[], share: number) =>
  (times[Math.min(times.length - 1, Math.floor(times.length * share))] as number).toFixed(2);

const short = rows.map((row) => row.cmd);
const long = texts(4_096);
timed(short, 20);
timed(long, 40);
console.log('');
for (const [what, list, rounds] of [
  ['one command of the corpus', short, 5],
  ['4 KB of commands', long, 60],
] as const) {
  const times = timed(list, rounds);
  console.log(`${what.padEnd(40)}p50 ${at(times, 0.5)} ms   p99 ${at(times, 0.99)} ms`);
}

const shapes = Object.entries(hostileShapes(INLINE_LENGTH)).map(
  ([name, text]) => [name, timed([text], 5)[2] as number] as const,
);
const worst = [...shapes].sort((a, b) => b[1] - a[1]).slice(0, 3);
console.log(
  `worst of ${shapes.length} hostile texts judged inline      ${worst.map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`).join(', ')}`,
);
