import type { InlineKeyboardMarkup } from 'grammy/types';
import { SendError } from '../../contract/errors.ts';
import type { Button, OutboundMessage } from '../../contract/message.ts';
import { MAX_BUTTON_DATA, MAX_LABEL } from './limits.ts';

type Rows = NonNullable<OutboundMessage['buttons']>;

/** Buttons as Telegram draws them; those that would open a form are left out. Throws SendError on data that cannot be sent. */
export function keyboard(rows: Rows | undefined, styled: boolean): InlineKeyboardMarkup | undefined {
  const drawn = (rows ?? [])
    .map((row) => row.filter(({ data }) => !data.endsWith(':r')))
    .filter((row) => row.length > 0);
  if (drawn.length === 0) return undefined;
  return { inline_keyboard: drawn.map((row) => row.map((button) => drawButton(button, styled))) };
}

function drawButton(
  { label, data, style }: Button,
  styled: boolean,
): InlineKeyboardMarkup['inline_keyboard'][number][number] {
  const bytes = Buffer.byteLength(data, 'utf8');
  if (bytes < 1 || bytes > MAX_BUTTON_DATA) {
    throw new SendError(
      { kind: 'format' },
      `Button data takes ${bytes} bytes, Telegram allows 1 to ${MAX_BUTTON_DATA}; report this.`,
    );
  }
  return { text: clipped(label, MAX_LABEL), callback_data: data, ...(styled && style ? { style } : {}) };
}

/** At most `units` UTF-16 units, no pair cut, an ellipsis where something is missing. */
export function clipped(text: string, units: number): string {
  if (text.length <= units) return text;
  return `${text.slice(0, units - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
