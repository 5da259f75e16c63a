import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { TelegramServer } from '../fakes/telegram-server.ts';
import { DaemonProcess, newHome } from './daemon-process.ts';

const telegram = new TelegramServer();
let daemon: DaemonProcess | undefined;
afterEach(async () => {
  await daemon?.kill();
  await telegram.close();
});

/** Starts the daemon with Telegram alone; resolves with the address of every module it has loaded once it is ready. */
async function loadedModules(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hermod-modules-'));
  const [spy, list] = [join(folder, 'spy.mjs'), join(folder, 'list')];
  const hook = `load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + '\\n'); return next(url, context); }`;
  writeFileSync(
    spy,
    `import { registerHooks } from 'node:module';\nimport { appendFileSync } from 'node:fs';\nregisterHooks({ ${hook} });\n`,
  );
  const home = newHome(`telegram:\n  api_root: ${await telegram.listen()}\n`, { TELEGRAM_BOT_TOKEN: telegram.token });
  daemon = new DaemonProcess(home, [], { NODE_OPTIONS: `--import ${spy}` });
  await daemon.ready();
  return readFileSync(list, 'utf8').split('\n');
}

describe('a daemon with Telegram alone', () => {
  it('loads grammy, and neither discord.js nor the model SDK', async () => {
    const modules = await loadedModules();
    const loaded = (name: string) => modules.filter((url) => url.includes(`/node_modules/${name}/`));
    expect(loaded('grammy').length).toBeGreaterThan(0);
    for (const name of [
      'discord.js',
      '@discordjs/rest',
      'ws',
      'ai',
      '@ai-sdk/anthropic',
      '@ai-sdk/openai-compatible',
    ]) {
      expect(loaded(name)).toEqual([]);
    }
  });
});
