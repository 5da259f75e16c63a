import type { Log } from '../../contract/log.ts';
import { PLATFORM } from './place.ts';

/** What happens in a channel, one thing after the other; channels do not wait for each other. */
export class ChannelLines {
  readonly #log: Log;
  readonly #tails = new Map<string, Promise<void>>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Resolves when the job is done; never rejects. */
  push(channel: string, job: () => Promise<void>): Promise<void> {
    const before = this.#tails.get(channel) ?? Promise.resolve();
    const tail = before.then(job).catch((error: unknown) => {
      this.#log.error(
        { platform: PLATFORM, channel, error: String(error) },
        'A Discord event failed on a bug; the next ones go on.',
      );
    });
    this.#tails.set(channel, tail);
    void tail.then(() => {
      if (this.#tails.get(channel) === tail) this.#tails.delete(channel);
    });
    return tail;
  }
}
