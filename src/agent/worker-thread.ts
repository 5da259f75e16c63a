/** The entry of a worker thread: it decides a delegated turn's steps and asks the main thread for everything else. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { unseal } from '../context/capsule.ts';
import { withRun } from '../context/run-context.ts';
import { PortWorld } from './port-world.ts';
import type { FromThread, ThreadStart, ToThread } from './thread-protocol.ts';
import { Turn } from './turn.ts';

const port = parentPort as MessagePort;
const { capsule, bounds, readers } = workerData as ThreadStart;
const abort = new AbortController();
const { run } = unseal(capsule, abort.signal);
const world = new PortWorld(port, readers);

port.on('message', (message: ToThread) => {
  if ('abort' in message) abort.abort(message.abort);
  else world.receive(message);
});

const end = await withRun(run, () => new Turn(world, bounds, run.signal).run());
port.postMessage({ end } satisfies FromThread);
port.close();
