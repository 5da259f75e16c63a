import type { DiscordServer } from '../fakes/discord-server.ts';
import { personId } from '../fakes/discord-server.ts';
import type { Survivor } from './survivor.ts';

/** One person and the place they talk in. */
export interface Conversation {
  says(text: string): void;
  /** What the bot shows there now. */
  texts(): readonly string[];
}

export interface TalkDeps {
  readonly conversations: readonly Conversation[];
  readonly random: () => number;
  /** The longest a person waits after an answer before they write again. */
  readonly pauseMs: number;
}

/** Everybody who may talk, as the lines of `access.allow` name them. */
export const allowed = (people: number): readonly string[] =>
  numbers(people).flatMap((n) => [`"telegram:${n}"`, `"discord:${personId(n)}"`]);

/** Half of them over Telegram, a quarter each in direct chats and channels of Discord. */
export function conversationsOf(survivor: Survivor, discord: DiscordServer, people: number): readonly Conversation[] {
  return numbers(people).map((n) => {
    if (n % 2 === 1) return onTelegram(survivor, n);
    return n % 4 === 0 ? inDirectChat(discord, n) : inChannel(discord, n);
  });
}

function onTelegram(survivor: Survivor, n: number): Conversation {
  return { says: (text) => survivor.says(text, n), texts: () => survivor.seen(n).map(({ text }) => text) };
}

function inDirectChat(discord: DiscordServer, n: number): Conversation {
  const person = discord.person(n);
  return { says: (text) => void person.says('dm', text), texts: () => textsOf(discord, person.dm.wire.id) };
}

function inChannel(discord: DiscordServer, n: number): Conversation {
  const person = discord.person(n);
  const { id } = discord.channel(`room-${n}`).wire;
  return { says: (text) => void person.calls(id, text), texts: () => textsOf(discord, id) };
}

const textsOf = (discord: DiscordServer, channel: string) => discord.said(channel).map(({ text }) => text);

const LOOK_MS = 50;
/** Kept waiting for so long after the last kill, a person is not answered any more. */
const PATIENCE_MS = 180_000;

/** People who write, wait for the answer, and write again. */
export class Talk {
  /** Each message has a name. */
  readonly names: string[] = [];
  readonly #deps: TalkDeps;
  readonly #people: readonly Promise<void>[];
  #answers = 0;
  /** Nobody begins anything new after it, and waits for ever. */
  #over: number | undefined;

  constructor(deps: TalkDeps) {
    this.#deps = deps;
    this.#people = deps.conversations.map((_, i) => this.#person(i));
  }

  get answers(): number {
    return this.#answers;
  }

  /** Resolves when everybody has their last answer, or has waited for long enough. */
  async end(): Promise<void> {
    this.#over = performance.now();
    await Promise.all(this.#people);
  }

  /** By name: how often it was answered in all, and how often without a word that it may be a repeat. */
  account(): readonly { readonly name: string; readonly all: number; readonly plain: number }[] {
    return this.names.map((name) => {
      const copies = this.#copies(name);
      return { name, all: copies.length, plain: copies.filter((text) => !text.includes('may be a repeat')).length };
    });
  }

  async #person(i: number): Promise<void> {
    for (let n = 1; this.#over === undefined; n++) {
      const name = `p${i + 1}n${n}`;
      this.names.push(name);
      this.#deps.conversations[i]?.says(`note ${name}`);
      if (!(await this.#answered(name))) return;
      this.#answers++;
      await pause(this.#deps.random() * this.#deps.pauseMs);
    }
  }

  async #answered(name: string): Promise<boolean> {
    while (this.#copies(name).length === 0) {
      if (this.#over !== undefined && performance.now() > this.#over + PATIENCE_MS) return false;
      await pause(LOOK_MS);
    }
    return true;
  }

  #copies(name: string): readonly string[] {
    const said = new RegExp(`done ${name}\\b`);
    const i = Number(/^p(\d+)/.exec(name)?.[1]) - 1;
    return this.#deps.conversations[i]?.texts().filter((text) => said.test(text)) ?? [];
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
