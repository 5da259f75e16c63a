import { currentRun, outsideRun } from '../context/run-context.ts';
import { pause } from '../contract/clock.ts';
import type { BootId, FiringId, JobId } from '../contract/ids.ts';
import type { FiringRow } from '../store/firings.ts';
import type { JobRow } from '../store/jobs.ts';
import { Firing, type FiringDeps } from './firing.ts';
import { FiringEnd, type FiringEndDeps, type FiringResult } from './firing-end.ts';
import { isFixedText } from './job-rules.ts';
import { instantText } from './time-words.ts';

export interface RunnerDeps extends FiringDeps, FiringEndDeps {
  readonly boot: BootId;
  /** Whether the owner of a job may use hermod now. */
  readonly mayFire: (job: JobRow) => boolean;
  /** The chats are there, or have been waited for long enough: missed jobs may start. */
  readonly mayCatchUp: () => boolean;
  /** A firing ended: the job may be due again. */
  readonly poke: () => void;
}

interface Running {
  readonly firing: Firing;
  readonly workdir: string | null;
  readonly catchUp: boolean;
  done: Promise<void>;
}

const DAY_MS = 86_400_000;
const LOOK = 64;
/** So many begin in one go; whoever talks meanwhile has the loop before the next. */
const AT_ONCE = 8;
const BREATH_MS = 25;
const TEXTS_MS = 1_000;
const STORE_RETRY_MS = 1_000;
const BEGIN_RETRY_MS = [60_000, 300_000, 900_000];

/** Runs claimed firings, a few at a time, each in a fresh run of its own. What waits are rows, never closures. */
export class JobRunner {
  readonly #deps: RunnerDeps;
  readonly #end: FiringEnd;
  readonly #running = new Map<FiringId, Running>();
  readonly #draining = new AbortController();
  #cancelTimer: () => void = () => {};
  #open = false;
  /** Set for a second after texts behind a long queue were looked for. */
  #cancelTexts: (() => void) | undefined;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
    this.#end = new FiringEnd(deps);
  }

  start(): void {
    this.#open = true;
    this.look();
  }

  get count(): number {
    return this.#running.size;
  }

  isRunning(job: JobId): boolean {
    return [...this.#running.values()].some(({ firing }) => firing.begun.job.id === job);
  }

  /** Firings may wait: start what can be started. Safe from any context, never throws. */
  look(): void {
    outsideRun(() => this.#look());
  }

  /** A model was asked in a run of this firing. */
  used(firing: FiringId, model: string, tokens: number): void {
    this.#running.get(firing)?.firing.used(model, tokens);
  }

  /** Ends the running firing of a job; false: none runs. */
  cancel(job: JobId): boolean {
    const running = [...this.#running.values()].filter(({ firing }) => firing.begun.job.id === job);
    for (const { firing } of running) firing.cut('person');
    return running.length > 0;
  }

  /** Nothing new starts; running firings get `ms`, then are told to shut down. Resolves when all have ended. */
  async drain(ms: number): Promise<void> {
    this.#draining.abort();
    this.#cancelTimer();
    this.#cancelTexts?.();
    const cancel = this.#deps.clock.after(ms, () => {
      for (const { firing } of this.#running.values()) firing.cut('shutdown');
    });
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    cancel();
  }

  #look(): void {
    if (!this.#open || this.#draining.signal.aborted) return;
    try {
      if (this.#startSome()) this.#armIn(BREATH_MS);
      else this.#arm();
    } catch (error) {
      this.#deps.log.error({ error: String(error) }, 'waiting firings could not be read; they are looked for again');
      this.#armIn(STORE_RETRY_MS);
    }
  }

  #free(): number {
    return this.#deps.config().max_parallel - this.#running.size;
  }

  /** Starts what may run beside what runs now, in order, a few at once. False: nothing may. */
  #startSome(): boolean {
    let started = 0;
    for (const firing of this.#waiting()) {
      if (this.#start(firing)) started++;
      if (started === AT_ONCE) break;
    }
    return started > 0;
  }

  /** The first of the queue; of a long one also the texts behind them, which takes a walk over all of it: once a second. */
  #waiting(): readonly FiringRow[] {
    const { store, boot, clock } = this.#deps;
    const first = store.firings.waiting(boot, clock.now(), LOOK);
    if (first.length < LOOK || this.#cancelTexts) return first;
    this.#cancelTexts = clock.after(TEXTS_MS, () => {
      this.#cancelTexts = undefined;
      this.look();
    });
    const seen = new Set(first.map(({ id }) => id));
    return [...first, ...store.firings.waitingTexts(boot, clock.now(), AT_ONCE).filter(({ id }) => !seen.has(id))];
  }

  /** False: it must wait for others. A fixed text waits for nobody. */
  #start(firing: FiringRow): boolean {
    const job = this.#deps.store.jobs.get(firing.job);
    if (!job || !(isFixedText(job) || this.#mayRun(job, firing))) return false;
    this.#begin(job, firing);
    return true;
  }

  #mayRun({ workdir }: JobRow, { trigger }: FiringRow): boolean {
    if (this.#free() <= 0) return false;
    const running = [...this.#running.values()];
    if (workdir !== null && running.some((one) => one.workdir === workdir)) return false;
    if (trigger !== 'catch_up') return true;
    const { mayCatchUp, config } = this.#deps;
    return mayCatchUp() && running.filter(({ catchUp }) => catchUp).length < config().catch_up_parallel;
  }

  #begin(job: JobRow, firing: FiringRow): void {
    const refusal = this.#refusal(job);
    if (refusal) {
      this.#end.record(firing, refusal);
      return;
    }
    try {
      if (isFixedText(job)) this.#said(job, firing);
      else this.#run(this.#opened(job, firing));
    } catch (error) {
      this.#later(job, firing, error);
    }
  }

  #said(job: JobRow, firing: FiringRow): void {
    const say = [job.prompt, ...(firing.extra === null ? [] : [firing.extra])].join('\n\n');
    const kept = this.#deps.outputs.keep(job.id, firing.id, say);
    this.#end.say(firing, { state: 'ok', say, ...(kept && { outputPath: kept.path, outputSha256: kept.sha256 }) });
    this.#tidy(job);
    this.#deps.poke();
  }

  /** It had not begun, so it may be tried again: a few times, and not into its next slot. */
  #later(job: JobRow, firing: FiringRow, error: unknown): void {
    const { store, clock, log } = this.#deps;
    const wait = BEGIN_RETRY_MS[firing.attempt - 1];
    const at = clock.now() + (wait ?? 0);
    const over = wait === undefined || at >= (job.nextRunAt ?? Number.POSITIVE_INFINITY);
    log.error({ firing: firing.id, error: String(error), again: over ? undefined : at }, 'a firing could not begin');
    const detail = 'hermod could not begin it; its log says why';
    if (over) this.#end.record(firing, { state: 'error', reason: 'never_started', detail, say: '' });
    else store.firings.defer(firing.id, at);
  }

  /** Why it may not begin at all. */
  #refusal(job: JobRow): FiringResult | undefined {
    const { mayFire, store, config, clock } = this.#deps;
    const none = { say: '' } as const;
    if (job.state === 'deleted') return { ...none, state: 'cancelled', reason: 'deleted' };
    if (!mayFire(job)) {
      const pause = { reason: 'access', text: 'is paused: its owner may no longer use hermod.' };
      return { ...none, state: 'skipped', reason: 'access', pause };
    }
    if (isFixedText(job)) return undefined;
    const calls = store.firings.modelCallsSince(job.id, clock.now() - DAY_MS);
    if (calls < config().max_model_calls_per_day) return undefined;
    const pause = { reason: 'budget', text: `is paused: ${calls} model calls today.` };
    return { ...none, state: 'skipped', reason: 'budget', pause };
  }

  /** The second commit: before the first model call or script. */
  #opened(job: JobRow, firing: FiringRow): Firing {
    const { store, boot, clock, places, config } = this.#deps;
    const now = clock.now();
    const targets = places.targets(job);
    const home = targets[0] ?? { address: job.origin, direct: job.direct };
    const session = store.tx(() => {
      const made = store.sessions.open(
        `job:${job.id}:${firing.id}:${firing.attempt}`,
        job.owner,
        home.address,
        home.direct,
        now,
      );
      if (!store.firings.begin(firing, made.id, boot, now)) throw new Error('it is no longer waiting');
      if (job.workdir !== null) store.sessions.setCwd(made.id, job.workdir);
      const model = job.model ?? config().model ?? job.defaultModel;
      if (model !== null) store.sessions.setModel(made.id, model);
      return made.id;
    });
    const deliverTo = targets.map(({ address }) => address);
    const begun = { job, firing: { ...firing, session, begunAt: now }, session, deliverTo, direct: home.direct };
    return new Firing(begun, this.#deps);
  }

  #run(firing: Firing): void {
    if (currentRun()) throw new Error('a firing would start inside a run');
    const { job, firing: row } = firing.begun;
    const running: Running = {
      ...{ firing, workdir: job.workdir, catchUp: row.trigger === 'catch_up' },
      done: Promise.resolve(),
    };
    this.#running.set(row.id, running);
    running.done = this.#live(running).finally(() => {
      this.#running.delete(row.id);
      this.#deps.poke();
      this.look();
    });
  }

  async #live(running: Running): Promise<void> {
    const { firing } = running;
    const { firing: row } = firing.begun;
    const result = await this.#orAbandoned(firing);
    await this.#record(row, result);
    try {
      this.#after(firing, result);
    } catch (error) {
      this.#deps.log.error({ firing: row.id, error: String(error) }, 'what follows a firing could not be done');
    }
  }

  /** What people hear beside the answer. */
  #after(firing: Firing, result: FiringResult): void {
    const { job, firing: row } = firing.begun;
    const slot = row.slotAt === null ? 'started by hand' : instantText(job.tz, row.slotAt);
    this.#deps.ports.ended(firing.run, { name: job.name, slot });
    if ((result.state === 'cancelled' && result.reason === 'shutdown') || result.state === 'unknown')
      this.#tellCut(job, row, result);
    this.#tidy(job);
  }

  /** Its result, or that it did not stop within the grace after it was told to. */
  async #orAbandoned(firing: Firing): Promise<FiringResult> {
    const { clock, config } = this.#deps;
    const { signal } = firing.run;
    let cancel = () => {};
    const late = new Promise<FiringResult>((resolve) => {
      const arm = () => {
        cancel = clock.after(config().abort_grace_s * 1000, () => resolve(STUCK));
      };
      signal.addEventListener('abort', arm, { once: true });
    });
    const result = await Promise.race([firing.execute(), late]);
    cancel();
    return result;
  }

  #tellCut(job: JobRow, row: FiringRow, { state }: FiringResult): void {
    const { store, notices } = this.#deps;
    if (state !== 'unknown') store.tx(() => notices.cut(job, row));
  }

  /** The end must become rows; until it has, its place stays taken. A process that ends first leaves it begun. */
  async #record(row: FiringRow, result: FiringResult): Promise<void> {
    const { clock, log } = this.#deps;
    for (;;) {
      try {
        this.#end.record(row, result);
        return;
      } catch (error) {
        log.error(
          { firing: row.id, error: String(error) },
          'the end of a firing could not be stored; it is tried again',
        );
        if (this.#draining.signal.aborted) return;
        await pause(clock, STORE_RETRY_MS, this.#draining.signal);
      }
    }
  }

  /** History has its limits; nothing breaks when it is too long. */
  #tidy({ id }: JobRow): void {
    const { store, config, clock, outputs, log } = this.#deps;
    const { keep_firings, keep_outputs, keep_days } = config();
    try {
      const before = clock.now() - keep_days * DAY_MS;
      outputs.drop(
        store.tx(() => [
          ...store.firings.prune(id, keep_firings),
          ...store.firings.dropOutputs(id, keep_outputs, before),
        ]),
      );
    } catch (error) {
      log.warn({ job: id, error: String(error) }, 'old firings could not be tidied away');
    }
  }

  /** What is due and finds no place is looked at when a running one ends; a text that is due later needs none. */
  #arm(): void {
    const { store, boot, clock } = this.#deps;
    const now = clock.now();
    const next = store.firings.nextWaitingAt(boot, this.#free() > 0 ? 0 : now);
    if (next !== undefined) this.#armIn(Math.max(STORE_RETRY_MS, next - now));
  }

  #armIn(ms: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#deps.clock.after(Math.min(ms, DAY_MS), () => this.look());
  }
}

const STUCK: FiringResult = {
  state: 'unknown',
  reason: 'abort_ignored',
  say: '',
  pause: { reason: 'stuck', text: 'did not stop when told; it is paused.' },
};
