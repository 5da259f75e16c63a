import type { FastifyRequest } from 'fastify';
import { outsideRun } from '../context/run-context.ts';
import type { Clock } from '../contract/clock.ts';
import type { Log } from '../contract/log.ts';
import type { WebSurface } from '../platforms/web/surface.ts';
import type { PageSessions } from '../store/page-sessions.ts';
import { createAdmission } from './admission.ts';
import { checkBinding } from './binding.ts';
import { createEventStream } from './event-stream.ts';
import { type HealthView, healthRoutes } from './health-routes.ts';
import { createListening, type HttpState } from './listening.ts';
import { createLoginCodes } from './login-codes.ts';
import { loginRoutes } from './login-routes.ts';
import { chatRoutes } from './page/chat-routes.ts';
import { errorPage } from './page/error-page.ts';
import type { PageSite } from './page/layout.ts';
import { staticRoutes } from './page/static-files.ts';
import type { ApiToken, Route } from './route.ts';
import { hashSecret } from './secrets.ts';
import { createHttpServer } from './server.ts';
import { createSignIn } from './sign-in.ts';

/** The `http` part of the configuration. */
export interface HttpConfig {
  readonly host: string;
  readonly port: number;
  readonly base_path: string;
  readonly hosts: readonly string[];
  readonly trust_proxy: readonly string[];
  readonly page: boolean;
  readonly rate_per_min: number;
  readonly session_idle_h: number;
  readonly session_max_d: number;
}

export interface HttpDeps {
  readonly config: HttpConfig;
  readonly web: WebSurface;
  readonly sessions: PageSessions;
  readonly health: () => HealthView;
  readonly clock: Clock;
  readonly log: Log;
  /** Tells the cookies of two homes on one host apart: letters and digits. */
  readonly homeHash: string;
  readonly boot: string;
  readonly version: string;
  /** `HERMOD_HTTP_TOKEN`. */
  readonly token?: string | undefined;
  /** Further tokens: of this boot for the command line, made ones. */
  readonly tokens?: readonly ApiToken[];
  readonly practice?: boolean;
  /** A taken port moves to the next of 20 instead of being waited for. */
  readonly nextPort?: boolean;
  /** IANA zone of times on the page until the browser puts its own. */
  readonly timeZone?: () => string;
  /** Routes of others, mounted under the same rules. */
  readonly routes?: readonly Route[];
}

export interface Http {
  /** Resolves once it listens, or when the port is taken: then `state()` is degraded and it tries again each 30 s. */
  start(): Promise<{ readonly url: string }>;
  /** Ends open streams at once; within 2 s. Twice: the same stop. */
  stop(): Promise<void>;
  /** A fresh address that signs a browser in once, for 10 minutes. */
  loginUrl(): string;
  state(): HttpState;
  url(): string;
}

/** Builds the server; throws HermodError('operator') when it would be open to everyone. Call outside any run. */
export function createHttp(deps: HttpDeps): Http {
  const { config, clock, log } = deps;
  checkBinding(config.host, deps.token);
  const base = config.base_path.replace(/\/+$/, '');
  const codes = createLoginCodes(clock);
  const signIn = createSignIn({
    sessions: deps.sessions,
    clock,
    homeHash: deps.homeHash,
    idleHours: config.session_idle_h,
    maxDays: config.session_max_d,
  });
  const stream = createEventStream(clock, deps.boot);
  const url = () => `http://${shownHost(config.host)}:${listening.port()}${base}/`;
  const loginUrl = () => `${url()}#t=${codes.issue()}`;
  const site: PageSite = {
    base,
    version: deps.version,
    boot: deps.boot,
    practice: deps.practice ?? false,
    timeZone: deps.timeZone,
  };
  const page = config.page
    ? [
        ...staticRoutes(),
        ...loginRoutes({ codes, signIn, stream, base, loginUrl }),
        ...chatRoutes({ web: deps.web, stream, site, clock, log }),
      ]
    : [];
  const http = createHttpServer({
    admission: createAdmission({
      hosts: config.hosts,
      ratePerMinute: config.rate_per_min,
      tokens: tokensOf(deps),
      signIn,
      clock,
      log,
    }),
    routes: [...healthRoutes(deps.health), ...page, ...(deps.routes ?? [])],
    base,
    trustProxy: config.trust_proxy,
    errorPage: (error, request: FastifyRequest) => (config.page ? errorPage(site, error, request) : undefined),
    endStreams: () => stream.end(),
    clock,
    log,
  });

  const { server } = http;
  const next = deps.nextPort ?? false;
  const listening = createListening({ server, host: config.host, port: config.port, next, clock, log });

  let started: Promise<{ url: string }> | undefined;
  let stopped: Promise<void> | undefined;
  return {
    start() {
      started ??= outsideRun(async () => {
        await http.ready();
        await listening.open();
        return { url: url() };
      });
      return started;
    },
    stop() {
      listening.giveUp();
      stopped ??= http.close().finally(() => signIn.keep());
      return stopped;
    },
    loginUrl,
    state: () => listening.state(),
    url,
  };
}

function tokensOf({ token, tokens = [] }: HttpDeps): readonly ApiToken[] {
  return token ? [{ name: 'default', hash: hashSecret(token), scope: 'operate' }, ...tokens] : tokens;
}

function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
