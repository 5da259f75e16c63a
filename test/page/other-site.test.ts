import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startSite } from '../http/site.ts';
import { field, hasBrowser, openBrowser, openTab } from './browser.ts';

/** Another local web server: same host, other port, so the browser sends it and us the same cookies. */
async function neighbour(html: string): Promise<{ readonly url: string; readonly cookies: string[] }> {
  const cookies: string[] = [];
  const server = createServer((request, response) => {
    cookies.push(request.headers.cookie ?? '');
    response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`, cookies };
}

describe.skipIf(!hasBrowser)("another site in the operator's browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('cannot post a form, although the browser sends the cookie', async () => {
    const site = await startSite();
    const { page } = await openTab(browser);
    await page.goto(site.http.loginUrl());
    await field(page).waitFor();
    const token = await page.evaluate(() => document.body.dataset['token'] ?? '');
    const id = await site.send('Run this?', { buttons: [[{ label: 'Once', data: 'h1:ap:id:nonce:o' }]] });
    for (const [path, fields] of [
      ['c/main/say', { text: 'rm -rf', id: 'abcdefgh', token }],
      ['c/main/press', { message: id, data: 'h1:ap:id:nonce:o', id: 'abcdefgh', token }],
    ] as const) {
      const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
      const other = await neighbour(
        `<form method="post" action="${site.url}${path}">${inputs.join('')}<button>Win</button></form>`,
      );
      await page.goto(other.url);
      const [answer] = await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Win' }).click()]);
      expect(other.cookies[0]).toContain('hermod_abc123=');
      expect(await answer?.request().headerValue('cookie')).toContain('hermod_abc123=');
      expect(answer?.status()).toBe(403);
    }
    expect([site.core.messages, site.core.presses]).toEqual([[], []]);
  });

  it('cannot post behind its back, read an answer, or put the page into a frame', async () => {
    const site = await startSite();
    const { page } = await openTab(browser);
    await page.goto(site.http.loginUrl());
    await field(page).waitFor();
    const other = await neighbour(`<iframe src="${site.url}"></iframe>`);
    await page.goto(other.url);
    const outcome = await page.evaluate(async (url) => {
      const tried = (options: RequestInit) =>
        fetch(`${url}c/main/say`, { method: 'POST', credentials: 'include', ...options }).then(
          () => 'sent',
          () => 'refused',
        );
      const plain = await tried({ mode: 'no-cors', body: 'text=x', headers: { 'content-type': 'text/plain' } });
      const json = await tried({ body: '{}', headers: { 'content-type': 'application/json' } });
      const read = await fetch(`${url}c/main/messages`, { credentials: 'include' }).then(
        () => 'read',
        () => 'refused',
      );
      return { plain, json, read };
    }, site.url);
    expect(outcome).toMatchObject({ json: 'refused', read: 'refused' });
    expect(page.frames()[1]?.url()).not.toBe(site.url);
    expect(site.core.messages).toEqual([]);
  });
});
