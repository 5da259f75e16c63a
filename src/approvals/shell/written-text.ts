import type { Call } from './call.ts';
import { pathsOf } from './call.ts';
import type { Field } from './field.ts';
import { formatPath, isNamed } from './paths.ts';
import { OverLimit, within } from './walker.ts';

/** What is in the file a word names, where this text wrote all of it. */
export function writtenText(call: Call, file: Field): Field | undefined {
  const { files } = call.state;
  if (file.content) return inFile(file, file.content.text);
  if (files.size === 0) return undefined;
  const texts = pathsOf(call, file).map((path) => isNamed(path) && files.get(formatPath(path))?.text);
  const text = onlyOne(texts.filter((one) => typeof one === 'string'));
  if (text) spendReading(call, text.length);
  return inFile(file, text);
}

/** In which of several folders a command runs, and which of their texts it reads, only running it would tell. */
function onlyOne(texts: readonly string[]): string | undefined {
  return within([...new Set(texts)], 1)[0];
}

/** The shortest file costs as much as this many characters. */
const LEAST = 100;

function spendReading({ state: { reading } }: Call, length: number): void {
  reading.left -= Math.max(length, LEAST);
  if (reading.left < 0) throw new OverLimit();
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
  const found: Field[] = [];
  for (const name of names) {
    const text = writtenText(call, { ...base, raw: '', text: folder ? `${folder.text}/${name}` : name });
    if (text && call.state.cwds.length === 1) return text;
    if (text) found.push(text);
  }
  return onlyOne(found.map(({ text }) => text)) === undefined ? undefined : found[0];
}
