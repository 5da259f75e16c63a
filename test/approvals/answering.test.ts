import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Actor, ButtonPress, FormAnswer } from '../../src/contract/message.ts';
import { ANN, ApprovalWorld, BOB, EVE } from '../fakes/approval-world.ts';
import { chatAddress, person } from '../fakes/runs.ts';

const asked = async (options: ConstructorParameters<typeof ApprovalWorld>[0] = {}, command = 'rm -rf build') => {
  const world = new ApprovalWorld(options);
  const made = world.asks(command);
  await world.deliver();
  return { world, ...made, row: world.pending[0]! };
};
const untouched = (world: ApprovalWorld) => world.pending.map(({ state }) => state);

describe('a press', () => {
  it('by the first of two people counts, the other reads who was faster: a thousand times', async () => {
    const world = new ApprovalWorld({ config: { approvers: ['telegram:bob'], denial_breaker_threshold: 0 } });
    for (let i = 0; i < 1000; i++) {
      const { passage } = world.asks(`rm -rf b${i}`, { chat: `c${i}` });
      await world.deliver();
      const [row] = world.pending;
      const at = { address: chatAddress(`c${i}`) };
      const presses = [() => world.press(row!, 'Once', ANN, at), () => world.press(row!, 'Deny', BOB, at)];
      const order = i % 2 ? [...presses].reverse() : presses;
      const said = (await Promise.all(order.map(async (press) => press()))).sort();
      const yes = i % 2 === 0;
      expect(said).toEqual(
        yes
          ? ['Allowed once.', 'Already decided by Ann: allowed once.']
          : ['Already decided by Bob: denied.', 'Denied.'],
      );
      expect((await passage).kind).toBe(yes ? 'pass' : 'refused');
    }
    expect(world.events('begun')).toHaveLength(500);
    expect(world.store.audit.verify().ok).toBe(true);
  }, 60_000);

  it('settles its own card: the first stays pending when the second is pressed (gateway 25)', async () => {
    const world = new ApprovalWorld();
    const first = world.asks('rm -rf a');
    const second = world.asks('rm -rf b');
    await world.deliver();
    const [a, b] = world.pending;
    world.press(b!, 'Once');
    expect((await second.passage).kind).toBe('pass');
    expect(world.pending.map(({ id }) => id)).toEqual([a!.id]);
    expect(world.commands('approve', '', first.session)).toBe('Allowed once.');
    expect((await first.passage).kind).toBe('pass');
  });

  const strangers: readonly [string, Actor][] = [
    ['a stranger', EVE],
    ['a member who did not ask', person('carl')],
    ['a bot', { ...ANN, bot: true }],
    ['an anonymous admin', { ...ANN, standIn: true }],
    ['somebody with a role of another server', person('dora')],
    ['the same name with another id', { ...person('zed'), name: 'Ann' }],
    ['the same id on another platform', { ...ANN, platform: 'discord' }],
  ];
  it.each(strangers)('by %s is refused by button, form, command, reply and word (gateway 25)', async (who, by) => {
    const { world, row, session } = await asked();
    const sent = world.store.approvals.cards(row.id)[0]!.sent[0]!;
    const data = world.buttons(row.id)[0]!.data;
    const unknown = ['a stranger', 'a bot', 'an anonymous admin'].includes(who);
    const only = unknown ? 'You cannot answer this; nothing changed.' : 'Only Ann or an approver can answer this.';
    expect(world.broker.press(world.event({ by, data }) as ButtonPress).text).toBe(only);
    expect(world.broker.press(world.event({ by, data: data.replace(/o$/, 'r'), text: 'no' }) as FormAnswer).text).toBe(
      only,
    );
    expect(world.commands('approve', row.code, session, by)).toBe(only);
    expect(world.commands('deny', '', session, by)).toBe(only);
    expect(world.says('yes', session, { by })).toBe(false);
    expect(world.says('no, never', session, { by, replyTo: { messageId: sent.messageId, quoted: '' } })).toBe(false);
    expect(untouched(world)).toEqual(['pending']);
    expect(world.events('press-refused').map(({ body }) => body['reason'])).toEqual(Array(4).fill('not-yours'));
    world.broker.stop();
  });

  it('in another chat, with another nonce, of another message or for what was not offered changes nothing', async () => {
    const { world, row } = await asked({}, 'rm -rf a && rm -rf b');
    const [id, nonce] = [row.id, world.store.approvals.cards(row.id)[0]!.nonce];
    const misfit = 'This button does not fit this request; nothing changed.';
    const unknown = 'I do not know this request; nothing changed.';
    const press = (data: string, more: object = {}) =>
      world.broker.press(world.event({ by: ANN, data, ...more }) as ButtonPress).text;
    expect(press(`h1:ap:${id}:${nonce}:o`, { address: chatAddress('c2') })).toBe(misfit);
    expect(press(`h1:ap:${id}:${nonce}:o`, { messageId: 'm999' })).toBe(misfit);
    expect(press(`h1:ap:${id}:aaaaaa:o`)).toBe(misfit);
    for (const letter of ['t', 's', 'a', 'j', '0', 'x']) expect(press(`h1:ap:${id}:${nonce}:${letter}`)).toBe(misfit);
    expect(press(`h1:qu:${id}:${nonce}:o`)).toBe(misfit);
    for (const data of [
      `h2:ap:${id}:${nonce}:o`,
      `h1:jo:${id}:${nonce}:o`,
      'h1:ap',
      '',
      `h1:ap:${'z'.repeat(26)}:${nonce}:o`,
    ]) {
      expect(press(data)).toBe(unknown);
    }
    expect(untouched(world)).toEqual(['pending']);
    expect(world.events('press-refused')).toHaveLength(10);
    expect(press(`h1:ap:${id}:${nonce}:o`, { messageId: 'm1' })).toBe('Allowed once.');
  });

  it('of a message nobody told us of counts where a sending of the card was cut off, and tells the state once it is over', async () => {
    const { world, row } = await asked();
    const { nonce, outboxKey } = world.store.approvals.cards(row.id)[0]!;
    const press = () =>
      world.broker.press(world.event({ by: ANN, data: `h1:ap:${row.id}:${nonce}:o`, messageId: 'm999' }) as ButtonPress)
        .text;
    expect(press()).toMatch(/does not fit/);
    world.store.db.prepare('UPDATE outbox SET attempts = 2 WHERE key = ?').run(outboxKey);
    expect(press()).toBe('Allowed once.');
    expect(press()).toMatch(/^Already decided by Ann/);
  });

  it('counts at 1,799 s and not at 1,800 s', async () => {
    const early = await asked();
    early.world.clock.jump(1_799_000);
    expect(early.world.press(early.row, 'Once')).toBe('Allowed once.');
    const late = await asked();
    late.world.clock.jump(1_800_000);
    expect(late.world.press(late.row, 'Once')).toBe(
      'This expired at 12:30; nothing was run. Ask again if you still want it.',
    );
    expect(await late.passage).toMatchObject({ kind: 'refused', by: 'timeout' });
    await late.world.deliver();
    expect(late.world.shown(late.row.id).text).toMatch(/^Expired 12:30\. Not run\./);
  });

  it('of a form denies with its words', async () => {
    const { world, row, passage } = await asked({ limits: { forms: true } });
    const data = world.buttons(row.id).find(({ label }) => label === 'Deny with reason')!.data;
    expect(data.endsWith(':r')).toBe(true);
    expect(world.broker.press(world.event({ by: ANN, data, text: ` ${'x'.repeat(600)} ` }) as FormAnswer).text).toBe(
      'Denied.',
    );
    expect(((await passage) as { text: string }).text).toContain(`<reason>${'x'.repeat(500)}</reason>`);
    await world.deliver();
    expect(world.shown(row.id).text).toMatch(/^Denied by Ann, 12:00: x+\n/);
  });

  it('of a button of a request whose row is gone is unknown', () => {
    const world = new ApprovalWorld();
    const data = `h1:ap:${'a'.repeat(26)}:bbbbbb:o`;
    expect(world.broker.press(world.event({ by: ANN, data }) as ButtonPress).text).toBe(
      'I do not know this request; nothing changed.',
    );
  });
});

describe('/approve and /deny', () => {
  it('bare with several settle nothing and list the codes', async () => {
    const world = new ApprovalWorld();
    const { session } = world.asks('rm -rf a');
    void world.asks('git push --force');
    await world.deliver();
    const [a, b] = world.pending;
    expect(world.commands('approve', '', session)).toBe(
      [
        `2 requests wait here. Write /approve and the code:`,
        `${a!.code}: fs.delete, until 12:30`,
        `${b!.code}: git.force, until 12:30`,
      ].join('\n'),
    );
    expect(world.commands('deny', 'too broad', session)).toMatch(/^2 requests wait here/);
    expect(world.pending).toHaveLength(2);
    expect(world.commands('approve', `session ${b!.code}`, session)).toBe('Allowed for this session.');
    expect(world.commands('deny', `${a!.code} too broad`, session)).toBe('Denied.');
    expect(world.store.approvals.get(a!.id)?.reason).toBe('too broad');
    expect(world.commands('approve', a!.id, session)).toBe('Already decided by Ann: denied.');
    expect(world.commands('approve', '', session)).toBe('Nothing is waiting for an answer here.');
  });

  it('all: Once for those whose card was delivered here', async () => {
    const world = new ApprovalWorld();
    const { session, passage } = world.asks('rm -rf a');
    await world.deliver();
    const second = world.asks('rm -rf b');
    await world.clock.skip(0);
    const [a, b] = world.pending;
    expect(world.commands('approve', 'all always', session)).toBe(`${a!.code}: Allowed once.`);
    expect((await passage).kind).toBe('pass');
    expect(world.commands('deny', 'all', session)).toBe('Nothing is waiting for an answer here.');
    await world.deliver();
    expect(world.commands('deny', 'all enough', session)).toBe(`${b!.code}: Denied.`);
    expect((await second.passage).kind).toBe('refused');
  });

  it('take a length of their own, and only where a timed yes was offered', async () => {
    const { world, session, row } = await asked();
    expect(world.commands('approve', '13h', session)).toBe('A timed yes lasts from 1 min to 12 h.');
    expect(world.commands('approve', '30m', session)).toBe('Allowed for 30 min.');
    expect(world.store.grants.list(0)[0]).toMatchObject({ kind: 'timed', expiresAt: world.clock.now() + 1_800_000 });
    await world.deliver();
    expect(world.shown(row.id).text).toMatch(/^Allowed for 30 min by Ann, 12:00\n/);
    const several = await asked({}, 'rm -rf a && rm -rf b');
    expect(several.world.commands('approve', 'always', several.session)).toMatch(/does not fit this request/);
    expect(several.world.pending).toHaveLength(1);
  });

  it('work twice in one turn, and with a code from where the card went', async () => {
    const config = { card_to: 'both', approvers: ['telegram:bob'] } as const;
    const { world, row, passage } = await asked({ config, broker: { directOf: () => chatAddress('bobs') } });
    expect(world.commands('approve', row.code, undefined, BOB, 'elsewhere')).toBe(
      'I do not know this request; nothing changed.',
    );
    expect(world.commands('approve', row.code, undefined, BOB, 'bobs')).toBe('Allowed once.');
    expect((await passage).kind).toBe('pass');
    await world.deliver();
    for (const n of [0, 1]) expect(world.shown(row.id, n).text).toMatch(/^Allowed once by Bob/);
    const again = world.asks('rm -rf second');
    await world.deliver();
    expect(world.commands('approve', '', again.session)).toBe('Allowed once.');
  });
});

describe('card_to', () => {
  const config = { approvers: ['telegram:bob', 'telegram:nochat'] };
  const directOf = (actor: string) => (actor === 'telegram:bob' ? chatAddress('bobs') : undefined);
  it.each([
    ['origin', ['c1']],
    ['both', ['c1', 'bobs']],
    ['direct', ['bobs']],
  ] as const)('%s', async (card_to, chats) => {
    const { world, row } = await asked({ config: { ...config, card_to }, broker: { directOf } });
    expect(world.store.approvals.cards(row.id).map(({ address }) => address.chat)).toEqual(chats);
    const nonces = world.store.approvals.cards(row.id).map(({ nonce }) => nonce);
    expect(new Set(nonces).size).toBe(chats.length);
  });
  it('direct with nobody to reach goes to the origin', async () => {
    const { world, row } = await asked({ config: { ...config, card_to: 'direct' } });
    expect(world.store.approvals.cards(row.id).map(({ address }) => address.chat)).toEqual(['c1']);
  });
});

describe('plain words', () => {
  it('answer the only request, once its card is there', async () => {
    const world = new ApprovalWorld();
    const { session, passage } = world.asks('rm -rf build');
    await world.clock.skip(0);
    expect(world.says('yes', session)).toBe(false);
    world.clock.jump(1000);
    await world.deliver();
    expect(world.says('yes', session, { sentAt: world.clock.now() - 1 })).toBe(false);
    expect(world.says('what is that?', session)).toBe(false);
    expect(world.says('Yes!', session)).toBe(true);
    expect((await passage).kind).toBe('pass');
    expect(world.says('yes', session)).toBe(false);
    expect(world.events('granted')[0]?.body['surface']).toBe('word');
  });

  it.each([
    ['ok', 'once'],
    ['session', 'session'],
    ['always', 'always'],
    ['no', 'deny'],
  ])('%s means %s', async (word, choice) => {
    const { world, session, row } = await asked();
    expect(world.says(word, session)).toBe(true);
    expect(world.store.approvals.get(row.id)?.choice).toBe(choice);
  });

  it('settle neither of two, nothing that was not offered, and nothing when switched off', async () => {
    const world = new ApprovalWorld();
    const { session } = world.asks('rm -rf a');
    void world.asks('rm -rf b');
    await world.deliver();
    expect(world.says('yes', session)).toBe(false);
    const narrow = await asked({}, 'rm -rf a && rm -rf b');
    expect(narrow.world.says('always', narrow.session)).toBe(false);
    const off = await asked({ config: { plain_words: false } });
    expect(off.world.says('yes', off.session)).toBe(false);
    expect([world, narrow.world, off.world].map(({ pending }) => pending.length)).toEqual([2, 1, 1]);
  });

  it('count in a group only as a reply to the card', async () => {
    const world = new ApprovalWorld();
    const { session, passage } = world.asks('rm -rf build', { direct: false });
    await world.deliver();
    const [sent] = world.store.approvals.cards(world.pending[0]!.id)[0]!.sent;
    expect(world.says('yes', session, { direct: false })).toBe(false);
    expect(world.says('yes', session, { direct: false, replyTo: { messageId: 'm77', quoted: '' } })).toBe(false);
    expect(world.says('yes', session, { direct: false, replyTo: { messageId: sent!.messageId, quoted: '' } })).toBe(
      true,
    );
    expect((await passage).kind).toBe('pass');
  });

  it('of the configuration count as well', async () => {
    const { world, session, passage } = await asked({ config: { words: { approve: ['ja'] } } });
    expect(world.says('Ja.', session)).toBe(true);
    expect((await passage).kind).toBe('pass');
  });

  it('a reply that begins with a no denies with the rest as the reason, also of two', async () => {
    const world = new ApprovalWorld();
    const first = world.asks('rm -rf a');
    void world.asks('rm -rf b');
    await world.deliver();
    const [sent] = world.store.approvals.cards(world.pending[0]!.id)[0]!.sent;
    expect(
      world.says('no, use trash instead', first.session, { replyTo: { messageId: sent!.messageId, quoted: '' } }),
    ).toBe(true);
    expect(((await first.passage) as { text: string }).text).toContain('<reason>use trash instead</reason>');
    expect(world.pending).toHaveLength(1);
  });
});

describe('two people', () => {
  const config = { two_person: ['fs.*'], approvers: ['telegram:bob', 'discord:ann'] };
  const personOf = (actor: string) => (actor === 'discord:ann' ? 'telegram:ann' : actor);
  const linked: Actor = { platform: 'discord', id: 'ann', name: 'Ann on Discord' };

  it('both must say yes; the same one twice, also by a linked account, is one', async () => {
    const { world, row, passage } = await asked({ config, broker: { personOf } });
    expect(row.choices).toEqual(['once', 'deny']);
    expect(world.press(row, 'Once')).toBe('1 of 2, waiting for another approver');
    await world.deliver();
    expect(world.shown(row.id).text).toContain('Needs two people; Ann said yes, 1 of 2, waiting for another approver.');
    expect(world.press(row, 'Once')).toBe('You said yes already; somebody else must say it too.');
    expect(world.press(row, 'Once', linked)).toBe('You said yes already; somebody else must say it too.');
    expect(world.pending).toHaveLength(1);
    expect(world.press(row, 'Once', BOB)).toBe('Allowed once.');
    expect((await passage).kind).toBe('pass');
    expect(world.events('vote')).toHaveLength(1);
  });

  it('one no is enough, before and after a yes', async () => {
    for (const first of [true, false]) {
      const { world, row, passage } = await asked({ config });
      if (first) world.press(row, 'Once');
      expect(world.press(row, 'Deny', BOB)).toBe('Denied.');
      expect((await passage).kind).toBe('refused');
    }
  });

  it('is refused at once where only one person could', async () => {
    const world = new ApprovalWorld({ config: { ...config, approvers: ['discord:ann'] }, broker: { personOf } });
    const passage = await world.asks('rm -rf build').passage;
    expect(passage).toMatchObject({ text: 'Refused: it needs two approvers, only 1 is configured (two_person).' });
    expect(world.pending).toEqual([]);
  });

  it('a vote outlives its process', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hermod-votes-'));
    const options = { config, path: join(folder, 'hermod.db') };
    const first = await asked(options);
    first.world.press(first.row, 'Once');
    first.world.broker.stop();
    const second = new ApprovalWorld({ ...options, clock: first.world.clock });
    second.broker.recover();
    expect(second.press(first.row, 'Once')).toBe('You said yes already; somebody else must say it too.');
    expect(second.press(first.row, 'Once', BOB)).toBe('Allowed once.');
    rmSync(folder, { recursive: true, force: true });
  });

  it('a plain yes is a vote as well', async () => {
    const { world, session } = await asked({ config });
    expect(world.says('yes', session)).toBe(true);
    expect(world.pending[0]?.details.votes).toMatchObject([{ actor: { id: 'ann' } }]);
  });
});

describe('the page and the command line', () => {
  it('settle by the same rules, and their surface is recorded', async () => {
    const { world, row, passage } = await asked({ config: { approvers: ['web:operator'] } });
    const cli = { platform: 'cli', id: 'operator', name: 'operator' };
    const web = { platform: 'web', id: 'operator', name: 'operator' };
    expect(world.broker.answer(row.id, { choice: 'once', by: cli, surface: 'cli' })).toMatchObject({
      kind: 'not-yours',
    });
    expect(world.broker.answer(row.id, { choice: 'job', by: web, surface: 'page' })).toMatchObject({
      kind: 'does-not-fit',
    });
    expect(world.broker.answer('x' as never, { choice: 'once', by: web, surface: 'page' })).toMatchObject({
      kind: 'unknown',
    });
    expect(world.broker.answer(row.id, { choice: 'once', by: web, surface: 'page' })).toEqual({
      kind: 'won',
      text: 'Allowed once.',
    });
    expect(world.broker.answer(row.id, { choice: 'deny', by: web, surface: 'page' })).toMatchObject({ kind: 'late' });
    expect((await passage).kind).toBe('pass');
    expect(world.events('granted')[0]?.body).toMatchObject({ surface: 'page', actor: 'web:operator' });
  });
});
