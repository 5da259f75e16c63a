import { outsideRun } from '../context/run-context.ts';
import type { Clock } from '../contract/clock.ts';
import type { BootId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { JobRow } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import type { Claims } from './claims.ts';

export interface TickerDeps {
  readonly store: Store;
  readonly boot: BootId;
  readonly clock: Clock;
  readonly log: Log;
  readonly claims: Pick<Claims, 'batch'>;
  /** Whether anything may be claimed now; a sentence says why not. */
  readonly mayClaim: () => true | string;
  /** Firings were claimed: look for them. Returns at once. */
  readonly dispatch: () => void;
  /** The clock was set or the machine slept, by this many milliseconds. Called before anything is claimed. */
  readonly jumped: (ms: number, now: number) => void;
}

const SHORTEST_MS = 250;
const LONGEST_MS = 30_000;
const JUMP_MS = 60_000;
const LOCKED_MS = 250;
/** Between two batches, so that whoever talks meanwhile has most of the loop. */
const BREATH_MS = 25;

/**
 * One timer that arms itself again and again, whatever happens. It claims; it never waits for a firing. Created at boot,
 * outside any run, and every arm, poke and dispatch goes outside whatever run it is called in.
 */
export class Ticker {
  readonly #deps: TickerDeps;
  #cancel: () => void = () => {};
  #expectedAt: number | undefined;
  #why: string | undefined;
  #stopped = true;
  #lost = false;

  constructor(deps: TickerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#stopped = false;
    this.#arm(0);
  }

  /** Something may be due earlier than the timer knows. Cheap, safe from anywhere. */
  poke(): void {
    if (!this.#stopped) this.#arm(0);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  /** Another boot has taken the schedule. */
  get lost(): boolean {
    return this.#lost;
  }

  #arm(ms: number, behind?: JobRow): void {
    outsideRun(() => {
      const { clock } = this.#deps;
      this.#cancel();
      this.#expectedAt = clock.now() + ms;
      this.#cancel = clock.after(ms, () => outsideRun(() => this.#tick(behind)));
    });
  }

  #tick(behind: JobRow | undefined): void {
    if (this.#stopped) return;
    let next: { readonly ms: number; readonly behind?: JobRow } = { ms: LONGEST_MS };
    try {
      next = this.#look(behind);
    } catch (error) {
      this.#deps.log.warn({ error: String(error) }, 'a tick of the jobs failed; the next one tries again');
      next = { ms: SHORTEST_MS * 4 };
    } finally {
      if (!this.#stopped) this.#arm(next.ms, next.behind);
    }
  }

  /** One batch. Returns when to look again, and behind which job where more is due right now. */
  #look(behind: JobRow | undefined): { readonly ms: number; readonly behind?: JobRow } {
    const { store, boot, clock, claims, dispatch } = this.#deps;
    const now = clock.now();
    this.#noticeJump(now);
    if (!this.#mayClaim()) return { ms: this.#lost ? LONGEST_MS : SHORTEST_MS * 8 };
    const batch = patiently(store, () => claims.batch(now, behind));
    if (batch.kind === 'lost') return this.#lose();
    if (batch.firings > 0) dispatch();
    if (batch.behind) return { ms: BREATH_MS, behind: batch.behind };
    patiently(store, () => store.scheduleOwner.ticked(boot, now, true));
    const due = store.jobs.nextDueAfter(now) ?? Number.POSITIVE_INFINITY;
    return { ms: Math.min(LONGEST_MS, Math.max(SHORTEST_MS, due - now)) };
  }

  #mayClaim(): boolean {
    if (this.#lost) return false;
    const may = this.#deps.mayClaim();
    if (may !== true && may !== this.#why) this.#deps.log.warn({ why: may }, 'no job is started for now');
    this.#why = may === true ? undefined : may;
    return may === true;
  }

  #lose(): { readonly ms: number } {
    this.#lost = true;
    this.#deps.log.error({}, 'another hermod has taken over the jobs; this one only ends its own firings');
    return { ms: LONGEST_MS };
  }

  /** Timers follow a clock that is never set: what differs from it is a jump. */
  #noticeJump(now: number): void {
    const off = now - (this.#expectedAt ?? now);
    if (Math.abs(off) <= JUMP_MS) return;
    this.#deps.log.warn({ ms: off }, 'the clock jumped, or the machine slept');
    patiently(this.#deps.store, () => this.#deps.jumped(off, now));
  }
}

/** A locked database costs this tick, not the chats. */
function patiently<T>(store: Store, fn: () => T): T {
  store.db.pragma(`busy_timeout = ${LOCKED_MS}`);
  try {
    return fn();
  } finally {
    store.db.pragma('busy_timeout = 2000');
  }
}
