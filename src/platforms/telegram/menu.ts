import { createHash } from 'node:crypto';
import type { Clock } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import type { KeyValue } from '../../contract/platform.ts';
import type { BotClient } from './bot-client.ts';
import { TelegramError } from './failure.ts';
import { clipped } from './keyboard.ts';

const STATE = 'menu';
const SCOPES = ['default', 'all_group_chats'] as const;
const MAX_COMMANDS = 100;
const MAX_DESCRIPTION = 256;

export interface MenuCommand {
  readonly name: string;
  readonly description: string;
}

export interface MenuDeps {
  readonly client: BotClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly state: KeyValue;
  readonly bot: string;
}

/** The list as Telegram takes it; names it would refuse are left out. */
export function menuList(
  commands: readonly MenuCommand[],
): readonly { readonly command: string; readonly description: string }[] {
  const legal = commands.filter(({ name, description }) => /^[a-z0-9_]{1,32}$/.test(name) && description.trim() !== '');
  return legal
    .slice(0, MAX_COMMANDS)
    .map(({ name, description }) => ({ command: name, description: clipped(description, MAX_DESCRIPTION) }));
}

/** Sets the menu if it differs from what was set last. Never rejects; a limit is waited out alone until `signal` aborts. */
export async function syncMenu(deps: MenuDeps, commands: readonly MenuCommand[], signal: AbortSignal): Promise<void> {
  const { clock, log, state, bot } = deps;
  const list = menuList(commands);
  const hash = createHash('sha256')
    .update(JSON.stringify([bot, SCOPES, list]))
    .digest('hex');
  if (signal.aborted || state.get(STATE) === hash) return;
  try {
    for (const type of SCOPES) await deps.client.call('setMyCommands', { commands: list, scope: { type } }, { signal });
    state.set(STATE, hash);
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof TelegramError) || error.failure.kind !== 'wait') {
      return log.warn(
        { platform: 'telegram', error: String(error) },
        'The command menu could not be set; the next start tries again.',
      );
    }
    clock.after(error.failure.retryAfterMs, () => void syncMenu(deps, commands, signal));
  }
}
