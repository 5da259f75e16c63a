import type { Address } from '../contract/message.ts';
import type { Db } from './open.ts';

/** Where notices go. */
export interface Place {
  readonly address: Address;
  readonly direct: boolean;
}

/** What `/sethome` chose, one place a platform. */
export interface Homes {
  set(place: Place, by: string, now: number): void;
  get(platform: string): Place | undefined;
  /** The platforms that have one. */
  platforms(): readonly string[];
  /** The newest place of a chat that is known from a session. */
  known(platform: string, chat: string): Place | undefined;
  /** Direct chats in which somebody (`platform:id`) has talked, newest first. */
  directOf(person: string): readonly Place[];
}

interface Row {
  address: string;
  direct: number;
}

const read = ({ address, direct }: Row): Place => ({ address: JSON.parse(address) as Address, direct: direct === 1 });

export function createHomes(db: Db): Homes {
  const set = db.prepare(`
    INSERT INTO homes (platform, address, direct, set_by, set_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (platform) DO UPDATE SET address = excluded.address, direct = excluded.direct,
      set_by = excluded.set_by, set_at = excluded.set_at`);
  const get = db.prepare<[string], Row>('SELECT address, direct FROM homes WHERE platform = ?');
  const platforms = db.prepare<[], { platform: string }>('SELECT platform FROM homes ORDER BY platform');
  const known = db.prepare<[string, string], Row>(`
    SELECT json_remove(address, '$.thread') AS address, direct FROM sessions
    WHERE json_extract(address, '$.chat') = ? AND json_extract(address, '$.platform') = ?
    ORDER BY created_at DESC LIMIT 1`);
  const directOf = db.prepare<[string], Row>(`
    SELECT address, direct FROM sessions WHERE owner = ? AND direct = 1
    GROUP BY address ORDER BY max(created_at) DESC`);

  return {
    set: ({ address, direct }, by, now) =>
      void set.run(address.platform, JSON.stringify(address), direct ? 1 : 0, by, now),
    get(platform) {
      const row = get.get(platform);
      return row && read(row);
    },
    platforms: () => platforms.all().map((row) => row.platform),
    known(platform, chat) {
      const row = known.get(chat, platform);
      return row && read(row);
    },
    directOf: (person) => directOf.all(person).map(read),
  };
}
