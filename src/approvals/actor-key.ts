import type { Actor } from '../contract/message.ts';

/** `platform:id`: how configuration and rows name a person. */
export function actorKey(actor: Pick<Actor, 'platform' | 'id'>): string {
  return `${actor.platform}:${actor.id}`;
}
