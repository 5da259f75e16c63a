import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSite } from '../http/site.ts';
import { hasBrowser, openBrowser, openTab } from './browser.ts';

describe.skipIf(!hasBrowser)('chat page in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('signs in by the one-time address, says something and reads the answer', async () => {
    const site = await startSite();
    site.core.onMessage = (message) => void site.send(`You said **${message.text}**`);
    const { page, complaints } = await openTab(browser);
    await page.goto(site.http.loginUrl());
    await page.getByLabel('Message to hermod').fill('hello');
    await page.keyboard.press('Enter');
    await page.locator('.hermod strong', { hasText: 'hello' }).waitFor();
    expect(page.url()).toBe(site.url);
    expect(site.core.messages.map(({ text, by }) => [text, `${by.platform}:${by.id}`])).toEqual([
      ['hello', 'web:operator'],
    ]);
    expect(await page.locator('.person').count()).toBe(1);
    expect(complaints).toEqual([]);
  });
});
