/** What the fake model server answers, in words that fit both wire forms. */
export type Reply = Answer | Refusal | Silence;

export interface Answer {
  readonly think?: string | readonly string[];
  readonly say?: string | readonly string[];
  readonly calls?: readonly ReplyCall[];
  /** The form's own word; absent: what fits (`stop`/`tool_calls`, `end_turn`/`tool_use`). */
  readonly finish?: string;
  /** Null: the server reports nothing. */
  readonly usage?: ReplyUsage | null;
  /**
   * What goes wrong after all that was said: the socket is cut, the stream hangs, it ends without a finish, or an error event
   * follows. A cut or hang in the middle of a call leaves its arguments unfinished.
   */
  readonly fault?: 'cut' | 'hang' | 'no_finish' | { readonly error: Record<string, unknown> };
  readonly headers?: Readonly<Record<string, string>>;
  /** Some servers stream under another content type. */
  readonly contentType?: string;
}

export interface ReplyCall {
  /** Empty or null: without an id, as some servers send it. Absent: a fresh one. */
  readonly id?: string | null;
  readonly name: string;
  /** An object, or the argument text itself, sent in pieces of seven characters. */
  readonly arguments: object | string;
}

export interface ReplyUsage {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly written?: number;
  readonly reasoning?: number;
  readonly cost?: number;
}

/** An HTTP answer that is no stream. */
export interface Refusal {
  readonly status: number;
  /** An object is sent as JSON. */
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `headers`: the request is read and nothing is ever answered. `reset`: its socket is cut before headers. */
export interface Silence {
  readonly silent: 'headers' | 'reset';
}

/** A request as it came, after it passed the checks. */
export interface Received {
  readonly form: 'openai' | 'anthropic';
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: the body is whatever was sent; tests look into it
  readonly body: any;
  /** Resolves when the connection of this request is gone or its answer is complete. */
  readonly closed: Promise<void>;
}

/** Says `pieces` one after the other. */
export function pieces(text: string | readonly string[] | undefined): readonly string[] {
  return text === undefined ? [] : typeof text === 'string' ? [text] : text;
}

export function argumentPieces(call: ReplyCall): readonly string[] {
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  return text.match(/[\s\S]{1,7}/g) ?? [''];
}

/** Lone surrogates anywhere in what was sent. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}
