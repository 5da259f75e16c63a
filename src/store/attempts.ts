import { z } from 'zod';
import type { BootId, SessionId, TurnId } from '../contract/ids.ts';
import { BOOT_ENDS, BOOT_PLANS } from './boots.ts';
import type { Db } from './open.ts';

/** One dispatch of a turn, with how its boot ended. */
export interface AttemptRow {
  readonly turn: TurnId;
  readonly kind: AttemptKind;
  readonly startedAt: number;
  /** Null: it runs, or the process ended with it. */
  readonly outcome: 'ended' | 'parked' | 'interrupted' | null;
  /** By then its boot was surely over: what came later came after it. */
  readonly overAt: number;
  readonly boot: { readonly how: z.infer<typeof how> | null; readonly plan: z.infer<typeof plan> | null };
}

export interface Cuts {
  readonly times: number;
  readonly how: z.infer<typeof how> | null;
  readonly signal: string | null;
}

const KINDS = ['first', 'resume', 'continue', 'approval'] as const;
export type AttemptKind = (typeof KINDS)[number];

/** What the breaker asks of attempts; they are written by `Turns`. Everything throws on a value that no hermod wrote. */
export interface Attempts {
  /** Newest first, those before the last hundred left out. */
  ofSession(session: SessionId): readonly AttemptRow[];
  /** When a person last wrote in a session, as received; null: never, or too long ago to be kept. */
  personAt(session: SessionId): number | null;
  /** How often a turn was cut off, and by what the last time. */
  cutsOf(turn: TurnId): Cuts;
  /** Attempts of a boot that go on with an interrupted turn and have not ended. */
  openResumes(boot: BootId): number;
  /** Sessions with a call of this boot that has begun and has no result. */
  executing(boot: BootId): readonly SessionId[];
}

const how = z.enum(BOOT_ENDS);
const plan = z.enum(BOOT_PLANS);
const cut = z.object({ times: z.number(), how: how.nullable(), signal: z.string().nullable() });
const row = z
  .object({
    turn: z.string(),
    kind: z.enum(KINDS),
    outcome: z.enum(['ended', 'parked', 'interrupted']).nullable(),
    started_at: z.number(),
    over_at: z.number(),
    how: how.nullable(),
    plan: plan.nullable(),
  })
  .refine(({ outcome, how }) => outcome !== 'interrupted' || how !== null, 'its boot is not known')
  .transform(
    ({ turn, kind, outcome, started_at, over_at, ...boot }): AttemptRow => ({
      turn: turn as TurnId,
      kind,
      outcome,
      startedAt: started_at,
      overAt: over_at,
      boot,
    }),
  );

export function createAttempts(db: Db): Attempts {
  // The next boot's start, not the last sign of life: a message of the seconds in between came before the end.
  const nextStart =
    'SELECT started_at FROM boots AS later WHERE later.rowid > boots.rowid ORDER BY later.rowid LIMIT 1';
  const ofSession = db.prepare<[string]>(`
    SELECT turn, kind, outcome, attempts.started_at, how, plan,
      coalesce((${nextStart}), attempts.ended_at, attempts.started_at) AS over_at
    FROM attempts LEFT JOIN boots ON boots.id = attempts.boot
    WHERE session = ? ORDER BY attempts.rowid DESC LIMIT 100`);
  const personAt = db.prepare<[string], { at: number | null }>(
    `SELECT max(received_at) AS at FROM inbox WHERE session = ? AND kind = 'message'`,
  );
  const cuts = db.prepare<[string]>(`
    SELECT count(*) OVER () AS times, how, signal FROM attempts LEFT JOIN boots ON boots.id = attempts.boot
    WHERE turn = ? AND outcome = 'interrupted' ORDER BY attempts.rowid DESC LIMIT 1`);
  const openResumes = db.prepare<[string], { n: number }>(
    `SELECT count(*) AS n FROM attempts WHERE boot = ? AND outcome IS NULL AND kind IN ('resume', 'continue')`,
  );
  const executing = db.prepare<[string], { session: string }>(
    `SELECT DISTINCT session FROM calls WHERE state = 'begun' AND boot = ?`,
  );

  return {
    ofSession: (session) => ofSession.all(session).map((found) => row.parse(found)),
    personAt: (session) => personAt.get(session)?.at ?? null,
    cutsOf: (turn) => cut.parse(cuts.get(turn) ?? { times: 0, how: null, signal: null }),
    openResumes: (boot) => openResumes.get(boot)?.n ?? 0,
    executing: (boot) => executing.all(boot).map(({ session }) => session as SessionId),
  };
}
