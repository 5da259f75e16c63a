import { z } from 'zod';
import { type BootId, newId, type SessionId } from '../contract/ids.ts';
import { type Db, transaction } from './open.ts';

export const BOOT_ENDS = [
  'stopped',
  'restarted',
  'signal',
  'forced',
  'crash',
  'watchdog',
  'overrun',
  'vanished',
  'start_failed',
] as const;

/** How a process life ended; gateway.md section 3 says what each counts for. */
export type BootEnd = (typeof BOOT_ENDS)[number];
export const BOOT_PLANS = ['stop', 'restart'] as const;
export type BootPlan = (typeof BOOT_PLANS)[number];

export interface BootRow {
  readonly id: BootId;
  readonly pid: number;
  readonly startedAt: number;
  readonly readyAt: number | null;
  /** It has proved itself: nothing before it counts. */
  readonly settledAt: number | null;
  readonly heartbeatAt: number | null;
  /** A person planned the end, and who (`platform:id`). */
  readonly plan: BootPlan | null;
  readonly planBy: string | null;
  readonly signal: string | null;
  /** Sessions with a tool executing when the stop came. */
  readonly executing: readonly SessionId[];
  readonly stopBeganAt: number | null;
  readonly endedAt: number | null;
  readonly how: BootEnd | null;
  /** Attempts it left open. Counted by the boot after it, as is the next. */
  readonly interrupted: number;
  readonly resumedToAnEnd: number;
}

export interface BootStart {
  /** Absent: a fresh one. */
  readonly id?: BootId;
  /** How an earlier boot without an end ended; absent: before or after ready. */
  readonly classify?: (boot: BootRow) => BootEnd;
}

export interface StopCause {
  readonly signal: string | null;
  readonly executing: readonly SessionId[];
}

/** The journal of process lives. A boot is a row before anything that can crash. */
export interface Boots {
  /** Earlier boots without an end get their class and, as end, their last sign of life; then this one is inserted. */
  begin(pid: number, now: number, start?: BootStart): BootRow;
  ready(id: BootId, now: number): void;
  settle(id: BootId, now: number): void;
  /** A sign of life, each 10 s: how old an interruption is counts from the last one. */
  beat(id: BootId, now: number): void;
  plan(id: BootId, plan: BootPlan, by: string): void;
  stopBegan(id: BootId, cause: StopCause, now: number): void;
  /** The first end stands. */
  end(id: BootId, how: BootEnd, now: number): void;
  /** Writes into the last boots how many turns they cut off and how many resumed ones ended. After `turns.recover`. */
  tally(): void;
  /** When the boot before the present one was over; undefined: nobody knows. Reads nothing that could make it throw. */
  lastEndAt(): number | undefined;
  /** Newest first. Throws on a value that no version of hermod wrote. */
  recent(limit: number): readonly BootRow[];
}

/** No date lies beyond. */
const LAST_MS = 8_640_000_000_000_000;
const time = z.number().nonnegative().max(LAST_MS);
const sessions = z
  .string()
  .transform((text, { addIssue }) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      addIssue('is no JSON');
      return z.NEVER;
    }
  })
  .pipe(z.array(z.string().transform((id) => id as SessionId)));
const row = z
  .object({
    id: z.string().transform((id) => id as BootId),
    pid: z.number(),
    started_at: time,
    ready_at: time.nullable(),
    settled_at: time.nullable(),
    heartbeat_at: time.nullable(),
    plan: z.enum(BOOT_PLANS).nullable(),
    plan_by: z.string().nullable(),
    signal: z.string().nullable(),
    executing: sessions.nullable(),
    stop_began_at: time.nullable(),
    ended_at: time.nullable(),
    how: z.enum(BOOT_ENDS).nullable(),
    interrupted: z.number().nonnegative(),
    resumed_to_an_end: z.number().nonnegative(),
  })
  .transform(
    (boot): BootRow => ({
      id: boot.id,
      pid: boot.pid,
      startedAt: boot.started_at,
      readyAt: boot.ready_at,
      settledAt: boot.settled_at,
      heartbeatAt: boot.heartbeat_at,
      plan: boot.plan,
      planBy: boot.plan_by,
      signal: boot.signal,
      executing: boot.executing ?? [],
      stopBeganAt: boot.stop_began_at,
      endedAt: boot.ended_at,
      how: boot.how,
      interrupted: boot.interrupted,
      resumedToAnEnd: boot.resumed_to_an_end,
    }),
  );

const read = (value: unknown): BootRow => row.parse(value);

/** Without evidence of anything else. */
const lost = ({ readyAt }: BootRow): BootEnd => (readyAt === null ? 'start_failed' : 'vanished');

export function createBoots(db: Db): Boots {
  const open = db.prepare<[], { id: string }>('SELECT * FROM boots WHERE ended_at IS NULL');
  const classify = db.prepare(
    `UPDATE boots SET how = ?,
       ended_at = max(started_at, coalesce(ready_at, 0), coalesce(heartbeat_at, 0), coalesce(stop_began_at, 0))
     WHERE id = ?`,
  );
  const insert = db.prepare<[string, number, number]>(
    'INSERT INTO boots (id, pid, started_at) VALUES (?, ?, ?) RETURNING *',
  );
  const ready = db.prepare('UPDATE boots SET ready_at = ? WHERE id = ?');
  const settle = db.prepare('UPDATE boots SET settled_at = ? WHERE id = ? AND settled_at IS NULL');
  const beat = db.prepare('UPDATE boots SET heartbeat_at = ? WHERE id = ?');
  const plan = db.prepare('UPDATE boots SET plan = ?, plan_by = ? WHERE id = ?');
  const stopBegan = db.prepare('UPDATE boots SET stop_began_at = ?, signal = ?, executing = ? WHERE id = ?');
  const end = db.prepare('UPDATE boots SET ended_at = ?, how = ? WHERE id = ? AND ended_at IS NULL');
  const attempts = 'SELECT count(*) FROM attempts WHERE attempts.boot = boots.id';
  const tally = db.prepare(`
    UPDATE boots SET interrupted = (${attempts} AND outcome = 'interrupted'),
      resumed_to_an_end = (${attempts} AND outcome = 'ended' AND kind IN ('resume', 'continue'))
    WHERE rowid IN (SELECT rowid FROM boots ORDER BY rowid DESC LIMIT 20) AND ended_at IS NOT NULL`);
  const lastEnd = db.prepare<[], { at: number | null }>(
    'SELECT ended_at AS at FROM boots ORDER BY rowid DESC LIMIT 1 OFFSET 1',
  );
  const recent = db.prepare('SELECT * FROM boots ORDER BY rowid DESC LIMIT ?');

  /** A boot that cannot be read is over all the same; what is wrong with it is told to whoever judges the journal. */
  const close = (value: { id: string }, judge: (boot: BootRow) => BootEnd) => {
    const parsed = row.safeParse(value);
    classify.run(parsed.success ? judge(parsed.data) : 'vanished', value.id);
  };

  return {
    begin: (pid, now, { id = newId<BootId>(), classify: judge = lost } = {}) =>
      transaction(db, () => {
        for (const boot of open.all()) close(boot, judge);
        return read(insert.get(id, pid, now));
      }),
    ready: (id, now) => void ready.run(now, id),
    settle: (id, now) => void settle.run(now, id),
    beat: (id, now) => void beat.run(now, id),
    plan: (id, what, by) => void plan.run(what, by, id),
    stopBegan: (id, { signal, executing }, now) => void stopBegan.run(now, signal, JSON.stringify(executing), id),
    end: (id, how, now) => void end.run(now, how, id),
    tally: () => void tally.run(),
    lastEndAt: () => lastEnd.get()?.at ?? undefined,
    recent: (limit) => recent.all(limit).map(read),
  };
}
