import type { RequestListener, Server } from 'node:http';
import { createRequire } from 'node:module';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { outsideRun } from '../context/run-context.ts';
import type { Clock } from '../contract/clock.ts';
import type { Log } from '../contract/log.ts';
import { type Admission, BODY_LIMIT, routeOf } from './admission.ts';
import { SAFE_HEADERS } from './headers.ts';
import { type HttpError, toHttpError } from './http-error.ts';
import type { Route } from './route.ts';

// An import would run every getter of node:http, the browser's WebSocket among them: 14 MB and 40 ms at each start.
const { createServer, STATUS_CODES } = createRequire(import.meta.url)('node:http') as typeof import('node:http');

const HEADER_BYTES = 16 * 1024;
const ARRIVE_MS = 30_000;
const CONNECTIONS = 200;
const CLOSE_MS = 2_000;

/** Bodies are read with zod; without this fastify loads 110 files for schemas that no route has. */
const noSchemas = () => () => {
  throw new Error('A route has a JSON schema; hermod checks bodies with zod.');
};
const NO_SCHEMAS = { buildValidator: noSchemas, buildSerializer: noSchemas };

export interface ServerDeps {
  readonly admission: Admission;
  readonly routes: readonly Route[];
  /** Without a trailing slash; empty for the root. */
  readonly base: string;
  readonly trustProxy: readonly string[];
  /** An error for a person in a browser; undefined: answer as JSON. */
  readonly errorPage: (error: HttpError, request: FastifyRequest) => string | undefined;
  /** Ends what would hold a stop: open streams. */
  readonly endStreams: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

export interface HttpServer {
  readonly server: Server;
  ready(): Promise<void>;
  /** Ends streams, takes no more requests, closes; never longer than 2 s. */
  close(): Promise<void>;
}

/** fastify with our rules around it: nothing is answered without the safe headers, and nothing is routed without `admit`. */
export function createHttpServer(deps: ServerDeps): HttpServer {
  const app = outsideRun(() =>
    Fastify({
      serverFactory: (handler) => nodeServer(handler),
      bodyLimit: BODY_LIMIT,
      exposeHeadRoutes: false,
      schemaController: { compilersFactory: NO_SCHEMAS },
      trustProxy: deps.trustProxy.length > 0 ? [...deps.trustProxy] : false,
      frameworkErrors: (error: FastifyError, _request: FastifyRequest, reply: FastifyReply) =>
        void answerError(deps, error, reply),
    }),
  );
  takeForms(app);
  app.addHook('onRequest', async (request, reply) => deps.admission.admit(request, reply));
  app.addHook('preHandler', async (request) => deps.admission.checkToken(request));
  app.addHook('onResponse', async (request, reply) => logAnswer(deps.log, request, reply));
  app.setErrorHandler((error, _request, reply) => answerError(deps, error, reply));
  app.setNotFoundHandler((_request, reply) => answerError(deps, { statusCode: 404 }, reply));
  for (const route of deps.routes) mount(app, route, deps);
  return { server: app.server as Server, ready: async () => void (await app.ready()), close: () => close(app, deps) };
}

function nodeServer(handler: RequestListener): Server {
  const server = createServer(
    { maxHeaderSize: HEADER_BYTES, requestTimeout: ARRIVE_MS, headersTimeout: ARRIVE_MS },
    (request, response) => {
      for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value);
      handler(request, response);
    },
  );
  server.maxConnections = CONNECTIONS;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const headers = Object.entries({ ...SAFE_HEADERS, 'content-length': '0', connection: 'close' });
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n`);
  });
  return server;
}

/** Forms are urlencoded; a text body is how another site posts without being asked, so nothing here reads one. */
function takeForms(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain');
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, Object.fromEntries(new URLSearchParams(body as string)));
  });
}

function mount(app: FastifyInstance, route: Route, deps: ServerDeps): void {
  const url = `${deps.base}${route.path}`;
  app.route({
    method: route.method,
    url: url === '' ? '/' : url,
    config: { route },
    handler: async (request, reply) => {
      const answer = await route.handle({ request, reply, caller: deps.admission.caller(request) });
      return reply.sent ? reply : answer === undefined ? reply.code(204).send() : answer;
    },
  });
}

function answerError(deps: ServerDeps, thrown: unknown, reply: FastifyReply): FastifyReply {
  const error = toHttpError(thrown);
  const { request } = reply;
  if (error.status >= 500) deps.log.error({ err: thrown, route: routeOf(request)?.path }, 'A request failed.');
  if (error.retryAfterS !== undefined) reply.header('retry-after', String(error.retryAfterS));
  const page = wantsPage(request) ? deps.errorPage(error, request) : undefined;
  if (page !== undefined) return reply.code(pageStatus(error, request)).type('text/html; charset=utf-8').send(page);
  const { code, message, fix } = error;
  return reply.code(error.status).type('application/json; charset=utf-8').send({ error: { code, message, fix } });
}

/** The sign-in page is what a stranger in a browser asked for; to anything else it is a refusal. */
function pageStatus(error: HttpError, request: FastifyRequest): number {
  return error.code === 'sign_in' && request.method === 'GET' ? 200 : error.status;
}

export function wantsPage(request: FastifyRequest): boolean {
  return (request.headers.accept ?? '').includes('text/html');
}

/** The pattern, never the URL: what people type into addresses stays out of logs. */
function logAnswer(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const route = routeOf(request)?.path ?? 'none';
  log.debug(
    { method: request.method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
    'Answered a request.',
  );
}

async function close(app: FastifyInstance, deps: ServerDeps): Promise<void> {
  const server = app.server as Server;
  deps.endStreams();
  if (server.listening) {
    const cancel = deps.clock.after(CLOSE_MS, () => server.closeAllConnections());
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeIdleConnections();
    });
    cancel();
  }
  await app.close();
}
