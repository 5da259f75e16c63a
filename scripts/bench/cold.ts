// From starting the process to its first getUpdates, and what it then holds in memory: npm run bench -- cold [discord] [quiet]
// With `discord` both networks are configured: to a fake Discord's READY and Telegram's first getUpdates, whichever is later.
// With `quiet` memory is looked at when nothing has run for more than a minute: what the start has left behind is given back then.
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiscordServer } from '../../test/fakes/discord-server.ts';
import { TelegramServer } from '../../test/fakes/telegram-server.ts';
import { DaemonProcess, newHome } from '../../test/process/daemon-process.ts';
import { nodeEnv } from '../launch/node-options.mjs';

const QUIET = process.argv.includes('quiet');
const RUNS = QUIET ? 3 : 9;
/** As the launcher starts it: warm starts load compiled code. The first, uncounted run fills the cache. */
const ENV = nodeEnv({ NODE_COMPILE_CACHE: mkdtempSync(join(tmpdir(), 'hermod-compile-')) });
const SETTLE_MS = QUIET ? 80_000 : 1_000;
const BOTH = process.argv.includes('discord');
const AIM = BOTH
  ? { what: 'READY and getUpdates', ms: 1_000, mb: 150 }
  : { what: 'first getUpdates', ms: 600, mb: 120 };

interface Run {
  readonly ms: number;
  readonly rssMb: number;
  /** Killed, and started again on what it left behind. */
  readonly againMs: number;
}

async function run(): Promise<Run> {
  const telegram = new TelegramServer();
  const discord = new DiscordServer();
  const home = newHome(await configOf(telegram, discord), {
    TELEGRAM_BOT_TOKEN: telegram.token,
    ...(BOTH && { DISCORD_BOT_TOKEN: discord.token }),
  });
  const began = performance.now();
  const daemon = new DaemonProcess(home, [], ENV);
  const up = () => telegram.callsOf('getUpdates').length > 0 && (!BOTH || discord.gateway.connected > 0);
  while (!up()) await new Promise((resolve) => setTimeout(resolve, 1));
  const ms = performance.now() - began;
  await daemon.ready();
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const rssMb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.pid}/status`, 'utf8'))?.[1]) / 1024;
  await daemon.kill();
  const killed = performance.now();
  const next = new DaemonProcess(home, [], ENV);
  await next.ready();
  const againMs = performance.now() - killed;
  next.signal('SIGTERM');
  await next.exited;
  await Promise.all([telegram.close(), discord.close()]);
  return { ms, rssMb, againMs };
}

async function configOf(telegram: TelegramServer, discord: DiscordServer): Promise<string> {
  const networks = `access:\n  admins: ["telegram:1"]\ntelegram:\n  api_root: ${await telegram.listen()}\n`;
  if (!BOTH) return networks;
  discord.channel('ops');
  return `${networks}discord:\n  rest_api: ${await discord.listen()}\n`;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] as number;

await run();
const runs: Run[] = [];
for (let i = 0; i < RUNS; i++) runs.push(await run());
const times = runs.map(({ ms }) => ms);
const again = runs.map(({ againMs }) => againMs);
const sizes = runs.map(({ rssMb }) => rssMb);
console.log(
  `start to ${AIM.what}   median ${median(times).toFixed(0)} ms   (${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)}, ${RUNS} runs; aim ${AIM.ms})`,
);
console.log(
  `resident memory after it    median ${median(sizes).toFixed(0)} MB   (${Math.min(...sizes).toFixed(0)} to ${Math.max(...sizes).toFixed(0)}; aim ${AIM.mb})`,
);
console.log(
  `ready again after a SIGKILL    median ${median(again).toFixed(0)} ms   (${Math.min(...again).toFixed(0)} to ${Math.max(...again).toFixed(0)}; aim 5000)`,
);
