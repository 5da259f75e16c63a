import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TelegramServer, type Visible } from '../fakes/telegram-server.ts';
import { DaemonProcess, newHome } from './daemon-process.ts';

const PATIENCE_MS = 20_000;

/** A home and a fake Telegram that outlive the daemon processes started on them. */
export class Survivor {
  readonly telegram: TelegramServer;
  readonly home: string;
  daemon: DaemonProcess | undefined;

  private constructor(telegram: TelegramServer, home: string) {
    this.telegram = telegram;
    this.home = home;
  }

  static async open(config = ''): Promise<Survivor> {
    const telegram = new TelegramServer({ limits: false });
    await telegram.listen();
    const text = `access:\n  admins: ["telegram:1"]\ntelegram:\n  api_root: ${telegram.url}\n${config}`;
    return new Survivor(telegram, newHome(text, { TELEGRAM_BOT_TOKEN: telegram.token }));
  }

  async boot(): Promise<DaemonProcess> {
    this.daemon = new DaemonProcess(this.home);
    await this.daemon.ready();
    return this.daemon;
  }

  async kill(): Promise<void> {
    await this.daemon?.kill();
    this.daemon = undefined;
  }

  async close(): Promise<void> {
    await this.kill();
    await this.telegram.close();
  }

  says(text: string): void {
    this.telegram.person(1, 'Anna').says('dm', text);
  }

  /** What the bot has shown Anna. */
  seen(): readonly Visible[] {
    return this.telegram.said(1);
  }

  count(pattern: RegExp): number {
    return this.seen().filter((message) => pattern.test(message.text)).length;
  }

  hears(pattern: RegExp, patienceMs = PATIENCE_MS): Promise<Visible> {
    return this.until(String(pattern), () => this.seen().findLast((message) => pattern.test(message.text)), patienceMs);
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
