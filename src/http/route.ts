import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageSession } from './sign-in.ts';

/** What a credential may do; each includes those before it. */
export const SCOPES = ['metrics', 'read', 'chat', 'operate'] as const;
export type Scope = (typeof SCOPES)[number];

/** A program that may call the API; only the hash of its token is compared. */
export interface ApiToken {
  readonly name: string;
  readonly hash: string;
  readonly scope: Scope;
}

/** Who asks: a browser that is signed in, a program with a token, or anybody. */
export type Caller =
  | { readonly kind: 'page'; readonly session: PageSession }
  | { readonly kind: 'token'; readonly name: string; readonly scope: Scope }
  | { readonly kind: 'anybody' };

export interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
}

/**
 * One method and path. `access`: `anybody`, `page` (a signed-in browser only), or a scope (a token of at least that scope, or a
 * signed-in browser). `body`: the one content type a POST takes. What `handle` returns is the answer; throws become errors.
 */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** Below `http.base_path`, as fastify writes parameters. */
  readonly path: string;
  readonly access: 'anybody' | 'page' | Scope;
  readonly body?: 'form' | 'json';
  /** Probes come by address: no Host check, no rate limit. */
  readonly probe?: true;
  /** Counts as a login try. */
  readonly login?: true;
  handle(visit: Visit): unknown;
}

export function includesScope(have: Scope, want: Scope): boolean {
  return SCOPES.indexOf(have) >= SCOPES.indexOf(want);
}
