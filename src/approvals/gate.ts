import { type Authority, authority, type EnvMarkers } from '../context/authority.ts';
import { currentRun, isLive } from '../context/run-context.ts';
import type { Clock } from '../contract/clock.ts';
import type { ApprovalId, BootId, CallId, JobId, SessionId, TurnId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { Actor, Address } from '../contract/message.ts';
import type { EndReason, RunContext } from '../contract/run.ts';
import type { Tool } from '../contract/tool.ts';
import type { ApprovalRow } from '../store/approvals.ts';
import type { GrantRow } from '../store/grants.ts';
import type { Store } from '../store/store.ts';
import { actorKey } from './actor-key.ts';
import type { Facts } from './analysis.ts';
import type { ApprovalOutcome, ApprovalRequest } from './approval-request.ts';
import type { AuditEvent, AuditTrail } from './audit-trail.ts';
import type { Broker } from './broker.ts';
import { choices } from './choices.ts';
import { type Decision, decide } from './decide.ts';
import { DenialBreaker } from './denial-breaker.ts';
import { denyRule } from './deny-rules.ts';
import { coveringGrants, narrowest } from './grant-cover.ts';
import { askGuardian, type Guard } from './guardian.ts';
import type { ApprovalsConfig } from './policy-config.ts';
import type { Redactor } from './redact.ts';
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
  unaskedText,
} from './refusal-text.ts';
import { scriptHash } from './script-hash.ts';
import { type Detector, type Subject, subjectOf } from './subject.ts';
import { visible } from './visible.ts';

export interface GateCall {
  readonly call: CallId;
  readonly turn: TurnId | null;
  readonly tool: Tool;
  /** Validated. */
  readonly input: unknown;
  /** The run the call belongs to; undefined only for callers that have none (scripts, embedding). */
  readonly run: RunContext | undefined;
  /** Told when a person is being waited for (true) and when that is over (false). */
  readonly asking: (waiting: boolean) => void;
}

export type RefusedBy = 'person' | 'policy' | 'timeout' | 'stop' | 'reset' | 'restart';

export type Passage =
  /** `input` is what may run: for an approved call that of its row. */
  | { readonly kind: 'pass'; readonly input: unknown }
  | { readonly kind: 'refused'; readonly by: RefusedBy; readonly rule: string; readonly text: string }
  /** Shutdown while a person is asked: the row stays pending. */
  | { readonly kind: 'parked'; readonly approval: ApprovalId };

/** Whether a call runs. The only caller is the tool registry. */
export interface Gate {
  /** Await it in the run of the call. Rejects only for bugs. */
  pass(call: GateCall): Promise<Passage>;
  /** Too much was refused in this run: a firing ends as `error(blocked)`. */
  blocked(run: RunContext): boolean;
  /** Decisions so far, by `authority label`. */
  counts(): ReadonlyMap<string, number>;
}

/** Where tools run, as the detector must know it. */
export interface Place {
  readonly home: string;
  readonly user: string;
  /** Work roots, the workspace first. */
  readonly roots: readonly string[];
  readonly hermodHome: string;
  readonly pid: number;
  readonly parentPid: number;
  readonly os: Facts['os'];
  /** `files.read_outside`. */
  readonly readOutside: boolean;
  /** What the shell and code tools run in; `isolated`: it cannot reach the host. */
  readonly backend: { readonly name: string; readonly isolated: boolean };
}

export interface GateDeps {
  readonly store: Store;
  readonly boot: BootId;
  readonly broker: Broker;
  readonly clock: Clock;
  readonly log: Log;
  readonly trail: AuditTrail;
  readonly redactor: () => Redactor;
  readonly config: () => ApprovalsConfig;
  readonly markers: EnvMarkers;
  /** `HERMOD_YOLO_MODE`, as it was at boot. */
  readonly bootYolo: boolean;
  readonly place: () => Place;
  readonly detector: Detector;
  /** Whether this person may use hermod now. */
  readonly allowed: (actor: Pick<Actor, 'platform' | 'id'>) => boolean;
  /** Live processes that this session's tools started. */
  readonly childPids?: (session: SessionId) => readonly number[];
  /** Files this session's commands fetched from a network. */
  readonly fetched?: (session: SessionId) => readonly string[];
  /** Where a turn read untrusted text, or undefined. */
  readonly taint?: (turn: TurnId, session: SessionId) => string | undefined;
  readonly guard?: Guard;
  /** What a removal would remove, in words; bounded, never rejects. */
  readonly effect?: (subject: Subject) => Promise<string | undefined>;
  readonly jobName?: (job: JobId) => string | undefined;
  /** What a worker was told to do. */
  readonly goal?: (run: RunContext) => string | undefined;
}

export function createGate(deps: GateDeps): Gate {
  return new CallGate(deps);
}

const YES_WAIT_MS = 30_000;

class CallGate implements Gate {
  readonly #deps: GateDeps;
  readonly #breaker = new DenialBreaker();
  readonly #counts = new Map<string, number>();

  constructor(deps: GateDeps) {
    this.#deps = deps;
  }

  async pass(call: GateCall): Promise<Passage> {
    const stray = this.#stray(call);
    if (stray) return stray;
    const row = this.#deps.store.approvals.ofCall(call.call);
    try {
      return row ? await this.#resume(call, row) : await this.#judge(call, await this.#subject(call, call.input));
    } catch (error) {
      if (!(error instanceof AuditUnwritable)) throw error;
      this.#deps.log.error(
        { call: call.call, error: String(error.cause) },
        'a decision could not be written to the audit; refused',
      );
      return refused('policy', 'audit_unwritable', AUDIT_UNWRITABLE);
    }
  }

  blocked(run: RunContext): boolean {
    return this.#breaker.isOff(run);
  }

  counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** A call from outside its run, or from a run that is over. */
  #stray({ run, call, tool }: GateCall): Passage | undefined {
    const here = currentRun();
    if (here !== run) {
      const facts = { rule: 'context_mismatch', call, tool: tool.name, run: run?.runId, current: here?.runId };
      this.#deps.log.error(facts, 'a call was made outside its run; this is a bug in hermod');
      return refused('policy', 'context_mismatch', CONTEXT_MISMATCH);
    }
    if (run && !isLive(run)) return refused('policy', 'run_ended', RUN_ENDED);
    return undefined;
  }

  #subject({ tool, run, turn }: Pick<GateCall, 'tool' | 'run' | 'turn'>, input: unknown): Promise<Subject> {
    const { detector, config, redactor } = this.#deps;
    const { readOutside, backend } = this.#deps.place();
    const redact = redactor();
    return subjectOf(tool, input, run, detector, {
      facts: this.#facts(run),
      backend,
      config: config(),
      readOutside,
      taint: run && turn ? this.#deps.taint?.(turn, run.session) : undefined,
      hides: (word) => redact.text(word) !== word || visible(word) !== word,
    });
  }

  #facts(run: RunContext | undefined): Facts {
    const { store, childPids, fetched, config, place } = this.#deps;
    const { readOutside: _, backend: __, ...rest } = place();
    const workspace = rest.roots[0] ?? rest.home;
    return {
      ...rest,
      cwd: (run && store.sessions.get(run.session)?.cwd) ?? workspace,
      childPids: (run && childPids?.(run.session)) ?? [],
      fetched: (run && fetched?.(run.session)) ?? [],
      protectPaths: config().protect_paths,
    };
  }

  async #judge(call: GateCall, subject: Subject): Promise<Passage> {
    const early = this.#off(call, subject);
    if (early) return early;
    const findings = this.#repeat(call, subject);
    const judged = { ...subject, findings };
    const who = authority(call.run, this.#deps.markers);
    const grants = this.#grants(call.run, judged);
    const decision = await this.#decided(call, judged, who, grants);
    this.#count(who, decision);
    if (findings.length > 0) this.#deps.store.transcript.flag(call.call, judged.digest);
    switch (decision.kind) {
      case 'allow':
        return this.#allow(call, judged, who, decision, grants);
      case 'block':
        return this.#block(call, judged, who, decision);
      case 'ask':
        return this.#ask(call, judged, who, decision);
    }
  }

  /** What was refused before in this run is not asked again. */
  #off({ run, tool }: GateCall, { digest, findings }: Subject): Passage | undefined {
    if (!run) return undefined;
    const threshold = this.#deps.config().denial_breaker_threshold;
    if (findings.length > 0 && this.#breaker.isRepeat(run, digest, threshold))
      return refused('policy', 'denial.repeat', REPEATED);
    return this.#breaker.isOff(run) && tool.effects === 'exec'
      ? refused('policy', 'denial.breaker', TOOLS_OFF)
      : undefined;
  }

  /** The same call of this turn was cut off before: nobody knows whether it took effect. */
  #repeat({ turn, tool }: GateCall, { findings, digest, command }: Subject): Subject['findings'] {
    if (!turn || findings.length === 0 || !this.#deps.store.approvals.repeats(turn, tool.name, digest)) return findings;
    const why = 'was cut off before in this turn, and nobody knows whether it took effect';
    const span = [0, command.length] as const;
    return [...findings, { rule: 'turn.repeat', grade: 'dangerous', span, why, personOnly: true, smart: false }];
  }

  #grants(run: RunContext | undefined, { shape }: Subject): readonly GrantRow[] | undefined {
    const { store, clock, allowed } = this.#deps;
    const now = clock.now();
    const cron = run ? run.kind === 'cron' : this.#deps.markers.cron;
    const place = {
      session: run?.session,
      job: run?.kind === 'cron' ? run.jobId : undefined,
      owner: run?.kind === 'cron' ? actorKey(run.owner) : undefined,
      cron,
      now,
      allowed: (actor: string) => allowed(actorOf(actor)),
    };
    return coveringGrants(shape.templates, place, (rule) => store.grants.live(rule, now));
  }

  /** `decide`, and once more with the guardian's word where it is asked. */
  async #decided(
    { run }: GateCall,
    subject: Subject,
    who: Authority,
    grants: readonly GrantRow[] | undefined,
  ): Promise<Decision> {
    const { guard, clock } = this.#deps;
    const config = this.#deps.config();
    const input = {
      authority: who,
      findings: subject.findings,
      sudoStdin: subject.sudoStdin,
      denyRule: denyRule(config.deny, subject.denyTexts),
      isolated: subject.isolated,
      yolo: this.#yolo(run),
      grant: grants && narrowest(grants),
      jobListed: jobListed(subject, config),
      callback: run !== undefined && this.#deps.broker.callbackOf(run.runId) !== undefined,
      guardian: undefined,
      config: guard ? config : { ...config, guardian: {} },
    };
    const first = decide(input);
    if (first.label !== 'ask:guardian' || !guard || !run) return first;
    const question = { command: subject.command, findings: subject.findings, policy: config.guardian.policy };
    return decide({ ...input, guardian: await askGuardian(guard, question, { clock, signal: run.signal }) });
  }

  #yolo(run: RunContext | undefined): boolean {
    if (this.#deps.bootYolo) return true;
    const until = run && this.#deps.store.sessions.get(run.session)?.yoloUntil;
    return typeof until === 'number' && until > this.#deps.clock.now();
  }

  #count(who: Authority, { label }: Decision): void {
    const key = `${who.who} ${label}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  #allow(
    { run, input }: GateCall,
    subject: Subject,
    who: Authority,
    decision: Decision,
    grants: readonly GrantRow[] | undefined,
  ): Passage {
    const { store, config } = this.#deps;
    const byGrant = ['allow:session', 'allow:timed', 'allow:always', 'allow:job'].includes(decision.label);
    this.#record(() => {
      if (decision.label !== 'allow:safe' || config().audit_safe) this.#write('decided', run, subject, who, decision);
      for (const grant of byGrant ? (grants ?? []) : []) {
        store.grants.used(grant.id);
        this.#write('grant-used', run, subject, who, decision, grant.id);
      }
    });
    if (run && decision.label !== 'allow:safe') this.#breaker.allowed(run);
    return { kind: 'pass', input };
  }

  #block({ run }: GateCall, subject: Subject, who: Authority, decision: Decision): Passage {
    this.#record(() => this.#write('decided', run, subject, who, decision));
    this.#refusal(run, subject);
    const facts = { authority: who, markers: this.#deps.markers, config: this.#deps.config() };
    return refused('policy', decision.rule, blockText(decision, facts));
  }

  #refusal(run: RunContext | undefined, { digest }: Subject): void {
    if (run) this.#breaker.refused(run, digest, this.#deps.config().denial_breaker_threshold);
  }

  async #ask(call: GateCall, subject: Subject, who: Authority, decision: Decision): Promise<Passage> {
    const { run } = call;
    this.#record(() => this.#write('decided', run, subject, who, decision));
    if (!run) return this.#unasked(run, subject, decision.rule, 'nobody can be asked: this call belongs to no run');
    if (decision.label === 'ask:callback') return this.#askCallback(call, subject, who, run);
    const request = await this.#request(call, subject, decision, run);
    if (typeof request === 'string') return this.#unasked(run, subject, decision.rule, request);
    call.asking(true);
    try {
      return await this.#after(call, subject, await this.#deps.broker.ask(request, run.signal));
    } finally {
      call.asking(false);
    }
  }

  #unasked(run: RunContext | undefined, subject: Subject, rule: string, why: string): Passage {
    this.#refusal(run, subject);
    return refused('policy', rule, unaskedText(rule, why));
  }

  /** A worker's own way to ask: it may say once; anything else, a throw or silence is a no. */
  async #askCallback({ input }: GateCall, subject: Subject, who: Authority, run: RunContext): Promise<Passage> {
    const { broker, clock, trail } = this.#deps;
    const callback = broker.callbackOf(run.runId);
    const question = { command: subject.command, findings: subject.findings, choices: ['once', 'deny'] as const };
    const answer = callback && (await within(clock, YES_WAIT_MS, run.signal, (signal) => callback(question, signal)));
    const yes = answer === 'once';
    const facts = { ...this.#auditFacts(run, subject, who), choice: yes ? 'once' : 'deny', surface: 'callback' };
    this.#record(() => trail.write(yes ? 'granted' : 'denied', facts, clock.now()));
    if (yes) {
      this.#breaker.allowed(run);
      return { kind: 'pass', input };
    }
    this.#refusal(run, subject);
    return refused(
      'policy',
      subject.findings[0]?.rule ?? 'callback',
      deniedText('the caller of this worker', undefined),
    );
  }

  /** The question, or why nobody can be asked it. */
  async #request(
    call: GateCall,
    subject: Subject,
    decision: Decision,
    run: RunContext,
  ): Promise<ApprovalRequest | string> {
    const config = this.#deps.config();
    const asked = this.#asked(run, call.turn);
    if (typeof asked === 'string') return asked;
    const { command, cwd, backend, digest, findings, guard, shape } = subject;
    const cron = run.kind === 'cron';
    return {
      kind: 'call',
      run,
      turn: call.turn,
      call: call.call,
      guard,
      tool: subject.tool.name,
      command,
      input: subject.input,
      cwd,
      backend,
      digest,
      scriptHash: await scriptHash(subject),
      findings,
      choices: (whole) => choices({ guard, runKind: run.kind, decision, bar: shape.bar, whole, config }),
      requester: asked.requester,
      to: asked.to,
      details: {
        ...this.#labels(run, subject),
        ...(asked.replyTo === undefined ? {} : { replyTo: asked.replyTo }),
        ...(await this.#effect(subject)),
        advised: decision.advised,
        people: decision.people,
        requesterOnly: findings.some(({ rule }) => rule === 'untrusted.change'),
        grants: shape.templates,
        bar: shape.bar,
        timedMinutes: config.timed_grant_minutes,
      },
      timeoutMs: (cron ? config.cron_ask_timeout_s : config.timeout_s) * 1000,
    };
  }

  #labels(run: RunContext, { language, shape }: Subject) {
    const { jobName, goal } = this.#deps;
    const user = shape.templates[0]?.wrappers.map((one) => one.split(':')[1]).findLast(Boolean);
    const worker = run.depth > 0 ? (goal?.(run) ?? 'no goal given') : undefined;
    return {
      ...(run.kind === 'cron' ? { job: { id: run.jobId, name: jobName?.(run.jobId) ?? run.jobId } } : {}),
      ...(worker === undefined ? {} : { worker }),
      ...(language === undefined ? {} : { language }),
      ...(user === undefined ? {} : { user }),
    };
  }

  async #effect(subject: Subject): Promise<{ effect?: string }> {
    const wanted = this.#deps.config().preview && subject.guard === 'shell' && subject.backend === 'local';
    const effect = wanted ? await this.#deps.effect?.(subject) : undefined;
    return effect === undefined ? {} : { effect };
  }

  /** Who is asked, and where. */
  #asked(
    run: RunContext,
    turn: TurnId | null,
  ): { requester: Actor; to: { address: Address; direct: boolean }; replyTo?: string } | string {
    const { store, allowed } = this.#deps;
    const direct = store.sessions.get(run.session)?.direct ?? false;
    switch (run.kind) {
      case 'chat': {
        const row = turn && store.turns.get(turn);
        const replyTo = row && row.replyTo !== null ? { replyTo: row.replyTo } : {};
        return { requester: run.actor, to: { address: run.replyTo, direct: row ? row.direct : direct }, ...replyTo };
      }
      case 'cron': {
        const [address] = run.deliverTo;
        if (!address) return 'the job has no chat to ask in';
        if (!allowed(run.owner)) return "the job's owner may no longer use hermod";
        return { requester: run.owner, to: { address, direct } };
      }
      case 'cli': {
        if (!this.#deps.broker.callbackOf(run.runId)) return 'nobody is at the terminal';
        const requester = { platform: 'cli', id: 'operator', name: 'the operator' };
        return { requester, to: { address: { platform: 'cli', bot: 'local', chat: run.terminal }, direct: true } };
      }
      case 'unattended':
        return 'nobody is there to ask';
    }
  }

  /** What a decided question means for the call. */
  async #after(call: GateCall, subject: Subject, outcome: ApprovalOutcome): Promise<Passage> {
    switch (outcome.kind) {
      case 'granted':
        return outcome.follower ? this.#judge(call, subject) : this.#granted(call, outcome.approval);
      case 'parked':
        return { kind: 'parked', approval: outcome.approval };
      case 'unasked':
        return this.#unasked(call.run, subject, outcome.rule, outcome.why);
      case 'answered':
        return refused('policy', 'question', 'Refused: that was a question, not a request to run something.');
      default:
        return this.#notGranted(call, subject, outcome);
    }
  }

  #notGranted(
    { run }: GateCall,
    subject: Subject,
    outcome: Extract<ApprovalOutcome, { kind: 'denied' | 'expired' | 'cancelled' }>,
  ): Passage {
    const rule = subject.findings[0]?.rule ?? 'safe';
    if (outcome.kind === 'cancelled') return refused(cancelledBy(outcome.by), rule, cancelledText(outcome.by));
    if (outcome.kind === 'expired' && outcome.restarted) return refused('restart', rule, cancelledText('restart'));
    this.#refusal(run, subject);
    if (outcome.kind === 'denied') return refused('person', rule, deniedText(outcome.by.name, outcome.reason));
    const config = this.#deps.config();
    const timeout = run?.kind === 'cron' ? config.cron_ask_timeout_s : config.timeout_s;
    return refused('timeout', rule, timeoutText(timeout * 1000));
  }

  /** A row from before: this process asked it, or an earlier one did. */
  async #resume(call: GateCall, row: ApprovalRow): Promise<Passage> {
    const { broker, clock } = this.#deps;
    const input = row.input === null ? call.input : (JSON.parse(row.input) as unknown);
    const subject = await this.#subject(call, input);
    if (row.state === 'granted' && row.begunAt === null && row.expiresAt <= clock.now()) broker.lapse(row.id);
    if (row.state === 'pending') call.asking(true);
    try {
      return await this.#after(call, subject, await broker.rejoin(row.id, call.run?.signal ?? NEVER));
    } finally {
      if (row.state === 'pending') call.asking(false);
    }
  }

  /** After a yes: today's rules once more, then one start. What runs is the text of the row. */
  async #granted(call: GateCall, approval: ApprovalId): Promise<Passage> {
    const { store } = this.#deps;
    const row = store.approvals.get(approval);
    if (!row || row.input === null || row.state !== 'granted')
      return refused('restart', 'approval.gone', cancelledText('restart'));
    const input = JSON.parse(row.input) as unknown;
    const subject = await this.#subject(call, input);
    const floor = await this.#floor(call, subject);
    if (floor) return floor;
    const stray = this.#stray(call);
    if (stray) return stray;
    if (call.run?.signal.aborted) return this.#aborted(call.run, row);
    if (subject.digest !== row.digest || (await scriptHash(subject)) !== row.scriptHash)
      return this.#judge(call, subject);
    return this.#begin(call, row, input);
  }

  /** Rows 1-3 of the table, with the rules of this moment. */
  async #floor(call: GateCall, subject: Subject): Promise<Passage | undefined> {
    const who = authority(call.run, this.#deps.markers);
    const decision = await this.#decided(call, subject, who, undefined);
    const hard = ['block:hardline', 'block:sudo-stdin', 'block:user-deny'].includes(decision.label);
    return hard ? this.#block(call, subject, who, decision) : undefined;
  }

  /** The process ends, or the run does, between the yes and the start: nothing has begun. */
  #aborted(run: RunContext, row: ApprovalRow): Passage {
    const reason = run.signal.reason as EndReason;
    if (reason === 'shutdown') return { kind: 'parked', approval: row.id };
    const rule = row.findings[0]?.rule ?? 'safe';
    return refused(reason === 'reset' ? 'reset' : 'stop', rule, cancelledText(reason === 'reset' ? 'reset' : 'run'));
  }

  #begin({ run, call }: GateCall, row: ApprovalRow, input: unknown): Passage {
    const { store, clock, trail } = this.#deps;
    const begun = this.#record(() => {
      if (!store.approvals.begin(row.id, clock.now())) return false;
      const facts = {
        approval: row.id,
        ...(run && { run }),
        rules: row.findings.map(({ rule }) => rule),
        cwd: row.cwd,
      };
      trail.write('begun', row.command === null ? facts : { ...facts, command: row.command }, clock.now());
      if (!store.transcript.call(call)) store.approvals.forgetText(row.id);
      return true;
    });
    if (!begun)
      return refused('restart', 'approval.begun', 'Refused: this approval was used already; its outcome is unknown.');
    if (run) this.#breaker.allowed(run);
    return { kind: 'pass', input };
  }

  /** One transaction; what cannot be written down does not happen. */
  #record<T>(write: () => T): T {
    try {
      return this.#deps.store.tx(write);
    } catch (error) {
      throw new AuditUnwritable('the audit could not be written', { cause: error });
    }
  }

  #write(
    event: AuditEvent,
    run: RunContext | undefined,
    subject: Subject,
    who: Authority,
    decision: Decision,
    grant?: string,
  ): void {
    const facts = { ...this.#auditFacts(run, subject, who), label: decision.label, reason: decision.why };
    this.#deps.trail.write(event, grant === undefined ? facts : { ...facts, grant }, this.#deps.clock.now());
  }

  #auditFacts(run: RunContext | undefined, subject: Subject, who: Authority) {
    const actor = run?.kind === 'chat' ? run.actor : run?.kind === 'cron' ? run.owner : undefined;
    return {
      ...(run && { run }),
      ...(run?.kind === 'chat' ? { address: run.replyTo } : {}),
      ...(actor && { actor }),
      authority: who.who,
      rules: subject.findings.map(({ rule }) => rule),
      command: subject.command,
      cwd: subject.cwd,
    };
  }
}

class AuditUnwritable extends Error {}

const NEVER = new AbortController().signal;

function refused(by: RefusedBy, rule: string, text: string): Passage {
  return { kind: 'refused', by, rule, text };
}

function cancelledBy(by: Extract<ApprovalOutcome, { kind: 'cancelled' }>['by']): RefusedBy {
  if (by === 'reset' || by === 'restart') return by;
  return by === 'stop' || by === 'run' ? 'stop' : 'policy';
}

function actorOf(key: string): Pick<Actor, 'platform' | 'id'> {
  const colon = key.indexOf(':');
  return { platform: key.slice(0, colon), id: key.slice(colon + 1) };
}

/** `job_allow` lists exactly this command, for every rule it breaks, with nothing around it. */
function jobListed({ shape }: Subject, { job_allow }: Pick<ApprovalsConfig, 'job_allow'>): boolean {
  const same = (a: readonly string[], b: readonly string[]) =>
    a.length === b.length && a.every((word, i) => word === b[i]);
  return (
    shape.templates.length > 0 &&
    shape.templates.every(({ rule, argv, cwd, wrappers, assignments, digest }) => {
      if (digest !== null || wrappers.length > 0 || assignments.length > 0) return false;
      return job_allow.some((entry) => entry.rule === rule && entry.cwd === cwd && same(entry.argv, argv));
    })
  );
}

/** What a callback says in time; undefined: nothing, or it threw, or the run ended. */
async function within(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<unknown>,
): Promise<unknown> {
  const own = new AbortController();
  const stop = () => own.abort();
  const silence = new Promise<undefined>((resolve) =>
    own.signal.addEventListener('abort', () => resolve(undefined), { once: true }),
  );
  const cancel = clock.after(ms, stop);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([ask(own.signal), silence]);
  } catch {
    return undefined;
  } finally {
    cancel();
    signal.removeEventListener('abort', stop);
  }
}
