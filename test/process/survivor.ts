import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { DiscordServer } from '../fakes/discord-server.ts';
import { TelegramServer, type Visible } from '../fakes/telegram-server.ts';
import { DaemonProcess, newHome, type StartedAs } from './daemon-process.ts';

const PATIENCE_MS = 20_000;

export interface BootFacts {
  readonly how: string | null;
  readonly plan: string | null;
  readonly signal: string | null;
  readonly executing: string | null;
  readonly interrupted: number;
  readonly settled_at: number | null;
}

/** A home and fake networks that outlive the daemon processes started on them: a Telegram, and a Discord if one is given. */
export class Survivor {
  readonly telegram: TelegramServer;
  readonly home: string;
  daemon: DaemonProcess | undefined;
  readonly #discord: DiscordServer | undefined;

  private constructor(telegram: TelegramServer, home: string, discord: DiscordServer | undefined) {
    this.telegram = telegram;
    this.home = home;
    this.#discord = discord;
  }

  /** `config` is the rest of config.yaml, from inside its first section `access` on if it begins with blanks. */
  static async open(config = '', discord?: DiscordServer): Promise<Survivor> {
    const telegram = new TelegramServer({ limits: false });
    const roots = [`telegram:\n  api_root: ${await telegram.listen()}\n`];
    if (discord) roots.push(`discord:\n  rest_api: ${await discord.listen()}\n`);
    const secrets = { TELEGRAM_BOT_TOKEN: telegram.token, ...(discord && { DISCORD_BOT_TOKEN: discord.token }) };
    const home = newHome(`${roots.join('')}access:\n  admins: ["telegram:1"]\n${config}`, secrets);
    return new Survivor(telegram, home, discord);
  }

  /** Resolves when it is ready. */
  async boot(as: StartedAs = {}): Promise<DaemonProcess> {
    const daemon = this.start(as);
    await daemon.ready();
    return daemon;
  }

  start(as: StartedAs = {}): DaemonProcess {
    this.daemon = new DaemonProcess(this.home, [], {}, as);
    return this.daemon;
  }

  async kill(): Promise<void> {
    await this.daemon?.kill();
    this.daemon = undefined;
  }

  async close(): Promise<void> {
    await this.kill();
    await Promise.all([this.telegram.close(), this.#discord?.close()]);
    rmSync(this.home, { recursive: true, force: true });
  }

  /** Anna is person 1. */
  says(text: string, who = 1): void {
    this.telegram.person(who, who === 1 ? 'Anna' : `Person ${who}`).says('dm', text);
  }

  /** What the bot has shown somebody. */
  seen(who = 1): readonly Visible[] {
    return this.telegram.said(who);
  }

  count(pattern: RegExp, who = 1): number {
    return this.seen(who).filter((message) => pattern.test(message.text)).length;
  }

  hears(pattern: RegExp, patienceMs = PATIENCE_MS, who = 1): Promise<Visible> {
    const look = () => this.seen(who).findLast((message) => pattern.test(message.text));
    return this.until(`${pattern} for ${who}`, look, patienceMs);
  }

  /** How each boot ended, oldest first. Only while no daemon runs: nobody else opens its files. */
  boots(): readonly BootFacts[] {
    const db = new Database(join(this.home, 'hermod.db'), { readonly: true });
    try {
      return db
        .prepare<[], BootFacts>(
          'SELECT how, plan, signal, executing, interrupted, settled_at FROM boots ORDER BY rowid',
        )
        .all();
    } finally {
      db.close();
    }
  }

  /** Answers that are written down, sent or not. Also while a daemon runs. */
  finals(): number {
    const db = new Database(join(this.home, 'hermod.db'), { readonly: true });
    try {
      return db.prepare<[], number>("SELECT count(*) FROM outbox WHERE kind = 'final'").pluck().get() ?? 0;
    } finally {
      db.close();
    }
  }

  /** A file of the workspace. */
  read(name: string): string {
    const path = join(this.home, 'workspace', name);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  async until<T>(what: string, look: () => T | undefined | false | null, patienceMs = PATIENCE_MS): Promise<T> {
    const end = performance.now() + patienceMs;
    for (;;) {
      const found = look();
      if (found !== undefined && found !== false && found !== null) return found;
      if (performance.now() > end) {
        const seen = this.seen()
          .map((message) => message.text)
          .join('\n---\n');
        throw new Error(`never saw ${what}; Anna sees:\n${seen}\nThe daemon said:\n${this.daemon?.output ?? '(dead)'}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
