import type { Clock } from '../contract/clock.ts';
import type { BootId, TurnId } from '../contract/ids.ts';
import type { FiringOutcome, FiringRow } from '../store/firings.ts';
import type { JobRow } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import type { NewMessage } from '../store/transcript.ts';
import { backoffMs, judgeFailure, recovered } from './failures.ts';
import type { JobsConfig } from './jobs-config.ts';
import type { JobNotices } from './notices.ts';
import type { Places } from './places.ts';
import { instantText } from './time-words.ts';

export interface FiringEndDeps {
  readonly store: Store;
  readonly boot: BootId;
  readonly clock: Clock;
  readonly config: () => JobsConfig;
  readonly places: Places;
  readonly notices: JobNotices;
  readonly wake: () => void;
}

/** What a firing came to and what it wants said. */
export interface FiringResult extends FiringOutcome {
  /** The answer; empty: nothing is sent. */
  readonly say: string;
  /** Its turn: what it called is counted from there. */
  readonly turn?: TurnId | undefined;
  /** The last message of its transcript, not recorded yet. */
  readonly message?: NewMessage | undefined;
  /** The provider that refused a key or a quota. */
  readonly hold?: string | undefined;
  /** SHA-256 of the script that did not run because it is not what was accepted. */
  readonly changedScript?: string | undefined;
  /** Pauses the job for good: why, in a word and in a sentence. */
  readonly pause?: { readonly reason: string; readonly text: string } | undefined;
}

const LATE_MS = 300_000;
const MOST_BLOCKED = 3;

/** The end of a firing, one transaction: its state, what is sent, what follows, and what its owner hears. */
export class FiringEnd {
  readonly #deps: FiringEndDeps;

  constructor(deps: FiringEndDeps) {
    this.#deps = deps;
  }

  /**
   * A fixed text begins, ends and is on its way in one commit: a reminder comes once, whatever is killed when. Throws when the
   * store fails. Call outside any run.
   */
  say(firing: FiringRow, result: FiringResult): void {
    const { store, clock, boot } = this.#deps;
    const begunAt = clock.now();
    this.record({ ...firing, begunAt }, result, () => store.firings.begin(firing, null, boot, begunAt));
  }

  /** False: it had an end already, and nothing was written. Throws when the store fails. Call outside any run. */
  record(firing: FiringRow, result: FiringResult, begin = () => true): boolean {
    const { store, clock, wake } = this.#deps;
    const now = clock.now();
    const done = store.tx(() => {
      if (!begin() || !store.firings.end(firing.id, { ...result, ...this.#calls(result) }, now)) return false;
      if (result.message) store.transcript.append(result.message, now);
      if (firing.session !== null) this.#closeSession(firing);
      const job = store.jobs.get(firing.job);
      if (!job) return true;
      this.#deliver(job, firing, result, now);
      const after = this.#settle(job, firing, result, now);
      if (result.state === 'ok' && (firing.trigger !== 'manual' || firing.chain)) this.#follow(after, firing, now);
      return true;
    });
    wake();
    return done;
  }

  #calls({ turn }: FiringResult) {
    const rows = turn === undefined ? [] : this.#deps.store.transcript.ofTurn(turn);
    const calls = rows.flatMap((row) => row.calls);
    return { toolCalls: calls.length, blocked: calls.filter(({ state }) => state === 'refused').length };
  }

  /** The transcript stays; nobody goes on in it. */
  #closeSession({ session }: FiringRow): void {
    const { sessions } = this.#deps.store;
    const row = session === null ? undefined : sessions.get(session);
    if (row) sessions.end(row.key, this.#deps.clock.now());
  }

  #deliver(job: JobRow, firing: FiringRow, { say, silent }: FiringResult, now: number): void {
    const { store, places, notices } = this.#deps;
    const targets = places.targets(job);
    const wanted = say !== '' && !silent && job.deliver.some((target) => target !== 'local');
    if (wanted && targets.length === 0) notices.nowhere(job, now);
    const person = `${job.owner.platform}:${job.owner.id}`;
    for (const [i, { address, direct }] of targets.entries()) {
      const outboxKey = `job:${firing.id}:${i}`;
      const state = silent || say === '' ? 'suppressed' : 'pending';
      if (say === '' && !silent) continue;
      store.firings.addDelivery({ firing: firing.id, address, outboxKey, state });
      if (state === 'suppressed') continue;
      const message = { text: withLateLine(job, firing, say) };
      store.outbox.put({ key: outboxKey, kind: 'job', address, direct, person, message }, now);
    }
  }

  /** The job's own row after its firing: streak, pause, hold. Firings by hand touch neither slot nor streak, but are told. */
  #settle(job: JobRow, firing: FiringRow, result: FiringResult, now: number): JobRow {
    const { jobs } = this.#deps.store;
    const counted =
      firing.trigger === 'manual' ? this.#byHand(job, firing, result) : this.#counted(job, firing, result, now);
    const after = this.#paused(counted, result, now);
    if (after !== job) jobs.replace(job, { ...after, updatedAt: now });
    return after;
  }

  #byHand(job: JobRow, firing: FiringRow, result: FiringResult): JobRow {
    if (result.state !== 'error' && result.state !== 'timeout') return job;
    const after = withScript(job, result);
    this.#tellFailed(after, firing, result);
    return after;
  }

  #tellFailed(job: JobRow, firing: FiringRow, { reason, state, detail, changedScript }: FiringResult): void {
    const { notices } = this.#deps;
    const kind = reason ?? state;
    if (changedScript === undefined) notices.failed(job, firing, kind, detail ?? kind);
    else notices.scriptChanged(job, firing, changedScript);
  }

  #counted(job: JobRow, firing: FiringRow, result: FiringResult, now: number): JobRow {
    if (result.state === 'ok' || result.state === 'skipped') return this.#worked(job, firing, result, now);
    if (result.state === 'cancelled' || result.state === 'unknown') return job;
    if (result.hold !== undefined && job.state === 'scheduled') return this.#held(job, result.hold, now);
    return this.#failed(job, firing, result, now);
  }

  #worked(job: JobRow, firing: FiringRow, { state }: FiringResult, now: number): JobRow {
    const unreachable = this.#unreachable(job, now);
    if (state !== 'ok' || (job.failStreak === 0 && job.notBefore === null)) return unreachable;
    if ((job.failures.told ?? []).length > 0) this.#deps.notices.recovered(job, firing, job.failStreak);
    const failures = { ...recovered(job.failures), ...since(unreachable) };
    return { ...unreachable, failStreak: 0, blockedStreak: 0, notBefore: null, holdReason: null, failures };
  }

  /** Outputs are kept while no chat takes them; after days of that the job is paused. */
  #unreachable(job: JobRow, now: number): JobRow {
    const { places, config, notices } = this.#deps;
    const { unreachableSince, ...failures } = job.failures;
    if (!places.unreachable(job)) return unreachableSince === undefined ? job : { ...job, failures };
    const from = unreachableSince ?? now;
    const days = config().unreachable_pause_days;
    if (days === 0 || now - from < days * 86_400_000)
      return { ...job, failures: { ...failures, unreachableSince: from } };
    notices.paused(job, `is paused: its chat could not be reached for ${days} days.`);
    return stopped({ ...job, failures }, 'unreachable');
  }

  #held(job: JobRow, provider: string, now: number): JobRow {
    const until = now + this.#deps.config().provider_hold_s * 1000;
    this.#deps.notices.held(job, provider, until);
    return { ...job, holdReason: provider, notBefore: until };
  }

  #failed(job: JobRow, firing: FiringRow, result: FiringResult, now: number): JobRow {
    const { notices, config } = this.#deps;
    const failStreak = job.failStreak + 1;
    const blockedStreak = result.reason === 'blocked_config' ? job.blockedStreak + 1 : 0;
    const kind = result.reason ?? result.state;
    const line = result.detail ?? kind;
    // Another content is another question.
    const signature = result.changedScript === undefined ? kind : `${kind} ${result.changedScript}`;
    const { tell, failures } = judgeFailure(job.failures, failStreak, signature, now);
    const counted: JobRow = { ...job, failStreak, blockedStreak, failures, notBefore: now + backoffMs(failStreak) };
    const after = withScript(counted, result);
    const limit = config().auto_pause_after;
    const give = (limit > 0 && failStreak >= limit) || blockedStreak >= MOST_BLOCKED;
    if (give && job.state === 'scheduled') {
      notices.paused(after, `is paused after ${failStreak} failures in a row. Last: ${line}`);
      return stopped(after, 'failures');
    }
    if (tell) this.#tellFailed(after, firing, result);
    return after;
  }

  #paused(job: JobRow, { pause }: FiringResult, now: number): JobRow {
    if (!pause || (job.state !== 'scheduled' && job.state !== 'completed')) return job;
    this.#deps.notices.paused(job, pause.text);
    return { ...stopped(job, pause.reason), updatedAt: now };
  }

  /** Jobs that wait for this one start in the transaction that ends it: once, whatever dies when. */
  #follow(job: JobRow, cause: FiringRow, now: number): void {
    const { jobs, firings } = this.#deps.store;
    for (const follower of jobs.followersOf(job.id)) {
      if (firings.openOf(follower.id)) continue;
      const { id, rev: jobRev, maxFirings, firingsClaimed } = follower;
      const claimed = firings.claim(
        { job: id, jobRev, slotAt: null, trigger: 'after', cause: cause.id, notBefore: now },
        this.#deps.boot,
        now,
      );
      if (!claimed) continue;
      const last = maxFirings !== null && firingsClaimed + 1 >= maxFirings;
      jobs.replace(follower, {
        ...follower,
        firingsClaimed: firingsClaimed + 1,
        state: last ? 'completed' : follower.state,
        updatedAt: now,
      });
    }
  }
}

/** What its script was is kept for whoever accepts it. */
function withScript(job: JobRow, { changedScript: script }: FiringResult): JobRow {
  return script === undefined ? job : { ...job, failures: { ...job.failures, script } };
}

/** Paused by hermod itself. */
export function stopped(job: JobRow, reason: string): JobRow {
  return { ...job, state: 'paused', nextRunAt: null, pausedBy: 'hermod', pausedReason: reason };
}

function since({ failures: { unreachableSince } }: JobRow): { readonly unreachableSince?: number } {
  return unreachableSince === undefined ? {} : { unreachableSince };
}

/** An answer that comes late says so first. */
function withLateLine(job: JobRow, firing: FiringRow, text: string): string {
  const { slotAt, begunAt } = firing;
  if (slotAt === null || begunAt === null || begunAt - slotAt <= LATE_MS) return text;
  return `Late: due ${instantText(job.tz, slotAt)}; ${whyLate(firing)}.\n\n${text}`;
}

/** Nobody was there to claim it, it was tried in vain, or it was its turn only then. */
function whyLate({ slotAt, begunAt, claimedAt, trigger, attempt }: FiringRow): string {
  if (attempt > 1) return 'hermod could not begin it before';
  const unclaimed = claimedAt - (slotAt ?? claimedAt);
  const queued = (begunAt ?? claimedAt) - claimedAt;
  return trigger === 'catch_up' || unclaimed > queued ? 'hermod was not running' : 'other jobs came first';
}
