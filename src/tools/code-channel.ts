import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Log } from '../contract/log.ts';
import type { ToolResult } from '../contract/tool.ts';

export interface CodeChannelDeps {
  /** The run's capability: whoever sends it on this descriptor is the script. */
  readonly token: string;
  /** Names a script may call. */
  readonly tools: readonly string[];
  readonly log: Log;
  readonly call: (tool: string, input: unknown) => Promise<ToolResult>;
  readonly send: (line: string) => void;
}

const MAX_CALLS = 50;
const MAX_AT_ONCE = 4;
const MAX_LINE = 512 * 1024;

const message = z.strictObject({ token: z.string(), id: z.number(), tool: z.string(), input: z.unknown() });

/** The script's end of the rope: JSON lines that ask for tool calls, at most 50, at most 4 at once, until it is closed. */
export class CodeChannel {
  readonly #deps: CodeChannelDeps;
  readonly #queue: (() => void)[] = [];
  readonly #decoder = new TextDecoder();
  #rest = '';
  #count = 0;
  #running = 0;
  #closed = false;

  constructor(deps: CodeChannelDeps) {
    this.#deps = deps;
    deps.send(JSON.stringify({ token: deps.token, tools: deps.tools }));
  }

  /** Calls made so far. */
  get count(): number {
    return this.#count;
  }

  /** Nothing is served any more. */
  close(): void {
    this.#closed = true;
    this.#queue.length = 0;
  }

  /** What came from the descriptor. */
  feed(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#receive(line);
    if (this.#rest.length <= MAX_LINE) return;
    this.#refuse(undefined, 'a message over 512 KB');
    this.close();
  }

  #receive(line: string): void {
    const read = message.safeParse(parse(line));
    if (!read.success) this.#refuse(undefined, 'a message that is none of ours');
    else if (!same(read.data.token, this.#deps.token)) this.#refuse(read.data.id, 'a wrong capability');
    else if (this.#closed) this.#refuse(read.data.id, 'a call after the end of the run');
    else this.#accept(read.data.id, read.data.tool, read.data.input);
  }

  #accept(id: number, tool: string, input: unknown): void {
    const error = this.#cannot(tool);
    if (error !== undefined) this.#answer(id, { error });
    else this.#queue.push(() => void this.#serve(id, tool, input));
    this.#next();
  }

  #cannot(tool: string): string | undefined {
    const { tools } = this.#deps;
    if (!tools.includes(tool)) return `scripts cannot call ${tool}; they can call ${tools.join(', ')}`;
    return ++this.#count > MAX_CALLS ? `a script may make ${MAX_CALLS} calls` : undefined;
  }

  #next(): void {
    if (this.#running >= MAX_AT_ONCE) return;
    const serve = this.#queue.shift();
    if (!serve) return;
    this.#running++;
    serve();
  }

  async #serve(id: number, tool: string, input: unknown): Promise<void> {
    const { text, isError } = await this.#deps.call(tool, input);
    this.#running--;
    if (!this.#closed) this.#answer(id, isError ? { error: text } : { text });
    this.#next();
  }

  #refuse(id: number | undefined, what: string): void {
    this.#deps.log.warn({ rule: 'script_refused' }, `a script sent ${what}; it was refused`);
    if (id !== undefined && !this.#closed) this.#answer(id, { error: 'refused' });
  }

  #answer(id: number, answer: object): void {
    this.#deps.send(JSON.stringify({ id, ...answer }));
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function same(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
