// From starting the process to its first getUpdates, and what it then holds in memory: Telegram alone, discord.js not loaded.
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TelegramServer } from '../../test/fakes/telegram-server.ts';
import { DaemonProcess, newHome } from '../../test/process/daemon-process.ts';

const RUNS = 9;
/** What the launcher sets: warm starts load compiled code. The first, uncounted run fills it. */
const CACHE = { NODE_COMPILE_CACHE: mkdtempSync(join(tmpdir(), 'hermod-compile-')) };
const SETTLE_MS = 1_000;

interface Run {
  readonly ms: number;
  readonly rssMb: number;
  readonly discord: boolean;
}

async function run(): Promise<Run> {
  const telegram = new TelegramServer();
  const config = `access:\n  admins: ["telegram:1"]\ntelegram:\n  api_root: ${await telegram.listen()}\n`;
  const home = newHome(config, { TELEGRAM_BOT_TOKEN: telegram.token });
  const began = performance.now();
  const daemon = new DaemonProcess(home, [], CACHE);
  while (telegram.callsOf('getUpdates').length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const ms = performance.now() - began;
  await daemon.ready();
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const rssMb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.pid}/status`, 'utf8'))?.[1]) / 1024;
  const discord = readFileSync(`/proc/${daemon.pid}/maps`, 'utf8').includes('discord');
  daemon.signal('SIGTERM');
  await daemon.exited;
  await telegram.close();
  return { ms, rssMb, discord };
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] as number;

await run();
const runs: Run[] = [];
for (let i = 0; i < RUNS; i++) runs.push(await run());
const times = runs.map(({ ms }) => ms);
const sizes = runs.map(({ rssMb }) => rssMb);
console.log(
  `start to first getUpdates   median ${median(times).toFixed(0)} ms   (${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)}, ${RUNS} runs; aim 600)`,
);
console.log(
  `resident memory after it    median ${median(sizes).toFixed(0)} MB   (${Math.min(...sizes).toFixed(0)} to ${Math.max(...sizes).toFixed(0)}; aim 120)`,
);
