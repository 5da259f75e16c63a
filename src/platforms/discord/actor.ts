import type { Actor } from '../../contract/message.ts';
import type { RawMember, RawUser } from './payloads.ts';
import { PLATFORM } from './place.ts';

export interface ActorFacts {
  readonly guild?: string | undefined;
  readonly member?: RawMember | null | undefined;
  /** A webhook speaks: its name and picture are whatever it says. */
  readonly webhook?: boolean;
}

/** Who did something. Roles count only where they come from this very event's guild; there are none in direct chats. */
export function actorOf(user: RawUser, { guild, member, webhook }: ActorFacts = {}): Actor {
  const roles = guild === undefined ? [] : (member?.roles ?? []).map((role) => `${guild}/${role}`);
  return {
    platform: PLATFORM,
    id: user.id,
    name: member?.nick || user.global_name || user.username || user.id,
    ...(user.bot || webhook ? { bot: true } : {}),
    ...(webhook ? { standIn: true } : {}),
    ...(roles.length > 0 ? { roles } : {}),
  };
}
