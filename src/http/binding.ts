import { once } from 'node:events';
import type { Server } from 'node:http';
import { HermodError } from '../contract/errors.ts';

const NEXT_PORTS = 20;
const LONG_ENOUGH = 32;

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Throws where everybody who reaches the port could run commands. */
export function checkBinding(host: string, token: string | undefined): void {
  if (isLoopback(host)) return;
  const advice = `everyone who reaches this port could run commands. Put HERMOD_HTTP_TOKEN with ${LONG_ENOUGH} random characters or more into .env, or set http.host to 127.0.0.1.`;
  if (!token) throw new HermodError('operator', `http.host is ${host} but HERMOD_HTTP_TOKEN is not set: ${advice}`);
  if (token.length < LONG_ENOUGH) {
    throw new HermodError(
      'operator',
      `http.host is ${host} but HERMOD_HTTP_TOKEN is shorter than ${LONG_ENOUGH} characters: ${advice}`,
    );
  }
}

/** Listens; with `next` a taken port moves to the next of 20. Resolves with the port, rejects with Node's error. */
export async function listen(server: Server, host: string, port: number, next: boolean): Promise<number> {
  for (let tried = port; ; tried++) {
    try {
      return await listenOnce(server, host, tried);
    } catch (error) {
      if (!next || !isTaken(error) || port === 0 || tried >= Math.min(65_535, port + NEXT_PORTS)) throw error;
    }
  }
}

export function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
}

async function listenOnce(server: Server, host: string, port: number): Promise<number> {
  server.listen({ host, port });
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
