import type { Clock } from '../contract/clock.ts';
import type { BootId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { BootEnd, BootPlan, BootRow } from '../store/boots.ts';
import type { Store } from '../store/store.ts';
import { judgeBoots, reached } from './breaker.ts';

/** What earlier boots say. */
export interface Journal {
  /** Interrupted boots in a row. */
  readonly streak: number;
  /** The first of them: what names this row of restarts, however many follow. Undefined: there is none. */
  readonly since: BootId | undefined;
  /** Newest first, this boot left out. */
  readonly boots: readonly BootRow[];
}

/** So many interrupted boots in a row that nothing starts by itself. */
export interface RestartLoop {
  readonly restarts: number;
  /** The first of them. */
  readonly since: BootId;
}

/** As many as are kept. */
const KEPT = 200;

/** Undefined: a row says something no hermod ever wrote. Then nothing is resumed, and people are served as ever. */
export function readJournal(store: Pick<Store, 'boots'>, log: Log): Journal | undefined {
  try {
    const boots = store.boots.recent(KEPT).filter(({ how }) => how !== null);
    const counted = judgeBoots(boots);
    return { streak: counted.length, since: counted.at(-1)?.id, boots };
  } catch (error) {
    log.error({ error }, 'the journal of boots cannot be read; nothing is resumed');
    return undefined;
  }
}

export interface BootJournalDeps {
  readonly store: Pick<Store, 'boots' | 'attempts'>;
  readonly boot: BootId;
  readonly clock: Clock;
  readonly log: Log;
  /** `breaker.settle_s`. */
  readonly settleMs: () => number;
  /** Interrupted turns wait for their place. */
  readonly resumesWait: () => boolean;
}

const BEAT_MS = 10_000;

/** This boot's row, kept up to date from ready to the end. A write that fails is tried again with the next beat. */
export class BootJournal {
  readonly #deps: BootJournalDeps;
  #readyAt: number | undefined;
  #beatAt: number | undefined;
  #settled = false;
  #earlier: Journal | undefined;
  #cancelBeat: () => void = () => {};
  #cancelSettle: () => void = () => {};

  constructor(deps: BootJournalDeps) {
    this.#deps = deps;
  }

  /** What earlier boots say, as it was when this one began; undefined: it cannot be read. */
  get earlier(): Journal | undefined {
    return this.#earlier;
  }

  began(earlier: Journal | undefined): void {
    this.#earlier = earlier;
  }

  /** When a sign of life was last written; undefined: not ready yet. */
  get beatAt(): number | undefined {
    return this.#beatAt;
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** Undefined: there were fewer than `limit` before this boot, or it has settled. 0: no limit. */
  loop(limit: number): RestartLoop | undefined {
    const { streak: restarts = 0, since } = this.#earlier ?? {};
    return !this.#settled && since !== undefined && reached(restarts, limit) ? { restarts, since } : undefined;
  }

  ready(): void {
    const { store, boot, clock, settleMs } = this.#deps;
    this.#readyAt = clock.now();
    store.boots.ready(boot, this.#readyAt);
    this.#beatAt = this.#readyAt;
    this.#arm();
    this.#cancelSettle = clock.after(settleMs(), () => this.#settle());
  }

  plan(plan: BootPlan, by: string): void {
    this.#deps.store.boots.plan(this.#deps.boot, plan, by);
  }

  /** The cause and whose tools execute; from here on nothing settles any more. */
  stopBegan(signal: string | null): void {
    const { store, boot, clock } = this.#deps;
    this.#quiet();
    store.boots.stopBegan(boot, { signal, executing: store.attempts.executing(boot) }, clock.now());
  }

  end(how: BootEnd): void {
    const { store, boot, clock } = this.#deps;
    this.#quiet();
    store.boots.end(boot, this.#readyAt === undefined ? 'start_failed' : how, clock.now());
  }

  #quiet(): void {
    this.#cancelBeat();
    this.#cancelSettle();
  }

  #arm(): void {
    this.#cancelBeat = this.#deps.clock.after(BEAT_MS, () => {
      this.#beat();
      this.#arm();
    });
  }

  #beat(): void {
    const { store, boot, clock, log } = this.#deps;
    try {
      store.boots.beat(boot, clock.now());
      this.#beatAt = clock.now();
      this.#settle();
    } catch (error) {
      log.error({ error }, 'the sign of life of this boot could not be written; it is tried again in 10 seconds');
    }
  }

  /** Time alone never settles a boot: whatever it resumed must have ended. */
  #settle(): void {
    const { store, boot, clock, settleMs, resumesWait } = this.#deps;
    if (this.#settled || this.#readyAt === undefined || clock.now() - this.#readyAt < settleMs()) return;
    if (resumesWait() || store.attempts.openResumes(boot) > 0) return;
    store.boots.settle(boot, clock.now());
    this.#settled = true;
  }
}
