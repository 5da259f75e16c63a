import { type Authority, authority } from '../context/authority.ts';
import { currentRun, isLive } from '../context/run-context.ts';
import type { ApprovalId, CallId, RunId } from '../contract/ids.ts';
import type { CronRun, EndReason, RunContext } from '../contract/run.ts';
import type { ApprovalRow } from '../store/approvals.ts';
import type { GrantRow } from '../store/grants.ts';
import type { CallEnd } from '../store/transcript.ts';
import type { ApprovalOutcome } from './approval-request.ts';
import { CallFacts } from './call-facts.ts';
import { type Decision, decide, type PolicyInput } from './decide.ts';
import { DecisionLog } from './decision-log.ts';
import { DenialBreaker } from './denial-breaker.ts';
import { type GateCall, type GateDeps, type Passage, type Refused, refused } from './gate-deps.ts';
import { askGuardian } from './guardian.ts';
import type { JobLabel, Refusal } from './offers.ts';
import { answerInTime } from './own-callback.ts';
import { questionFor } from './question.ts';
import {
  AUDIT_UNWRITABLE,
  blockText,
  CONTEXT_MISMATCH,
  cancelledText,
  deniedText,
  REPEATED,
  RUN_ENDED,
  TOOLS_OFF,
  timeoutText,
  USED,
  unaskedText,
} from './refusal-text.ts';
import { placeOf } from './run-place.ts';
import { scriptHash } from './script-hash.ts';
import type { Subject } from './subject.ts';

/** Whether a call runs. The only caller is the tool registry. */
export interface Gate {
  /** Await it in the run of the call. Rejects only for bugs. */
  pass(call: GateCall): Promise<Passage>;
  /** A call that `pass` let through is over; flagged ones are noted with their exit. Never throws. */
  ended(call: CallId, run: RunContext, outcome: { readonly state: CallEnd; readonly exit?: number | null }): void;
  /** Too much was refused in this run: a firing ends as `error(blocked)`. */
  blocked(run: RunContext): boolean;
  /** A firing is over: its owner is offered what it was refused. Returns how many cards were made. */
  firingEnded(run: CronRun, job: JobLabel): number;
  /** Decisions so far, by `authority label`. */
  counts(): ReadonlyMap<string, number>;
}

export function createGate(deps: GateDeps): Gate {
  return new CallGate(deps);
}

/** A call on its way: what is judged, on whose authority. */
interface Judged {
  readonly call: GateCall;
  readonly subject: Subject;
  readonly who: Authority;
}

class CallGate implements Gate {
  readonly #deps: GateDeps;
  readonly #facts: CallFacts;
  readonly #log: DecisionLog;
  readonly #breaker = new DenialBreaker();
  readonly #refusals = new Map<RunId, Refusal[]>();
  /** Flagged calls without a row, scripts' own, until they are over. */
  readonly #flagged = new Set<CallId>();

  constructor(deps: GateDeps) {
    this.#deps = deps;
    this.#facts = new CallFacts(deps);
    this.#log = new DecisionLog(deps);
  }

  async pass(call: GateCall): Promise<Passage> {
    const stray = this.#stray(call);
    if (stray) return stray;
    const passage = await this.#written(call);
    if (passage.kind !== 'pass') this.#flagged.delete(call.call);
    return passage;
  }

  async #written(call: GateCall): Promise<Passage> {
    const row = this.#deps.store.approvals.ofCall(call.call);
    try {
      return row?.kind === 'call'
        ? await this.#resume(call, row)
        : await this.#judge(call, await this.#facts.subject(call, call.input));
    } catch (error) {
      if (!this.#log.unwritable(error)) throw error;
      return refused('policy', 'audit_unwritable', AUDIT_UNWRITABLE);
    }
  }

  ended(call: CallId, run: RunContext, outcome: { readonly state: CallEnd; readonly exit?: number | null }): void {
    const flagged = this.#flagged.delete(call) || this.#deps.store.transcript.call(call)?.flagged;
    if (flagged) this.#log.ended(call, run, outcome);
  }

  blocked(run: RunContext): boolean {
    return this.#breaker.isOff(run);
  }

  firingEnded(run: CronRun, job: JobLabel): number {
    const refusals = this.#refusals.get(run.rootId) ?? [];
    this.#refusals.delete(run.rootId);
    this.#breaker.forget(run.rootId);
    if (refusals.length === 0 || !this.#deps.allowed(run.owner, placeOf(run, this.#deps.store))) return 0;
    return this.#deps.broker.offer(refusals, job);
  }

  /** Kept until the firing ends; the same command once. */
  #forOffer({ call: { run }, subject }: Judged): void {
    if (run?.kind !== 'cron') return;
    const there = this.#refusals.get(run.rootId) ?? [];
    if (there.length < MOST_OFFERS && !there.some((one) => one.subject.digest === subject.digest))
      there.push({ run, subject });
    this.#refusals.set(run.rootId, there);
  }

  counts(): ReadonlyMap<string, number> {
    return this.#log.counts;
  }

  /** A call from outside its run, or from a run that is over. */
  #stray({ run, call, tool }: GateCall): Refused | undefined {
    const here = currentRun();
    const facts = { call, tool: tool.name, run: run?.runId, current: here?.runId };
    if (here !== run) {
      this.#deps.log.error(
        { rule: 'context_mismatch', ...facts },
        'a call was made outside its run; this is a bug in hermod',
      );
      return refused('policy', 'context_mismatch', CONTEXT_MISMATCH);
    }
    if (!run || isLive(run)) return undefined;
    this.#deps.log.warn({ rule: 'run_ended', ...facts }, 'a call was made by a run that has ended');
    return refused('policy', 'run_ended', RUN_ENDED);
  }

  async #judge(call: GateCall, subject: Subject): Promise<Passage> {
    const judged = { call, subject, who: authority(call.run, this.#deps.markers) };
    const off = this.#off(judged);
    if (off) return off;
    const grants = this.#facts.grants(call.run, subject);
    const decision = await this.#decide(judged, {
      ...this.#facts.policy(call.run, subject, grants),
      authority: judged.who,
    });
    if (subject.findings.length > 0 && !this.#deps.store.transcript.flag(call.call, subject.digest))
      this.#flagged.add(call.call);
    switch (decision.kind) {
      case 'allow':
        return this.#allow(judged, decision, grants);
      case 'block':
        return this.#block(judged, decision);
      case 'ask':
        return this.#ask(judged, decision);
    }
  }

  /** What was refused before in this run is not asked again. */
  #off(judged: Judged): Refused | undefined {
    const { call, subject } = judged;
    if (!call.run) return undefined;
    const threshold = this.#deps.config().denial_breaker_threshold;
    const repeat = subject.findings.length > 0 && this.#breaker.isRepeat(call.run, subject.digest, threshold);
    if (!repeat && !(this.#breaker.isOff(call.run) && subject.tool.effects === 'exec')) return undefined;
    this.#log.refusal(judged, repeat ? 'block:repeated' : 'block:tools-off');
    return repeat ? refused('policy', 'denial.repeated', REPEATED) : refused('policy', 'denial.tools-off', TOOLS_OFF);
  }

  /** Once more with the guardian's word, where it is asked. */
  async #decide({ call, subject }: Judged, input: PolicyInput): Promise<Decision> {
    const { guard, clock } = this.#deps;
    const first = decide(input);
    if (first.label !== 'ask:guardian' || !guard || !call.run) return first;
    const { policy } = input.config.guardian;
    const question = { command: subject.command, findings: subject.findings, policy };
    return decide({ ...input, guardian: await askGuardian(guard, question, { clock, signal: call.run.signal }) });
  }

  #allow(judged: Judged, decision: Decision, grants: readonly GrantRow[] | undefined): Passage {
    const { run, input } = judged.call;
    this.#log.allowed(judged, decision, grants ?? []);
    if (run && decision.label !== 'allow:safe') this.#breaker.allowed(run);
    return this.#passes(judged, input);
  }

  /** Nothing stands in its way: what it fetches is remembered before it can. */
  #passes({ call: { run }, subject }: Judged, input: unknown): Passage {
    const { fetches = [] } = subject.analysis ?? {};
    if (run && fetches.length > 0) this.#deps.store.fetchedFiles.add(run.session, fetches);
    return { kind: 'pass', input };
  }

  #block(judged: Judged, decision: Decision): Refused {
    this.#log.decided(judged, decision);
    if (decision.label === 'block:cron') this.#forOffer(judged);
    const { who } = judged;
    const { markers, config } = this.#deps;
    return this.#counted(
      judged,
      refused('policy', decision.rule, blockText(decision, { authority: who, markers, config: config() })),
    );
  }

  /** A refusal that the breaker counts. */
  #counted({ call, subject }: Judged, refusal: Refused): Refused {
    if (call.run) this.#breaker.refused(call.run, subject.digest, this.#deps.config().denial_breaker_threshold);
    return refusal;
  }

  async #ask(judged: Judged, decision: Decision): Promise<Passage> {
    const { call, subject } = judged;
    this.#log.decided(judged, decision);
    if (!call.run) return this.#unasked(judged, decision.rule, 'it needs a person and this call belongs to no run');
    if (decision.label === 'ask:callback') return this.#askCallback(judged, call.run);
    const request = await questionFor(this.#deps, call, subject, decision, call.run);
    if (typeof request === 'string') return this.#unasked(judged, decision.rule, request);
    return this.#after(judged, await this.#waiting(call, (signal) => this.#deps.broker.ask(request, signal)));
  }

  #unasked(judged: Judged, rule: string, why: string): Refused {
    return this.#counted(judged, refused('policy', rule, unaskedText(rule, why)));
  }

  async #waiting<T>({ asking, run }: GateCall, wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
    asking(true);
    try {
      return await this.#log.guarded(wait(run?.signal ?? NEVER));
    } finally {
      asking(false);
    }
  }

  /** A worker's own way to ask: it may say once; anything else, a throw or silence is a no. */
  async #askCallback(judged: Judged, run: RunContext): Promise<Passage> {
    const { command, findings } = judged.subject;
    const callback = this.#deps.broker.callbackOf(run.runId);
    const question = { command, findings, choices: ['once', 'deny'] as const };
    const said = callback && (await answerInTime(this.#deps.clock, run.signal, (signal) => callback(question, signal)));
    this.#log.callback(judged, said === 'once');
    if (said !== 'once') {
      const text = deniedText('who started this worker', undefined);
      return this.#counted(judged, refused('policy', findings[0]?.rule ?? 'callback', text));
    }
    this.#breaker.allowed(run);
    return this.#passes(judged, judged.call.input);
  }

  /** What a decided question means for the call. */
  async #after(judged: Judged, outcome: ApprovalOutcome): Promise<Passage> {
    const rule = judged.subject.findings[0]?.rule ?? 'safe';
    switch (outcome.kind) {
      case 'granted':
        return outcome.follower ? this.#judge(judged.call, judged.subject) : this.#granted(judged, outcome.approval);
      case 'parked':
        return { kind: 'parked', approval: outcome.approval };
      case 'unasked':
        return this.#unasked(judged, outcome.rule, outcome.why);
      case 'cancelled':
        return refused(cancelledBy(outcome.by), rule, cancelledText(outcome.by));
      case 'denied':
        return this.#counted(judged, refused('person', rule, deniedText(outcome.by.name, outcome.reason)));
      case 'expired':
        if (outcome.restarted) return refused('restart', rule, cancelledText('restart'));
        return this.#counted(judged, refused('timeout', rule, timeoutText(this.#timeoutMs(judged))));
      case 'answered':
        return this.#unasked(judged, rule, 'that was a question, not a request to run something');
    }
  }

  #timeoutMs({ who }: Judged): number {
    const { timeout_s, cron_ask_timeout_s } = this.#deps.config();
    return (who.who === 'cron' ? cron_ask_timeout_s : timeout_s) * 1000;
  }

  /** A row of this call from before: the turn was parked, or the process ended. */
  async #resume(call: GateCall, row: ApprovalRow): Promise<Passage> {
    const { broker, clock, markers } = this.#deps;
    if (row.expiresAt <= clock.now()) broker.lapse(row.id);
    const input = row.input === null ? call.input : (JSON.parse(row.input) as unknown);
    const judged = { call, subject: await this.#facts.subject(call, input), who: authority(call.run, markers) };
    const rejoin = (signal: AbortSignal) => broker.rejoin(row.id, signal);
    return this.#after(judged, row.state === 'pending' ? await this.#waiting(call, rejoin) : await rejoin(NEVER));
  }

  /** After a yes: today's rules once more, then one start. What runs is the text of the row. */
  async #granted({ call, who }: Judged, approval: ApprovalId): Promise<Passage> {
    const row = this.#deps.store.approvals.get(approval);
    if (row?.state !== 'granted' || row.input === null)
      return refused('restart', 'approval.gone', cancelledText('restart'));
    const input = JSON.parse(row.input) as unknown;
    const now = { call, subject: await this.#facts.subject(call, input), who };
    const hash = await scriptHash(now.subject);
    const over = this.#stray(call) ?? this.#ended(call.run, row) ?? this.#floor(now);
    if (over) return over;
    if (now.subject.digest !== row.digest || hash !== row.scriptHash) return this.#judge(call, now.subject);
    if (!this.#log.begun(call, row)) return refused('restart', 'approval.used', USED);
    if (call.run) this.#breaker.allowed(call.run);
    return this.#passes(now, input);
  }

  /** Rows 1-3 of the table, with the rules of this moment. */
  #floor(judged: Judged): Refused | undefined {
    const { call, subject, who } = judged;
    const decision = decide({ ...this.#facts.policy(call.run, subject, undefined), authority: who });
    const floor = ['block:hardline', 'block:sudo-stdin', 'block:user-deny'].includes(decision.label);
    return floor ? this.#block(judged, decision) : undefined;
  }

  /** The run ended, or the process is ending, between the yes and the start: nothing has begun. */
  #ended(run: RunContext | undefined, row: ApprovalRow): Passage | undefined {
    if (!run?.signal.aborted) return undefined;
    const reason = run.signal.reason as EndReason;
    if (reason === 'shutdown') return { kind: 'parked', approval: row.id };
    const by = reason === 'reset' ? 'reset' : 'run';
    return refused(cancelledBy(by), row.findings[0]?.rule ?? 'safe', cancelledText(by));
  }
}

/** Cards a firing may leave behind. */
const MOST_OFFERS = 10;

const NEVER = new AbortController().signal;

function cancelledBy(by: Extract<ApprovalOutcome, { kind: 'cancelled' }>['by']): Refused['by'] {
  if (by === 'reset' || by === 'restart') return by;
  return by === 'stop' || by === 'run' ? 'stop' : 'policy';
}
