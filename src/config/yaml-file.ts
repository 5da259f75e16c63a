import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLError,
} from 'yaml';
import { formatPath, type Path } from './path.ts';

/** Something wrong with the file itself; `line` counts from 1. */
export interface FileProblem {
  readonly path: Path;
  readonly line: number;
  readonly text: string;
  /** The data has null there, which is not said a second time. */
  readonly hole?: true;
}

/** A YAML file read as far as it can be. */
export interface YamlFile {
  /** Plain values; an empty file is undefined. */
  readonly data: unknown;
  readonly problems: readonly FileProblem[];
  /** False: nothing could be read, and `data` is undefined. */
  readonly readable: boolean;
  /** Line of a value's key, or of the nearest thing around it that is written in the file. */
  line(path: Path): number;
  /** A scalar as it is spelled in the file: a number keeps all its digits. */
  spelling(path: Path): string | undefined;
}

/** Never throws. Syntax errors come alone: what is guessed from a broken file helps nobody. */
export function readYaml(source: string): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, uniqueKeys: false, merge: true, logLevel: 'error' });
  const lineOf = (offset: number) => lines.linePos(offset).line;
  const stars = looseAliases(document, lineOf);
  const syntax = syntaxProblems(document.errors, stars, lineOf);
  const problems = [...stars, ...syntax, ...repeatedKeys(document.contents, [], lineOf)];
  joinRepeated(document.contents);
  return {
    ...plain(document, syntax, problems),
    line: (path) => lineOf(offsetAt(document.contents, path)),
    spelling: (path) => spellingAt(document.contents, path),
  };
}

function plain(document: Document, syntax: readonly FileProblem[], problems: readonly FileProblem[]) {
  if (syntax.length > 0) return { data: undefined, readable: false, problems };
  try {
    return { data: document.toJS() as unknown, readable: true, problems };
  } catch (error) {
    const text = `cannot be read: ${firstLine((error as Error).message)}`;
    return { data: undefined, readable: false, problems: [...problems, { path: [], line: 1, text }] };
  }
}

/** Aliases that stand for nothing: they are told, and taken out. */
function looseAliases(document: Document, lineOf: (offset: number) => number): FileProblem[] {
  const found: FileProblem[] = [];
  eachNode(document.contents, [], (node, path, replace) => {
    const why = isAlias(node) ? brokenAlias(node, document) : undefined;
    if (!why) return;
    found.push({ path, line: lineOf(node.range?.[0] ?? 0), text: `${formatPath(path)}: ${why}`, hole: true });
    replace(document.createNode(null));
  });
  return found;
}

/** An unquoted `*` begins an alias in YAML; one without an anchor is a pattern whose quotes were forgotten. */
function brokenAlias(alias: Alias, document: Document): string | undefined {
  const target = alias.resolve(document);
  if (!target) return 'quote patterns that start with *';
  const [start = 0, , end = 0] = target.range ?? [];
  const at = alias.range?.[0] ?? -1;
  return start <= at && at < end ? 'this alias stands inside what it repeats; write the value out' : undefined;
}

function syntaxProblems(
  errors: readonly YAMLError[],
  stars: readonly FileProblem[],
  lineOf: (offset: number) => number,
): FileProblem[] {
  return errors
    .map((error) => ({
      path: [],
      line: lineOf(error.pos[0]),
      text: `is not YAML: ${firstLine(error.message)}; mend this line`,
    }))
    .filter((problem) => !stars.some((star) => star.line === problem.line));
}

/** The parser's sentence without its position, which we give ourselves. */
function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
}

function repeatedKeys(node: unknown, path: Path, lineOf: (offset: number) => number): FileProblem[] {
  const found: FileProblem[] = [];
  const seen = new Map<string, number>();
  for (const [inner, step, pair] of children(node)) {
    const here = [...path, step];
    const line = pair && lineOf(keyOffset(pair));
    const first = pair && seen.get(String(step));
    if (line !== undefined && first === undefined) seen.set(String(step), line);
    if (line !== undefined && first !== undefined) {
      found.push({
        path: here,
        line,
        text: `${formatPath(here)} is written twice (first in line ${first}); keep one of them`,
      });
    }
    found.push(...repeatedKeys(inner, here, lineOf));
  }
  return found;
}

/** Of a section written twice both halves are looked at, so that their problems are told together. */
function joinRepeated(node: unknown): void {
  const first = new Map<string | number, unknown>();
  for (const [inner, step] of children(node)) {
    const before = first.get(step);
    if (isMap(before) && isMap(inner)) inner.items.unshift(...before.items);
    first.set(step, inner);
    joinRepeated(inner);
  }
}

function eachNode(
  node: unknown,
  path: Path,
  visit: (node: Node, path: Path, replace: (by: Node) => void) => void,
): void {
  for (const [inner, step, pair] of children(node)) {
    const here = [...path, step];
    if (isNode(inner)) {
      visit(inner, here, (by) => {
        if (pair) pair.value = by;
        else if (isSeq(node)) node.items[Number(step)] = by;
      });
    }
    eachNode(inner, here, visit);
  }
}

/** What stands directly inside a mapping or list: value, step of the path, and the pair in a mapping. */
function children(node: unknown): readonly (readonly [value: unknown, step: string | number, pair?: Pair])[] {
  if (isMap(node)) return node.items.filter(isPair).map((pair) => [pair.value, keyText(pair), pair] as const);
  return isSeq(node) ? node.items.map((item, i) => [item, i] as const) : [];
}

function keyText(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : '?';
}

function keyOffset(pair: Pair): number {
  return isNode(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
}

/** The last of equal keys counts, as it does in the data. */
function childAt(node: unknown, step: string | number) {
  return children(node).findLast(([, each]) => each === step);
}

function offsetAt(root: unknown, path: Path): number {
  let node = root;
  let offset = 0;
  for (const step of path) {
    const child = childAt(node, step);
    if (!child) break;
    const [inner, , pair] = child;
    offset = pair ? keyOffset(pair) : isNode(inner) ? (inner.range?.[0] ?? offset) : offset;
    node = inner;
  }
  return offset;
}

function spellingAt(root: unknown, path: Path): string | undefined {
  const node = path.reduce<unknown>((inner, step) => childAt(inner, step)?.[0], root);
  return isScalar(node) ? node.source : undefined;
}
