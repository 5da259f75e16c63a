import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Site, startSite } from '../http/site.ts';
import { anotherTab, field, hasBrowser, openBrowser, openTab, type Tab } from './browser.ts';

const BUTTONS = [
  [
    { label: 'Once', data: 'h1:ap:id:nonce:o', style: 'success' as const },
    { label: 'Session', data: 'h1:ap:id:nonce:s' },
  ],
  [
    { label: 'Deny', data: 'h1:ap:id:nonce:d', style: 'danger' as const },
    { label: 'Deny with reason', data: 'h1:ap:id:nonce:r', style: 'danger' as const },
  ],
];
const CARD = "Run this command?\n```sh\nrm -r -- 'build'\n```\nFlagged: rm: deletes a directory tree (fs.delete)";

async function enter(browser: Browser, site: Site, options: Parameters<typeof openTab>[1] = {}): Promise<Tab> {
  const tab = await openTab(browser, options);
  await tab.page.goto(site.http.loginUrl());
  await field(tab.page).waitFor();
  return tab;
}

/** Once the page has heard of it: after this, what is sent arrives by the stream. */
async function listening(page: Page): Promise<void> {
  await page.locator('body[data-live]').waitFor({ state: 'attached' });
}

describe.skipIf(!hasBrowser)('chat page in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('signs in by the one-time address, says something and reads the answer', async () => {
    const site = await startSite();
    site.core.onMessage = (message) => void site.send(`You said **${message.text}**`);
    const { page, complaints } = await enter(browser, site);
    expect(page.url()).toBe(site.url);
    await field(page).fill('hello');
    await page.keyboard.press('Enter');
    await page.locator('.hermod strong', { hasText: 'hello' }).waitFor();
    expect(site.core.messages.map(({ text, by }) => [text, `${by.platform}:${by.id}`])).toEqual([
      ['hello', 'web:operator'],
    ]);
    expect(await page.locator('.person').count()).toBe(1);
    expect(await field(page).inputValue()).toBe('');
    expect(await page.locator('#said').textContent()).toBe('hermod answered: You said hello');
    expect(complaints).toEqual([]);
  });

  it('says why a used address does not work, and takes a pasted one', async () => {
    const site = await startSite();
    const used = site.http.loginUrl();
    const first = await openTab(browser);
    await first.page.goto(used);
    await field(first.page).waitFor();
    const { page } = await openTab(browser);
    await page.goto(used);
    await page.getByText('This link was used or is too old. Run hermod open for a new one.').waitFor();
    expect(page.url()).toBe(site.url);
    await page.getByLabel('Address or code').fill(site.http.loginUrl());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await field(page).waitFor();
  });

  it('takes a fresh address that is opened in the same tab', async () => {
    const site = await startSite();
    const { page } = await openTab(browser);
    await page.goto(`${site.url}#t=long-gone`);
    await page.getByText('Run hermod open for a new one.').waitFor();
    await page.goto(site.http.loginUrl());
    await field(page).waitFor();
    expect(page.url()).toBe(site.url);
  });

  it('draws a card with exactly the offered buttons, posts the press, and settles it', async () => {
    const site = await startSite();
    const { page, complaints } = await enter(browser, site);
    await listening(page);
    const id = await site.send(CARD, { buttons: BUTTONS });
    const card = page.locator(`#m${id}`);
    await card.getByRole('button', { name: 'Once' }).waitFor();
    expect(await card.locator('.row button').allTextContents()).toEqual(['Once', 'Session', 'Deny']);
    expect(await page.locator('#said').textContent()).toMatch(/^hermod asks: Run this command\? rm -r/);
    expect(await page.evaluate('document.activeElement.id')).toBe('text');
    site.core.onPress = () => {
      void site.edit(id, `**Allowed once by you, 14:03**\n${CARD}`);
      return 'Allowed once.';
    };
    await card.getByRole('button', { name: 'Once' }).click();
    await page.locator('.card.settled', { hasText: 'Allowed once by you' }).waitFor();
    expect(await card.getByRole('button', { name: /Once|Session|Deny/ }).count()).toBe(0);
    expect(site.core.presses).toEqual([expect.objectContaining({ data: 'h1:ap:id:nonce:o', messageId: id })]);
    expect(complaints).toEqual([]);
  });

  it('tells the presser what came of it and leaves the card as it is', async () => {
    const site = await startSite();
    site.core.onPress = () => 'Only Ann or an approver can answer this.';
    const id = await site.send(CARD, { buttons: BUTTONS });
    const { page } = await enter(browser, site);
    const card = page.locator(`#m${id}`);
    await card.getByRole('button', { name: 'Session' }).click();
    await card.getByText('Only Ann or an approver can answer this.').waitFor();
    expect(await card.getByRole('button', { name: 'Session' }).isEnabled()).toBe(true);
  });

  it('denies with a reason', async () => {
    const site = await startSite();
    const id = await site.send(CARD, { buttons: BUTTONS });
    const { page } = await enter(browser, site);
    const card = page.locator(`#m${id}`);
    await card.getByText('Deny with reason').first().click();
    await card.getByLabel('Reason').fill('not on a Friday');
    await page.keyboard.press('Enter');
    await card.getByText('Allowed once.').waitFor();
    expect(site.core.presses).toEqual([
      expect.objectContaining({ data: 'h1:ap:id:nonce:r', text: 'not on a Friday', messageId: id }),
    ]);
  });

  it('lets an answer grow as text and draws it when it is done', async () => {
    const site = await startSite();
    const { page } = await enter(browser, site);
    await listening(page);
    await site.adapter.typing?.({ platform: 'web', bot: 'page', chat: 'main' });
    await page.locator('#typing').waitFor();
    const id = await site.send('It is **bo', { as: 'draft' });
    const message = page.locator(`#m${id}`);
    await message.getByText('It is **bo').waitFor();
    expect(await message.getAttribute('aria-busy')).toBe('true');
    expect(await page.locator('#said').textContent()).toBe('');
    await page.locator('#stop').waitFor();
    await site.edit(id, 'It is **bold** now', { as: 'draft' });
    await message.getByText('It is **bold** now').waitFor();
    await site.edit(id, 'It is **bold** now.');
    await message.locator('strong', { hasText: 'bold' }).waitFor();
    expect(await message.getAttribute('aria-busy')).toBeNull();
    expect(await page.locator('#said').textContent()).toBe('hermod answered: It is bold now.');
    await page.locator('#stop').waitFor({ state: 'hidden' });
    await page.locator('#typing').waitFor({ state: 'hidden' });
  });

  it('stops with the stop button and keeps what was being written', async () => {
    const site = await startSite();
    const { page } = await enter(browser, site);
    await listening(page);
    await field(page).fill('and then');
    await site.send('Counting: one, two', { as: 'draft' });
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.person', { hasText: '/stop' }).waitFor();
    expect(site.core.messages[0]?.command).toEqual({ name: 'stop', args: '' });
    expect(await field(page).inputValue()).toBe('and then');
  });

  it('shows an answer full of tricks and is not tricked', async () => {
    const site = await startSite();
    const tricks = [
      '<script>window.tricked = 1</script>',
      '<img src=x onerror="window.tricked = 2">',
      '[link](javascript:window.tricked=3)',
      '![pixel](https://evil.example/pixel.png?secret=1)',
      '<iframe src="https://evil.example"></iframe>',
      '[fine](https://example.org/)',
    ];
    const { page, context, complaints } = await enter(browser, site);
    const asked: string[] = [];
    context.on('request', (request) => asked.push(new URL(request.url()).host));
    await listening(page);
    const id = await site.send(tricks.join('\n\n'));
    const message = page.locator(`#m${id}`);
    await message.getByText('<script>window.tricked = 1</script>').waitFor();
    await page.reload();
    await message.getByText('<script>window.tricked = 1</script>').waitFor();
    expect(await page.evaluate('window.tricked')).toBeUndefined();
    expect(await message.locator('script, img, iframe').count()).toBe(0);
    const links = await message
      .locator('.text a')
      .evaluateAll((all) => all.map((link) => [link.getAttribute('href'), link.getAttribute('rel')]));
    expect(links).toEqual([
      ['https://evil.example/pixel.png?secret=1', 'noopener noreferrer'],
      ['https://example.org/', 'noopener noreferrer'],
    ]);
    expect(asked.filter((host) => host !== new URL(site.url).host)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('would say so if something broke the content policy', async () => {
    const { page, complaints } = await enter(browser, await startSite());
    await page.evaluate('try { document.body.insertAdjacentHTML("beforeend", "<b>raw</b>") } catch {}');
    expect(complaints.length).toBeGreaterThan(0);
  });

  it('works by keyboard: skip link, Shift+Enter, Enter, and no sending during composition', async () => {
    const site = await startSite();
    const { page } = await enter(browser, site);
    expect(await page.evaluate('document.querySelector("a, button, input, textarea, [tabindex]").className')).toBe(
      'skip',
    );
    await page.getByRole('link', { name: 'Skip to the message field' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('text');
    await page.keyboard.type('one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    await field(page).dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true });
    expect(site.core.messages).toEqual([]);
    await page.keyboard.press('Enter');
    await page.locator('.person', { hasText: 'one' }).waitFor();
    expect(site.core.messages.map(({ text }) => text)).toEqual(['one\ntwo']);
  });

  it('follows new text only for who is at the end, and offers the way there', async () => {
    const site = await startSite();
    for (let i = 0; i < 30; i++) await site.send(`Line ${i} of a long conversation.`);
    const { page } = await enter(browser, site);
    await listening(page);
    const log = 'document.getElementById("log")';
    const fromEnd = () => page.evaluate(`${log}.scrollHeight - ${log}.scrollTop - ${log}.clientHeight`);
    expect(await fromEnd()).toBeLessThan(2);
    await site.send('followed');
    await page.locator('.text', { hasText: /^followed/ }).waitFor();
    expect(await fromEnd()).toBeLessThan(2);
    await page.evaluate(`${log}.scrollTo(0, 0)`);
    await site.send('not followed');
    await page.locator('.text', { hasText: /^not followed/ }).waitFor({ state: 'attached' });
    expect(await page.evaluate(`${log}.scrollTop`)).toBe(0);
    await page.getByRole('button', { name: 'New messages' }).click();
    expect(await fromEnd()).toBeLessThan(2);
  });

  it('goes back through a long conversation without losing the place', async () => {
    const site = await startSite();
    for (let i = 1; i <= 70; i++) await site.send(`Line ${i}.`);
    const { page } = await enter(browser, site);
    expect(await page.locator('.msg').count()).toBe(50);
    await page.getByRole('link', { name: 'Earlier messages' }).click();
    await page.getByText('Line 1.', { exact: true }).waitFor({ state: 'attached' });
    const ids = await page.locator('.msg').evaluateAll((all) => all.map(({ id }) => Number(id.slice(1))));
    expect(ids).toEqual(Array.from({ length: 70 }, (_, i) => i + 1));
    expect(await page.getByRole('link', { name: 'Earlier messages' }).count()).toBe(0);
  });

  it('keeps conversations apart', async () => {
    const site = await startSite();
    await site.surface.say('other', 'Another topic', 'client-01');
    await site.surface.say('main', 'First topic', 'client-02');
    const { page } = await enter(browser, site);
    await listening(page);
    await site.adapter.send(
      { platform: 'web', bot: 'page', chat: 'other' },
      { text: 'elsewhere' },
      { key: 'k', signal: new AbortController().signal },
    );
    await page.locator('#side a.unread', { hasText: 'Another topic' }).waitFor();
    expect(await page.getByText('elsewhere').count()).toBe(0);
    await page.getByRole('link', { name: 'Another topic' }).click();
    await page.getByText('elsewhere').waitFor();
    await page.getByRole('link', { name: 'New chat' }).click();
    await page.getByText('What can I do for you?').waitFor();
    await field(page).fill('Third topic');
    await page.keyboard.press('Enter');
    await page.locator('.person', { hasText: 'Third topic' }).waitFor();
    const places = new Set(site.core.messages.map(({ address }) => address.chat));
    expect(places.size).toBe(3);
  });

  it('signs out', async () => {
    const site = await startSite();
    const { page } = await enter(browser, site);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(`${site.url}c/main`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('has phrases to try in practice', async () => {
    const site = await startSite({}, { practice: true });
    const { page } = await enter(browser, site);
    await page.getByRole('button', { name: 'Delete the build folder' }).click();
    await page.locator('.person', { hasText: 'Delete the build folder' }).waitFor();
    await page.getByRole('button', { name: 'Restart hermod now' }).click();
    await page.locator('.person', { hasText: '/restart now' }).waitFor();
    expect(site.core.messages.map(({ command }) => command?.name)).toEqual([undefined, 'restart']);
  });

  it('lives below a base path', async () => {
    const site = await startSite({ base_path: '/tools/hermod' });
    const { page, complaints } = await enter(browser, site);
    await listening(page);
    const id = await site.send(CARD, { buttons: BUTTONS });
    await page.locator(`#m${id}`).getByRole('button', { name: 'Session' }).click();
    await page.getByText('Allowed once.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect([page.url(), complaints]).toEqual([site.url, []]);
  });

  it('carries on in a second tab of the same browser', async () => {
    const site = await startSite();
    const first = await enter(browser, site);
    await listening(first.page);
    const second = await anotherTab(first.context);
    await second.page.goto(site.url);
    await field(second.page).fill('from the second');
    await second.page.keyboard.press('Enter');
    await first.page.locator('.person', { hasText: 'from the second' }).waitFor();
    expect(await second.page.locator('.person').count()).toBe(1);
  });
});

describe.skipIf(!hasBrowser)('chat page without JavaScript', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('signs in, reads, says, decides, gives a reason, stops, goes back in history and signs out', async () => {
    const site = await startSite({}, { practice: true });
    for (let i = 1; i <= 55; i++) await site.send(`Line ${i}.`);
    const id = await site.send(CARD, { buttons: BUTTONS });
    const { page, complaints } = await openTab(browser, { javaScriptEnabled: false });
    await page.goto(site.url);
    await page.getByLabel('Address or code').fill(site.http.loginUrl());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator(`#m${id}`).waitFor();
    await page.getByLabel('Message to hermod').fill('hello');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.person', { hasText: 'hello' }).waitFor();
    expect(page.url()).toMatch(/\/c\/main#m\d+$/);

    await page.locator(`#m${id}`).getByRole('button', { name: 'Once' }).click();
    await page.getByText('Allowed once.').waitFor();
    await page.locator(`#m${id} summary`).click();
    await page.getByLabel('Reason').fill('not now');
    await page.locator(`#m${id} details button`).click();
    await page.locator('.note', { hasText: 'Allowed once.' }).waitFor();
    expect(site.core.presses.map(({ data }) => data.at(-1))).toEqual(['o', 'r']);

    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.person', { hasText: '/stop' }).waitFor();
    await page.getByRole('button', { name: 'List the files' }).click();
    await page.locator('.person', { hasText: 'List the files' }).waitFor();
    await page.getByRole('link', { name: 'Earlier messages' }).click();
    await page.getByText('Line 1.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(site.core.messages.map(({ text }) => text)).toEqual(['hello', '/stop', 'List the files']);
    expect(complaints).toEqual([]);
  });
});
