import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FLAGS, nodeEnv } from '../../scripts/launch/node-options.mjs';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface StartedAs {
  /** A module that is loaded before the entry: a fault somebody planted. */
  readonly preload?: string;
  /** As the launcher starts it: with an IPC channel. */
  readonly launched?: boolean;
}

/** What a process of hermod is started with: no HOME of anybody, a home of its own, and what others of this run compiled. */
export function processEnv(home: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: '/nonexistent',
    HERMOD_HOME: home,
    NODE_COMPILE_CACHE: process.env['HERMOD_TEST_COMPILE_CACHE'] ?? '',
  };
}

/** The real entry as a child process, on a home of its own. */
export class DaemonProcess {
  readonly #child: ChildProcess;
  readonly exited: Promise<Exit>;
  #output = '';
  readonly #watchers = new Set<() => void>();

  constructor(
    home: string,
    args: readonly string[] = [],
    env: Record<string, string> = {},
    { preload, launched = false }: StartedAs = {},
  ) {
    const node = preload === undefined ? FLAGS : [...FLAGS, '--import', preload];
    const mark = launched ? ['--launched'] : [];
    this.#child = spawn(process.execPath, [...node, MAIN, 'start', '--set', 'http.port=0', ...args, ...mark], {
      env: nodeEnv({ ...processEnv(home), ...env }),
      stdio: ['ignore', 'pipe', 'pipe', ...(launched ? (['ipc'] as const) : [])],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => this.#heard(text));
    this.exited = new Promise((resolve) => this.#child.once('exit', (code, signal) => resolve({ code, signal })));
    void this.exited.then(() => this.#heard(''));
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  get output(): string {
    return this.#output;
  }

  /** Resolves with the match once the output has it; rejects when the process ends without. */
  async says(pattern: RegExp): Promise<RegExpMatchArray> {
    for (;;) {
      const match = this.#output.match(pattern);
      if (match) return match;
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error(`ended without ${pattern}:\n${this.#output}`);
      await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  /** The URL on the banner: up and ready. */
  async ready(): Promise<string> {
    return (await this.says(/Open\s+(http\S+)/))[1] as string;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** The launcher is gone. */
  disconnect(): void {
    this.#child.disconnect();
  }

  async kill(): Promise<Exit> {
    this.#child.kill('SIGKILL');
    return this.exited;
  }

  #heard(text: string): void {
    this.#output += text;
    for (const watcher of [...this.#watchers]) {
      this.#watchers.delete(watcher);
      watcher();
    }
  }
}

/** A fresh home with this configuration. */
export function newHome(config = '', secrets: Record<string, string> = {}): string {
  const home = mkdtempSync(join(tmpdir(), 'hermod-'));
  if (config !== '') writeFileSync(join(home, 'config.yaml'), config);
  writeFileSync(
    join(home, '.env'),
    Object.entries(secrets)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
    { mode: 0o600 },
  );
  return home;
}
