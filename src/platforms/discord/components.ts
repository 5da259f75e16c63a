import { SendError } from '../../contract/errors.ts';
import type { Button, OutboundMessage } from '../../contract/message.ts';
import { MAX_BUTTON_DATA, MAX_LABEL, MAX_ROW, MAX_ROWS } from './limits.ts';

type Rows = NonNullable<OutboundMessage['buttons']>;

const ROW = 1;
const BUTTON = 2;
const STYLES = { primary: 1, success: 3, danger: 4 } as const;
const PLAIN_STYLE = 2;

/** Buttons as Discord draws them; none takes those of an edited message away. Throws SendError on what it would refuse. */
export function componentsOf(rows: Rows | undefined): readonly object[] {
  const drawn = (rows ?? []).filter((row) => row.length > 0);
  if (drawn.length > MAX_ROWS || drawn.some((row) => row.length > MAX_ROW))
    throw new SendError(
      { kind: 'format' },
      `More than ${MAX_ROWS} rows of ${MAX_ROW} buttons were to be sent to Discord; report this.`,
    );
  return drawn.map((row) => ({ type: ROW, components: row.map(drawButton) }));
}

function drawButton({ label, data, style }: Button): object {
  if (data.length < 1 || data.length > MAX_BUTTON_DATA)
    throw new SendError(
      { kind: 'format' },
      `Button data takes ${data.length} characters, Discord allows 1 to ${MAX_BUTTON_DATA}; report this.`,
    );
  return { type: BUTTON, style: style ? STYLES[style] : PLAIN_STYLE, label: clipped(label) || '…', custom_id: data };
}

function clipped(label: string): string {
  return label.length <= MAX_LABEL ? label : `${label.slice(0, MAX_LABEL - 1).toWellFormed()}…`;
}
