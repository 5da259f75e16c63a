/** Why a request goes no further, as an HTTP status and a sentence; undefined: it may go on. */
export type Refusal =
  | { readonly status: number; readonly code: string; readonly message: string; readonly fix: string }
  | undefined;

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** The name in a Host header without its port, in small letters; undefined: it is none. */
export function hostName(host: string | undefined): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(host ?? '');
  return match?.[1]?.toLowerCase();
}

/** A name that points here by DNS tricks is not ours: only loopback names and configured ones are. Any port: tunnels exist. */
export function judgeHost(host: string | undefined, hosts: readonly string[]): Refusal {
  const name = hostName(host);
  if (name !== undefined && (LOOPBACK.has(name) || hosts.some((known) => known.toLowerCase() === name)))
    return undefined;
  return {
    status: 421,
    code: 'wrong_host',
    message: 'This address does not belong to hermod.',
    fix: 'Open http://127.0.0.1 with the port of hermod, or add the name to http.hosts.',
  };
}

/** What decides about a request that would change something. */
export interface UnsafeRequest {
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  /** Scheme and Host of the request itself, `http://127.0.0.1:8790`. */
  readonly ownOrigin: string;
  /** It carries a bearer token, which no browser adds by itself. */
  readonly bearer: boolean;
}

/** Another website, or another server on this machine, may make a browser send requests; its Origin gives it away. */
export function judgeOrigin(request: UnsafeRequest): Refusal {
  if (request.bearer && request.origin === undefined) return undefined;
  const same =
    request.origin === request.ownOrigin && (request.fetchSite === undefined || request.fetchSite === 'same-origin');
  if (same) return undefined;
  return {
    status: 403,
    code: 'wrong_origin',
    message: 'This request did not come from a page of hermod.',
    fix: 'Open the page of hermod itself and do it there.',
  };
}

const SECRET_NAME = /^(?:t|code|auth|authorization|bearer|password|secret|(?:[a-z]+[_-])?(?:token|key))$/i;

/** Query strings end up in histories and logs, so a secret in one is refused even when it is right. */
export function judgeQuery(names: Iterable<string>): Refusal {
  for (const name of names) {
    if (!SECRET_NAME.test(name)) continue;
    return {
      status: 400,
      code: 'secret_in_query',
      message: `The address carries "${name}"; secrets do not belong into addresses.`,
      fix: 'Send a token as "Authorization: Bearer ..."; if it was a real one, revoke it.',
    };
  }
  return undefined;
}
