import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { extname } from 'node:path';
import { z } from 'zod';
import type { SessionId } from '../contract/ids.ts';
import type { Tool, ToolResult, ToolUse } from '../contract/tool.ts';
import { type FilePlaces, isBelow, lexicalPath, openRegular, realTarget, refusal, sizeText } from './file-access.ts';
import { fileError } from './file-errors.ts';
import { LineWindow } from './line-window.ts';
import type { SeenFiles } from './seen-files.ts';

const MAX_LINES = 2000;
const MAX_BYTES = 64 * 1024 * 1024;
const LOOK_BYTES = 8192;
const RESULT = /^result:([a-z2-7]{26})$/;

export interface ReadFileDeps {
  readonly places: FilePlaces;
  readonly seen: SeenFiles;
  /** The whole of a long result of this session's, by the call that gave it. */
  readonly result?: (session: SessionId, call: string) => string | undefined;
  /** Where the untrusted text in that result came from. */
  readonly untrustedOf?: (call: string) => string | undefined;
}

const input = z.strictObject({
  path: z.string().min(1).max(4096).describe('In the work folder, or absolute; or result:ID of a long result'),
  offset: z.int().min(1).optional().describe('First line, from 1'),
  limit: z.int().min(1).max(MAX_LINES).optional().describe('Lines'),
});
type Input = z.infer<typeof input>;

/** Shows a text file with line numbers. */
export function createReadFile(deps: ReadFileDeps): Tool<Input> {
  return {
    name: 'read_file',
    description: `Shows a text file with line numbers, at most ${MAX_LINES} lines a call.`,
    input,
    effects: 'read',
    paths: ({ path }) => (RESULT.test(path) ? [] : [{ path: lexicalPath(path, deps.places), use: 'read' }]),
    run: (order, use) => readFile(order, use, deps),
  };
}

async function readFile(order: Input, use: ToolUse, deps: ReadFileDeps): Promise<ToolResult> {
  const result = RESULT.exec(order.path)?.[1];
  if (result !== undefined)
    return labelled(readResult(order, deps.result?.(use.run.session, result)), deps.untrustedOf?.(result));
  let real = lexicalPath(order.path, deps.places);
  try {
    real = await realTarget(order.path, deps.places);
    const text = await readLines(order, real, use, deps);
    // Whoever can write there may have written it for us to read.
    return labelled({ text, isError: false }, isBelow(real, [deps.places.workspace]) ? undefined : real);
  } catch (error) {
    return fileError(error, order.path, real);
  }
}

function labelled(result: ToolResult, untrusted: string | undefined): ToolResult {
  return untrusted === undefined ? result : { ...result, untrusted };
}

function readResult(order: Input, text: string | undefined): ToolResult {
  if (text === undefined) return { text: `${order.path} is not kept (any more). Call the tool again.`, isError: true };
  const window = windowFor(order);
  window.push(text);
  return { text: shown(order, window), isError: false };
}

async function readLines(order: Input, real: string, use: ToolUse, { places, seen }: ReadFileDeps): Promise<string> {
  const { handle, stats } = await openRegular(real, places);
  try {
    if (stats.size > MAX_BYTES)
      throw refusal(`${order.path} has ${sizeText(stats.size)}; over 64 MB use shell (head, sed -n, grep).`);
    const window = windowFor(order);
    const hash = createHash('sha256');
    const decoder = new TextDecoder();
    for await (const chunk of chunks(handle, use.signal)) {
      if (chunk.start < LOOK_BYTES && chunk.bytes.subarray(0, LOOK_BYTES - chunk.start).includes(0))
        return binaryText(order.path, stats.size);
      hash.update(chunk.bytes);
      window.push(decoder.decode(chunk.bytes, { stream: true }));
    }
    window.push(decoder.decode());
    seen.note(use.run.session, real, hash.digest('hex'));
    return shown(order, window);
  } finally {
    await handle.close();
  }
}

async function* chunks(handle: FileHandle, signal: AbortSignal) {
  let start = 0;
  for (;;) {
    if (signal.aborted || start > MAX_BYTES)
      throw refusal(signal.aborted ? 'Stopped.' : 'The file grew over 64 MB while it was read.');
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(65_536), 0, 65_536, start);
    if (bytesRead === 0) return;
    yield { start, bytes: buffer.subarray(0, bytesRead) };
    start += bytesRead;
  }
}

function windowFor({ offset = 1, limit = MAX_LINES }: Input): LineWindow {
  return new LineWindow(offset, limit);
}

function shown({ offset = 1 }: Input, window: LineWindow): string {
  const { lines, total } = window.end();
  if (total === 0) return '(empty file)';
  if (lines.length === 0) return `[there is no line ${offset}; the last is ${total}]`;
  const last = offset + lines.length - 1;
  return [
    ...lines,
    ...(last < total ? [`[lines ${offset} to ${last} of ${total}; go on with offset ${last + 1}]`] : []),
  ].join('\n');
}

function binaryText(path: string, size: number): string {
  const type = extname(path).slice(1).toLowerCase();
  return `${path} is binary${type === '' ? '' : ` (${type})`}, ${sizeText(size)}; it is not shown.`;
}
