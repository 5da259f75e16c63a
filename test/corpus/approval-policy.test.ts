import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decide, type PolicyInput } from '../../src/approvals/decide.ts';
import type { ApprovalsConfig } from '../../src/approvals/policy-config.ts';
import { APPROVALS_DEFAULTS } from '../fakes/approvals-config.ts';
import { authority, readMarkers } from '../../src/context/authority.ts';
import { beginRun, childRun, currentRun, endRun, withRun } from '../../src/context/run-context.ts';
import type { RunId } from '../../src/contract/ids.ts';
import type { RunContext } from '../../src/contract/run.ts';
import type { Finding } from '../../src/contract/tool.ts';
import { chatRun, cliRun, cronRun, unattendedRun } from '../fakes/runs.ts';

/** Ready grades in, the label of `decide` out: this corpus tests `authority` and `decide` alone. */
interface Row {
  readonly id: string;
  readonly input: {
    readonly command: string;
    readonly ctx: string;
    readonly backend?: string;
    readonly env: Readonly<Record<string, string>>;
    readonly cfg: Readonly<Record<string, unknown>>;
    readonly permanent_grant?: { readonly jobs: boolean };
  };
  readonly expect: string;
  readonly why: string;
}

const rows = readFileSync(new URL('./approval_policy.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => JSON.parse(line) as Row);

const MARKER_NAMES: Readonly<Record<string, string>> = {
  CRON: 'HERMOD_CRON_SESSION',
  GATEWAY: 'HERMOD_GATEWAY_SESSION',
  EXEC_ASK: 'HERMOD_EXEC_ASK',
  INTERACTIVE: 'HERMOD_INTERACTIVE',
};

const openers: Readonly<Record<string, () => RunContext>> = {
  gateway: chatRun,
  cli: cliRun,
  cron: cronRun,
  unattended: unattendedRun,
};

/** Opens what the row describes and reads the run from inside it. */
function contextOf(ctx: string): Promise<RunContext | undefined> | RunContext | undefined {
  if (ctx === 'none') return currentRun();
  if (ctx === 'none-after-gateway-exit') {
    const handle = beginRun(chatRun());
    handle.run(currentRun);
    endRun(handle);
    return currentRun();
  }
  // The job was made during a chat turn; its firing opens a run of its own.
  if (ctx === 'cron-created-in-gateway-scope') return withRun(chatRun(), () => withRun(cronRun(), currentRun));
  const child = ctx.endsWith('-child');
  const open = openers[child ? ctx.slice(0, -'-child'.length) : ctx];
  if (!open) throw new Error(`this test does not know the context ${ctx}`);
  const run = open();
  return withRun(child ? childRun(run, 'w1' as RunId) : run, currentRun);
}

const finding = (grade: Finding['grade'], rule: string, personOnly = false): Finding => {
  return { rule, grade, span: [0, 1], why: rule, personOnly, smart: true };
};

const GRADES: Readonly<Record<string, Partial<PolicyInput>>> = {
  safe: {},
  dangerous: { findings: [finding('dangerous', 'fs.delete')] },
  execute_code: { findings: [finding('dangerous', 'code.script')] },
  hardline: { findings: [finding('hardline', 'fs.wipe')] },
  unreadable: { findings: [finding('dangerous', 'shell.unreadable', true)] },
  'sudo-stdin': { findings: [finding('dangerous', 'host.sudo')], sudoStdin: true },
  'user-deny': { denyRule: 'git push *' },
};

async function judge({ input }: Row): Promise<string> {
  const { guardian, yolo, yolo_other_session: _1, yolo_origin_session: _2, ...keys } = input.cfg;
  const config: ApprovalsConfig = {
    ...APPROVALS_DEFAULTS,
    ...keys,
    ...(guardian === undefined ? {} : { guardian: { model: 'small:guard' } }),
  };
  const env = Object.fromEntries(Object.entries(input.env).map(([key, value]) => [MARKER_NAMES[key] ?? key, value]));
  const grade = GRADES[input.command];
  if (!grade) throw new Error(`this test does not know the command ${input.command}`);
  const decision = decide({
    authority: authority(await contextOf(input.ctx), readMarkers(env)),
    findings: [],
    sudoStdin: false,
    denyRule: undefined,
    isolated: input.backend === 'container-isolated',
    yolo: yolo === true,
    grant: input.permanent_grant && { kind: 'always', jobs: input.permanent_grant.jobs },
    jobListed: false,
    callback: false,
    guardian: guardian as PolicyInput['guardian'],
    config,
    ...grade,
  });
  return decision.label;
}

describe('approval policy corpus', () => {
  it.each(rows.map((row) => [row.id, row] as const))('%s', async (_, row) => {
    expect(await judge(row), row.why).toBe(row.expect);
  });
});
