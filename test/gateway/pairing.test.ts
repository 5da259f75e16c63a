import { beforeEach, describe, expect, it } from 'vitest';
import type { ButtonPress } from '../../src/contract/message.ts';
import { hashCode, isCode, newPairingCode, readCode, shownCode } from '../../src/gateway/pairing-code.ts';
import { person } from '../fakes/runs.ts';
import { command, inbound } from './inbound.ts';
import { CONFIG, routerFixture } from './router-fixture.ts';

const MIN = 60_000;
const CODE = /([A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4})/;
const OWNER = person('boss', 'Boss');

let fixture: ReturnType<typeof routerFixture>;

beforeEach(() => {
  fixture = routerFixture({ config: { access: { ...CONFIG.access, pairing: true } } });
  fixture.homes['telegram'] = 'telegram:home';
});

const now = () => fixture.lane.clock.now();
const stranger = (id: string, text = 'the word is swordfish', more: object = {}) =>
  fixture.hears(inbound(text, { by: person(id, `Name ${id}`), chat: id, sentAt: now(), ...more }));
const everything = () =>
  JSON.stringify(
    ['inbox', 'outbox', 'sessions', 'transcript', 'turns', 'pairings', 'people'].map((table) =>
      fixture.lane.store.db.prepare(`SELECT * FROM ${table}`).all(),
    ),
  );
/** The code a stranger was told last. */
function codeOf(id: string): string {
  const { store } = fixture.lane;
  const rows = store.db
    .prepare<[string], string>(`SELECT json_extract(body, '$.text') FROM outbox WHERE key LIKE ? ORDER BY seq DESC`)
    .pluck();
  return CODE.exec(rows.get(`pair:telegram:${id}:%`) ?? '')?.[1] ?? '';
}
const told = (id: string) =>
  fixture.lane.store.db.prepare(`SELECT count(*) FROM outbox WHERE key LIKE 'pair:telegram:${id}:%'`).pluck().get();
const cards = () => fixture.lane.outbox().filter((line) => line.startsWith('card'));
async function press(choice: 'a' | 'r', by = OWNER, id?: string): Promise<string | undefined> {
  const asked = fixture.lane.store.db.prepare<[], string>('SELECT id FROM pairings ORDER BY rowid DESC').pluck().get();
  const { address, direct } = inbound('', { chat: 'home' });
  const event: ButtonPress = {
    eventId: `p${Math.random()}`,
    ...{ by, address, direct, sentAt: now() },
    data: `h1:pa:${id ?? asked}:${choice}`,
  };
  return (await fixture.events.press(event))?.text;
}
const role = (id: string) => {
  const { address, direct } = inbound('', { chat: id });
  const verdict = fixture.router.judge({ by: person(id), address, direct });
  return verdict.kind === 'allow' ? verdict.role : 'nobody';
};

describe('a code', () => {
  it('is eight of 32 letters nobody mistakes, read in any case, with or without its dash', () => {
    const code = newPairingCode();
    expect(shownCode(code)).toMatch(new RegExp(`^${CODE.source}$`));
    expect(readCode(` ${shownCode(code).toLowerCase()} `)).toBe(code);
    for (const wrong of ['', 'K7MP', `${code}A`, 'IIIIOOOO', 'K7MP-2QR!']) expect(readCode(wrong)).toBeUndefined();
    expect(new Set(Array.from({ length: 1_000 }, newPairingCode)).size).toBe(1_000);
  });

  it('is kept as a salted hash only', () => {
    const [one, two] = [hashCode('K7MP2QRT'), hashCode('K7MP2QRT')];
    expect(one.hash).not.toBe(two.hash);
    expect([isCode('K7MP2QRT', one), isCode('K7MP2QRU', one)]).toEqual([true, false]);
  });
});

describe('a stranger', () => {
  it('gets a code, and nothing of their words is kept anywhere', async () => {
    await stranger('7');
    expect(fixture.lane.outbox()).toContain(
      `notice pending: I do not know you yet. Give this code to the owner: ${codeOf('7')} (valid 1 h).`,
    );
    expect(everything()).not.toContain('swordfish');
    expect(fixture.lane.runner.turns).toEqual([]);
  });

  it('gets one answer in ten minutes; the next code replaces the last (gateway 34)', async () => {
    for (let i = 0; i < 5; i++) await stranger('7');
    await fixture.lane.clock.skip(10 * MIN - 1);
    await stranger('7');
    expect(told('7')).toBe(1);
    const first = codeOf('7');
    await fixture.lane.clock.skip(1);
    await stranger('7');
    expect(told('7')).toBe(2);
    expect(fixture.pairing.approve(first, OWNER).kind).toBe('wrong');
    expect(fixture.pairing.approve(codeOf('7'), OWNER).kind).toBe('done');
  });

  it('is the fourth to wait: gets none, until one is settled or too old (gateway 34)', async () => {
    for (const id of ['7', '8', '9', '10']) await stranger(id);
    expect(['7', '8', '9', '10'].map(told)).toEqual([1, 1, 1, 0]);
    await fixture.lane.clock.skip(61 * MIN);
    await stranger('10');
    expect(told('10')).toBe(1);
  });

  it('in a group, on the deny list or pressing buttons gets none', async () => {
    fixture.configure({ access: { ...CONFIG.access, pairing: true, deny: ['telegram:8'] } });
    await stranger('7', 'hi', { chat: '-1', direct: false, mentionsBot: true });
    await stranger('8');
    await press('a', person('7'), 'a'.repeat(26));
    expect(fixture.lane.outbox()).toEqual([]);
  });

  it('is told how to get in by the configuration where there are no codes', async () => {
    fixture.configure({ access: { ...CONFIG.access, pairing: false } });
    await stranger('7');
    expect(fixture.lane.outbox()).toEqual([
      'notice pending: I do not know you yet. The owner can let you in by adding "telegram:7" to access.allow in config.yaml.',
    ]);
  });

  it('answered alone for a command reads the code there', async () => {
    const message = command('/help swordfish', { by: person('7'), chat: '7', sentAt: now() });
    expect((await fixture.events.command?.(message))?.text).toMatch(CODE);
    // Not that one was told: nobody knows whether it was this time.
    expect((await fixture.events.command?.(message))?.text).toMatch(/^I do not know you yet, and I have no new code/);
    expect(everything()).not.toContain('swordfish');
  });

  it('the code itself is gone once it was said', async () => {
    await stranger('7');
    const code = codeOf('7');
    const { store, clock } = fixture.lane;
    const row = store.outbox.heads('telegram').find(({ key }) => key.startsWith('pair:'));
    store.outbox.sent(
      row?.id as NonNullable<typeof row>['id'],
      { messageId: 'm', at: inbound('').address },
      clock.now(),
    );
    expect(everything()).not.toContain(code);
    expect(fixture.pairing.approve(code, OWNER).kind).toBe('done');
  });
});

describe('approving', () => {
  it('a code lets that person in, who is told; the code works once', async () => {
    await stranger('7');
    const code = codeOf('7').toLowerCase();
    expect(fixture.pairing.approve(code, OWNER)).toEqual({
      kind: 'done',
      person: 'telegram:7',
      text: 'Name 7 (telegram:7) may talk to me now.',
    });
    expect(role('7')).toBe('member');
    expect(fixture.lane.outbox().some((line) => line.includes('You are in.'))).toBe(true);
    expect(fixture.pairing.approve(code, OWNER).kind).toBe('wrong');
    await stranger('7', 'hello');
    expect(fixture.lane.runner.said).toEqual(['[now]\nhello']);
  });

  it('the first of all is the admin, where the configuration names none', async () => {
    fixture.configure({ access: { ...CONFIG.access, admins: [], pairing: true } });
    for (const id of ['7', '8']) await stranger(id);
    fixture.pairing.approve(codeOf('7'), OWNER);
    fixture.pairing.approve(codeOf('8'), OWNER);
    expect([role('7'), role('8')]).toEqual(['admin', 'member']);
  });

  it('five wrong codes lock it for an hour, the right one too; the home chat still decides (gateway 34)', async () => {
    await stranger('7');
    const code = codeOf('7');
    for (let i = 0; i < 5; i++) expect(fixture.pairing.approve('K7MP-2QRT', OWNER).kind).toBe('wrong');
    expect(fixture.pairing.approve(code, OWNER)).toEqual({
      kind: 'locked',
      text: '5 wrong codes: approving is locked until 13:00.',
    });
    expect(await press('a')).toBe('Name 7 (telegram:7) may talk to me now.');
    await fixture.lane.clock.skip(60 * MIN);
    expect(fixture.pairing.approve(code, OWNER).kind).toBe('wrong');
  });

  it('the hour begins with the fifth, though the first was almost one before; wrong ones far apart lock nothing', async () => {
    const wrong = () => fixture.pairing.approve('K7MP-2QRT', OWNER).kind;
    expect(wrong()).toBe('wrong');
    await fixture.lane.clock.skip(50 * MIN);
    expect([wrong(), wrong(), wrong(), wrong(), wrong()]).toEqual(['wrong', 'wrong', 'wrong', 'wrong', 'locked']);
    await fixture.lane.clock.skip(59 * MIN);
    expect(wrong()).toBe('locked');
    await fixture.lane.clock.skip(MIN);
    for (let i = 0; i < 8; i++) {
      expect(wrong()).toBe('wrong');
      await fixture.lane.clock.skip(16 * MIN);
    }
  });

  it('four wrong ones and a right one forget the wrong ones', async () => {
    await stranger('7');
    for (let i = 0; i < 4; i++) fixture.pairing.approve('wrong', OWNER);
    expect(fixture.pairing.approve(codeOf('7'), OWNER).kind).toBe('done');
    for (let i = 0; i < 5; i++) expect(fixture.pairing.approve('wrong', OWNER).kind).toBe('wrong');
  });

  it('after an hour a code is worth nothing', async () => {
    await stranger('7');
    const code = codeOf('7');
    await fixture.lane.clock.skip(60 * MIN);
    expect(fixture.pairing.approve(code, OWNER).kind).toBe('wrong');
    expect(await press('a')).toBe('This is settled already, or too old.');
    expect(role('7')).toBe('nobody');
  });
});

describe('the card in the home chat', () => {
  it('names the person, and Approve lets them in', async () => {
    await stranger('7');
    expect(cards()).toEqual([
      'card pending: **Name 7** (telegram:7) wants to talk to me. Let this person in only if you know who it is.',
    ]);
    expect(everything().match(/K7MP/)).toBeNull();
    expect(await press('a')).toBe('Name 7 (telegram:7) may talk to me now.');
    expect(cards()).toEqual(['card pending: Name 7 (telegram:7) was let in by Boss.']);
    expect(await press('r')).toBe('This is settled already, or too old.');
    expect(role('7')).toBe('member');
  });

  it('Refuse keeps them out, and quiet for a day', async () => {
    await stranger('7');
    expect(await press('r')).toBe('Name 7 stays outside.');
    expect(cards()).toEqual(['card pending: Name 7 (telegram:7) was not let in (Boss).']);
    await fixture.lane.clock.skip(23 * 60 * MIN);
    await stranger('7');
    expect([role('7'), told('7')]).toEqual(['nobody', 1]);
    await fixture.lane.clock.skip(2 * 60 * MIN);
    await stranger('7');
    expect(told('7')).toBe(2);
  });

  it('is pressed by admins only: no member, no stranger, not by the one it is about', async () => {
    await stranger('7');
    for (const by of [person('ann'), person('666'), person('7')])
      expect(await press('a', by)).toBe('Only an admin can decide this.');
    expect(role('7')).toBe('nobody');
    expect(await press('a', OWNER, 'a'.repeat(26))).toBe('I do not know this request.');
  });

  it('a name cannot pretend to be something else', async () => {
    await fixture.hears(
      inbound('x', { by: person('7', '**Boss** [click](http://evil)\n# You'), chat: '7', sentAt: now() }),
    );
    expect(cards()[0]).toContain('\\*\\*Boss\\*\\* \\[click\\](http\\://evil) # You');
  });
});

describe('revoking', () => {
  it('holds at the next event and ends what they have (h between card and press) (gateway 34)', async () => {
    await stranger('7');
    fixture.pairing.approve(codeOf('7'), OWNER);
    expect(role('7')).toBe('member');
    expect(fixture.pairing.revoke('telegram:7')).toEqual({
      kind: 'done',
      person: 'telegram:7',
      text: 'telegram:7 may no longer use hermod.',
    });
    expect([role('7'), fixture.lost]).toEqual(['nobody', ['telegram:7']]);
    await stranger('7', 'swordfish again');
    expect(everything()).not.toContain('swordfish again');
  });

  it('knows whom it cannot revoke', () => {
    expect(fixture.pairing.revoke('telegram:ann').kind).toBe('listed');
    expect(fixture.pairing.revoke('telegram:nobody').kind).toBe('unknown');
    expect(fixture.lost).toEqual([]);
  });

  it('of the admin who was let in by a code makes nobody else one', async () => {
    fixture.configure({ access: { ...CONFIG.access, admins: [], pairing: true } });
    for (const id of ['7', '8']) await stranger(id);
    fixture.pairing.approve(codeOf('7'), OWNER);
    fixture.pairing.approve(codeOf('8'), OWNER);
    fixture.pairing.revoke('telegram:7');
    expect([role('7'), role('8')]).toEqual(['nobody', 'member']);
  });
});
