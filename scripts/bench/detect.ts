// How the detector grades the corpus of command lines, with every miss, and how long it takes.
import { readFileSync } from 'node:fs';
import { analyze, INLINE_LENGTH } from '../../src/approvals/analyze.ts';
import { FACTS } from '../../test/approvals/facts.ts';
import { hostileShapes } from '../../test/approvals/hostile-shapes.ts';
import { PIECES } from '../../test/approvals/shell-pieces.ts';
import { randomFrom } from '../../test/schedule/random-line.ts';

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

const random = randomFrom(20_000);
const oneOf = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
/** Rows that stay themselves with other text around them. */
const plain = rows
  .map((row) => row.cmd)
  .filter((cmd) => !/[\n#]|<<|\\$|&\s*$/.test(cmd) && analyze(cmd, FACTS).readable);

/** Parts one after the other, as many as 4 KB hold. */
function joined(part: () => string, by: string): string {
  let text = '';
  for (;;) {
    const next = part();
    if (text.length + next.length >= 4_096) return text;
    text += next + by;
  }
}

const rowsJoined = () => joined(() => oneOf(plain), '\n');

function mutated(): string {
  const text = rowsJoined();
  const at = Math.floor(random() * text.length);
  return text.slice(0, at) + oneOf(PIECES) + text.slice(at + Math.floor(random() * 3));
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

const EACH = 20_000 / 3;
const kinds = {
  'random tokens': () => joined(() => oneOf(PIECES), ' '),
  'rows of the corpus, something changed': mutated,
  'rows of the corpus': rowsJoined,
};
const short = rows.map((row) => row.cmd);
timed(short, 20);
const show = (what: string, times: readonly number[], target = '') =>
  console.log(`${what.padEnd(46)}p50 ${at(times, 0.5)} ms   p99 ${at(times, 0.99)} ms${target}`);
console.log('');
show('one command of the corpus', timed(short, 5));
const all: number[] = [];
/** One text in ten once more, each as the median of five: what the text costs, without what the machine does beside it. */
const medians: number[] = [];
for (const [what, make] of Object.entries(kinds)) {
  const times = Array.from({ length: EACH }, (_, i) => {
    const text = make();
    const [time] = timed([text], 1);
    if (i % 10 === 0) medians.push(timed([text], 5)[2] as number);
    return time as number;
  });
  all.push(...times);
  show(
    `4 KB: ${what}`,
    times.sort((a, b) => a - b),
  );
}
show(
  `4 KB: all ${all.length}`,
  all.sort((a, b) => a - b),
  '   (target 5 ms)',
);
show(
  `4 KB: ${medians.length} of them, each as a median`,
  medians.sort((a, b) => a - b),
);

const shapes = Object.entries(hostileShapes(INLINE_LENGTH)).map(
  ([name, text]) => [name, timed([text], 5)[2] as number] as const,
);
const worst = [...shapes].sort((a, b) => b[1] - a[1]).slice(0, 3);
console.log(
  `worst of ${shapes.length} hostile texts judged inline      ${worst.map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`).join(', ')}`,
);
