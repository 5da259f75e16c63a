import type { Inbound } from '../contract/message.ts';

/** The parts of the configuration that say who may talk. Ids as text, `telegram:123`. */
export interface AccessConfig {
  readonly admins: readonly string[];
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly groups: readonly string[];
  readonly roles: readonly string[];
  readonly open: readonly string[];
}

export type AccessVerdict =
  | { readonly kind: 'allow'; readonly role: 'admin' | 'member'; readonly rule: string }
  /** `told`: a stranger in a direct chat reads one sentence; everybody else meets silence. */
  | { readonly kind: 'deny'; readonly rule: string; readonly told: boolean };

// Whoever holds the home speaks through these: the local page, the command line, the console.
export const HOLDERS: ReadonlySet<string> = new Set(['web:operator', 'cli:operator', 'console:operator']);

/**
 * One judgement for messages, commands, buttons and forms, made at the event's time from the event alone.
 * Ids decide, never names; empty lists admit nobody. First match wins.
 */
export function access(event: Pick<Inbound, 'by' | 'address' | 'direct'>, config: AccessConfig): AccessVerdict {
  const { by, address, direct } = event;
  const id = `${by.platform}:${by.id}`;
  const deny = (rule: string, told = false): AccessVerdict => ({ kind: 'deny', rule, told });
  const allow = (role: 'admin' | 'member', rule: string): AccessVerdict => ({ kind: 'allow', role, rule });

  if (by.id === '') return deny('no actor');
  if (by.bot) return deny('bot');
  if (by.standIn) return deny('stand-in');
  if (HOLDERS.has(id)) return allow('admin', 'holder of the home');
  if (config.deny.includes(id)) return deny('access.deny');
  if (config.admins.includes(id)) return allow('admin', 'access.admins');
  if (config.allow.includes(id)) return allow('member', 'access.allow');
  if (!direct && hasRole(event, config.roles)) return allow('member', 'access.roles');
  if (!direct && config.groups.includes(`${address.platform}:${address.chat}`)) return allow('member', 'access.groups');
  if (config.open.includes(address.platform)) return allow('member', 'access.open');
  return deny('unknown', direct);
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
): boolean {
  if (event.direct || event.mentionsBot || ourCommand) return true;
  return groups.mention === 'off' || groups.free.includes(`${event.address.platform}:${event.address.chat}`);
}
