import type { Connections } from './app-connections.ts';
import type { AppDeps } from './app-deps.ts';
import type { Parts } from './app-parts.ts';
import type { Status } from './gateway/status.ts';
import { heldBy } from './process/holds.ts';
import type { LifeStatus } from './process/life-status.ts';
import { VERSION } from './version.ts';

export interface Phase {
  readonly startedAt: number;
  readonly is: 'starting' | 'up' | 'stopping';
}

/** Without a written sign of life for so long, the store does not write. */
const SILENT_MS = 30_000;

/** What the daemon says of itself, on every surface. Never throws: a store that cannot be read is one of the reasons. */
export function statusOf(parts: Parts, deps: AppDeps, connections: Connections, phase: Phase): Status {
  const { boot, lanes, http } = parts;
  const rows = readRows(parts);
  const platforms = connections.status();
  const web = http.state();
  const reasons: string[] = phase.is === 'up' ? [] : [phase.is];
  if (!rows || !writes(parts, deps)) reasons.push('store');
  const networks = platforms.filter(({ name }) => name !== 'web');
  if (networks.length > 0 && networks.every(({ state }) => state !== 'connected')) reasons.push('platforms');
  if (web.state === 'degraded') reasons.push(`http: ${web.reason}`);
  if (rows?.jobs.trouble !== undefined) reasons.push(`jobs: ${rows.jobs.trouble}`);
  const { jobs, held, ...counts } = rows ?? NO_ROWS;
  return {
    version: VERSION,
    boot,
    startedAt: phase.startedAt,
    ready: reasons.length === 0,
    reasons,
    platforms,
    turns: { running: lanes.count, unfinished: counts.unfinished },
    inboxOpen: counts.inboxOpen,
    outbox: counts.outbox,
    jobs,
    life: lifeOf(parts, deps, held),
  };
}

type Rows = Pick<Status, 'inboxOpen' | 'outbox'> &
  Pick<LifeStatus, 'held'> & { readonly jobs: NonNullable<Status['jobs']>; readonly unfinished: number };

const NO_ROWS: Rows = {
  inboxOpen: 0,
  outbox: {},
  jobs: { on: 0, running: 0, waiting: 0, lastTickAt: null, lastOkAt: null },
  held: [],
  unfinished: 0,
};

function readRows({ store, jobs, log }: Parts): Rows | undefined {
  try {
    const unfinished = store.turns.unfinished();
    return {
      inboxOpen: store.inbox.open(),
      outbox: store.outbox.counts(),
      jobs: jobs.scheduler.status(),
      held: unfinished.flatMap((turn) => heldBy(turn) ?? []),
      unfinished: unfinished.length,
    };
  } catch (error) {
    log.error({ error }, 'the store cannot be read');
    return undefined;
  }
}

function writes({ journal }: Parts, { clock }: AppDeps): boolean {
  return journal.beatAt === undefined || clock.now() - journal.beatAt < SILENT_MS;
}

function lifeOf({ journal, resumes }: Parts, { config, watchdog }: AppDeps, held: Rows['held']): LifeStatus {
  const { earlier, settled } = journal;
  return {
    streak: earlier ? earlier.streak : null,
    limit: config.breaker.global_limit,
    settled,
    ends: (earlier?.boots ?? [])
      .slice(0, 10)
      .flatMap(({ how, interrupted, endedAt }) => (how === null ? [] : [{ how, interrupted, at: endedAt ?? 0 }])),
    held,
    resuming: resumes.size,
    lagMs: watchdog.lagMs(),
    watched: watchdog.alive(),
  };
}
