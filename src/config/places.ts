import type { Finding } from './explain.ts';
import { type Path, valueAt, within } from './path.ts';
import type { YamlFile } from './yaml-file.ts';

/** Where a value comes from. */
export type Source =
  | { readonly from: 'command line' }
  | { readonly from: 'file'; readonly line: number }
  | { readonly from: 'default' };

/** What was written where: the file, if there is one, and the keys given with `--set`, which win. */
export interface Places {
  readonly file: YamlFile | undefined;
  readonly set: readonly Path[];
}

export function sourceOf({ file, set }: Places, path: Path): Source {
  if (set.some((each) => within(path, each))) return { from: 'command line' };
  if (file && valueAt(file.data, path) !== undefined) return { from: 'file', line: file.line(path) };
  // A section that only a --set made.
  return { from: set.some((each) => within(each, path)) ? 'command line' : 'default' };
}

/** A sentence with its place; `line` orders the sentences of the file. */
export interface Placed {
  readonly line: number;
  readonly text: string;
}

/** For a value that is there, or one that is missing inside something that is there. */
export function placeValue(places: Places, { path, text }: Finding): Placed {
  const source = sourceOf(places, path);
  if (source.from === 'command line') return { line: Number.MAX_SAFE_INTEGER, text: `--set: ${text}` };
  return inFile(places.file?.line(path) ?? 0, text);
}

/** For a rule over several keys: the key it names may be a default, and then it has no line. */
export function placeRule(places: Places, finding: Finding): Placed {
  const source = sourceOf(places, finding.path);
  return source.from === 'default'
    ? { line: Number.MAX_SAFE_INTEGER, text: finding.text }
    : placeValue(places, finding);
}

export function inFile(line: number, text: string): Placed {
  return { line, text: `config.yaml:${line} ${text}` };
}
