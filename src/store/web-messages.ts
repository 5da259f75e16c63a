import type { Button } from '../contract/message.ts';
import type { ConversationSummary, WebFile, WebMessage, WebMessages } from '../platforms/web/messages.ts';
import { type Db, transaction } from './open.ts';

interface Row {
  id: number;
  conversation: string;
  side: WebMessage['side'];
  text: string;
  buttons: string;
  card: number;
  drawn_as: NonNullable<WebMessage['as']> | null;
  created_at: number;
  edited_at: number | null;
}

const TITLE_CHARACTERS = 60;

/** Conversations of the control page. Rows are added and edited, never removed. */
export function createWebMessages(db: Db): WebMessages {
  const insert = db.prepare<[object], Row>(`
    INSERT INTO web_messages (conversation, side, text, buttons, card, drawn_as, key, created_at)
    VALUES (@conversation, @side, @text, @buttons, @card, @drawnAs, @key, @now)
    ON CONFLICT (key) DO NOTHING RETURNING *`);
  const insertFile = db.prepare('INSERT INTO web_files (message, position, name, bytes) VALUES (?, ?, ?, ?)');
  const byKey = db.prepare<[string], Row>('SELECT * FROM web_messages WHERE key = ?');
  const byId = db.prepare<[number], Row>('SELECT * FROM web_messages WHERE id = ?');
  const edit = db.prepare<[object], Row>(`
    UPDATE web_messages SET text = @text, buttons = @buttons, card = max(card, @card), drawn_as = @drawnAs, edited_at = @now
    WHERE id = @id AND side = 'hermod' RETURNING *`);
  const page = db.prepare<[string, number, number], Row>(
    'SELECT * FROM web_messages WHERE conversation = ? AND id < ? ORDER BY id DESC LIMIT ?',
  );
  const conversations = db.prepare<[number], { conversation: string; last_at: number; title: string | null }>(`
    SELECT m.conversation, m.created_at AS last_at,
      (SELECT substr(text, 1, ${TITLE_CHARACTERS}) FROM web_messages f
       WHERE f.conversation = m.conversation AND f.side = 'person' AND f.text NOT LIKE '/%' ORDER BY f.id LIMIT 1) AS title
    FROM (SELECT conversation, max(id) AS id FROM web_messages GROUP BY conversation) AS last
    JOIN web_messages m ON m.id = last.id ORDER BY m.id DESC LIMIT ?`);
  const filesOf = db.prepare<[number], WebFile>(
    'SELECT name, length(bytes) AS size FROM web_files WHERE message = ? ORDER BY position',
  );
  const file = db.prepare<[number, number], { name: string; bytes: Uint8Array }>(
    'SELECT name, bytes FROM web_files WHERE message = ? AND position = ?',
  );
  const untaken = db.prepare<[], Row>(
    `SELECT * FROM web_messages WHERE side = 'person' AND taken_at IS NULL ORDER BY id`,
  );
  const taken = db.prepare('UPDATE web_messages SET taken_at = ? WHERE id = ? AND taken_at IS NULL');

  const read = (row: Row): WebMessage => ({
    id: String(row.id),
    conversation: row.conversation,
    side: row.side,
    text: row.text,
    buttons: JSON.parse(row.buttons) as (readonly Button[])[],
    card: row.card === 1,
    ...(row.drawn_as && { as: row.drawn_as }),
    files: filesOf.all(row.id),
    createdAt: row.created_at,
    editedAt: row.edited_at,
  });

  return {
    add: ({ conversation, side, key, content, files = [] }, now) =>
      transaction(db, () => {
        const row = insert.get({ conversation, side, key, now, ...drawn(content) });
        if (!row) return { message: read(byKey.get(key) as Row), fresh: false };
        for (const [i, { name, bytes }] of files.entries()) insertFile.run(row.id, i, name, bytes);
        return { message: read(row), fresh: true };
      }),
    edit(id, content, now) {
      const row = edit.get({ id: Number(id), now, ...drawn(content) });
      return row && read(row);
    },
    get(id) {
      const row = byId.get(rowId(id));
      return row && read(row);
    },
    page: (conversation, limit, before) =>
      page
        .all(conversation, before === undefined ? Number.MAX_SAFE_INTEGER : rowId(before), limit)
        .reverse()
        .map(read),
    conversations: (limit) =>
      conversations.all(limit).map(
        (row): ConversationSummary => ({
          conversation: row.conversation,
          title: row.title ?? '',
          lastAt: row.last_at,
        }),
      ),
    file: (id, index) => file.get(rowId(id), index),
    untaken: (conversation) =>
      untaken
        .all()
        .filter((row) => conversation === undefined || row.conversation === conversation)
        .map(read),
    taken: (id, now) => void taken.run(now, rowId(id)),
  };
}

function drawn(content: { text: string; buttons?: readonly (readonly Button[])[]; as?: WebMessage['as'] }) {
  const buttons = (content.buttons ?? []).filter((row) => row.length > 0);
  return {
    text: content.text,
    buttons: JSON.stringify(buttons),
    card: buttons.length > 0 ? 1 : 0,
    drawnAs: content.as ?? null,
  };
}

/** Ids come back from browsers; what is no row id names no row. */
function rowId(id: string): number {
  return /^\d{1,15}$/.test(id) ? Number(id) : -1;
}
