import type { Host } from '../host.ts';
import type { DaemonRefusal } from './daemon-client.ts';

const NOT_FOUND = 4;
const AMBIGUOUS = 64;
const SHORTEST = 4;

/** The one thing meant by a code, an id or its beginning; else the exit code, and what to do is on stderr. */
export function oneOf<T extends { readonly id: string; readonly code?: string }>(
  { err }: Pick<Host, 'err'>,
  what: string,
  word: string,
  all: readonly T[],
): T | number {
  const wanted = word.toLowerCase();
  const byCode = all.find(({ code }) => code === wanted);
  const found = byCode ? [byCode] : all.filter(({ id }) => wanted.length >= SHORTEST && id.startsWith(wanted));
  const [one, ...more] = found;
  if (one && more.length === 0) return one;
  if (!one) {
    err.write(`There is no ${what} "${word}".\n`);
    return NOT_FOUND;
  }
  err.write(`Several begin like this: ${found.map(({ id }) => id).join(', ')}\n`);
  return AMBIGUOUS;
}

/** What a refusal of the daemon is as an exit code. */
export function exitOf({ status }: Pick<DaemonRefusal, 'status'>): number {
  if (status === 404) return NOT_FOUND;
  return status === 403 ? 6 : 1;
}
