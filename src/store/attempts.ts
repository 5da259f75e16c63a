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
  /** `nth`: later boots have larger numbers; null: the boot is not known. */
  readonly boot: {
    readonly nth: number | null;
    readonly how: z.infer<typeof how> | null;
    readonly plan: z.infer<typeof plan> | null;
  };
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
  /** The boot in which a person last wrote in a session, by its number; null: never, or too long ago to be kept. */
  personBoot(session: SessionId): number | null;
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
    nth: z.number().nullable(),
    how: how.nullable(),
    plan: plan.nullable(),
  })
  .refine(({ outcome, how }) => outcome !== 'interrupted' || how !== null, 'its boot is not known')
  .transform(
    ({ turn, kind, outcome, started_at, ...boot }): AttemptRow => ({
      turn: turn as TurnId,
      kind,
      outcome,
      startedAt: started_at,
      boot,
    }),
  );

export function createAttempts(db: Db): Attempts {
  const ofSession = db.prepare<[string]>(`
    SELECT turn, kind, outcome, attempts.started_at, boots.rowid AS nth, how, plan
    FROM attempts LEFT JOIN boots ON boots.id = attempts.boot
    WHERE session = ? ORDER BY attempts.rowid DESC LIMIT 100`);
  const personBoot = db.prepare<[string], { nth: number | null }>(
    `SELECT max(boots.rowid) AS nth FROM inbox JOIN boots ON boots.id = inbox.boot WHERE session = ? AND kind = 'message'`,
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
    personBoot: (session) => personBoot.get(session)?.nth ?? null,
    cutsOf: (turn) => cut.parse(cuts.get(turn) ?? { times: 0, how: null, signal: null }),
    openResumes: (boot) => openResumes.get(boot)?.n ?? 0,
    executing: (boot) => executing.all(boot).map(({ session }) => session as SessionId),
  };
}
