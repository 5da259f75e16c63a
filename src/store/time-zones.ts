import type { Address } from '../contract/message.ts';
import { chatKey } from './jobs.ts';
import type { Db } from './open.ts';

/** The zones people told us: each person's own, and those of chats. */
export interface TimeZones {
  /** `actor` is `platform:id`. */
  ofPerson(actor: string): string | undefined;
  ofChat(address: Address): string | undefined;
  setPerson(actor: string, tz: string): void;
  setChat(address: Address, tz: string): void;
}

export function createTimeZones(db: Db): TimeZones {
  const get = db.prepare<[string], { tz: string }>('SELECT tz FROM time_zones WHERE scope = ?');
  const set = db.prepare(
    'INSERT INTO time_zones (scope, tz) VALUES (?, ?) ON CONFLICT (scope) DO UPDATE SET tz = excluded.tz',
  );
  const person = (actor: string) => `person ${actor}`;
  const chat = (address: Address) => `chat ${chatKey(address)}`;

  return {
    ofPerson: (actor) => get.get(person(actor))?.tz,
    ofChat: (address) => get.get(chat(address))?.tz,
    setPerson: (actor, tz) => void set.run(person(actor), tz),
    setChat: (address, tz) => void set.run(chat(address), tz),
  };
}
