import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DaemonProcess, newHome } from '../process/daemon-process.ts';
import { field, hasBrowser, openBrowser, openTab } from './browser.ts';

const say = async (page: Page, text: string) => {
  await field(page).fill(text);
  await page.keyboard.press('Enter');
};

describe.skipIf(!hasBrowser)('the first minute, with the real daemon in Chromium', () => {
  let browser: Browser;
  let home: string;
  let daemon: DaemonProcess;

  beforeAll(async () => {
    browser = await openBrowser();
    home = newHome();
    daemon = new DaemonProcess(home);
  });
  afterAll(async () => {
    await browser.close();
    await daemon.kill();
  });

  it('chats, lists, asks before it deletes; Deny leaves the folder, Once removes it', async () => {
    const build = join(home, 'practice', 'workspace', 'build');
    const { page, complaints } = await openTab(browser);
    await page.goto(await daemon.ready());
    await say(page, 'hello');
    await page
      .getByText(/practice model/i)
      .first()
      .waitFor();

    await say(page, 'run ls');
    await page.locator('.hermod', { hasText: 'README.md' }).first().waitFor();

    await say(page, 'delete the folder build');
    const card = page.locator('.hermod', { has: page.getByRole('button', { name: 'Once', exact: true }) });
    await card.getByRole('button', { name: 'Deny', exact: true }).waitFor();
    expect(await card.textContent()).toMatch(/rm -r -- 'build'.*3 files/s);
    expect(existsSync(build)).toBe(true);
    await card.getByRole('button', { name: 'Deny', exact: true }).click();
    await page
      .getByText(/^Denied by/)
      .first()
      .waitFor();
    expect(existsSync(build)).toBe(true);

    await say(page, 'delete the folder build');
    await page.getByRole('button', { name: 'Once', exact: true }).click();
    await page
      .getByText(/^Allowed once by/)
      .first()
      .waitFor();
    await expect.poll(() => existsSync(build)).toBe(false);
    expect(complaints).toEqual([]);
  });
});
