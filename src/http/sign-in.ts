import type { Clock } from '../contract/clock.ts';
import type { PageSessions } from '../store/page-sessions.ts';
import { derivedSecret, hashSecret, newSecret, sameSecret } from './secrets.ts';

const HOUR = 3_600_000;
const SEEN_EVERY_MS = 60_000;

/** A browser that is signed in. */
export interface PageSession {
  readonly hash: string;
  /** Goes into every form and comes back with it: a site that only makes the browser send its cookie does not know it. */
  readonly pageToken: string;
}

/** Cookies of the page: made at sign-in, ended by sign-out, idleness or age. */
export interface SignIn {
  readonly cookieName: string;
  /** The value of `Set-Cookie` for a new session. */
  begin(secure: boolean): string;
  /** `reading`: the request only looks; when it came is remembered, and written with one that does something, or by `keep`. */
  find(cookieHeader: string | undefined, reading: boolean): PageSession | undefined;
  /** Writes down when each browser was last seen. */
  keep(): void;
  /** Ends the session; the value of `Set-Cookie` that clears it. */
  end(session: PageSession): string;
}

export interface SignInDeps {
  readonly sessions: PageSessions;
  readonly clock: Clock;
  /** Tells the cookies of two homes on one host apart. */
  readonly homeHash: string;
  readonly idleHours: number;
  readonly maxDays: number;
}

export function createSignIn(deps: SignInDeps): SignIn {
  const { sessions, clock } = deps;
  const cookieName = `hermod_${deps.homeHash}`;
  const idleMs = deps.idleHours * HOUR;
  const maxMs = deps.maxDays * 24 * HOUR;
  const attributes = 'Path=/; HttpOnly; SameSite=Strict';
  /** Looks since the last write. */
  const looked = new Map<string, number>();
  const write = (hash: string, now: number) => {
    looked.delete(hash);
    sessions.seen(hash, now);
  };
  const keep = () => {
    for (const [hash, at] of looked) write(hash, at);
  };

  return {
    cookieName,
    begin(secure) {
      const now = clock.now();
      const secret = newSecret(32);
      keep();
      sessions.prune(now - maxMs, now - idleMs);
      sessions.add(hashSecret(secret), now);
      return `${cookieName}=${secret}; ${attributes}; Max-Age=${maxMs / 1000}${secure ? '; Secure' : ''}`;
    },
    find(header, reading) {
      const now = clock.now();
      for (const secret of cookieValues(header, cookieName)) {
        const hash = hashSecret(secret);
        const session = sessions.get(hash);
        const seenAt = Math.max(session?.seenAt ?? 0, looked.get(hash) ?? 0);
        if (!session || now - session.createdAt >= maxMs || now - seenAt >= idleMs) continue;
        if (reading) looked.set(hash, now);
        else if (now - session.seenAt >= SEEN_EVERY_MS) write(hash, now);
        return { hash, pageToken: derivedSecret(secret, 'page') };
      }
      return undefined;
    },
    keep,
    end(session) {
      looked.delete(session.hash);
      sessions.remove(session.hash);
      return `${cookieName}=; ${attributes}; Max-Age=0`;
    },
  };
}

/** Whether a form or header brought the token of this session. */
export function hasPageToken(session: PageSession, token: unknown): boolean {
  return typeof token === 'string' && sameSecret(token, session.pageToken);
}

function* cookieValues(header: string | undefined, name: string): Generator<string> {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) yield pair.slice(at + 1).trim();
  }
}
