import type { Call } from './call.ts';
import { pathsOf } from './call.ts';
import type { Field } from './field.ts';
import { formatPath, isNamed } from './paths.ts';
import type { Reading } from './state.ts';
import { OverLimit } from './walker.ts';

/** What is in the file a word names, where this text wrote all of it. */
export function writtenText(call: Call, file: Field): Field | undefined {
  const { files } = call.state;
  if (file.content) return inFile(file, file.content.text);
  if (files.size === 0) return undefined;
  const path = pathsOf(call, file).find((one) => isNamed(one) && files.has(formatPath(one)));
  const text = path && files.get(formatPath(path))?.text;
  if (text) spend(call.state.reading, text.length);
  return inFile(file, text);
}

/** What one judged text may read of what it wrote, each time counted; the shortest file costs as much as this many characters. */
const MAX_READ = 40_000;
const LEAST = 100;

function spend(reading: Reading, length: number): void {
  reading.spent += Math.max(length, LEAST);
  if (reading.spent > MAX_READ) throw new OverLimit();
}

function inFile(file: Field, text: string | null | undefined): Field | undefined {
  const { content: _, ...word } = file;
  return typeof text === 'string' ? { ...word, raw: '', text } : undefined;
}

/** The texts of those files that this text wrote. */
export function writtenTexts(call: Call, files: readonly Field[]): readonly Field[] {
  return files.flatMap((file) => writtenText(call, file) ?? []);
}

/** The first of these files, in the folder or in where the command runs, that this text wrote. */
export function firstWritten(call: Call, names: readonly string[], folder?: Field): Field | undefined {
  const base = folder ?? call.argv0;
  for (const name of names) {
    const found = writtenText(call, { ...base, raw: '', text: folder ? `${folder.text}/${name}` : name });
    if (found) return found;
  }
  return undefined;
}
