import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const PROJECT = dirname(dirname(import.meta.dirname));
const BOUND_MS = 50_000;

/** What the launcher starts in place of hermod: obeys its arguments, tells what it sees on stdout. */
const MAIN = `
import { appendFileSync, readFileSync } from 'node:fs';
const [command, ...args] = process.argv.slice(2);
const say = (text: string): boolean => process.stdout.write(text + '\\n');
say('started ' + [command, ...args].join(' '));
const verb = args.filter((arg) => arg !== '--launched');
if (verb[0] === 'exit') process.exit(Number(verb[1]));
if (verb[0] === 'die') process.kill(process.pid, verb[1] as NodeJS.Signals);
if (verb[0] === 'where') say(process.cwd() + ' ' + (process.connected === true));
if (verb[0] === 'end') {
  if (verb[3]) appendFileSync(verb[3], ' ');
  appendFileSync(verb[1]!, 'x');
  process.exit(readFileSync(verb[1]!).length > Number(verb[2]) ? 0 : 75);
}
if (verb[0] === 'stay') {
  for (const name of ['SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGINT'] as const) {
    process.on(name, () => {
      say('got ' + name);
      if (name === 'SIGTERM') setTimeout(() => process.exit(Number(verb[1])), 50);
    });
  }
  process.on('disconnect', () => process.exit(say('lost its channel') ? 0 : 1));
  setInterval(() => undefined, 1000);
  say('ready ' + process.pid + (process.connected ? ' with a channel' : ''));
}
`;

/** npm without a network: writes down each call and does what FAKE_NPM says. */
const NPM = `#!${process.execPath}
import fs from 'node:fs';
const args = process.argv.slice(2);
fs.appendFileSync(process.env.FAKE_NPM_LOG, JSON.stringify({ args, path: process.env.PATH.split(':')[0] }) + '\\n');
const mode = process.env.FAKE_NPM || '';
if (args[0] === '--version') console.log(mode === 'old' ? '6.14.18' : '10.8.2');
if (args[0] === 'pack') {
  if (mode === 'offline') fail('npm error code ENOTFOUND');
  fs.copyFileSync(process.env.FAKE_ARCHIVE, 'archive.tgz');
}
if (args[0] === 'ci') {
  fs.rmSync('node_modules', { recursive: true, force: true });
  if (mode === 'offline') fail('npm error code EAI_AGAIN');
  if (mode === 'broken') fail(Array.from({ length: 40 }, (_, i) => 'npm error line ' + i).join('\\n'));
  if (mode === 'slow') while (!fs.existsSync(process.env.FAKE_NPM_GO)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  fs.mkdirSync('node_modules');
}
if (args[0] === 'run' && args[2] === process.env.FAKE_FAILS) fail('what is wrong with ' + args[2]);
function fail(text) { console.error(text); process.exit(1); }
`;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** A launcher at work. `out` and `err` grow; `until` resolves when stdout or stderr holds the pattern. */
export interface Launched {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

/** A checkout of its own with the real launcher, a fake npm and a fake hermod. */
export class Checkout {
  readonly root = mkdtempSync(join(tmpdir(), 'hermod-checkout-'));
  readonly cache = join(this.root, 'cache');
  readonly log = join(this.root, 'npm.log');
  readonly #running = new Set<ChildProcess>();

  constructor() {
    mkdirSync(join(this.root, 'src'));
    mkdirSync(join(this.root, 'bin'));
    cpSync(join(PROJECT, 'scripts/launch'), join(this.root, 'scripts/launch'), { recursive: true });
    cpSync(join(PROJECT, 'scripts/launch.mjs'), join(this.root, 'scripts/launch.mjs'));
    const { scripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { scripts: object };
    this.write('package.json', JSON.stringify({ name: 'copy', private: true, type: 'module', scripts }));
    this.write('package-lock.json', '{"lockfileVersion": 3}');
    this.write('src/main.ts', MAIN);
    this.write('bin/npm', NPM);
    chmodSync(join(this.root, 'bin/npm'), 0o755);
  }

  write(path: string, text: string): string {
    const file = join(this.root, path);
    writeFileSync(file, text);
    return file;
  }

  /** Calls npm got, as its arguments. */
  get npmCalls(): readonly { readonly args: readonly string[]; readonly path: string }[] {
    if (!existsSync(this.log)) return [];
    const lines = readFileSync(this.log, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as { args: string[]; path: string });
  }

  get installs(): readonly (readonly string[])[] {
    return this.npmCalls.map((call) => call.args).filter((args) => args[0] === 'ci');
  }

  env(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
    const path = [join(this.root, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);
    return { ...process.env, PATH: path, XDG_CACHE_HOME: this.cache, FAKE_NPM_LOG: this.log, ...more };
  }

  launch(args: readonly string[], more: Readonly<Record<string, string>> = {}): Launched {
    return this.spawn(process.execPath, [join(this.root, 'scripts/launch.mjs'), ...args], this.env(more));
  }

  spawn(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Launched {
    const child = spawn(command, args, {
      cwd: this.root,
      env,
      stdio: 'pipe',
      timeout: BOUND_MS,
      killSignal: 'SIGKILL',
    });
    this.#running.add(child);
    return watch(child);
  }

  async remove(): Promise<void> {
    for (const child of this.#running) child.kill('SIGKILL');
    rmSync(this.root, { recursive: true, force: true });
  }
}

function watch(child: ChildProcess): Launched {
  const text = { out: '', err: '' };
  const waiting = new Set<() => void>();
  const grow = (key: 'out' | 'err') => (chunk: Buffer) => {
    text[key] += chunk.toString();
    for (const look of waiting) look();
  };
  child.stdout?.on('data', grow('out'));
  child.stderr?.on('data', grow('err'));
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, ...text }));
  });
  const until = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(text.out + text.err);
        if (found) resolve(found);
      };
      waiting.add(look);
      look();
      void ended.then((end) => reject(new Error(`ended without ${pattern}: ${JSON.stringify(end)}`)));
    });
  return { child, ended, until };
}
