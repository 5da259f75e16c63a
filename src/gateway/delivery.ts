import { outsideRun } from '../context/run-context.ts';
import { pause } from '../contract/clock.ts';
import type { PlatformAdapter } from '../contract/platform.ts';
import type { OutboxRow } from '../store/outbox.ts';
import { dueIn } from './next-send.ts';
import { Sender, type SenderDeps } from './sender.ts';

interface Line {
  readonly adapter: PlatformAdapter;
  up: boolean;
  /** It came up and its held rows have not been released yet. */
  back: boolean;
  cancelTimer: (() => void) | undefined;
}

/** Timers of a month overflow; looking again costs nothing. */
const LONGEST_MS = 3_600_000;
const STORE_RETRY_MS = 1_000;
const SWEEP_MS = 600_000;
const ABORTED_MS = 1_000;

/** Sends due outbox rows, in order for each chat, one call a chat at a time; one platform's trouble never delays another's. */
export class Delivery {
  readonly #deps: SenderDeps;
  readonly #lines = new Map<string, Line>();
  readonly #abort = new AbortController();
  readonly #sender: Sender;
  readonly #inFlight = new Set<Promise<void>>();
  #woken = false;
  #cancelSweep: (() => void) | undefined;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
    this.#sender = new Sender(deps, this.#abort.signal);
  }

  /** Called at boot, outside any run. Rows of a platform leave only while it is up. */
  add(adapter: PlatformAdapter): void {
    this.#lines.set(adapter.name, { adapter, up: false, back: false, cancelTimer: undefined });
    if (!this.#cancelSweep) this.#sweep();
  }

  /** A platform that comes up gets its held rows, too. */
  setUp(platform: string, up: boolean): void {
    const line = this.#lines.get(platform);
    if (!line || line.up === up) return;
    line.up = up;
    line.back = up;
    if (up) this.#pump(line);
  }

  /** New rows may wait: look soon. Cheap, may be called from anywhere, also inside a run or a transaction. */
  wake(): void {
    if (this.#woken) return;
    this.#woken = true;
    this.#deps.clock.after(0, () => {
      this.#woken = false;
      this.#pumpAll();
    });
  }

  /** Resolves when nothing sendable waits or `ms` have passed, then takes no more; what is in flight is aborted. */
  async flush(ms: number): Promise<void> {
    const { clock } = this.#deps;
    const end = clock.now() + ms;
    while (clock.now() < end && (this.#inFlight.size > 0 || this.#sendable())) {
      this.#pumpAll();
      await pause(clock, 20);
    }
    this.stop();
    const settled = new AbortController();
    void Promise.all(this.#inFlight).then(() => settled.abort());
    await pause(clock, ABORTED_MS, settled.signal);
  }

  stop(): void {
    this.#abort.abort('shutdown');
    this.#cancelSweep?.();
    for (const line of this.#lines.values()) {
      line.up = false;
      line.cancelTimer?.();
    }
  }

  /** What has waited too long is given up, wherever its platform is. */
  #sweep(): void {
    const { store, clock, log, maxAgeMs, gaveUp } = this.#deps;
    this.#cancelSweep = clock.after(SWEEP_MS, () => this.#sweep());
    try {
      const dead = store.tx(() => store.outbox.expire(clock.now() - maxAgeMs()));
      if (dead.length > 0) gaveUp?.(dead);
    } catch (error) {
      log.error({ error }, 'delivery could not look for what has waited too long; it looks again in ten minutes');
    }
  }

  #sendable(): boolean {
    const { store, clock } = this.#deps;
    const due = (line: Line) => store.outbox.heads(line.adapter.name).some((row) => dueIn(row, clock.now()) <= 0);
    return [...this.#lines.values()].some((line) => line.up && due(line));
  }

  #pumpAll(): void {
    for (const line of this.#lines.values()) this.#pump(line);
  }

  #pump(line: Line): void {
    line.cancelTimer?.();
    line.cancelTimer = undefined;
    if (!line.up || this.#abort.signal.aborted) return;
    const next = Math.min(
      outsideRun(() => this.#look(line)),
      LONGEST_MS,
    );
    line.cancelTimer = this.#deps.clock.after(next, () => this.#pump(line));
  }

  /** Starts what can be started; returns after how many milliseconds to look again. Never throws. */
  #look(line: Line): number {
    const { store, clock, log, maxAgeMs } = this.#deps;
    const now = clock.now();
    try {
      if (line.back) store.tx(() => store.outbox.release(line.adapter.name, now, now - maxAgeMs()));
      line.back = false;
      const waits = store.outbox.heads(line.adapter.name).map((row) => {
        const wait = dueIn(row, now);
        return wait > 0 ? wait : this.#offer(line, row, now);
      });
      return Math.min(...waits, LONGEST_MS);
    } catch (error) {
      log.error(
        { platform: line.adapter.name, error },
        'delivery could not read the outbox; it looks again in a second',
      );
      return STORE_RETRY_MS;
    }
  }

  /** The milliseconds after which this row is worth another look; Infinity: somebody will wake us. */
  #offer(line: Line, row: OutboxRow, now: number): number {
    const { store, rate } = this.#deps;
    if (row.expiresAt !== undefined && row.expiresAt <= now) {
      store.outbox.close(row.id, 'cancelled', 'expired before it was sent');
      return 0;
    }
    if (store.outbox.replaced(row)) {
      store.outbox.close(row.id, 'superseded', 'replaced before it was sent');
      return 0;
    }
    if (row.part === null) return this.#split(line, row);
    const target = row.edits === undefined ? undefined : store.outbox.get(row.edits);
    if (target && (target.state === 'sending' || rate.isEdited(target.key))) return Infinity;
    const passing = row.kind === 'preview' || row.kind === 'progress';
    if (passing && store.reach.isGone(row.address)) {
      store.outbox.close(row.id, 'cancelled', 'the chat refuses us');
      return 0;
    }
    const wait = rate.take(row.address, row.direct, line.adapter.limits.rate, passing ? 1 : 0);
    if (wait > 0) return wait;
    if (this.#claim(row, target)) this.#track(this.#sender.attempt(line.adapter, row, target));
    return Infinity;
  }

  #split({ adapter }: Line, row: OutboxRow): number {
    const { store, log, gaveUp } = this.#deps;
    try {
      const parts = adapter.parts(row.message);
      store.tx(() => store.outbox.split(row, parts));
    } catch (error) {
      log.error(
        { outbox: row.id, platform: adapter.name, error },
        'an adapter could not split a message; this is a bug in it',
      );
      store.outbox.close(row.id, 'dead', 'it could not be split');
      gaveUp?.([row]);
    }
    return 0;
  }

  /** A message that never left is not sent beside the one that replaces it. */
  #claim(row: OutboxRow, target: OutboxRow | undefined): boolean {
    const { outbox, tx } = this.#deps.store;
    return tx(() => {
      const waits = target?.state === 'pending' || target?.state === 'ambiguous' || target?.state === 'held';
      if (target && waits) outbox.close(target.id, 'superseded');
      return outbox.claim(row.id);
    });
  }

  #track(work: Promise<void>): void {
    this.#inFlight.add(work);
    void work.then(() => {
      this.#inFlight.delete(work);
      this.wake();
    });
  }
}
