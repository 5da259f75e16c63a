// What the tests would notice: breaks one place of the given files at a time, in a copy of the tracked tree, and runs tests on it.
// npm run bench -- mutants [count] [seed] [sources, parted by commas] [tests, parted by commas]; prints the survivors.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomFrom } from '../../test/schedule/random-line.ts';

interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

const [count = '100', seed = '1', sources = 'src/context,src/approvals', tests = 'test/approvals,test/context'] =
  process.argv.slice(2);
const ROOT = new URL('../../', import.meta.url).pathname;

const SWAPS: readonly (readonly [RegExp, string])[] = [
  [/===/g, '!=='],
  [/!==/g, '==='],
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ < /g, ' <= '],
  [/ > /g, ' >= '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/\.some\(/g, '.every('],
  [/\.every\(/g, '.some('],
  [/ \+ /g, ' - '],
  [/\bif \(/g, 'if (!'],
  [/^\s+(?:this|[a-z]\w*)[\w.#?]*\([^=]*\);$/g, ''],
  [/^\s+if \([^{]*\) return.*;$/g, ''],
];

function mutantsOf(file: string): readonly Mutant[] {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  return lines.flatMap((text, line) => (isCode(text) ? SWAPS.flatMap((swap) => swapped(file, line, text, swap)) : []));
}

function swapped(file: string, line: number, text: string, [from, to]: readonly [RegExp, string]): readonly Mutant[] {
  return [...text.matchAll(from)].map(({ index, 0: found }) => ({
    ...{ file, line, before: text },
    after: text.slice(0, index) + to + text.slice(index + found.length),
  }));
}

function isCode(text: string): boolean {
  return !/^\s*(?:\/?\*|\/\/|import |export (?:interface|type)|readonly |'|type )|=>.*=> void;/.test(text);
}

function shuffled<T>(list: readonly T[]): readonly T[] {
  const random = randomFrom(Number(seed));
  return list
    .map((one) => [random(), one] as const)
    .sort((a, b) => a[0] - b[0])
    .map(([, one]) => one);
}

function killed(copy: string): boolean {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'core', '--bail', '1', ...tests.split(',')];
  const { status } = spawnSync(process.execPath, args, { cwd: copy, stdio: 'ignore', timeout: 120_000 });
  return status !== 0;
}

const copy = mkdtempSync(join(tmpdir(), 'hermod-mutants-'));
execFileSync('git', ['clone', '-q', ROOT, copy]);
symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
const files = execFileSync('git', ['ls-files', ...sources.split(',')], { cwd: copy, encoding: 'utf8' })
  .trim()
  .split('\n');
const chosen = shuffled(files.filter((file) => file.endsWith('.ts')).flatMap(mutantsOf)).slice(0, Number(count));
if (killed(copy)) throw new Error('the tests fail before anything is broken');
let survivors = 0;
for (const [i, mutant] of chosen.entries()) {
  const path = join(copy, mutant.file);
  const whole = readFileSync(path, 'utf8');
  const lines = whole.split('\n');
  lines[mutant.line] = mutant.after;
  writeFileSync(path, lines.join('\n'));
  if (!killed(copy)) {
    survivors++;
    console.log(`${mutant.file}:${mutant.line + 1}\n  - ${mutant.before.trim()}\n  + ${mutant.after.trim()}`);
  }
  writeFileSync(path, whole);
  if (i % 20 === 19) console.log(`${i + 1} of ${chosen.length}: ${survivors} survive`);
}
rmSync(copy, { recursive: true, force: true });
console.log(`${chosen.length} mutants, ${chosen.length - survivors} killed, ${survivors} survive`);
