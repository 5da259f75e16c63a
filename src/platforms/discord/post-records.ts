import type { KeyValue } from '../../contract/platform.ts';
import { isId } from './place.ts';

const STATE = 'posts';
const MAX_KNOWN = 100;

/** A post that was to be opened, by the message it carries. */
export interface PostRecord {
  readonly message: string;
  /** UTC ms before its first attempt. */
  readonly since: number;
  /** Absent: whether it was opened is not known. */
  readonly post?: string;
}

/** Posts for messages of several parts, over restarts: a post has no nonce, and the parts after the first go into it. */
export class PostRecords {
  readonly #state: KeyValue;
  #records: readonly PostRecord[];

  constructor(state: KeyValue) {
    this.#state = state;
    this.#records = stored(state.get(STATE));
  }

  of(message: string): PostRecord | undefined {
    return this.#records.find((record) => record.message === message);
  }

  /** Throws as the state does. */
  put(record: PostRecord): void {
    this.#write([...this.#without(record.message), record].slice(-MAX_KNOWN));
  }

  drop(message: string): void {
    this.#write(this.#without(message));
  }

  #without(message: string): readonly PostRecord[] {
    return this.#records.filter((record) => record.message !== message);
  }

  #write(records: readonly PostRecord[]): void {
    this.#state.set(STATE, JSON.stringify(records));
    this.#records = records;
  }
}

function stored(json: string | undefined): readonly PostRecord[] {
  try {
    const records: unknown = JSON.parse(json ?? '[]');
    return Array.isArray(records) ? records.filter(isRecord) : [];
  } catch {
    return [];
  }
}

function isRecord(record: Partial<PostRecord> | null): record is PostRecord {
  const { message, since, post } = record ?? {};
  return typeof message === 'string' && typeof since === 'number' && (post === undefined || isId(post));
}
