import type { Address } from '../contract/message.ts';
import type { Db } from './open.ts';

/** Messages about jobs that people still see. */
export interface JobCards {
  /** The outbox key of the message a button was pressed on, if it is one that shows a job. */
  at(address: Address, messageId: string): string | undefined;
}

export function createJobCards(db: Db): JobCards {
  const find = db.prepare<[string, string, string], { key: string }>(`
    SELECT key FROM outbox WHERE message_id = ? AND platform = ? AND chat = ? AND edits IS NULL
      AND (key GLOB 'job-echo:*' OR key GLOB 'job-show:*' OR (key GLOB 'answer:*' AND instr(body, '"h1:jo:') > 0))
    ORDER BY seq LIMIT 1`);
  return { at: ({ platform, chat }, messageId) => find.get(messageId, platform, chat)?.key };
}
