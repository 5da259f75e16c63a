import type { Inbound } from '../contract/message.ts';

/** The parts of the configuration that say who may talk. Ids as text, `telegram:123`. */
export interface AccessConfig {
  readonly admins: readonly string[];
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly groups: readonly string[];
  readonly roles: readonly string[];
  readonly open: readonly string[];
  /** Strangers in direct chats get a code. */
  readonly pairing: boolean;
  /** Whether other bots are heard when they mention us. */
  readonly bots: 'none' | 'mentions';
}

/** What is known beside the configuration. */
export interface Known {
  /** Somebody (`platform:id`) was let in by a code. */
  roleOf(person: string): 'admin' | 'member' | undefined;
  /** The ids a chat had before it moved: those in the configuration still mean it. */
  formerly(address: Pick<Inbound['address'], 'platform' | 'chat'>): readonly string[];
}

const NOTHING: Known = { roleOf: () => undefined, formerly: () => [] };

export type AccessVerdict =
  | { readonly kind: 'allow'; readonly role: 'admin' | 'member'; readonly rule: string }
  /** `told`: a stranger in a direct chat reads one sentence; everybody else meets silence. `pair`: the sentence is a code. */
  | { readonly kind: 'deny'; readonly rule: string; readonly told: boolean; readonly pair: boolean };

// Whoever holds the home speaks through these: the local page, the command line, the console.
export const HOLDERS: ReadonlySet<string> = new Set(['web:operator', 'cli:operator', 'console:operator']);

/**
 * One judgement for messages, commands, buttons and forms, made at the event's time from the event alone.
 * Ids decide, never names; empty lists admit nobody. First match wins.
 */
export function access(
  event: Pick<Inbound, 'by' | 'address' | 'direct'> & { readonly mentionsBot?: boolean },
  config: AccessConfig,
  known: Known = NOTHING,
): AccessVerdict {
  const { by, address, direct } = event;
  const id = `${by.platform}:${by.id}`;
  const deny = (rule: string, told = false): AccessVerdict => {
    return { kind: 'deny', rule, told, pair: told && config.pairing };
  };
  const allow = (role: 'admin' | 'member', rule: string): AccessVerdict => ({ kind: 'allow', role, rule });

  if (by.id === '') return deny('no actor');
  if (by.bot && !(config.bots === 'mentions' && event.mentionsBot)) return deny('bot');
  if (by.standIn) return deny('stand-in');
  if (HOLDERS.has(id)) return allow('admin', 'holder of the home');
  if (config.deny.includes(id)) return deny('access.deny');
  if (config.admins.includes(id)) return allow('admin', 'access.admins');
  if (config.allow.includes(id)) return allow('member', 'access.allow');
  const paired = known.roleOf(id);
  if (paired) return allow(paired, 'paired');
  if (!direct && hasRole(event, config.roles)) return allow('member', 'access.roles');
  if (!direct && lists(config.groups, address, known)) return allow('member', 'access.groups');
  if (config.open.includes(address.platform)) return allow('member', 'access.open');
  return deny('unknown', direct && !by.bot);
}

/** A list of chats holds this one, by its id or one it had before. */
function lists(chats: readonly string[], { platform, chat }: Inbound['address'], known: Known): boolean {
  if (chats.length === 0) return false;
  return [chat, ...known.formerly({ platform, chat })].some((id) => chats.includes(`${platform}:${id}`));
}

/** Roles count only from the server this very event came from: adapters hand in `server/role`. */
function hasRole({ by }: Pick<Inbound, 'by'>, roles: readonly string[]): boolean {
  return (by.roles ?? []).some((role) => roles.includes(`${by.platform}:${role}`));
}

/** Whether words in a group are meant for us; direct chats always are. A bare command is, if it is one of ours. */
export function addressed(
  event: Pick<Inbound, 'address' | 'direct'> & { readonly mentionsBot: boolean },
  groups: { readonly mention: 'required' | 'off'; readonly free: readonly string[] },
  ourCommand: boolean,
  known: Known = NOTHING,
): boolean {
  if (event.direct || event.mentionsBot || ourCommand) return true;
  return groups.mention === 'off' || lists(groups.free, event.address, known);
}
