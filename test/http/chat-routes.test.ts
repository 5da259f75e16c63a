import { describe, expect, it } from 'vitest';
import { SmallCore, signIn, startSite } from './site.ts';

const BUTTONS = [
  [
    { label: 'Once', data: 'h1:ap:id:nonce:o', style: 'success' as const },
    { label: 'Deny', data: 'h1:ap:id:nonce:d', style: 'danger' as const },
  ],
  [{ label: 'Deny with reason', data: 'h1:ap:id:nonce:r' }],
];

describe('the chat as forms', () => {
  it('says something and comes back to it', async () => {
    const site = await startSite();
    const { post, get } = await signIn(site);
    const answer = await post('/c/main/say', { id: 'abcdefgh', text: 'a\r\nb' }, { accept: 'text/html' });
    expect([answer.status, answer.headers.location]).toEqual([303, '/c/main#m1']);
    expect(site.core.messages.map(({ text }) => text)).toEqual(['a\nb']);
    expect((await get('/c/main')).body).toContain('a\nb');
  });

  it('posted twice is said once', async () => {
    const site = await startSite();
    const { post } = await signIn(site);
    await Promise.all([1, 2, 3].map(() => post('/c/main/say', { id: 'abcdefgh', text: 'hello' })));
    expect(site.core.messages).toHaveLength(1);
    expect(site.surface.history('main').messages).toHaveLength(1);
  });

  it('draws exactly the offered buttons and posts what was pressed', async () => {
    const site = await startSite();
    const { post, get } = await signIn(site);
    const id = await site.send('Run this?', { buttons: BUTTONS });
    const { body } = await get('/c/main');
    expect([...body.matchAll(/name="data" value="([^"]+)"/g)].map(([, data]) => data)).toEqual([
      'h1:ap:id:nonce:o',
      'h1:ap:id:nonce:d',
      'h1:ap:id:nonce:r',
    ]);
    const pressed = await post(
      '/c/main/press',
      { id: 'press-01', message: id, data: 'h1:ap:id:nonce:o' },
      { accept: 'text/html' },
    );
    expect([pressed.status, pressed.headers.location]).toEqual([303, `/c/main#m${id}`]);
    expect(site.core.presses).toEqual([expect.objectContaining({ data: 'h1:ap:id:nonce:o', messageId: id })]);
    expect((await get('/c/main')).body).toContain('role="status">Allowed once.</p>');
  });

  it('tells a press its answer, and only the one who pressed', async () => {
    const site = await startSite();
    const [mine, other] = [await signIn(site), await signIn(site)];
    const id = await site.send('Run this?', { buttons: BUTTONS });
    site.core.onPress = () => 'Already decided by Ann: denied.';
    const answer = await mine.post('/c/main/press', {
      id: 'press-01',
      message: id,
      data: 'h1:ap:id:nonce:r',
      text: 'no',
    });
    expect(JSON.parse(answer.body)).toEqual({ note: 'Already decided by Ann: denied.' });
    await mine.post(
      '/c/main/press',
      { id: 'press-02', message: id, data: 'h1:ap:id:nonce:d' },
      { accept: 'text/html' },
    );
    expect((await mine.get('/c/main')).body).toContain('Already decided by Ann');
    expect((await other.get('/c/main')).body).not.toContain('Already decided by Ann');
  });

  it('keeps what core cannot take and says so', async () => {
    const core = new SmallCore();
    core.onMessage = () => Promise.reject(new Error('locked'));
    const site = await startSite({}, { core });
    const { post } = await signIn(site);
    const answer = JSON.parse((await post('/c/main/say', { id: 'abcdefgh', text: 'hello' })).body);
    expect(answer.note).toBe('hermod could not take this in yet; it is kept and tried again.');
    core.onMessage = () => {};
    await site.clock.skip(1_000);
    expect(core.messages.map(({ text }) => text)).toEqual(['hello']);
  });

  it('gives a message, a command file and earlier pages only to who is signed in', async () => {
    const site = await startSite();
    const { get } = await signIn(site);
    const id = await site.send('see', { files: [{ name: 'größe "1".txt', text: 'rm -rf build' }] });
    const file = await get(`/c/main/files/${id}/0`);
    expect([file.status, file.body, file.headers['content-type']]).toEqual([
      200,
      'rm -rf build',
      'application/octet-stream',
    ]);
    expect(file.headers['content-disposition']).toBe(
      `attachment; filename="gr__e__1_.txt"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%221%22.txt`,
    );
    expect((await get(`/c/main/files/${id}/1`)).status).toBe(404);
    expect((await get('/c/main/files/x/y')).status).toBe(404);
  });

  it('pages history and says whether there is more', async () => {
    const site = await startSite();
    const { get } = await signIn(site);
    for (let i = 1; i <= 60; i++) await site.send(`n${i}.`);
    const last = JSON.parse((await get('/c/main/messages')).body);
    expect([last.messages.length, last.more, last.position]).toEqual([50, true, 'boot1.60']);
    const before = JSON.parse((await get(`/c/main/messages?before=${last.messages[0].id}`)).body);
    expect([before.messages.length, before.more]).toEqual([10, false]);
    expect((await get('/c/main?before=11')).body).toContain('n10.');
  });

  it('opens where the last word was, and lists all conversations by what was first said there', async () => {
    const site = await startSite();
    const { get, post } = await signIn(site);
    await post('/c/one/say', { id: 'abcdefgh', text: 'First <b>thing</b>' });
    site.clock.jump(1);
    await post('/c/two/say', { id: 'abcdefgh', text: '/help' });
    await post('/c/two/say', { id: 'abcdefgi', text: 'Second thing' });
    const { body } = await get('/');
    expect(body).toContain('data-conversation="two"');
    expect([...body.matchAll(/<a href="(\/c\/(?:one|two))"/g)].map(([, path]) => path)).toEqual(['/c/two', '/c/one']);
    expect(body).toContain('First &lt;b&gt;thing&lt;/b&gt;');
    expect(body).toContain('<h1>Second thing</h1>');
  });

  it('offers what to try, and a restart, only in practice', async () => {
    const practice = await startSite({}, { practice: true });
    const visitor = await signIn(practice);
    const { body } = await visitor.get('/');
    expect(body).toContain('Practice mode');
    expect(body).toContain('value="Delete the build folder"');
    await visitor.post('/c/main/say', { id: 'abcdefgh', text: '', phrase: '/restart now' });
    expect(practice.core.messages[0]?.command).toEqual({ name: 'restart', args: 'now' });
    expect((await (await signIn(await startSite())).get('/')).body).not.toContain('Practice mode');
  });

  it('lets whoever may operate hermod have a new address', async () => {
    const { url, ...site } = await startSite({}, { token: 'x'.repeat(32) });
    const answer = await fetch(`${url}api/v1/logins`, {
      method: 'POST',
      headers: { authorization: `Bearer ${'x'.repeat(32)}`, 'content-type': 'application/json' },
      body: '{}',
    });
    const fresh = (await answer.json()) as { url: string };
    expect(fresh.url.startsWith(`${url}#t=`)).toBe(true);
    expect((await signIn({ url, http: { ...site.http, loginUrl: () => fresh.url } })).cookie).not.toBe('');
    expect((await fetch(`${url}api/v1/logins`, { method: 'POST', body: '{}' })).status).toBe(403);
  });
});
