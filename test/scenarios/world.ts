import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import Database from 'better-sqlite3';
import { createApp } from '../../src/app.ts';
import type { App } from '../../src/app-port.ts';
import { run } from '../../src/command-line.ts';
import { loadConfig } from '../../src/config/load.ts';
import { NO_MARKERS } from '../../src/context/authority.ts';
import { type BootId, newId } from '../../src/contract/ids.ts';
import type { Host } from '../../src/host.ts';
import type { Watchdog } from '../../src/process/watchdog.ts';
import { openReadOnly } from '../../src/store/open.ts';
import { DiscordServer, personId } from '../fakes/discord-server.ts';
import { libraryWaitsOn } from '../fakes/library-waits.ts';
import type { MessageRef, Person } from '../fakes/telegram-person.ts';
import { TelegramServer, type Visible } from '../fakes/telegram-server.ts';
import { WarpClock } from '../fakes/warp-clock.ts';
import { Member } from './member.ts';

export interface WorldOptions {
  /** Lines of config.yaml beside those that let Anna (1) in as admin and point to the fakes. */
  readonly config?: string;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly telegram?: boolean;
  /** Connects to a fake Discord, too: its person 1 is an admin, its person 2 may talk. */
  readonly discord?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

const PATIENCE_MS = 20_000;
const HOLDER = `const db = require('better-sqlite3')(process.argv[1]); db.exec('BEGIN IMMEDIATE'); console.log('held');
process.stdin.resume().on('end', () => db.exec('COMMIT'));`;
const NO_WATCHDOG: Watchdog = { armStop() {}, alive: () => true, lagMs: () => 0, close() {} };

/** The whole app in this process, with a fake Telegram and the practice model unless the configuration says otherwise. */
export class World {
  readonly clock = new WarpClock();
  readonly telegram = new TelegramServer({ clock: this.clock });
  readonly discord = new DiscordServer({ clock: this.clock, heartbeatMs: 200, limits: 20 });
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'hermod-world-')));
  readonly #options: WorldOptions;
  readonly log: string[] = [];
  #app: App | undefined;

  private constructor(options: WorldOptions) {
    this.#options = options;
  }

  static async open(options: WorldOptions = {}): Promise<World> {
    const world = new World(options);
    await world.telegram.listen();
    if (options.discord) {
      libraryWaitsOn(world.clock);
      await world.discord.listen();
    }
    await world.boot();
    return world;
  }

  get app(): App {
    if (!this.#app) throw new Error('hermod is not running; boot() first.');
    return this.#app;
  }

  /** `change`: what is different in this life. */
  async boot(change: WorldOptions = {}): Promise<void> {
    const { telegram = true, discord = false, secrets = {}, config = '', env = {} } = { ...this.#options, ...change };
    const token = {
      ...(telegram ? { TELEGRAM_BOT_TOKEN: this.telegram.token } : {}),
      ...(discord ? { DISCORD_BOT_TOKEN: this.discord.token } : {}),
    };
    const text = `${this.#access()}telegram:\n  api_root: ${this.telegram.url}\n  edit_interval_private_ms: 1000\n${discord ? this.#discordSection() : ''}http:\n  port: 0\n${config}`;
    writeFileSync(join(this.home, 'config.yaml'), text);
    const read = () => loadConfig({ home: this.home, env: { HOME: this.home, ...token, ...secrets }, set: [] });
    const loaded = read();
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
    const host = this.#host(env);
    const rest = { host, clock: this.clock, boot: newId<BootId>(), watchdog: NO_WATCHDOG, markers: NO_MARKERS };
    this.#app = createApp({ ...loaded, ...rest, end: () => {}, supervised: true, readAgain: read });
    await this.#app.start();
  }

  #access(): string {
    const [admin, member] = this.#options.discord ? [1, 2].map((n) => `, "discord:${personId(n)}"`) : ['', ''];
    return `access:\n  admins: ["telegram:1"${admin}]\n  allow: ["telegram:2"${member}]\n  groups: ["telegram:-100"]\n`;
  }

  #discordSection(): string {
    return `discord:\n  rest_api: ${this.discord.url}\n  media_hosts: ["${this.discord.mediaHost}"]\n  edit_interval_ms: 1000\n`;
  }

  /** An orderly stop, as SIGTERM asks for it. */
  async stop(): Promise<void> {
    await this.#app?.stop({ how: 'signal', code: 0, by: 'SIGTERM' });
    this.#app = undefined;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.telegram.close();
    await this.discord.close();
    rmSync(this.home, { recursive: true, force: true });
    if (this.discord.problems.length > 0) throw new Error(this.discord.problems.join('\n'));
  }

  /** What was said, by both, over all conversations. */
  async transcript(): Promise<readonly string[]> {
    return this.#rows<string>('SELECT content FROM transcript WHERE hidden = 0 ORDER BY seq');
  }

  /** How many conversations there are, ended ones included. */
  async sessions(): Promise<number> {
    return this.#rows('SELECT id FROM sessions').length;
  }

  /** What became of everything that came in, oldest first. */
  inboxRows(): readonly string[] {
    return this.#rows("SELECT kind || ' ' || state FROM inbox ORDER BY seq");
  }

  #rows<T>(sql: string): readonly T[] {
    const db = openReadOnly(join(this.home, 'hermod.db'));
    try {
      return db.prepare<[], T>(sql).pluck().all();
    } finally {
      db.close();
    }
  }

  /** Changes rows behind hermod's back; only while it is down. */
  sql(statement: string): void {
    const db = new Database(join(this.home, 'hermod.db'));
    db.exec(statement);
    db.close();
  }

  /** Another process begins to write and does not end, until it is told to. */
  async holdStore(): Promise<{ end(): Promise<void> }> {
    const holder = spawn(process.execPath, ['-e', HOLDER, join(this.home, 'hermod.db')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    return {
      end: async () => {
        holder.stdin.end();
        await once(holder, 'exit');
      },
    };
  }

  /** One command line on this home, in this process. */
  async hermod(...args: readonly string[]) {
    const [out, err]: [string[], string[]] = [[], []];
    const host = {
      ...{ env: { HERMOD_HOME: this.home, HOME: this.home }, args, pid: process.pid, cwd: this.home },
      out: { write: (text: string) => out.push(text) > 0 },
      err: { write: (text: string) => err.push(text) > 0 },
    } as unknown as Host;
    const code = await run(host);
    return { code, out: out.join(''), err: err.join('') };
  }

  get workspace(): string {
    return join(this.home, 'workspace');
  }

  write(name: string, text = ''): string {
    const path = join(this.workspace, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  has(name: string): boolean {
    return existsSync(join(this.workspace, name));
  }

  person(id: number, name: string): Someone {
    return new Someone(this, this.telegram.person(id, name));
  }

  /** Person `n` in front of Discord. */
  member(n: number, name: string): Member {
    return new Member(this, this.discord.person(n, name));
  }

  /** Nothing is on its way out. */
  delivered(): Promise<true> {
    const busy = () => ['pending', 'sending', 'ambiguous'].some((state) => (this.app.status().outbox[state] ?? 0) > 0);
    return this.until('delivery to be done', () => !busy() || undefined);
  }

  /** Resolves with what `look` finds as soon as it finds something; rejects with `what` when it never does. */
  async until<T>(what: string | (() => string), look: () => T | undefined | false | null): Promise<T> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const found = look();
      if (found !== undefined && found !== false && found !== null) return found;
      if (performance.now() > end) {
        const wanted = typeof what === 'string' ? what : what();
        throw new Error(`never saw ${wanted}\n${this.log.slice(-20).join('')}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  #host(env: Readonly<Record<string, string>>): Host {
    const unused = () => {
      throw new Error('a world has no process of its own');
    };
    return {
      env: { PATH: process.env['PATH'], HOME: this.home, ...env },
      args: [],
      pid: process.pid,
      parentPid: process.ppid,
      parent: () => process.ppid,
      node: process.execPath,
      platform: process.platform,
      stdin: Readable.from([]),
      out: { write: (text: string) => this.log.push(text) > 0 } as Host['out'],
      err: { write: (text: string) => this.log.push(text) > 0 } as Host['err'],
      cwd: this.home,
      onSignal: unused,
      onCrash: unused,
      kill: (pid, signal) => process.kill(pid, signal),
      die: unused,
    };
  }
}

/** A person in front of Telegram. Speaks and presses as people do, and sees what the bot shows. */
export class Someone {
  readonly #world: World;
  readonly person: Person;

  constructor(world: World, person: Person) {
    this.#world = world;
    this.person = person;
  }

  says(text: string, where: 'dm' | number = 'dm'): MessageRef {
    return this.person.says(where, text);
  }

  /** What the bot has written to this person's chat. */
  sees(where: 'dm' | number = 'dm'): readonly Visible[] {
    return this.#world.telegram.said(where === 'dm' ? this.person.id : where);
  }

  /** The newest message of the bot that matches, as soon as there is one. */
  hears(pattern: RegExp, where: 'dm' | number = 'dm'): Promise<Visible> {
    const what = () =>
      `${pattern} in what ${this.person.name} sees:\n${this.sees(where)
        .map((message) => message.text)
        .join('\n---\n')}`;
    return this.#world.until(what, () => this.sees(where).findLast((message) => pattern.test(message.text)));
  }

  /** A card with buttons that matches. */
  isAsked(pattern: RegExp, where: 'dm' | number = 'dm'): Promise<Visible> {
    return this.#world.until(`a card ${pattern}`, () =>
      this.sees(where).findLast((message) => message.buttons.length > 0 && pattern.test(message.text)),
    );
  }

  /** Presses and resolves with what the bot answers to the press. */
  async presses(card: MessageRef, label: string): Promise<string> {
    const press = this.person.presses(card, label);
    return this.#world
      .until(`an answer to the press of ${label}`, () => press.answer !== undefined && [press.answer])
      .then(([text]) => text as string);
  }
}
