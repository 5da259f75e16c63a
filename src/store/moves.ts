import type { Address } from '../contract/message.ts';
import type { JobTarget } from './jobs.ts';
import type { Db } from './open.ts';

export interface Move {
  readonly platform: string;
  readonly from: string;
  readonly to: string;
}

/** Chats that got a new id. */
export interface Moves {
  /**
   * Remembers it and rewrites every row that points there. `rekey` gives the key of a session in its new place; where somebody
   * talks there already, the session that moved ends. Call it inside a transaction; the second time nothing is left to do.
   */
  apply(move: Move, now: number, rekey: (key: string) => string): void;
  /** The id a chat has now. */
  latest(platform: string, chat: string): string;
  /** The ids a chat had before, newest first: those in the configuration still mean it. */
  formerly({ platform, chat }: Pick<Address, 'platform' | 'chat'>): readonly string[];
}

/** Tables with an address of their own, and which of their rows still matter. */
const ADDRESSED: readonly (readonly [table: string, rows: string])[] = [
  ['sessions', 'true'],
  ['turns', 'ended_at IS NULL'],
  ['approvals', `state = 'pending'`],
  ['approval_cards', 'true'],
  ['homes', 'true'],
];

export function createMoves(db: Db): Moves {
  const remember = db.prepare(`
    INSERT INTO moves (platform, from_chat, to_chat, at) VALUES (@platform, @from, @to, @now)
    ON CONFLICT (platform, from_chat) DO UPDATE SET to_chat = excluded.to_chat`);
  const before = db.prepare<[string, string], { chat: string }>(
    'SELECT from_chat AS chat FROM moves WHERE platform = ? AND to_chat = ? ORDER BY at DESC',
  );
  const after = db.prepare<[string, string], { chat: string }>(
    'SELECT to_chat AS chat FROM moves WHERE platform = ? AND from_chat = ?',
  );
  const here = (column: string, at = '$') =>
    `json_extract(${column}, '${at}.platform') = @platform AND json_extract(${column}, '${at}.chat') = @from`;
  const addresses = ADDRESSED.map(([table, rows]) =>
    db.prepare(`UPDATE ${table} SET address = json_set(address, '$.chat', @to) WHERE ${rows} AND ${here('address')}`),
  );
  const inbox = db.prepare(
    `UPDATE inbox SET body = json_set(body, '$.address.chat', @to)
     WHERE state IN ('new', 'claimed') AND ${here('body', '$.address')}`,
  );
  const outbox = db.prepare(`
    UPDATE outbox SET chat = @to, address = json_set(address, '$.chat', @to), sent_to = json_set(address, '$.chat', @to)
    WHERE state IN ('pending', 'ambiguous', 'sending', 'held') AND platform = @platform AND chat = @from`);
  const settings = db.prepare(
    'UPDATE OR REPLACE chat_settings SET chat = @to WHERE platform = @platform AND chat = @from',
  );
  const origins = db.prepare(`
    UPDATE jobs SET origin = json_set(origin, '$.chat', @to),
      origin_key = json_array(json_extract(origin, '$.platform'), json_extract(origin, '$.bot'), @to)
    WHERE ${here('origin')}`);
  const targets = db.prepare<object, { id: string; deliver: string }>(
    `SELECT DISTINCT jobs.id, deliver FROM jobs, json_each(deliver) AS target
     WHERE target.type = 'object' AND ${here('target.value')}`,
  );
  const redirect = db.prepare('UPDATE jobs SET deliver = ? WHERE id = ?');
  const open = db.prepare<object, { id: string; key: string }>(
    `SELECT id, key FROM sessions WHERE ended_at IS NULL AND ${here('address')}`,
  );
  const taken = db.prepare('SELECT 1 FROM sessions WHERE key = ? AND ended_at IS NULL');
  const rekeyed = db.prepare('UPDATE sessions SET key = ? WHERE id = ?');
  const ended = db.prepare('UPDATE sessions SET ended_at = ? WHERE id = ?');

  return {
    apply({ platform, from, to }, now, rekey) {
      const move = { platform, from, to };
      remember.run({ ...move, now });
      for (const { id, key } of open.all({ platform, from })) {
        const next = rekey(key);
        if (taken.get(next)) ended.run(now, id);
        else rekeyed.run(next, id);
      }
      for (const { id, deliver } of targets.all({ platform, from })) redirect.run(movedTargets(deliver, move), id);
      for (const statement of [...addresses, inbox, outbox, settings, origins]) statement.run(move);
    },
    latest(platform, chat) {
      const seen = new Set([chat]);
      for (let at = chat; ; ) {
        const next = after.get(platform, at)?.chat;
        if (next === undefined || seen.has(next)) return at;
        seen.add(next);
        at = next;
      }
    },
    formerly({ platform, chat }) {
      const found: string[] = [];
      for (let last = [chat]; last.length > 0; ) {
        last = last.flatMap((id) => before.all(platform, id).map((row) => row.chat));
        last = last.filter((id) => id !== chat && !found.includes(id));
        found.push(...last);
      }
      return found;
    },
  };
}

/** The targets of a job, those in the chat that moved in their new place. */
function movedTargets(deliver: string, { platform, from, to }: Move): string {
  const targets = JSON.parse(deliver) as readonly JobTarget[];
  const moved = (target: JobTarget) =>
    typeof target === 'object' && target.platform === platform && target.chat === from
      ? { ...target, chat: to }
      : target;
  return JSON.stringify(targets.map(moved));
}
