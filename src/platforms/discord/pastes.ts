import type { JoinHint } from '../../contract/message.ts';

/** Clients that cut a paste themselves cut it here or somewhat earlier. */
const CUT_AT = 2000;
const NEAR_LIMIT = 1900;
const SAME_PASTE_MS = 2_000;
const PASTE_MS = 2_000;
const LONE_FILE_MS = 1_000;
const MAX_OPEN = 1_000;

export interface Piece {
  readonly channel: string;
  readonly actor: string;
  readonly messageId: string;
  readonly sentAt: number;
  readonly text: string;
  readonly files: boolean;
  /** Words of the person's own: no reply, no forward. */
  readonly plain: boolean;
}

interface Open {
  readonly key: string;
  readonly sentAt: number;
  readonly glue: '\n' | '';
}

/** Remembers, per person and channel, what the next message may continue: a text cut in two, a file without words. */
export class Pastes {
  readonly #open = new Map<string, Open>();

  /** The hint for one message; called in the order of arrival. */
  hint(piece: Piece): JoinHint | undefined {
    const who = `${piece.channel}:${piece.actor}`;
    const before = this.#open.get(who);
    this.#open.delete(who);
    const continued = before && piece.plain && piece.sentAt - before.sentAt <= SAME_PASTE_MS ? before : undefined;
    const waitMs = waitFor(piece);
    if (waitMs === 0 && !continued) return undefined;
    const key = continued?.key ?? `join:${who}:${piece.messageId}`;
    if (waitMs > 0) this.#remember(who, { key, sentAt: piece.sentAt, glue: piece.text.length === CUT_AT ? '' : '\n' });
    return { key, waitMs, glue: continued?.glue ?? '\n' };
  }

  #remember(who: string, open: Open): void {
    this.#open.set(who, open);
    const oldest = this.#open.keys().next().value;
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
  }
}

function waitFor({ text, files, plain }: Piece): number {
  if (files) return text === '' ? LONE_FILE_MS : 0;
  return plain && text.length >= NEAR_LIMIT ? PASTE_MS : 0;
}
