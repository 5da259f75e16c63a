import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AppDeps, Live } from './app-deps.ts';
import { buildParts, type Parts } from './app-parts.ts';
import { createNetworks } from './app-platforms.ts';
import { readArguments } from './cli/arguments.ts';
import { findDaemon, homeOf } from './cli/daemon-client.ts';
import { BY_AGENT, isAgents } from './cli/jobs-change.ts';
import { BUSY, NOT_FOUND, runByDaemon, tellEnd } from './cli/jobs-run.ts';
import { type Loaded, loadConfig } from './config/load.ts';
import { readMarkers } from './context/authority.ts';
import { outsideRun } from './context/run-context.ts';
import { systemClock } from './context/system-clock.ts';
import { pause } from './contract/clock.ts';
import { HermodError } from './contract/errors.ts';
import { type BootId, type JobId, newId } from './contract/ids.ts';
import type { PlatformAdapter } from './contract/platform.ts';
import type { Host } from './host.ts';
import { readGroups } from './process/left-processes.ts';
import { holderText } from './process/single-instance.ts';
import type { Watchdog } from './process/watchdog.ts';
import { JobProblem, type Requester } from './schedule/job-order.ts';
import { takeLock } from './store/lock.ts';

const OPERATOR: Requester = {
  by: { platform: 'cli', id: 'operator', name: 'the operator' },
  address: { platform: 'cli', bot: 'local', chat: 'operator' },
  direct: true,
  admin: true,
};
const CODES: Readonly<Record<string, number>> = { no_job: NOT_FOUND, which: NOT_FOUND, busy: BUSY };
const LOOK_MS = 50;
const NO_WATCHDOG: Watchdog = { armStop() {}, alive: () => true, lagMs: () => 0, close() {} };

/**
 * `hermod run-job JOB [--chain]`: one firing, for a system cron or timer. The daemon runs it where there is one; else this process
 * does, under the daemon's lock. 0 ok or silent, 1 failed or unknown, 4 no such job, 6 for the agent, 75 busy.
 */
export async function runJob(host: Host, args: readonly string[]): Promise<number> {
  const given = readArguments(args, { flags: ['chain'] });
  if (typeof given === 'string' || given.words.length === 0) {
    host.err.write(`${typeof given === 'string' ? given : 'Which job?'} Usage: hermod run-job JOB [--chain]\n`);
    return 64;
  }
  if (isAgents(host)) return BY_AGENT;
  const [word, chain] = [given.words.join(' '), given.flags.has('chain')];
  if (await findDaemon(host)) return runByDaemon(host, word, chain);
  const loaded = loadConfig({ home: homeOf(host), env: host.env, set: [] });
  if (loaded.ok) return locked(host, loaded, (boot) => runHere(host, loaded, boot, word, chain));
  for (const problem of loaded.problems) host.err.write(`${problem}\n`);
  return 78;
}

type Settings = Extract<Loaded, { ok: true }>;

async function locked(host: Host, { home }: Settings, work: (boot: BootId) => Promise<number>): Promise<number> {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const lock = await takeLock(join(home, 'hermod.lock'), home, systemClock, () => holderText(home));
    try {
      return await work(newId<BootId>());
    } finally {
      lock.release();
    }
  } catch (error) {
    if (!(error instanceof HermodError)) throw error;
    host.err.write(`${error.message}\n`);
    return BUSY;
  }
}

/** Everybody the daemon has, but nobody listens and nothing else is claimed. What cannot be sent stays in the outbox. */
async function runHere(host: Host, loaded: Settings, boot: BootId, word: string, chain: boolean): Promise<number> {
  const adapters = new Map<string, PlatformAdapter>();
  const deps: AppDeps = {
    ...loaded,
    // The log has its file; here people read what the job says.
    ...{ host: { ...host, out: { write: () => true } }, clock: systemClock, boot, alone: true, watchdog: NO_WATCHDOG },
    // Of this process only: what its tools start has no marker.
    markers: { ...readMarkers(host.env), cron: true },
    ...{ end: () => {}, supervised: false, readAgain: () => loaded },
  };
  const parts = outsideRun(() => buildParts(deps, aloneWith(adapters)));
  try {
    await parts.groups.endLeftovers(readGroups(loaded.home));
    for (const adapter of await createNetworks(loaded.config, loaded.secrets, { ...parts, clock: systemClock })) {
      adapters.set(adapter.name, adapter);
      parts.delivery.add(adapter);
      parts.delivery.setUp(adapter.name, true);
    }
    return await fire(host, parts, loaded, word, chain);
  } finally {
    await end(parts, loaded);
  }
}

async function fire(
  host: Host,
  { jobs, store }: Parts,
  { config }: Settings,
  word: string,
  chain: boolean,
): Promise<number> {
  const { scheduler } = jobs;
  let id: JobId;
  try {
    id = scheduler.desk.run(scheduler.desk.find(word, OPERATOR).id, OPERATOR, { chain }).id;
  } catch (error) {
    if (!(error instanceof JobProblem)) throw error;
    host.err.write(`${error.message}\n`);
    return CODES[error.code] ?? 1;
  }
  const started = store.firings.openOf(id)?.id;
  host.onSignal(() => void scheduler.drain(config.cron.drain_s * 1000));
  scheduler.startAlone();
  while (!scheduler.idle) await pause(systemClock, LOOK_MS);
  const firing = started === undefined ? undefined : store.firings.get(started);
  return firing ? tellEnd(host, firing, scheduler.outputs) : 1;
}

async function end({ groups, broker, delivery, detector, store, output }: Parts, { config }: Settings): Promise<void> {
  await groups.killAll();
  broker.stop();
  await delivery.flush(config.stop.flush_s * 1000);
  await detector.close();
  store.close();
  output.close();
}

/** What the parts ask of a daemon, where there is none. */
function aloneWith(adapters: ReadonlyMap<string, PlatformAdapter>): Live {
  return {
    status: () => {
      throw new Error('a process that runs one job has no status');
    },
    ...{ health: () => {}, busy: () => 0, isLeaving: () => true, chatsUp: () => true },
    adapterOf: (platform) => adapters.get(platform),
    reload: () => ({ ok: false, problems: ['hermod is not running.'] }),
  };
}
