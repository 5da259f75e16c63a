import type { AttemptReport, Usage as Tokens } from '../contract/model.ts';
import type { RunContext } from '../contract/run.ts';
import type { Db } from './open.ts';

export interface Price {
  /** USD for a million tokens. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Sums over attempts at models. */
export interface UsageSum {
  readonly requests: number;
  /** Tokens, cached parts included. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** USD of those whose cost is known; null: of none. */
  readonly cost: number | null;
  /** Requests whose cost nobody knows. */
  readonly unpriced: number;
  /** Requests whose tokens are estimated. */
  readonly estimated: number;
}

/** What models were asked and what it cost, a row an attempt. */
export interface UsageLedger {
  /** `price`: what the configuration says where the provider names no cost. Nothing reported and nothing received: no row. */
  add(run: RunContext, report: AttemptReport, price: Price | undefined, now: number): void;
  ofSession(session: string): UsageSum;
  /** Of one person (`platform:id`), or of everybody, since then. */
  since(at: number, owner?: string): UsageSum;
}

const CHARS_PER_TOKEN = 4;
const MILLION = 1_000_000;

const EMPTY: UsageSum = { requests: 0, input: 0, cached: 0, output: 0, cost: null, unpriced: 0, estimated: 0 };

export function createUsage(db: Db): UsageLedger {
  const insert = db.prepare(`
    INSERT INTO usage (at, provider, model, run, run_kind, depth, session, owner, job, input, cache_read, cache_write, output,
      reasoning, cost, first_output_ms, total_ms, reason, estimated)
    VALUES (@at, @provider, @model, @run, @runKind, @depth, @session, @owner, @job, @input, @cacheRead, @cacheWrite, @output,
      @reasoning, @cost, @firstOutputMs, @totalMs, @reason, @estimated)`);
  const sum = `
    SELECT count(*) AS requests, coalesce(sum(input), 0) AS input, coalesce(sum(cache_read), 0) AS cached,
      coalesce(sum(output), 0) AS output, sum(cost) AS cost, coalesce(sum(cost IS NULL), 0) AS unpriced,
      coalesce(sum(estimated), 0) AS estimated FROM usage`;
  const ofSession = db.prepare<[string], UsageSum>(`${sum} WHERE session = ?`);
  const since = db.prepare<[number], UsageSum>(`${sum} WHERE at >= ?`);
  const sinceOf = db.prepare<[string, number], UsageSum>(`${sum} WHERE owner = ? AND at >= ?`);

  return {
    add(run, report, price, now) {
      const { choice, firstOutputMs, totalMs, reason } = report;
      const tokens = report.usage ?? guess(report);
      if (!tokens) return;
      insert.run({
        at: now,
        ...choice,
        run: run.runId,
        runKind: run.kind,
        depth: run.depth,
        session: run.session,
        ...payer(run),
        input: tokens.input,
        cacheRead: tokens.cacheRead ?? 0,
        cacheWrite: tokens.cacheWrite ?? 0,
        output: tokens.output,
        reasoning: tokens.reasoning ?? 0,
        cost: costOf(tokens, price),
        firstOutputMs,
        totalMs,
        reason,
        estimated: report.usage === null ? 1 : 0,
      });
    },
    ofSession: (session) => ofSession.get(session) ?? EMPTY,
    since: (at, owner) => (owner === undefined ? since.get(at) : sinceOf.get(owner, at)) ?? EMPTY,
  };
}

/** Of what came, where the provider does not say; undefined: nothing came. */
function guess({ outputChars }: AttemptReport): Tokens | undefined {
  return outputChars === 0 ? undefined : { input: 0, output: Math.ceil(outputChars / CHARS_PER_TOKEN) };
}

/** The provider's own figure, else the configured price, else unknown. */
function costOf(tokens: Tokens, price: Price | undefined): number | null {
  if (tokens.cost !== undefined) return tokens.cost;
  if (!price) return null;
  const { input, output, cacheRead = 0, cacheWrite = 0 } = tokens;
  const fresh = Math.max(0, input - cacheRead - cacheWrite);
  const dollars =
    fresh * price.input + cacheRead * price.cacheRead + cacheWrite * price.cacheWrite + output * price.output;
  return dollars / MILLION;
}

function payer(run: RunContext): { readonly owner: string; readonly job: string | null } {
  switch (run.kind) {
    case 'chat':
      return { owner: `${run.actor.platform}:${run.actor.id}`, job: null };
    case 'cron':
      return { owner: `${run.owner.platform}:${run.owner.id}`, job: run.jobId };
    case 'cli':
      return { owner: `terminal:${run.terminal}`, job: null };
    case 'unattended':
      return { owner: `${run.source}:${run.principal}`, job: null };
  }
}
