/** An answer that is not Telegram's JSON: a proxy's page, or a body cut short. */
export class StrangeAnswer extends Error {
  readonly status: number;
  readonly retryAfterS: number | undefined;

  constructor(status: number, retryAfter: string | null) {
    super(`HTTP ${status} without Telegram's JSON`);
    this.status = status;
    const seconds = Number(retryAfter ?? Number.NaN);
    this.retryAfterS = Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
  }
}

/** The slice of an abort signal that every implementation has. */
interface ForeignSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * Node's own fetch in the shape grammY's client calls: its abort signal is another implementation's, and a body that is not
 * JSON has to keep its status.
 */
export async function bridgedFetch(
  url: string,
  init: { readonly signal?: ForeignSignal },
): Promise<{ json(): Promise<unknown> }> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (init.signal?.aborted) abort();
  init.signal?.addEventListener('abort', abort);
  try {
    const response = await fetch(url, { ...(init as RequestInit), signal: controller.signal });
    const body = parsed(await response.text());
    if (body === undefined) throw new StrangeAnswer(response.status, response.headers.get('retry-after'));
    return { json: () => Promise.resolve(body) };
  } finally {
    init.signal?.removeEventListener('abort', abort);
  }
}

function parsed(text: string): object | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && 'ok' in body ? body : undefined;
  } catch {
    return undefined;
  }
}
