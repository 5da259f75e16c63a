import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { HermodError } from '../../src/contract/errors.ts';
import { SAFE_HEADERS } from '../../src/http/headers.ts';
import { ask, formHeaders, signIn, startSite } from './site.ts';

const POSTS = ['/login', '/logout', '/c/main/say', '/c/main/press'];
const PAGES = ['/', '/c/main', '/c/main/messages', '/events', '/c/main/files/1/0'];
const OPEN = ['/static/page.css', '/static/page.js', '/static/icon.svg'];

describe('Host', () => {
  it.each([...PAGES, ...OPEN, '/nothing/here'])('refuses a foreign name on GET %s', async (path) => {
    const { url } = await startSite();
    for (const host of [
      'evil.example:8790',
      'evil.example',
      '127.0.0.1.evil.example',
      '10.0.0.5:8790',
      'localhost@evil.example',
    ]) {
      expect((await ask(url, path, { headers: { host } })).status, host).toBe(421);
    }
  });

  it.each(POSTS)('refuses a foreign name on POST %s, with the matching Origin too', async (path) => {
    const { url } = await startSite();
    const headers = { ...formHeaders(url), host: 'evil.example:8790', origin: 'http://evil.example:8790' };
    expect((await ask(url, path, { method: 'POST', headers })).status).toBe(421);
  });

  it.each(['127.0.0.1:9999', 'localhost:80', '[::1]:8790', 'LOCALHOST', 'hermod.example'])('takes %s', async (host) => {
    const { url } = await startSite({ hosts: ['hermod.example'] });
    expect((await ask(url, '/static/page.css', { headers: { host } })).status).toBe(200);
  });

  it.each(['/healthz', '/readyz'])(
    'lets probes ask %s under any name and tells them only boot and reasons',
    async (path) => {
      const { url } = await startSite();
      const answer = await ask(url, path, { headers: { host: '10.1.2.3:8790' } });
      expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { boot: 'boot1', reasons: [] }]);
    },
  );
});

describe('no Host', () => {
  it.each(['GET / HTTP/1.0\r\n\r\n', 'GET / HTTP/1.1\r\nHost: \r\n\r\n'])('is refused: %j', async (text) => {
    const { url } = await startSite();
    expect(await raw(url, text)).toContain(' 421 ');
  });
});

describe('Origin', () => {
  const wrong: readonly (readonly [string, (own: string) => Record<string, string>])[] = [
    ['no origin', () => ({})],
    ['null', () => ({ origin: 'null' })],
    ['another site', () => ({ origin: 'http://evil.example' })],
    ['another port of this host', () => ({ origin: 'http://127.0.0.1:1' })],
    ['another scheme', (own) => ({ origin: own.replace('http:', 'https:') })],
    ['same-site', (own) => ({ origin: own, 'sec-fetch-site': 'same-site' })],
    ['cross-site', (own) => ({ origin: own, 'sec-fetch-site': 'cross-site' })],
    ['typed address', (own) => ({ origin: own, 'sec-fetch-site': 'none' })],
  ];
  it.each(wrong)('refuses a post with %s, and nothing changes', async (_name, headersOf) => {
    const site = await startSite();
    const { cookie, token } = await signIn(site);
    const headers = {
      cookie,
      'content-type': 'application/x-www-form-urlencoded',
      ...headersOf(new URL(site.url).origin),
    };
    const body = new URLSearchParams({ token, id: 'abcdefgh', text: 'hello' }).toString();
    expect((await ask(site.url, '/c/main/say', { method: 'POST', headers, body })).status).toBe(403);
    expect(site.core.messages).toEqual([]);
  });

  it('refuses a post without the token of the page, or with that of another session', async () => {
    const site = await startSite();
    const mine = await signIn(site);
    const other = await signIn(site);
    for (const token of ['', 'x', other.token]) {
      const answer = await mine.post('/c/main/say', { token, id: 'abcdefgh', text: 'hello' });
      expect(answer.status).toBe(403);
    }
    expect(site.core.messages).toEqual([]);
    expect((await mine.post('/c/main/say', { id: 'abcdefgh', text: 'hello' })).status).toBe(200);
  });
});

describe('credentials', () => {
  it.each(PAGES)('shows nothing of %s to a stranger', async (path) => {
    const { url } = await startSite();
    const page = await ask(url, path, { headers: { accept: 'text/html' } });
    expect([page.body.includes('<h1>Sign in</h1>'), page.body.includes('data-token')]).toEqual([true, false]);
    expect((await ask(url, path)).status).toBe(401);
  });

  it.each(['token', 'access_token', 't', 'code', 'api_key', 'key', 'authorization'])(
    'refuses ?%s= even when signed in',
    async (name) => {
      const site = await startSite();
      const { get } = await signIn(site);
      expect((await get(`/?${name}=abc`)).status).toBe(400);
      expect((await ask(site.url, `/static/page.css?${name}=abc`)).status).toBe(400);
    },
  );

  it('takes a code once, for ten minutes, and keeps five', async () => {
    const { url, http, clock } = await startSite();
    const codes = Array.from({ length: 6 }, () => new URL(http.loginUrl()).hash.slice(3));
    const login = (code: string) =>
      ask(url, '/login', { method: 'POST', headers: formHeaders(url), body: `code=${code}` });
    expect(codes.every((code) => Buffer.from(code, 'base64url').length === 16)).toBe(true);
    expect((await login(codes[0] as string)).status).toBe(403);
    expect((await login(codes[1] as string)).status).toBe(204);
    const again = await login(codes[1] as string);
    expect([again.status, again.body]).toEqual([403, expect.stringContaining('This link was used or is too old.')]);
    clock.jump(10 * 60_000 - 1);
    expect((await login(codes[2] as string)).status).toBe(204);
    clock.jump(1);
    expect((await login(codes[3] as string)).status).toBe(403);
  });

  it('lets ten people try a minute, all together', async () => {
    const { url, clock } = await startSite();
    const login = () => ask(url, '/login', { method: 'POST', headers: formHeaders(url), body: 'code=wrong' });
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push((await login()).status);
    expect(statuses).toEqual([...Array(10).fill(403), 429]);
    expect((await login()).headers['retry-after']).toBe('6');
    clock.jump(6_000);
    expect((await login()).status).toBe(403);
  });

  it('gives a cookie that scripts and other sites cannot have, and ends it by idleness, age and signing out', async () => {
    const site = await startSite();
    const code = new URL(site.http.loginUrl()).hash.slice(3);
    const login = await ask(site.url, '/login', {
      method: 'POST',
      headers: formHeaders(site.url),
      body: `code=${code}`,
    });
    expect(login.headers['set-cookie']?.[0]).toMatch(
      /^hermod_abc123=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/,
    );
    const idle = await signIn(site);
    site.clock.jump(12 * 3_600_000 - 1);
    expect((await idle.get('/')).status).toBe(200);
    site.clock.jump(12 * 3_600_000);
    expect((await idle.get('/')).status).toBe(401);
    const old = await signIn(site);
    for (let hours = 0; hours < 30 * 24; hours += 6) {
      expect((await old.get('/')).status).toBe(200);
      site.clock.jump(6 * 3_600_000);
    }
    expect((await old.get('/')).status).toBe(401);
    const out = await signIn(site);
    expect((await out.post('/logout', {})).status).toBe(303);
    expect((await out.get('/')).status).toBe(401);
  });

  it('marks the cookie Secure behind a trusted proxy with https, and believes no other proxy', async () => {
    const trusting = await startSite({ trust_proxy: ['127.0.0.1'], hosts: ['hermod.example'] });
    const stranger = await startSite({ hosts: ['hermod.example'] });
    const login = ({ url, http }: typeof trusting) => {
      const code = new URL(http.loginUrl()).hash.slice(3);
      const proxied = { host: 'hermod.example', 'x-forwarded-proto': 'https', origin: 'https://hermod.example' };
      return ask(url, '/login', { method: 'POST', headers: { ...formHeaders(url), ...proxied }, body: `code=${code}` });
    };
    expect((await login(trusting)).headers['set-cookie']?.[0]).toContain('; Secure');
    expect((await login(stranger)).status).toBe(403);
  });

  it('lets a token do what its scope says and never what only a person on the page may', async () => {
    const token = 'a'.repeat(40);
    const site = await startSite(
      {},
      {
        token,
        routes: [
          { method: 'GET', path: '/api/v1/status', access: 'read', handle: () => ({ ok: true }) },
          {
            method: 'POST',
            path: '/api/v1/thing',
            access: 'operate',
            body: 'json',
            handle: ({ request }) => ({ got: request.body }),
          },
        ],
      },
    );
    const authorization = `Bearer ${token}`;
    expect((await ask(site.url, '/api/v1/status', { headers: { authorization } })).status).toBe(200);
    expect(
      (await ask(site.url, '/api/v1/status', { headers: { authorization: `Bearer ${'b'.repeat(40)}` } })).status,
    ).toBe(401);
    expect((await ask(site.url, '/api/v1/status', { headers: { authorization: 'Bearer a' } })).status).toBe(401);
    expect((await ask(site.url, '/c/main', { headers: { authorization } })).status).toBe(403);
    const json = { authorization, 'content-type': 'application/json' };
    const answer = await ask(site.url, '/api/v1/thing', { method: 'POST', headers: json, body: '{"a":1}' });
    expect(JSON.parse(answer.body)).toEqual({ got: { a: 1 } });
    const foreign = { ...json, origin: 'http://evil.example' };
    expect((await ask(site.url, '/api/v1/thing', { method: 'POST', headers: foreign, body: '{}' })).status).toBe(403);
  });

  it('has scopes that include the lower and not the higher', async () => {
    const { hashSecret } = await import('../../src/http/secrets.ts');
    const routes = (['metrics', 'read', 'chat', 'operate'] as const).map((access) => ({
      method: 'GET' as const,
      path: `/api/v1/${access}`,
      access,
      handle: () => ({}),
    }));
    const { url } = await startSite(
      {},
      { routes, tokens: [{ name: 'reader', hash: hashSecret('reading'), scope: 'read' }] },
    );
    const headers = { authorization: 'Bearer reading' };
    const statuses = await Promise.all(routes.map(async ({ path }) => (await ask(url, path, { headers })).status));
    expect(statuses).toEqual([200, 200, 403, 403]);
  });
});

describe('rate', () => {
  it('gives each credential its own budget', async () => {
    const site = await startSite({ rate_per_min: 20 });
    const mine = await signIn(site);
    const statuses: number[] = [];
    for (let i = 0; i < 25; i++) statuses.push((await mine.get('/c/main/messages')).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(6);
    expect((await ask(site.url, '/static/page.css')).status).toBe(200);
    site.clock.jump(3_000);
    expect((await mine.get('/c/main/messages')).status).toBe(200);
  });
});

describe('bodies', () => {
  it.each(['text/plain', 'multipart/form-data; boundary=x', 'application/json', 'application/xml', ''])(
    'answers 415 to %s on a form',
    async (type) => {
      const site = await startSite();
      const visitor = await signIn(site);
      const answer = await visitor.post('/c/main/say', { id: 'abcdefgh', text: 'hello' }, { 'content-type': type });
      expect(answer.status).toBe(415);
      expect(site.core.messages).toEqual([]);
    },
  );

  it('takes a body at the limit and refuses one byte more, announced or not', async () => {
    const site = await startSite();
    const { token, cookie } = await signIn(site);
    const start = new URLSearchParams({ token, id: 'abcdefgh', text: 'hello', pad: '' }).toString();
    const limit = 1024 * 1024;
    const post = (size: number, more: Record<string, string> = {}) =>
      ask(site.url, '/c/main/say', {
        method: 'POST',
        headers: { ...formHeaders(site.url, cookie), ...more },
        body: start + 'x'.repeat(size - start.length),
      });
    expect((await post(limit)).status).toBe(200);
    expect((await post(limit + 1)).status).toBe(413);
    expect((await post(limit + 1, { 'transfer-encoding': 'chunked' })).status).toBe(413);
  });

  it('refuses headers over 16 kB with the safe headers', async () => {
    const { url } = await startSite();
    const answer = await ask(url, '/static/page.css', { headers: { 'x-long': 'x'.repeat(17 * 1024) } });
    expect([answer.status, answer.headers['x-content-type-options']]).toEqual([431, 'nosniff']);
  });

  it('says which field of a form is wrong and keeps the rest of the world unchanged', async () => {
    const site = await startSite();
    const { post } = await signIn(site);
    const answer = await post('/c/main/press', { id: 'abcdefgh', message: 'one', data: 'h1:x' });
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('\\"message\\"')]);
    expect((await post('/c/main/say', { id: 'abcdefgh', text: '  ' })).status).toBe(400);
    expect((await post('/c/Main!/say', { id: 'abcdefgh', text: 'x' })).status).toBe(404);
  });
});

describe('paths', () => {
  it.each([
    '/static/..%2fpage.css',
    '/static/../../server.ts',
    '/static/..%5c..%5cserver.ts',
    '/static/page.css%00.js',
    '/static/%2e%2e/%2e%2e/package.json',
    '/static//etc/passwd',
    '/static/',
    'http://127.0.0.1/static/../server.ts',
    '/%zz',
    '/c/..%2f..%2fetc',
  ])('reaches no file by %s', async (path) => {
    const { url } = await startSite();
    const answer = await ask(url, path);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.headers['content-security-policy']).toBe(SAFE_HEADERS['content-security-policy']);
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'])('changes nothing by %s', async (method) => {
    const site = await startSite();
    const { cookie } = await signIn(site);
    const answer = await ask(site.url, '/c/main/say', { method, headers: formHeaders(site.url, cookie) });
    expect(answer.status).toBe(404);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('serves everything below a base path and nothing beside it', async () => {
    const site = await startSite({ base_path: '/hermod/' });
    expect(site.url.endsWith('/hermod/')).toBe(true);
    expect((await ask(site.url, '/hermod/static/page.css')).status).toBe(200);
    expect((await ask(site.url, '/static/page.css')).status).toBe(404);
  });
});

describe('headers', () => {
  it.each([...OPEN, '/', '/nothing', '/healthz'])('are on %s', async (path) => {
    const { url } = await startSite();
    const { headers } = await ask(url, path);
    expect(headers).toMatchObject(SAFE_HEADERS);
  });

  it('are on a stream, which a stop ends at once', async () => {
    const site = await startSite();
    const { cookie } = await signIn(site);
    const streams = await Promise.all([1, 2, 3].map(() => fetch(`${site.url}events`, { headers: { cookie } })));
    for (const { headers } of streams) {
      for (const [name, value] of Object.entries(SAFE_HEADERS)) expect(headers.get(name)).toBe(value);
      expect([headers.get('content-type'), headers.get('x-accel-buffering')]).toEqual([
        'text/event-stream; charset=utf-8',
        'no',
      ]);
    }
    // The clock stands still, so only the streams' own end lets this finish.
    await site.http.stop();
    const texts = await Promise.all(streams.map((stream) => stream.text()));
    expect(texts.every((text) => text.includes('event: hello'))).toBe(true);
  });

  it('are on a request that is no HTTP', async () => {
    const { url } = await startSite();
    const text = await raw(url, 'nonsense\r\n\r\n');
    expect(text).toContain('400 Bad Request');
    expect(text).toContain('content-security-policy: ');
  });
});

describe('binding', () => {
  it.each(['0.0.0.0', '::', '192.168.1.5', 'hermod.example'])(
    'refuses %s without a token of 32 characters',
    async (host) => {
      for (const token of [undefined, 'short', 'x'.repeat(31)]) {
        const started = startSite({ host }, { token });
        await expect(started).rejects.toThrow(HermodError);
        await expect(started).rejects.toThrow(`http.host is ${host} but HERMOD_HTTP_TOKEN is`);
      }
    },
  );

  it('listens on all addresses with one', async () => {
    const { url } = await startSite({ host: '0.0.0.0' }, { token: 'x'.repeat(32) });
    expect((await ask(url, '/healthz')).status).toBe(200);
  });

  it('is degraded while the port is taken and takes it when it is free', async () => {
    const first = await startSite();
    const port = Number(new URL(first.url).port);
    const second = await startSite({ port });
    expect(second.http.state()).toEqual({
      state: 'degraded',
      reason: expect.stringContaining(`port ${port} is taken`),
    });
    await second.clock.skip(30_000);
    expect(second.http.state().state).toBe('degraded');
    await first.http.stop();
    await second.clock.skip(30_000);
    expect(second.http.state().state).toBe('connected');
    expect((await ask(second.url, '/healthz')).status).toBe(200);
  });

  it('moves to the next port in practice mode', async () => {
    const first = await startSite();
    const port = Number(new URL(first.url).port);
    const second = await startSite({ port }, { nextPort: true });
    expect(Number(new URL(second.url).port)).toBeGreaterThan(port);
    expect(second.http.loginUrl().startsWith(`${second.url}#t=`)).toBe(true);
  });
});

/** What comes back until the server closes or has answered. */
async function raw(url: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(text);
  let answer = '';
  for await (const chunk of socket) {
    answer += chunk;
    if (answer.includes('\r\n\r\n')) break;
  }
  socket.destroy();
  return answer;
}
