import { homedir } from 'node:os';
import { join } from 'node:path';
import { HermodError } from '../contract/errors.ts';
import type { Host } from '../host.ts';
import { type RunFile, readRunFile } from '../process/single-instance.ts';

/** The daemon of a home, as the command line reaches it: over loopback, with the token of its boot. */
export interface DaemonClient {
  readonly file: RunFile;
  get(path: string): Promise<unknown>;
  post(path: string, body?: object): Promise<unknown>;
}

/** What the daemon answered instead of doing it; the sentence says what to do next. */
export class DaemonRefusal extends HermodError {
  readonly status: number;

  constructor(status: number, path: string, body: unknown) {
    const error = (body as { readonly error?: { readonly message?: string; readonly fix?: string } } | undefined)
      ?.error;
    const said = error?.message === undefined ? undefined : `${error.message} ${error.fix ?? ''}`.trim();
    super('us', said ?? `hermod answered ${status} to ${path}; hermod's log says why.`);
    this.status = status;
  }
}

export const homeOf = (host: Host): string => host.env['HERMOD_HOME'] || join(homedir(), '.hermod');

/** Finds a running daemon: the home's own, else its practice one. Undefined: none answers as the boot its file names. */
export async function findDaemon(host: Host): Promise<DaemonClient | undefined> {
  const base = homeOf(host);
  for (const home of [base, join(base, 'practice')]) {
    const file = readRunFile(home);
    if (file && (await answers(file))) return client(file);
  }
  return undefined;
}

async function answers(file: RunFile): Promise<boolean> {
  if (file.url === null) return false;
  try {
    const reply = await fetch(new URL('healthz', file.url), { signal: AbortSignal.timeout(2_000) });
    return ((await reply.json()) as { boot?: unknown }).boot === file.boot;
  } catch {
    return false;
  }
}

function client(file: RunFile): DaemonClient {
  const ask = async (method: 'GET' | 'POST', path: string, body: object = {}): Promise<unknown> => {
    const reply = await fetch(new URL(path, file.url as string), {
      method,
      headers: {
        authorization: `Bearer ${file.token}`,
        ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      },
      ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(10_000),
    });
    if (reply.ok) return reply.json();
    throw new DaemonRefusal(reply.status, path, await reply.json().catch(() => undefined));
  };
  return { file, get: (path) => ask('GET', path), post: (path, body) => ask('POST', path, body) };
}
