import type { Update } from 'grammy/types';
import type { RefusedInput } from '../../contract/platform.ts';
import { PLATFORM } from './place.ts';

/** Who seems to have sent an update that could not be mapped, whatever kind it is; nothing where that cannot be told. */
export function senderOf(update: Update, bot: string): Pick<RefusedInput, 'from'> {
  for (const part of Object.values(update)) {
    const by = idOf(part, 'from');
    const chat = idOf(part, 'chat') ?? idOf(fieldOf(part, 'message'), 'chat');
    if (by === undefined || chat === undefined) continue;
    const address = { platform: PLATFORM, bot, chat };
    return { from: { by: { platform: PLATFORM, id: by, name: '' }, address, direct: by === chat } };
  }
  return {};
}

function fieldOf(part: unknown, name: string): unknown {
  return typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[name] : undefined;
}

function idOf(part: unknown, name: string): string | undefined {
  const id = fieldOf(fieldOf(part, name), 'id');
  return typeof id === 'number' ? String(id) : undefined;
}
