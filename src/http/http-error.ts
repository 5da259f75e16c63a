/** An answer that is an error, as people and programs read it: what happened and what to do next. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly fix: string;
  readonly retryAfterS: number | undefined;
  constructor(status: number, code: string, message: string, fix: string, retryAfterS?: number) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.code = code;
    this.fix = fix;
    this.retryAfterS = retryAfterS;
  }
}

const KNOWN: Readonly<Record<number, readonly [code: string, message: string, fix: string]>> = {
  400: ['bad_request', 'hermod could not read this request.', 'Check the address and the body.'],
  404: ['not_found', 'There is nothing here.', 'Go back to the chat.'],
  413: ['too_large', 'This is more than hermod takes at once.', 'Send less.'],
  415: ['wrong_type', 'hermod does not take this kind of body here.', 'Send JSON to the API, a form to a page.'],
};

/** Any thrown thing as an answer; what we do not know is ours to find in the log. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  const status = Number((error as { statusCode?: unknown } | undefined)?.statusCode ?? 500);
  const known = KNOWN[status];
  if (known) return new HttpError(status, ...known);
  if (status >= 400 && status < 500) return new HttpError(status, ...(KNOWN[400] as [string, string, string]));
  return new HttpError(
    500,
    'failed',
    'hermod could not do this; that is a fault of hermod.',
    'The log says why: logs/hermod.jsonl in its home.',
  );
}
