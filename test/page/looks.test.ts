import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Site, startSite } from '../http/site.ts';
import { hasBrowser, openBrowser, openTab } from './browser.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const SIZES = [
  { width: 360, height: 740 },
  { width: 1280, height: 800 },
];
const SCHEMES = ['light', 'dark'] as const;
const CASES = SIZES.flatMap((viewport) => SCHEMES.map((colorScheme) => ({ viewport, colorScheme })));

const BUTTONS = ['Once', '1 h', 'Session', 'Always', 'Deny', 'Deny with reason'].map((label, i) => ({
  label,
  data: `h1:ap:id:nonce:${'otsadr'[i]}`,
}));

/** A conversation with one of everything. */
async function furnish(site: Site): Promise<void> {
  await site.surface.say('main', 'Please clean up, and tell me what you did.', 'client-01');
  await site.send('shell: `du -sh build`', { as: 'progress' });
  await site.send(
    `# Result\n\nA **list**:\n\n- one\n- [x] two\n\n> quoted\n\n| a | b |\n|---|--:|\n| ${'wide '.repeat(30)} | 2 |\n\n\`\`\`sh\n${'echo a very long line '.repeat(12)}\n\`\`\`\n\n${'unbroken'.repeat(40)} [link](https://example.org)`,
  );
  await site.send('Something that is still being written', { as: 'draft' });
  await site.send(
    `Run this command?\n\`\`\`sh\n${"rm -r -- 'build' && ".repeat(20)}true\n\`\`\`\nFlagged: rm: deletes a directory tree`,
    {
      buttons: [BUTTONS.slice(0, 2), BUTTONS.slice(2, 4), BUTTONS.slice(4)],
      files: [{ name: 'command.txt', text: 'rm' }],
    },
  );
}

async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }> };
    };
    const found = await axe.run();
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
  });
}

const sideways = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

/** What can be pressed and is smaller than a fingertip. Links in running text are lines, not targets. */
const small = (page: Page) =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        'button, summary, textarea, input:not([type=hidden]), a:not(.text a):not(.skip)',
      ),
    ]
      .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .map((element) => ({ name: element.textContent?.trim() || element.id, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.height < 44 || box.width < 44)
      .map(({ name, box }) => `${name} ${Math.round(box.width)}x${Math.round(box.height)}`),
  );

describe.skipIf(!hasBrowser)('how the page looks', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it.each(CASES)('is readable, reachable and inside the window: $viewport.width px, $colorScheme', async (look) => {
    const site = await startSite({}, { practice: true });
    await furnish(site);
    const { page, complaints } = await openTab(browser, { ...look, reducedMotion: 'reduce' });
    await page.goto(site.url);
    expect([await violations(page), await sideways(page), await small(page)]).toEqual([[], 0, []]);
    await page.goto(site.http.loginUrl());
    await page.locator('.card.open').waitFor();
    expect([await violations(page), await sideways(page), await small(page)]).toEqual([[], 0, []]);
    await page.locator('.choices summary').click();
    expect([await sideways(page), await small(page)]).toEqual([0, []]);
    expect(complaints).toEqual([]);
  });

  it('keeps the buttons of the largest card within reach at 360 px', async () => {
    const site = await startSite();
    const card = `Run this command?\n\`\`\`sh\n${'echo line\n'.repeat(200)}\`\`\`\nFlagged: echo`;
    const id = await site.send(card, { buttons: [BUTTONS] });
    const { page } = await openTab(browser, { viewport: { width: 360, height: 640 } });
    await page.goto(site.http.loginUrl());
    const once = page.locator(`#m${id}`).getByRole('button', { name: 'Once' });
    await once.waitFor();
    expect(
      await once.evaluate((button) => {
        const box = button.getBoundingClientRect();
        return box.top >= 0 && box.bottom <= window.innerHeight;
      }),
    ).toBe(true);
  });

  it('opens and closes the list of conversations on a narrow screen', async () => {
    const site = await startSite();
    await site.surface.say('main', 'First topic', 'client-01');
    const { page } = await openTab(browser, { viewport: { width: 360, height: 740 } });
    await page.goto(site.http.loginUrl());
    const link = page.locator('#side').getByRole('link', { name: 'First topic' });
    expect(await link.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Conversations' }).click();
    await link.waitFor();
    expect(await small(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await link.waitFor({ state: 'hidden' });
  });

  it('is usable at 200 % zoom', async () => {
    const site = await startSite({}, { practice: true });
    await furnish(site);
    const { page } = await openTab(browser, { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
    await page.goto(site.http.loginUrl());
    const once = page.getByRole('button', { name: 'Once' });
    await once.click();
    await page.getByText('Allowed once.').waitFor();
    expect(await sideways(page)).toBe(0);
  });

  it('stays within its budget', () => {
    const size = (name: string) =>
      readFileSync(new URL(`../../src/http/page/static/${name}`, import.meta.url)).byteLength;
    expect(size('page.css')).toBeLessThanOrEqual(20_000);
    expect(size('page.js')).toBeLessThanOrEqual(40_000);
  });
});
