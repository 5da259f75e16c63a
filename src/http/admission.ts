import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../contract/clock.ts';
import type { Log } from '../contract/log.ts';
import { HttpError } from './http-error.ts';
import { createRateLimit } from './rate-limit.ts';
import { judgeHost, judgeOrigin, judgeQuery, type Refusal } from './request-checks.ts';
import { type ApiToken, type Caller, includesScope, type Route } from './route.ts';
import { hashSecret, sameSecret } from './secrets.ts';
import { hasPageToken, type SignIn } from './sign-in.ts';

export const BODY_LIMIT = 1024 * 1024;
const LOGIN_TRIES_A_MINUTE = 10;

export interface AdmissionDeps {
  readonly hosts: readonly string[];
  readonly ratePerMinute: number;
  readonly tokens: readonly ApiToken[];
  readonly signIn: SignIn;
  readonly clock: Clock;
  readonly log: Log;
}

/** Every request passes here before its body is read; a refusal is thrown, and the order of the checks is part of the contract. */
export interface Admission {
  /** Size, Host, Origin, query, rate, credential, scope, content type. Runs for unknown routes too. */
  admit(request: FastifyRequest, reply: FastifyReply): void;
  /** The page's token, once the body is there. */
  checkToken(request: FastifyRequest): void;
  caller(request: FastifyRequest): Caller;
}

export function createAdmission(deps: AdmissionDeps): Admission {
  const callers = new WeakMap<FastifyRequest, Caller>();
  const rate = createRateLimit(deps.ratePerMinute);
  const logins = createRateLimit(LOGIN_TRIES_A_MINUTE);

  function identify(request: FastifyRequest): Caller {
    const bearer = bearerOf(request);
    if (bearer === undefined) {
      const session = deps.signIn.find(request.headers.cookie, request.method === 'GET' || request.method === 'HEAD');
      return session ? { kind: 'page', session } : { kind: 'anybody' };
    }
    const hash = hashSecret(bearer);
    const token = deps.tokens.find((known) => sameSecret(known.hash, hash));
    return token ? { kind: 'token', name: token.name, scope: token.scope } : { kind: 'anybody' };
  }

  function limit(request: FastifyRequest, caller: Caller, route: Route | undefined): void {
    const now = deps.clock.now();
    const wait = Math.max(rate.take(rateKey(request, caller), now), route?.login ? logins.take('login', now) : 0);
    if (wait === 0) return;
    throw new HttpError(429, 'too_many', 'Too many requests in a short time.', `Try again in ${wait} s.`, wait);
  }

  return {
    admit(request) {
      const route = routeOf(request);
      if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT) {
        throw new HttpError(413, 'too_large', 'This is more than hermod takes at once.', 'Send less.');
      }
      if (route?.probe) return;
      refuse(judgeHost(request.host, deps.hosts), () => {
        deps.log.warn(
          { host: request.host?.slice(0, 100) },
          'A request named a host that is not ours and was refused.',
        );
      });
      if (!isSafe(request.method)) refuse(judgeOrigin(unsafe(request)));
      refuse(judgeQuery(Object.keys(request.query as object)));
      const caller = identify(request);
      limit(request, caller, route);
      callers.set(request, caller);
      if (!route) return;
      authorise(caller, route);
      checkType(request, route);
    },
    checkToken(request) {
      const caller = callers.get(request);
      const route = routeOf(request);
      if (isSafe(request.method) || caller?.kind !== 'page' || !route || route.access === 'anybody') return;
      const body = request.body as { token?: unknown } | undefined;
      if (hasPageToken(caller.session, request.headers['x-hermod-token'] ?? body?.token)) return;
      throw new HttpError(
        403,
        'wrong_token',
        'This form is from another session of the page.',
        'Reload the page and do it again.',
      );
    },
    caller: (request) => callers.get(request) ?? { kind: 'anybody' },
  };
}

export function routeOf(request: FastifyRequest): Route | undefined {
  return (request.routeOptions.config as { route?: Route }).route;
}

function refuse(refusal: Refusal, told?: () => void): void {
  if (!refusal) return;
  told?.();
  throw new HttpError(refusal.status, refusal.code, refusal.message, refusal.fix);
}

function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function unsafe(request: FastifyRequest) {
  const site = request.headers['sec-fetch-site'];
  return {
    origin: request.headers.origin,
    fetchSite: typeof site === 'string' ? site : undefined,
    ownOrigin: `${request.protocol}://${request.host}`,
    bearer: bearerOf(request) !== undefined,
  };
}

function bearerOf(request: FastifyRequest): string | undefined {
  return /^Bearer +([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

function rateKey(request: FastifyRequest, caller: Caller): string {
  if (caller.kind === 'page') return `page:${caller.session.hash}`;
  return caller.kind === 'token' ? `token:${caller.name}` : `from:${request.ip}`;
}

function authorise(caller: Caller, route: Route): void {
  if (route.access === 'anybody' || caller.kind === 'page') return;
  if (caller.kind === 'anybody') {
    throw new HttpError(
      401,
      'sign_in',
      'You are not signed in here.',
      'Run hermod open and use the address it prints.',
    );
  }
  if (route.access === 'page') {
    throw new HttpError(
      403,
      'page_only',
      'Only a signed-in page may do this.',
      'Run hermod open and do it on the page.',
    );
  }
  if (includesScope(caller.scope, route.access)) return;
  throw new HttpError(
    403,
    'scope',
    `The token "${caller.name}" may only ${caller.scope}.`,
    `Make one with scope ${route.access}.`,
  );
}

function checkType(request: FastifyRequest, route: Route): void {
  if (route.body === undefined) return;
  const want = route.body === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  const got = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (got === want) return;
  throw new HttpError(415, 'wrong_type', `This takes only ${want}.`, 'Send it with that content type.');
}
