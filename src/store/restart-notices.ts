import type { Address } from '../contract/message.ts';
import type { Db } from './open.ts';

/** What a chat was last told about hermod going down or being back. */
export interface RestartNotice {
  readonly address: Address;
  readonly direct: boolean;
  /** Of the outbox row with that message. */
  readonly key: string;
  /** "Going down" still waits for its "back". */
  readonly down: boolean;
  readonly toldAt: number;
}

/** One a chat, so that limits hold over boots. */
export interface RestartNotices {
  of(address: Address): RestartNotice | undefined;
  put(notice: RestartNotice): void;
  down(): readonly RestartNotice[];
}

interface Row {
  address: string;
  direct: number;
  key: string;
  down: number;
  told_at: number;
}

const read = (row: Row): RestartNotice => ({
  address: JSON.parse(row.address) as Address,
  direct: row.direct === 1,
  key: row.key,
  down: row.down === 1,
  toldAt: row.told_at,
});

export function createRestartNotices(db: Db): RestartNotices {
  const of = db.prepare<[string, string, string], Row>(
    'SELECT * FROM restart_notices WHERE platform = ? AND bot = ? AND chat = ?',
  );
  const put = db.prepare(`
    INSERT OR REPLACE INTO restart_notices (platform, bot, chat, address, direct, key, down, told_at)
    VALUES (@platform, @bot, @chat, @address, @direct, @key, @down, @toldAt)`);
  const down = db.prepare<[], Row>('SELECT * FROM restart_notices WHERE down = 1 ORDER BY told_at');

  return {
    of({ platform, bot, chat }) {
      const row = of.get(platform, bot, chat);
      return row && read(row);
    },
    put({ address, direct, key, down, toldAt }) {
      const { platform, bot, chat } = address;
      const flags = { direct: direct ? 1 : 0, down: down ? 1 : 0 };
      put.run({ platform, bot, chat, address: JSON.stringify(address), ...flags, key, toldAt });
    },
    down: () => down.all().map(read),
  };
}
