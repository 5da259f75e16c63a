import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { analyze } from '../../src/approvals/analyze.ts';
import { createDetector } from '../../src/approvals/detector.ts';
import { type AuthorityName, explained } from '../../src/cli/explain-decisions.ts';
import type { RunContext } from '../../src/contract/run.ts';
import { ApprovalWorld } from '../fakes/approval-world.ts';
import { APPROVALS_DEFAULTS } from '../fakes/approvals-config.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { chatRun, cliRun, cronRun, unattendedRun } from '../fakes/runs.ts';
import { FACTS } from './facts.ts';

/** Every row, once through `explain` and once through the gate: both must decide the same for the same reasons. */
const rows = readFileSync(new URL('../corpus/commands.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => (JSON.parse(line) as { cmd: string }).cmd);

const clock = new FakeClock();
const detector = createDetector(clock);
const { cwd: _, childPids: __, fetched: ___, protectPaths: ____, ...place } = FACTS;
const config = { audit_safe: true, denial_breaker_threshold: 0, max_pending: 100 };
const world = new ApprovalWorld({
  clock,
  config,
  gate: {
    detector,
    realPath: async (path) => path,
    place: () => ({ ...place, readOutside: false, backend: { name: 'local', isolated: false } }),
  },
});
afterAll(() => detector.close());

const RUNS: Readonly<Record<AuthorityName, (row: number, signal: AbortSignal) => RunContext | undefined>> = {
  chat: (row, signal) => world.turn({ chat: `c${row}`, signal }).run,
  cli: (row, signal) => ({ ...cliRun({ signal, session: `cli${row}` }) }),
  cron: (row) => cronRun({ session: `job${row}` }),
  unattended: (row) => unattendedRun({ session: `hook${row}` }),
  worker: (row) => ({ ...chatRun({ session: `worker${row}` }), depth: 1 }),
  nobody: () => undefined,
};

/** What the gate wrote into the audit about a command; one that is asked is then stopped. */
async function gateSays(command: string, who: AuthorityName, row: number) {
  const before = world.store.audit.head()?.seq ?? 0;
  const stop = new AbortController();
  const run = RUNS[who](row, stop.signal);
  const passage = run ? world.within(run, command) : world.call(undefined, command);
  const event = () =>
    world.store.audit.list(before, 10).find((one) => one.event === 'decided' || one.event === 'asked')?.body as
      | { label: string; rules: readonly string[] }
      | undefined;
  await world.until(() => event() !== undefined);
  const said = event();
  stop.abort('stop');
  await passage;
  return said && { label: said.label, rules: said.rules };
}

describe('explain and the gate', () => {
  for (const who of Object.keys(RUNS) as AuthorityName[]) {
    it(`say the same of ${rows.length} commands for ${who}`, async () => {
      const wrong: unknown[] = [];
      for (const [row, command] of rows.entries()) {
        const analysis = analyze(command, FACTS);
        const told = explained(command, analysis, { ...APPROVALS_DEFAULTS, ...config });
        const said = await gateSays(command, who, row);
        const rules = analysis.findings.map(({ rule }) => rule);
        if (
          said?.label !== told.decisions[who].label ||
          JSON.stringify([...new Set(said.rules)]) !== JSON.stringify([...new Set(rules)])
        )
          wrong.push({ command, gate: said, explain: { label: told.decisions[who].label, rules } });
      }
      expect(wrong).toEqual([]);
    });
  }
});
