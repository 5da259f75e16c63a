import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';

/** What time is skipped on. */
interface Skipping {
  skip(ms: number): Promise<void>;
}

export interface Passing {
  /** Skipped at a time. */
  readonly stepMs?: number;
  readonly steps?: number;
  /** What is waited for, in words. */
  readonly what?: string;
}

const LEAST_MS = 10;
const TRIPS = 10;
let echo: Promise<Server> | undefined;

/** Skips ahead until something holds; rejects when it never does. */
export async function passes(
  clock: Skipping,
  holds: () => boolean,
  { stepMs = 1_000, steps = 400, what = 'what was waited for' }: Passing = {},
): Promise<void> {
  for (let i = 0; !holds(); i++) {
    if (i === steps) throw new Error(`It did not happen in ${steps} steps of ${stepMs} ms: ${what}.`);
    await clock.skip(stepMs);
    await socketsMove();
  }
}

/**
 * What is under way over sockets of this process comes on: some real time, and the time of some round trips over loopback, so that
 * on a busy machine skipped time does not run away from what it is to be compared with.
 */
export async function socketsMove(): Promise<void> {
  const rest = new Promise((resolve) => setTimeout(resolve, LEAST_MS));
  for (let i = 0; i < TRIPS; i++) await trip();
  await rest;
}

async function trip(): Promise<void> {
  echo ??= open();
  const { port } = (await echo).address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').end('x').resume();
  await once(socket, 'close');
}

async function open(): Promise<Server> {
  const server = createServer((socket) => socket.pipe(socket)).unref();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}
