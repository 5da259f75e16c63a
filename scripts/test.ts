// `npm test`: the checks of package.json, then vitest. All of them run even if one fails; arguments go to vitest.
// The last line is `N passed, N failed`: tests and checks counted together.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { add, type Count, closingLine, readVitestReport } from './test-report.ts';

const root = dirname(import.meta.dirname);
const CHECKS = ['lint', 'types', 'dead', 'docs:check'];

const living = new Set<ChildProcess>();
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(name, () => {
    for (const child of living) child.kill(name);
    process.exit(1);
  });
}

const checks = await Promise.all(CHECKS.map(check));
const tests = await vitest(process.argv.slice(2));
const total = [...checks, tests].reduce(add);
console.log(closingLine(total));
process.exitCode = total.failed === 0 ? 0 : 1;

/** Runs one npm script; quiet when it holds. */
async function check(name: string): Promise<Count> {
  const started = performance.now();
  const { code, output } = await run('npm', ['run', '--silent', name], 'pipe');
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (code !== 0) console.log(output);
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

async function vitest(args: string[]): Promise<Count> {
  const folder = mkdtempSync(join(tmpdir(), 'hermod-test-report-'));
  const report = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  try {
    const { code } = await run(
      process.execPath,
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...args],
      'inherit',
    );
    return readVitestReport(report, code);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(command: string, args: string[], out: 'pipe' | 'inherit'): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', out, out] });
    living.add(child);
    const keep = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.on('error', (error) => keep(Buffer.from(error.message)));
    child.on('close', (code) => {
      living.delete(child);
      resolve({ code: code ?? 1, output });
    });
  });
}
