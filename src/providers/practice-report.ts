import type { ChatMessage } from '../contract/model.ts';

const BLOCK_LINES = 20;
const PLAIN_LINES = 4;
const LINE_CHARS = 300;

/** A call the model made and what the tool said, if it said anything yet. */
export interface CallRecord {
  readonly name: string;
  readonly raw: string;
  readonly result?: { readonly text: string; readonly isError: boolean };
}

/** All calls of these messages with their results, in order. */
export function callRecords(messages: readonly ChatMessage[]): readonly CallRecord[] {
  const results = new Map(messages.flatMap((m) => (m.role === 'tool' ? [[m.callId, m] as const] : [])));
  const calls = messages.flatMap((m) => (m.role === 'assistant' ? m.calls : []));
  return calls.map((call) => {
    const result = results.get(call.id);
    const record = { name: call.name, raw: call.raw };
    return result ? { ...record, result: { text: result.content, isError: result.isError } } : record;
  });
}

/** Two lines and a block of at most 20 lines; what a tool refused is told in the tool's words. */
export function reportCall(record: CallRecord): string {
  const what = describeCall(record);
  const text = record.result?.text.trim() ?? '';
  if (record.result === undefined) return `I called ${what}.\nThere is no result.`;
  const lines = text.split('\n');
  if (record.result.isError)
    return `I called ${what}.\n${lines.length <= PLAIN_LINES ? text : `It failed:\n${block(lines)}`}`;
  if (text === '') return `I called ${what}.\nIt said nothing.`;
  return `I called ${what}.\n${headline(lines.length)}\n${block(lines)}`;
}

/** One line a call: what was called and the first line of what became of it. */
export function recap(records: readonly CallRecord[]): string {
  if (records.length === 0) return 'Nothing was called in this conversation yet.';
  const rows = records.slice(-5).map((record) => {
    const first = record.result?.text.trim().split('\n')[0] ?? '';
    const outcome = record.result === undefined ? 'no result' : clip(first === '' ? 'done' : first);
    return `- ${describeCall(record)}: ${record.result?.isError ? 'not done, ' : ''}${outcome}`;
  });
  return ['The last calls:', ...rows].join('\n');
}

function describeCall(record: CallRecord): string {
  const input = readInput(record.raw);
  const word = [input['command'], input['path'], input['url'], input['pattern'], input['question']].find(
    (value) => typeof value === 'string',
  );
  const detail = clip(
    (word ?? (Object.keys(input).length === 0 ? '' : JSON.stringify(input))).replaceAll(/\s*\n\s*/g, ' '),
  );
  return detail === '' ? `\`${record.name}\`` : `\`${record.name}\` with ${inlineCode(detail)}`;
}

function readInput(raw: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function headline(lines: number): string {
  if (lines === 1) return 'It said:';
  return lines <= BLOCK_LINES ? `It said ${lines} lines:` : `It said ${lines} lines; the first ${BLOCK_LINES}:`;
}

function block(lines: readonly string[]): string {
  const shown = lines.slice(0, BLOCK_LINES).map(clip);
  const fence = '`'.repeat(Math.max(3, longestTicks(shown.join('\n')) + 1));
  return [fence, ...shown, fence].join('\n');
}

function inlineCode(text: string): string {
  const ticks = '`'.repeat(longestTicks(text) + 1);
  return ticks.length === 1 ? `\`${text}\`` : `${ticks} ${text} ${ticks}`;
}

function longestTicks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

function clip(line: string): string {
  return line.length <= LINE_CHARS ? line : `${line.slice(0, LINE_CHARS).toWellFormed()}…`;
}
