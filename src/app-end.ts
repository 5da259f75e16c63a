import type { AppDeps } from './app-deps.ts';
import type { Parts } from './app-parts.ts';
import type { Connection } from './gateway/connection.ts';
import type { Ending } from './process/signals.ts';
import { removeRunFile } from './process/single-instance.ts';

/**
 * The end of a life, in order and within `stop.total_s`: intake is closed by then, transports are up until everything that runs
 * has ended and was told. A step that fails is logged and the next one follows. Never rejects.
 */
export async function endApp(
  { how, by }: Ending,
  parts: Parts,
  { config, home, watchdog }: AppDeps,
  connections: readonly Connection[],
): Promise<void> {
  const {
    store,
    journal,
    resumes,
    holds,
    retention,
    memory,
    jobs,
    lanes,
    delivery,
    broker,
    http,
    groups,
    output,
    log,
    detector,
  } = parts;
  const { stop, cron } = config;
  const step = async (what: string, work: () => unknown) => {
    try {
      await work();
    } catch (error) {
      log.error({ error, step: what }, 'a step of the stop failed; the next one follows');
    }
  };
  watchdog.armStop(stop.total_s * 1000);
  await step('cause', () => journal.stopBegan(how === 'signal' || how === 'forced' ? by : null));
  resumes.stop();
  holds.stop();
  retention.stop();
  memory.stop();
  await Promise.all([
    step('turns', () => lanes.drain(stop.turns_s * 1000)),
    step('jobs', () => jobs.scheduler.drain(cron.drain_s * 1000)),
  ]);
  await step('tools', () => groups.killAll());
  broker.stop();
  await step('delivery', () => delivery.flush(stop.flush_s * 1000));
  await Promise.all(connections.map((connection) => connection.stop(stop.adapters_s * 1000)));
  await step('http', () => http.stop());
  await step('detector', () => detector.close());
  log.debug({ how, by }, 'stopped');
  await step('end', () => journal.end(how));
  await step('store', () => store.close());
  await step('run file', () => removeRunFile(home));
  output.close();
}
