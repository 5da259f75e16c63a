import { z } from 'zod';
import type { CallId } from '../../src/contract/ids.ts';
import type { Log } from '../../src/contract/log.ts';
import type { ChatMessage, ModelEvent, ModelRequest, ToolSpec } from '../../src/contract/model.ts';

export const HEAD = '[Mon 30 Nov 2026 13:00 Europe/Berlin]';

/** Tools with the shapes the real ones have. */
export const TOOLS: readonly ToolSpec[] = [
  tool('delegate', z.strictObject({ workers: z.array(z.strictObject({ goal: z.string() })) })),
  tool('execute_code', z.strictObject({ language: z.enum(['js', 'python']), code: z.string() })),
  tool('read_file', z.strictObject({ path: z.string(), offset: z.number().optional(), limit: z.number().optional() })),
  tool('shell', z.strictObject({ command: z.string(), cwd: z.string().optional(), timeout_s: z.number().optional() })),
  tool('write_file', z.strictObject({ path: z.string(), content: z.string() })),
];

export function tool(name: string, input: z.ZodType): ToolSpec {
  return { name, description: `The tool ${name}.`, input };
}

export function request(messages: readonly ChatMessage[], more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'm',
    system: { stable: 'You are a test.', varying: '' },
    messages,
    tools: TOOLS,
    toolChoice: 'auto',
    maxOutputTokens: 100,
    ...more,
  };
}

export function user(content: string): ChatMessage {
  return { role: 'user', content };
}

export function said(content: string): ChatMessage {
  return { role: 'assistant', content, calls: [] };
}

/** An assistant message with one call, and the result of that call. */
export function called(name: string, input: object, content: string, isError = false): readonly ChatMessage[] {
  const id = `call-${name}-${JSON.stringify(input).length}` as CallId;
  return [
    { role: 'assistant', content: '', calls: [{ id, name, raw: JSON.stringify(input) }] },
    { role: 'tool', callId: id, name, content, isError },
  ];
}

export async function collect<E>(events: AsyncIterable<E>): Promise<E[]> {
  const all: E[] = [];
  for await (const event of events) all.push(event);
  return all;
}

export function textOf(events: readonly { readonly type: string; readonly delta?: string }[]): string {
  return events.map((event) => (event.type === 'text' ? event.delta : '')).join('');
}

export type Done = Extract<ModelEvent, { type: 'done' }>;

/** The one `done` at the end; throws when there is none, or more. */
export function doneOf(events: readonly { readonly type: string }[]): Done {
  const ends = events.filter((event): event is Done => event.type === 'done');
  const last = events.at(-1);
  if (ends.length !== 1 || last !== ends[0])
    throw new Error(`expected one done at the end, got ${JSON.stringify(events)}`);
  return ends[0] as Done;
}

/** A log that keeps its lines. */
export class KeptLog implements Log {
  readonly lines: { readonly level: string; readonly facts: object; readonly sentence: string }[] = [];
  debug(facts: object, sentence: string): void {
    this.lines.push({ level: 'debug', facts, sentence });
  }
  info(facts: object, sentence: string): void {
    this.lines.push({ level: 'info', facts, sentence });
  }
  warn(facts: object, sentence: string): void {
    this.lines.push({ level: 'warn', facts, sentence });
  }
  error(facts: object, sentence: string): void {
    this.lines.push({ level: 'error', facts, sentence });
  }
}
