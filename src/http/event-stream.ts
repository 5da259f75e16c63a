import type { ServerResponse } from 'node:http';
import type { Clock } from '../contract/clock.ts';
import type { Visit } from './route.ts';

const RING = 1_000;
const COMMENT_MS = 15_000;
const MOST_UNSENT = 1024 * 1024;

/** Something that changed. The ring keeps how to draw it, not what it looked like: a late reader gets its present state, once. */
export interface StreamEvent {
  readonly type: string;
  /** Events of one key replace each other for a reader who comes back. */
  readonly key: string;
  /** JSON, drawn when it is sent. Undefined: there is nothing to show any more. */
  readonly draw: () => unknown;
}

/** Server-sent events to every open page, with ids `<boot>.<n>` that a page resumes from. */
export interface EventStream {
  /** The id a page that is drawn now stands at. */
  position(): string;
  /** Takes over the reply. Resumes after `Last-Event-ID` or `?after=`, or says `resync` when that is too long ago. */
  open(visit: Visit): void;
  publish(event: StreamEvent): void;
  /** To those who look right now; never repeated. */
  mention(type: string, data: unknown): void;
  /** Ends the streams of one signed-in browser. */
  endOf(sessionHash: string): void;
  end(): void;
}

export function createEventStream(clock: Clock, boot: string): EventStream {
  const ring: { n: number; event: StreamEvent }[] = [];
  const open = new Map<ServerResponse, string>();
  let last = 0;
  let ended = false;
  let cancelComment: (() => void) | undefined;

  function write(to: ServerResponse, chunk: string): void {
    to.write(chunk);
    if (to.writableLength > MOST_UNSENT) to.destroy();
  }

  function comment(): void {
    cancelComment = clock.after(COMMENT_MS, () => {
      for (const response of open.keys()) write(response, ': here\n\n');
      comment();
    });
  }

  function missed(after: string): readonly { n: number; event: StreamEvent }[] | undefined {
    const [of, number] = [after.slice(0, after.lastIndexOf('.')), Number(after.slice(after.lastIndexOf('.') + 1))];
    const oldest = ring[0]?.n ?? last + 1;
    if (of !== boot || !Number.isInteger(number) || number < oldest - 1 || number > last) return undefined;
    const newest = new Map(ring.filter((entry) => entry.n > number).map((entry) => [entry.event.key, entry]));
    return [...newest.values()].sort((a, b) => a.n - b.n);
  }

  function frame(n: number, event: StreamEvent): string {
    const data = event.draw();
    return data === undefined ? '' : `id: ${boot}.${n}\nevent: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`;
  }

  function greet(to: ServerResponse, after: string | undefined): void {
    write(to, `retry: 1000\nevent: hello\ndata: ${JSON.stringify({ boot })}\n\n`);
    if (after === undefined) return;
    const entries = missed(after);
    if (entries === undefined) write(to, `id: ${boot}.${last}\nevent: resync\ndata: {}\n\n`);
    else for (const { n, event } of entries) write(to, frame(n, event));
  }

  return {
    position: () => `${boot}.${last}`,
    open({ request, reply, caller }) {
      reply.hijack();
      const response = reply.raw;
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
      if (ended) return void response.end();
      open.set(response, caller.kind === 'page' ? caller.session.hash : '');
      response.on('close', () => open.delete(response));
      response.on('error', () => open.delete(response));
      if (!cancelComment) comment();
      const header = request.headers['last-event-id'];
      const asked = (request.query as { after?: unknown }).after;
      greet(
        response,
        typeof header === 'string' && header !== '' ? header : typeof asked === 'string' ? asked : undefined,
      );
    },
    publish(event) {
      ring.push({ n: ++last, event });
      if (ring.length > RING) ring.shift();
      if (open.size === 0) return;
      const chunk = frame(last, event);
      for (const response of open.keys()) write(response, chunk);
    },
    mention(type, data) {
      for (const response of open.keys()) write(response, `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    endOf(sessionHash) {
      for (const [response, hash] of open) if (hash === sessionHash) response.end();
    },
    end() {
      ended = true;
      cancelComment?.();
      for (const response of open.keys()) response.end();
      open.clear();
    },
  };
}
