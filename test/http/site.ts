import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Log } from '../../src/contract/log.ts';
import type { ButtonPress, FormAnswer, InboundMessage } from '../../src/contract/message.ts';
import type { PlatformAdapter, PlatformEvents } from '../../src/contract/platform.ts';
import { createHttp, type Http, type HttpConfig, type HttpDeps } from '../../src/http/http.ts';
import { createWeb } from '../../src/platforms/web/adapter.ts';
import type { WebSurface } from '../../src/platforms/web/surface.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { FakeClock } from '../fakes/fake-clock.ts';

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

export const DEFAULTS: HttpConfig = {
  host: '127.0.0.1',
  port: 0,
  base_path: '/',
  hosts: [],
  trust_proxy: [],
  page: true,
  rate_per_min: 10_000,
  session_idle_h: 12,
  session_max_d: 30,
};

/** Core, as far as the page can see it: it keeps what it is given and answers as it is told. */
export class SmallCore implements PlatformEvents {
  readonly messages: InboundMessage[] = [];
  readonly presses: (ButtonPress | FormAnswer)[] = [];
  readonly seen = new Set<string>();
  onMessage: (message: InboundMessage) => void | Promise<void> = () => {};
  onPress: (press: ButtonPress | FormAnswer) => string | undefined | Promise<string | undefined> = () =>
    'Allowed once.';

  async message(message: InboundMessage): Promise<void> {
    await this.onMessage(message);
    if (this.seen.has(message.eventId)) return;
    this.seen.add(message.eventId);
    this.messages.push(message);
  }
  async press(press: ButtonPress) {
    return this.#pressed(press);
  }
  async form(form: FormAnswer) {
    return this.#pressed(form);
  }
  async #pressed(press: ButtonPress | FormAnswer) {
    if (this.seen.has(press.eventId)) return undefined;
    this.seen.add(press.eventId);
    this.presses.push(press);
    const text = await this.onPress(press);
    return text === undefined ? undefined : { text };
  }
  async edited(): Promise<void> {}
  async stopped(): Promise<void> {}
  async reaction(): Promise<void> {}
  async reach(): Promise<void> {}
  async moved(): Promise<void> {}
  health(): void {}
}

export interface Site {
  readonly url: string;
  readonly http: Http;
  readonly store: Store;
  readonly core: SmallCore;
  readonly adapter: PlatformAdapter;
  readonly surface: WebSurface;
  readonly clock: FakeClock;
  /** Sends as hermod, with a key of its own. */
  send(text: string, more?: Partial<Parameters<PlatformAdapter['send']>[1]>): Promise<string>;
  edit(id: string, text: string, more?: Partial<Parameters<PlatformAdapter['send']>[1]>): Promise<void>;
}

let keys = 0;
const main = { platform: 'web', bot: 'page', chat: 'main' };

/** The real server and the real web platform over a store in memory, ended with the test. */
export async function startSite(
  config: Partial<HttpConfig> = {},
  deps: Partial<HttpDeps> & { clock?: FakeClock; core?: SmallCore; store?: Store } = {},
): Promise<Site> {
  const clock = deps.clock ?? new FakeClock();
  const store = deps.store ?? openStore(':memory:');
  const core = deps.core ?? new SmallCore();
  const { adapter, surface } = createWeb({ messages: store.webMessages, clock, log: silent });
  const http = createHttp({
    web: surface,
    sessions: store.pageSessions,
    health: () => ({ boot: 'boot1', live: true, ready: true, reasons: [] }),
    log: silent,
    homeHash: 'abc123',
    boot: 'boot1',
    version: '0.1.0',
    ...deps,
    clock,
    config: { ...DEFAULTS, ...config },
  });
  await adapter.start(core, new AbortController().signal);
  const { url } = await http.start();
  onTestFinished(async () => {
    await http.stop();
    await adapter.stop();
  });
  return {
    url,
    http,
    store,
    core,
    adapter,
    surface,
    clock,
    async send(text, more = {}) {
      const options = { key: `test:${keys++}`, signal: new AbortController().signal };
      return (await adapter.send(main, { text, ...more }, options)).messageId;
    },
    edit: async (id, text, more = {}) => adapter.edit?.(main, id, { text, ...more }),
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request exactly as written: any Host, any header, any path. */
export function ask(
  url: string,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const { hostname, port, host } = new URL(url);
  return new Promise((resolve, reject) => {
    const headers = { host, ...options.headers };
    const request = httpRequest(
      { hostname, port, path, method: options.method ?? 'GET', headers, agent: false },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(options.body);
  });
}

/** Fields a browser of our own page sends with a form. */
export function formHeaders(url: string, cookie = ''): Record<string, string> {
  const { origin } = new URL(url);
  return {
    origin,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/x-www-form-urlencoded',
    ...(cookie && { cookie }),
  };
}

export interface Visitor {
  readonly cookie: string;
  readonly token: string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Answer>;
}

/** Signs in the way the page does. */
export async function signIn({ url, http }: Pick<Site, 'url' | 'http'>): Promise<Visitor> {
  const code = new URL(http.loginUrl()).hash.slice(3);
  const body = new URLSearchParams({ code }).toString();
  const login = await ask(url, '/login', { method: 'POST', headers: formHeaders(url), body });
  const cookie = login.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const page = await ask(url, '/', { headers: { cookie, accept: 'text/html' } });
  const token = /data-token="([^"]+)"/.exec(page.body)?.[1] ?? '';
  return {
    cookie,
    token,
    get: (path, headers = {}) => ask(url, path, { headers: { cookie, ...headers } }),
    post: (path, fields, headers = {}) =>
      ask(url, path, {
        method: 'POST',
        headers: { ...formHeaders(url, cookie), ...headers },
        body: new URLSearchParams({ token, ...fields }).toString(),
      }),
  };
}
