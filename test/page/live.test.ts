import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSite } from '../http/site.ts';
import { anotherTab, field, hasBrowser, openBrowser, openTab } from './browser.ts';

const message = (page: Page, text: string) => page.locator('.msg .text', { hasText: text });
const texts = (page: Page) => page.locator('.msg .text').allTextContents();

/** Lets the page's timers come due until it has got somewhere. */
/** In steps shorter than any line stays on the page. */
async function forwardUntil(page: Page, selector: string): Promise<void> {
  await expect
    .poll(
      async () => {
        if ((await page.locator(selector).count()) > 0) return true;
        await page.clock.fastForward(1_000);
        return false;
      },
      { timeout: 20_000, interval: 20 },
    )
    .toBe(true);
}

describe.skipIf(!hasBrowser)('live page in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('survives a restart: says so, loses nothing, doubles nothing', async () => {
    const first = await startSite();
    const port = Number(new URL(first.url).port);
    const { page, complaints } = await openTab(browser);
    await page.clock.install();
    await page.goto(first.http.loginUrl());
    await field(page).waitFor();
    await page.locator('body[data-live]').waitFor({ state: 'attached' });
    const draft = await first.send('Working on', { as: 'draft' });
    await page.getByText('Working on').waitFor();
    await first.http.stop();
    await page.clock.fastForward(3_100);
    await page.getByText('Connection lost. Trying again').waitFor();
    await field(page).fill('said while it is down');
    await page.keyboard.press('Enter');
    await page.getByText('Not sent. hermod does not answer.').waitFor();
    expect(await field(page).inputValue()).toBe('said while it is down');

    await first.send('said by hermod while nobody looks');
    await first.edit(draft, 'Working on it is **done**');
    const second = await startSite({ port }, { boot: 'boot2', store: first.store, core: first.core });
    await forwardUntil(page, 'body[data-live=boot2]');
    await page.getByText('hermod restarted').waitFor();
    await page.locator('strong', { hasText: 'done' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.person', { hasText: 'said while it is down' }).waitFor();
    await second.send('and on');
    await message(page, 'and on').waitFor();
    expect(await texts(page)).toEqual([
      'Working on it is done',
      'said by hermod while nobody looks',
      'said while it is down',
      'and on',
    ]);
    expect(first.core.messages.map(({ text }) => text)).toEqual(['said while it is down']);
    expect(complaints).toEqual([]);
  });

  it('tells a tab that its session has ended', async () => {
    const site = await startSite();
    const { page } = await openTab(browser);
    await page.clock.install();
    await page.goto(site.http.loginUrl());
    await page.locator('body[data-live]').waitFor({ state: 'attached' });
    site.store.pageSessions.removeAll();
    await site.http.stop();
    await startSite({ port: Number(new URL(site.url).port) }, { boot: 'boot2', store: site.store });
    await forwardUntil(page, '#bar:text("signed out here")');
  });

  it('reads one stream for eight tabs, each loaded at once, and passes it on when its reader closes', async () => {
    const site = await startSite();
    const { page, context, complaints } = await openTab(browser);
    await page.goto(site.http.loginUrl());
    await page.locator('body[data-live]').waitFor({ state: 'attached' });
    let streams = 0;
    context.on('request', (request) => {
      if (request.url().includes('/events')) streams++;
    });
    const tabs = [page];
    for (let i = 1; i < 8; i++) {
      const tab = await anotherTab(context);
      await tab.page.goto(site.url);
      await field(tab.page).waitFor();
      tabs.push(tab.page);
    }
    await site.send('to all of you');
    for (const tab of tabs) await message(tab, 'to all of you').waitFor();
    expect(streams).toBe(0);
    await page.close();
    await site.send('to the rest of you');
    for (const tab of tabs.slice(1)) await message(tab, 'to the rest of you').waitFor();
    expect(streams).toBe(1);
    for (const tab of tabs.slice(1)) expect(await texts(tab)).toEqual(['to all of you', 'to the rest of you']);
    expect(complaints).toEqual([]);
  });

  it('leaves alone what has not changed: a reason being typed survives news and a resync', async () => {
    const site = await startSite();
    const deny = [[{ label: 'Deny with reason', data: 'h1:ap:id:nonce:r' }]];
    await site.send('Run this command?', { buttons: deny });
    const { page } = await openTab(browser);
    await page.goto(site.http.loginUrl());
    await page.locator('summary').click();
    await page.getByLabel('Reason').fill('because');
    await page.locator('body[data-live]').waitFor({ state: 'attached' });
    await site.send('news');
    await message(page, 'news').waitFor();
    expect(await page.getByLabel('Reason').inputValue()).toBe('because');
  });
});
