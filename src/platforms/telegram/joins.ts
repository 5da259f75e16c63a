import type { Address, JoinHint } from '../../contract/message.ts';

/** Clients cut a paste here or somewhat earlier. */
const CUT_AT = 4096;
const NEAR_LIMIT = 3500;
const SAME_PASTE_S = 2;
const ALBUM_MS = 1_000;
const PASTE_MS = 2_000;
const LONE_FILE_MS = 1_000;
const MAX_OPEN = 1_000;

/** What of a message decides whether it continues another. */
export interface Piece {
  readonly address: Address;
  readonly actor: string;
  readonly messageId: number;
  /** Unix seconds. */
  readonly date: number;
  readonly text: string;
  readonly files: boolean;
  readonly album?: string;
  /** Words of the person's own: no reply, no forward. */
  readonly plain: boolean;
}

interface Open {
  readonly key: string;
  readonly messageId: number;
  readonly date: number;
  readonly glue: '\n' | '';
  /** Only the very next message id continues it. */
  readonly strict: boolean;
}

/** Remembers, per person and place, what the next message may continue: a paste cut in two, an album, a file without words. */
export class Joins {
  readonly #open = new Map<string, Open>();

  /** The hint for one message; called in the order of arrival. */
  hint(piece: Piece): JoinHint | undefined {
    const who = [piece.address.chat, piece.address.thread ?? '', piece.address.via ?? '', piece.actor].join(':');
    const before = this.#open.get(who);
    this.#open.delete(who);
    const hint = piece.album === undefined ? single(piece, before, who) : album(piece);
    const next = opened(piece, hint);
    if (next) this.#remember(who, next);
    return hint;
  }

  #remember(who: string, open: Open): void {
    this.#open.set(who, open);
    const oldest = this.#open.keys().next().value;
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
  }
}

function album(piece: Piece): JoinHint {
  const key = ['album', piece.address.chat, piece.address.thread ?? '', piece.album].join(':');
  return { key, waitMs: ALBUM_MS, glue: '\n' };
}

function single(piece: Piece, before: Open | undefined, who: string): JoinHint | undefined {
  const continued = before && continues(piece, before) ? before : undefined;
  const waitMs = waitFor(piece);
  if (!continued && waitMs === 0) return undefined;
  return { key: continued?.key ?? `join:${who}:${piece.messageId}`, waitMs, glue: continued?.glue ?? '\n' };
}

function waitFor(piece: Piece): number {
  if (piece.files) return piece.text === '' ? LONE_FILE_MS : 0;
  return piece.plain && piece.text.length >= NEAR_LIMIT ? PASTE_MS : 0;
}

function continues(piece: Piece, before: Open): boolean {
  const near = piece.date - before.date <= SAME_PASTE_S;
  const next = piece.messageId === before.messageId + 1;
  return near && piece.plain && !piece.files && (next || !before.strict);
}

function opened(piece: Piece, hint: JoinHint | undefined): Open | undefined {
  if (!hint || hint.waitMs === 0) return undefined;
  const glue = !piece.files && piece.text.length === CUT_AT ? '' : '\n';
  return { key: hint.key, messageId: piece.messageId, date: piece.date, glue, strict: !piece.files };
}
