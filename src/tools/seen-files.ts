import type { SessionId } from '../contract/ids.ts';

const MOST = 10_000;

/** Which contents of which files a session knows, so that it never overwrites what it has not seen. */
export class SeenFiles {
  readonly #hashes = new Map<string, string>();

  /** The session has read or written exactly this. */
  note(session: SessionId, real: string, hash: string): void {
    const key = `${session}\0${real}`;
    this.#hashes.delete(key);
    this.#hashes.set(key, hash);
    if (this.#hashes.size > MOST) this.#hashes.delete(this.#hashes.keys().next().value as string);
  }

  knows(session: SessionId, real: string): string | undefined {
    return this.#hashes.get(`${session}\0${real}`);
  }
}
