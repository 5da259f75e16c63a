import { describe, expect, it } from 'vitest';
import type { Actor } from '../../src/contract/message.ts';
import { type AccessConfig, access, addressed, type Known } from '../../src/gateway/access.ts';

const NOBODY: AccessConfig = {
  admins: [],
  allow: [],
  deny: [],
  groups: [],
  roles: [],
  open: [],
  pairing: false,
  bots: 'none',
};
const ann: Actor = { platform: 'telegram', id: '1', name: 'Ann' };

function event(by: Actor, chat: string, direct: boolean) {
  return { by, direct, address: { platform: by.platform, bot: 'b', chat } };
}

function judge(
  by: Partial<Actor>,
  config: Partial<AccessConfig>,
  place: 'direct' | 'group' = 'direct',
  known: Partial<Known> & { mentionsBot?: boolean } = {},
): string {
  const actor = { ...ann, ...by };
  const chat = place === 'direct' ? actor.id : 'g7';
  const { mentionsBot = false, ...rest } = known;
  const facts = { roleOf: () => undefined, formerly: () => [], ...rest };
  const verdict = access({ ...event(actor, chat, place === 'direct'), mentionsBot }, { ...NOBODY, ...config }, facts);
  if (verdict.kind === 'allow') return `${verdict.role}: ${verdict.rule}`;
  return `${verdict.pair ? 'pair' : verdict.told ? 'told' : 'silent'}: ${verdict.rule}`;
}

const ALL: AccessConfig = {
  admins: ['telegram:1'],
  allow: ['telegram:1'],
  deny: ['telegram:1'],
  groups: ['telegram:g7'],
  roles: ['telegram:guild/mod'],
  open: ['telegram'],
  pairing: true,
  bots: 'none',
};
const roles = ['guild/mod'];

describe('access', () => {
  // Each row takes away the rule that decided the row before it.
  it.each<[string, Partial<Actor>, Partial<AccessConfig>]>([
    ['silent: no actor', { id: '', bot: true, standIn: true, roles }, ALL],
    ['silent: bot', { bot: true, standIn: true, roles }, ALL],
    ['silent: stand-in', { standIn: true, roles }, ALL],
    ['silent: access.deny', { roles }, ALL],
    ['admin: access.admins', { roles }, { ...ALL, deny: [] }],
    ['member: access.allow', { roles }, { ...ALL, deny: [], admins: [] }],
    ['member: access.roles', { roles }, { ...ALL, deny: [], admins: [], allow: [] }],
    ['member: access.groups', {}, { ...ALL, deny: [], admins: [], allow: [] }],
    ['member: access.open', {}, { open: ['telegram'] }],
    ['silent: unknown', {}, {}],
  ])('in a group the first rule that applies decides: %s', (said, by, config) => {
    expect(judge(by, config, 'group')).toBe(said);
  });

  it.each<[string, Partial<Actor>, Partial<AccessConfig>]>([
    ['silent: access.deny', {}, ALL],
    ['admin: access.admins', {}, { ...ALL, deny: [] }],
    ['member: access.allow', {}, { ...ALL, deny: [], admins: [] }],
    ['member: access.open', { roles }, { ...ALL, deny: [], admins: [], allow: [], groups: ['telegram:1'] }],
    ['told: unknown', { roles }, { roles: ALL.roles, groups: ['telegram:1'] }],
    ['told: unknown', {}, {}],
    ['silent: bot', { bot: true }, {}],
  ])('in a direct chat neither roles nor groups count: %s', (said, by, config) => {
    expect(judge(by, config)).toBe(said);
  });

  it.each(['web', 'cli', 'console'])('whoever holds the home is admin, whatever the lists: %s', (platform) => {
    const by = { platform, id: 'operator' };
    expect(judge(by, { deny: [`${platform}:operator`] })).toBe('admin: holder of the home');
  });

  it('knows no operator on other platforms, and no holder that is a bot', () => {
    expect(judge({ id: 'operator' }, {})).toBe('told: unknown');
    expect(judge({ platform: 'web', id: 'operator', bot: true }, {})).toBe('silent: bot');
  });

  it.each<[string, Partial<Actor>, Partial<AccessConfig>]>([
    ['a name', { name: 'telegram:1', id: '2' }, { admins: ['telegram:1'] }],
    ['an id without its platform', {}, { allow: ['1'] }],
    ['an id of another platform', { platform: 'discord' }, { allow: ['telegram:1'] }],
    ['a part of an id', { id: '12' }, { allow: ['telegram:1'] }],
    ['another platform that is open', {}, { open: ['discord'] }],
  ])('admits nobody by %s', (_, by, config) => {
    expect(judge(by, config)).toBe('told: unknown');
  });

  it('takes roles only of the platform and server they are of', () => {
    const config = { roles: ['telegram:guild/mod'] };
    expect(judge({ roles: ['other/mod'] }, config, 'group')).toBe('silent: unknown');
    expect(judge({ platform: 'discord', roles }, config, 'group')).toBe('silent: unknown');
    expect(judge({ roles: ['x/y', 'guild/mod'] }, config, 'group')).toBe('member: access.roles');
  });

  it('who was let in by a code is in, behind the lists of the configuration', () => {
    const known = { roleOf: (person: string) => (person === 'telegram:1' ? ('admin' as const) : undefined) };
    expect(judge({}, {}, 'direct', known)).toBe('admin: paired');
    expect(judge({}, { allow: ['telegram:1'] }, 'group', known)).toBe('member: access.allow');
    expect(judge({}, { deny: ['telegram:1'] }, 'direct', known)).toBe('silent: access.deny');
    expect(judge({ id: '2' }, { pairing: true }, 'direct', known)).toBe('pair: unknown');
  });

  it('strangers get a code in direct chats only, and only where that is wanted', () => {
    expect(judge({}, { pairing: true })).toBe('pair: unknown');
    expect(judge({}, { pairing: true }, 'group')).toBe('silent: unknown');
    expect(judge({}, { pairing: false })).toBe('told: unknown');
    expect(judge({}, { pairing: true, deny: ['telegram:1'] })).toBe('silent: access.deny');
  });

  it('other bots are heard only when they mention us, where that is allowed, and then by the same rules', () => {
    const bots = { bots: 'mentions', allow: ['telegram:1'], pairing: true } as const;
    expect(judge({ bot: true }, bots, 'group', { mentionsBot: true })).toBe('member: access.allow');
    expect(judge({ bot: true }, bots, 'group')).toBe('silent: bot');
    expect(judge({ bot: true }, { ...bots, bots: 'none' }, 'group', { mentionsBot: true })).toBe('silent: bot');
    expect(judge({ bot: true, id: '2' }, bots, 'direct', { mentionsBot: true })).toBe('silent: unknown');
  });

  it('ids in the configuration still mean a group that moved', () => {
    const known = { formerly: () => ['g6', 'g5'] };
    expect(judge({}, { groups: ['telegram:g5'] }, 'group', known)).toBe('member: access.groups');
    expect(judge({}, { groups: ['telegram:g4'] }, 'group', known)).toBe('silent: unknown');
    const groups = { mention: 'required', free: ['telegram:g5'] } as const;
    const facts = { roleOf: () => undefined, ...known };
    expect(addressed({ ...event(ann, 'g7', false), mentionsBot: false }, groups, false, facts)).toBe(true);
  });

  it('a group admits its members there only', () => {
    const config = { ...NOBODY, groups: ['telegram:g7'] };
    expect(access(event(ann, 'g7', false), config).kind).toBe('allow');
    expect(access(event(ann, 'g8', false), config).kind).toBe('deny');
  });
});

describe('addressed', () => {
  const required = { mention: 'required', free: [] } as const;

  it.each<
    [
      boolean,
      string,
      { direct?: boolean; mentionsBot?: boolean; ours?: boolean; groups?: Parameters<typeof addressed>[1] },
    ]
  >([
    [true, 'a direct chat', { direct: true }],
    [true, 'a mention', { mentionsBot: true }],
    [true, 'one of our commands', { ours: true }],
    [false, 'talk in a group', {}],
    [true, 'a group where no mention is needed', { groups: { mention: 'off', free: [] } }],
    [true, 'a free group', { groups: { mention: 'required', free: ['telegram:g7'] } }],
    [false, 'another free group', { groups: { mention: 'required', free: ['telegram:g8', 'discord:g7', 'g7'] } }],
  ])('%s for %s', (yes, _, { direct = false, mentionsBot = false, ours = false, groups = required }) => {
    expect(addressed({ ...event(ann, 'g7', direct), mentionsBot }, groups, ours)).toBe(yes);
  });
});
