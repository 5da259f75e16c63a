import type { SessionId } from '../contract/ids.ts';
import type { Db } from './open.ts';
import { type SessionScope, scopeFacts, scopeSql } from './sessions.ts';

export interface Hit {
  readonly session: SessionId;
  /** Of the transcript. */
  readonly seq: number;
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly at: number;
}

/** Words in what was said. */
export interface Search {
  /** Newest first. Whatever stands in `words` is looked for as it is written. */
  find(words: string, scope: SessionScope, limit: number): readonly Hit[];
}

export function createSearch(db: Db): Search {
  const find = (scope: SessionScope['kind']) =>
    db.prepare<object, Hit>(`
      SELECT transcript.session, transcript.seq, role, transcript.content, transcript.created_at AS at
      FROM transcript_words JOIN transcript ON transcript.seq = transcript_words.rowid
        JOIN sessions ON sessions.id = transcript.session
      WHERE transcript_words MATCH @match AND ${scopeSql(scope)} ORDER BY transcript_words.rowid DESC LIMIT @limit`);
  const statements = { direct: find('direct'), chat: find('chat'), shared: find('shared') };

  return {
    find(words, scope, limit) {
      const match = terms(words);
      if (match === '') return [];
      return statements[scope.kind].all({ ...scopeFacts(scope), match, limit });
    },
  };
}

/** Every word quoted: nothing in it is a command of the search language. */
function terms(words: string): string {
  const found = words
    .replaceAll('\0', ' ')
    .split(/\s+/)
    .filter((word) => word !== '');
  return found.map((word) => `"${word.replaceAll('"', '""')}"`).join(' ');
}
