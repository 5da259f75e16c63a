import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { onTestFinished } from 'vitest';

const CHROMIUM = '/usr/bin/chromium';

/** Whether there is a browser to test with; tests without it are skipped by name. */
export const hasBrowser = existsSync(CHROMIUM);

/** A real headless browser that asks nobody but the page under test. Close it in `afterAll`. */
export async function openBrowser(): Promise<Browser & AsyncDisposable> {
  const home = mkdtempSync(join(tmpdir(), 'hermod-browser-'));
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home },
  });
  browser.on('disconnected', () => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
  return browser;
}

export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about: broken content policy, thrown errors. A test ends by finding this empty. */
  readonly complaints: string[];
}

/** A tab of a fresh profile, closed with the test. Nothing outside loopback can be reached from it. */
export async function openTab(browser: Browser, options: BrowserContextOptions = {}): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...options,
  });
  onTestFinished(() => context.close());
  await context.route(
    (url) => url.hostname !== '127.0.0.1' && url.hostname !== 'localhost',
    (route) => route.abort(),
  );
  return anotherTab(context);
}

/** One more tab of the same profile: same cookies, same locks. */
export async function anotherTab(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (/content security policy|trusted ?types?|refused to|blocked/i.test(message.text()))
      complaints.push(message.text());
  });
  return { page, context, complaints };
}

/** Where one writes, once the page's module runs: before that, Enter only begins a new line. */
export function field(page: Page): Locator {
  return page.locator('html.js').getByLabel('Message to hermod');
}
