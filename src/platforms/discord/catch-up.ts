import type { Clock } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import { DiscordError } from './failure.ts';
import type { RawMember, RawMessage } from './payloads.ts';
import { compareIds, PLATFORM, timeOf } from './place.ts';
import type { RestClient } from './rest-client.ts';
import type { Mark } from './watermarks.ts';

const PAGE = 100;
const MAX_PAGES = 10;
const FETCH_MS = 10_000;
const AT_ONCE = 2;

export interface CatchUpDeps {
  readonly rest: RestClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly over: AbortSignal;
  readonly maxAgeS: number;
  readonly maxPerChannel: number;
  readonly rolesMatter: boolean;
}

/** What was said in a channel since its mark, oldest first. */
export interface Missed {
  /** What is worth an answer. */
  readonly messages: readonly RawMessage[];
  /** The newest of all, those that are too old or too many included. */
  readonly upTo: string | undefined;
}

/** Reads what was said while nobody listened. REST tells neither guild nor member: both are added here. */
export class CatchUp {
  readonly #deps: CatchUpDeps;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(deps: CatchUpDeps) {
    this.#deps = deps;
  }

  /** `gone`: the channel is not there for us any more. Rejects with DiscordError when Discord could not be asked. */
  async since(mark: Mark): Promise<Missed | 'gone'> {
    await this.#turn();
    try {
      const found = await this.#pages(mark);
      return { messages: await this.#completed(mark, this.#worth(mark, found)), upTo: found.at(-1)?.id };
    } catch (error) {
      if (error instanceof DiscordError && error.failure.kind === 'gone') return 'gone';
      throw error;
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #turn(): Promise<void> {
    if (this.#running >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
  }

  async #pages({ channel, last }: Mark): Promise<readonly RawMessage[]> {
    const { rest, over } = this.#deps;
    const found: RawMessage[] = [];
    for (let page = 0, after = last; page < MAX_PAGES; page++) {
      const query = { after, limit: String(PAGE) };
      const call = {
        method: 'get',
        route: `/channels/${channel}/messages`,
        query,
        signal: over,
        timeoutMs: FETCH_MS,
      } as const;
      const messages = [...(await rest.call<readonly RawMessage[]>(call))].sort((a, b) => compareIds(a.id, b.id));
      found.push(...messages);
      const newest = messages.at(-1);
      if (messages.length < PAGE || !newest) break;
      after = newest.id;
    }
    return found;
  }

  #worth({ channel }: Mark, found: readonly RawMessage[]): readonly RawMessage[] {
    const { clock, log, maxAgeS, maxPerChannel } = this.#deps;
    const fresh = found.filter(({ id }) => clock.now() - timeOf(id) <= maxAgeS * 1000);
    const kept = fresh.slice(Math.max(0, fresh.length - maxPerChannel));
    if (kept.length < found.length) {
      const facts = { platform: PLATFORM, channel, found: found.length, kept: kept.length };
      log.warn(facts, 'Messages that came while nobody listened are too old or too many; the newest are answered.');
    }
    return kept;
  }

  async #completed({ guild }: Mark, found: readonly RawMessage[]): Promise<readonly RawMessage[]> {
    if (guild === undefined) return found;
    const members = new Map<string, RawMember | undefined>();
    for (const { author } of found) {
      if (!author || author.bot || members.has(author.id)) continue;
      members.set(author.id, await this.#member(guild, author.id));
    }
    return found.map((raw) => ({ ...raw, guild_id: guild, member: members.get(raw.author?.id ?? '') ?? null }));
  }

  async #member(guild: string, user: string): Promise<RawMember | undefined> {
    const { rest, over, rolesMatter } = this.#deps;
    if (!rolesMatter) return undefined;
    try {
      return await rest.call<RawMember>({ method: 'get', route: `/guilds/${guild}/members/${user}`, signal: over });
    } catch (error) {
      // Somebody who left has no roles.
      if (error instanceof DiscordError && (error.status === 404 || error.failure.kind === 'gone')) return undefined;
      throw error;
    }
  }
}
