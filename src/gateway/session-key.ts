import type { Inbound } from '../contract/message.ts';
import type { SessionScope } from '../store/sessions.ts';

/** Who shares a session in groups and in threads. */
export interface SharedPlaces {
  readonly group_per_actor: boolean;
  readonly thread_per_actor: boolean;
}

/**
 * Whose conversation an event belongs to. A direct chat is one person's; in a group everybody has an own session unless the
 * operator shares it; a thread is shared by its people. Without an actor there is no session.
 */
export function sessionKey(event: Pick<Inbound, 'by' | 'address' | 'direct'>, config: SharedPlaces): string {
  const { by, address, direct } = event;
  const place = [address.platform, direct ? 'dm' : 'group', address.bot, address.chat];
  if (address.via !== undefined) place.push(`v${address.via}`);
  if (address.thread !== undefined) place.push(`t${address.thread}`);
  const shared = direct || isShared(event, config);
  return (shared ? place : [...place, `u${by.id}`]).map(escaped).join(':');
}

/** Ids of some networks hold colons; two places never share a key. */
function escaped(part: string): string {
  return part.replaceAll('%', '%25').replaceAll(':', '%3A');
}

/** The key of a session whose chat got another id; what is not about that chat stays as it is. */
export function movedKey(key: string, from: string, to: string): string {
  const [platform, kind, bot, chat, ...rest] = key.split(':');
  return chat === escaped(from) ? [platform, kind, bot, escaped(to), ...rest].join(':') : key;
}

/** The sessions somebody may see from where they are: their own direct chats; in a group only what belongs there. */
export function sessionScope(event: Pick<Inbound, 'by' | 'address' | 'direct'>, config: SharedPlaces): SessionScope {
  const owner = `${event.by.platform}:${event.by.id}`;
  if (event.direct) return { kind: 'direct', owner };
  if (isShared(event, config)) return { kind: 'shared', key: sessionKey(event, config) };
  return { kind: 'chat', owner, chat: event.address.chat };
}

function isShared({ address }: Pick<Inbound, 'address'>, config: SharedPlaces): boolean {
  return address.thread === undefined ? !config.group_per_actor : !config.thread_per_actor;
}
