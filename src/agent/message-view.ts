import type { TurnId } from '../contract/ids.ts';
import type { ChatMessage } from '../contract/model.ts';
import type { CallRow, MessageRow } from '../store/transcript.ts';
import { readArguments } from './repair.ts';
import { INTERRUPTED, NOT_RUN } from './tool-registry.ts';

export interface ViewOf {
  /** The turn that is asked for; what providers want back is sent inside it only. */
  readonly turn: TurnId;
  /** The model that is asked, as rows name it. */
  readonly model: string;
}

const NO_ANSWER = '[no answer: this turn ended without one]';

/**
 * What a model is sent of a conversation: every call has its result, no message is empty, two person messages in a row are
 * one. The same rows give the same messages, and later rows only add to them. Pure.
 */
export function messageView(rows: readonly MessageRow[], of: ViewOf): readonly ChatMessage[] {
  const view: ChatMessage[] = [];
  let before: MessageRow | undefined;
  for (const row of rows) {
    if (before && before.turn !== row.turn && !isAnswer(before)) add(view, answer(NO_ANSWER));
    for (const message of messagesOf(row, of)) add(view, message);
    before = row;
  }
  return view;
}

/** An assistant message that calls nothing ends its turn. */
export function isAnswer(row: MessageRow): boolean {
  return row.role === 'assistant' && row.calls.length === 0;
}

function add(view: ChatMessage[], message: ChatMessage): void {
  const last = view.at(-1);
  if (last?.role === 'user' && message.role === 'user') {
    view[view.length - 1] = { role: 'user', content: `${last.content}\n\n${message.content}` };
  } else view.push(message);
}

function messagesOf(row: MessageRow, of: ViewOf): readonly ChatMessage[] {
  const content = contentOf(row);
  if (row.role === 'user') return content === '' ? [] : [{ role: 'user', content }];
  if (row.calls.length === 0) return [answer(content === '' ? NO_ANSWER : content)];
  const calls = row.calls.map(({ id, name, raw }) => ({ id, name, raw: sendable(raw) }));
  const keep = row.turn === of.turn && row.model === of.model && row.keep !== undefined ? { keep: row.keep } : {};
  return [{ role: 'assistant', content, calls, ...keep }, ...row.calls.map(resultOf)];
}

function answer(content: string): ChatMessage {
  return { role: 'assistant', content, calls: [] };
}

function contentOf(row: MessageRow): string {
  const text = row.content.toWellFormed();
  if (row.mark === 'partial') return `${text}\n[stopped here]`.trim();
  const ours = row.role === 'user' && (row.mark === 'daemon' || row.mark === 'overheard');
  return ours ? `[from hermod, not from the person] ${text}` : text;
}

function resultOf(call: CallRow): ChatMessage {
  const content = call.result ?? (call.state === 'begun' ? INTERRUPTED : NOT_RUN);
  return {
    role: 'tool',
    callId: call.id,
    name: call.name,
    content: content.toWellFormed(),
    isError: call.state !== 'done',
  };
}

function sendable(raw: string): string {
  const read = readArguments(raw);
  return read.ok ? read.text.toWellFormed() : '{}';
}
