import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closingLine, readVitestReport } from '../../scripts/test-report.ts';
import { Checkout } from './checkout.ts';

/** Stands in for vitest: prints its arguments, writes the report it was told, ends with the code it was told. */
const VITEST = `
import { writeFileSync } from 'node:fs';
const [report] = process.argv.filter((arg) => arg.startsWith('--outputFile.json='));
if (process.env.FAKE_REPORT) writeFileSync(report.split('=')[1], process.env.FAKE_REPORT);
console.log('vitest ' + process.argv.slice(2).filter((arg) => !arg.startsWith('--reporter') && arg !== report).join(' '));
process.exit(Number(process.env.FAKE_CODE));
`;

const report = (passed: number, failed: number, unloaded = 0): string =>
  JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    testResults: [
      { status: failed ? 'failed' : 'passed', assertionResults: [{}] },
      ...Array.from({ length: unloaded }, () => ({ status: 'failed', assertionResults: [] })),
    ],
  });

describe('npm test', () => {
  let checkout: Checkout;
  beforeEach(async () => {
    checkout = new Checkout();
    const scripts = join(import.meta.dirname, '../../scripts');
    for (const name of ['test.ts', 'test-report.ts']) cpSync(join(scripts, name), join(checkout.root, 'scripts', name));
    checkout.write('src/main.ts', '');
    // The first run installs; what stands in for vitest comes after it.
    await checkout.launch(['test']).ended;
    mkdirSync(join(checkout.root, 'node_modules/vitest'));
    writeFileSync(join(checkout.root, 'node_modules/vitest/vitest.mjs'), VITEST);
  });
  afterEach(() => checkout.remove());

  const run = (args: readonly string[], env: Readonly<Record<string, string>>) =>
    checkout.launch(['test', ...args], { FAKE_CODE: '0', ...env }).ended;
  const lastLine = (out: string) => out.trimEnd().split('\n').at(-1);

  it('counts checks and tests together and ends with them', async () => {
    const { code, out } = await run([], { FAKE_REPORT: report(40, 0) });
    expect([code, lastLine(out)]).toEqual([0, '44 passed, 0 failed']);
    expect(out).toMatch(/^ok {5}lint \(/m);
  });

  it('hands its arguments to vitest alone', async () => {
    const { out } = await run(['access', '-t', 'a b'], { FAKE_REPORT: report(1, 0) });
    expect(out).toContain('vitest run access -t a b\n');
    const checks = checkout.npmCalls.filter((call) => call.args[0] === 'run').map((call) => call.args);
    expect(checks.slice(-4)).toEqual(
      expect.arrayContaining(['lint', 'types', 'dead', 'docs:check'].map((name) => ['run', '--silent', name])),
    );
  });

  it('runs everything although a check fails, and says what is wrong', async () => {
    const { code, out } = await run([], { FAKE_REPORT: report(40, 0), FAKE_FAILS: 'types' });
    expect([code, lastLine(out)]).toEqual([1, '43 passed, 1 failed']);
    expect(out).toMatch(/^FAILED types \([^)]*\)\nwhat is wrong with types$/m);
  });

  it('fails with the tests', async () => {
    const { code, out } = await run([], { FAKE_REPORT: report(38, 2), FAKE_CODE: '1' });
    expect([code, lastLine(out)]).toEqual([1, '42 passed, 2 failed']);
  });

  it('counts a run that crashed as a failure', async () => {
    const { code, out } = await run([], { FAKE_CODE: '139' });
    expect([code, lastLine(out)]).toEqual([1, '4 passed, 1 failed']);
  });
});

describe('what vitest reports', () => {
  let checkout: Checkout;
  beforeEach(() => {
    checkout = new Checkout();
  });
  afterEach(() => checkout.remove());

  it.each([
    ['all passed', report(3, 0), 0, '3 passed, 0 failed'],
    ['some failed', report(3, 2), 1, '3 passed, 2 failed'],
    ['a file could not be loaded', report(3, 0, 1), 1, '3 passed, 1 failed'],
    ['an error outside the tests', report(3, 0), 1, '3 passed, 1 failed'],
    ['nothing matched', report(0, 0), 1, '0 passed, 1 failed'],
  ])('%s', (_, text, code, line) => {
    expect(closingLine(readVitestReport(checkout.write('report.json', text), code))).toBe(line);
  });
});
