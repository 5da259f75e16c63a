import type { KnownWord } from '../analysis.ts';
import { arrayOf, indexOf, withElement } from './arrays.ts';
import type { CallBase, Frame, LiveCall } from './call.ts';
import { newCall } from './call.ts';
import type { Field } from './field.ts';
import { literalField } from './field.ts';
import { settleFiles } from './file-effects.ts';
import { assignsFresh } from './fresh-names.ts';
import { couldBe } from './glob-match.ts';
import { hasGlob, hasUnknown, isKnown, UNKNOWN } from './marks.ts';
import type { Assignment, Command, Word } from './parse.ts';
import { parseScript } from './parse.ts';
import { formatPath, isNamed, resolvePath } from './paths.ts';
import { canonicalProgram, isPlainName, plainLetters } from './program-names.ts';
import { openFiles } from './redirects.ts';
import type { Source } from './source.ts';
import { EMPTY_SOURCE, joinSources } from './source.ts';
import type { Piece, ShellState } from './state.ts';
import type { Walker } from './walker.ts';
import { OverLimit } from './walker.ts';
import { assignedTilde, bareWord, expandText, expandWord } from './words.ts';

const NO_FIELDS: readonly Field[] = [];
const MAX_ARGV = 16;
/** Files one command opens. */
const MAX_FILES = 500;
const MAX_CANDIDATES = 24;

/** One simple command: assignments, words, redirections, then every call it can become. */
export function runSimple(
  walker: Walker,
  node: Command,
  state: ShellState,
  frame: Frame,
  stdin: Source,
  piped: boolean,
): Source {
  const span = frame.locate(node.pos, node.end);
  const assigned = node.prefix.length > 0 ? assignedBy(node, walker, state, frame) : NO_ASSIGNED;
  const opened = openFiles(walker, node.redirects, state, frame, stdin);
  if (opened.files.some((file) => !isHarmless(file.target.text))) walker.bar('it has a redirection');
  if (node.redirects.some((one) => one.type !== 'Redirect')) walker.bar('it is given text');
  if (opened.files.length > MAX_FILES) throw new OverLimit();
  walker.spend(1, 1 + node.args.length + opened.files.length);
  const lists = node.name ? argvLists(walker, [node.name, ...node.args], state, frame) : [];
  const base = {
    assignments: assigned.length > 0 ? assigned.map(([name, values]) => [name, known(values)] as const) : NO_KNOWN,
    files: opened.files,
    stdin: opened.stdin,
    piped,
    state,
    frame,
    facts: walker.facts,
    span,
  };
  const argvs = state.hasAliases ? lists.flatMap((fields) => withAlias(fields, state)) : lists;
  if (argvs.every((argv) => argv.length === 0)) {
    for (const [name, values] of assigned) state.setVar(name, values);
    walker.invoke(newCall(base, '', literalField('', span), NO_FIELDS));
    const read = opened.files.length > 0 && !node.name ? opened.stdin : EMPTY_SOURCE;
    return settleFiles(opened.files, read === stdin ? EMPTY_SOURCE : read, state, walker.facts);
  }
  let out: Source = { kind: 'none', text: null, taint: 0 };
  for (const argv of argvs)
    for (const call of callsOf(argv, base, walker)) out = alternatives(out, walker.invoke(call));
  return out;
}

/** One of two outputs: the text counts only where both agree. */
function alternatives(a: Source, b: Source): Source {
  if (a.kind === 'none') return b;
  return { ...joinSources(a, b), text: a.text === b.text ? a.text : null };
}

function isHarmless(target: string): boolean {
  return target === '/dev/null' || /^\/dev\/(?:std(?:in|out|err)|fd\/\d+)$/.test(target);
}

function known(values: readonly Piece[]): KnownWord {
  const [first] = values;
  return first && values.length === 1 && isKnown(first.text) ? first.text : null;
}

type Assigned = readonly [name: string, values: readonly Piece[]];

const NO_ASSIGNED: readonly Assigned[] = [];
const NO_KNOWN: readonly (readonly [string, KnownWord])[] = [];

function assignedBy(node: Command, walker: Walker, state: ShellState, frame: Frame): readonly Assigned[] {
  return node.prefix
    .filter((part): part is Assignment => part.type === 'Assignment')
    .map((part) => evaluate(part, walker, state, frame));
}

export function evaluate(node: Assignment, walker: Walker, state: ShellState, frame: Frame): Assigned {
  const scope = walker.scope(state, frame);
  const before = state.variable(node.name) ?? [{ text: node.append ? UNKNOWN : '', taint: 0 }];
  if (node.value.type === 'ArrayValue') {
    const fields = node.value.elements.flatMap((word) => expandWord(word, scope).flat());
    const words = fields.map((field) => field.text);
    const taint = fields.reduce((all, field) => all | field.taint, 0);
    return [node.name, [{ text: arrayOf(words, node.append ? before[0]?.text : ''), taint }]];
  }
  const index = node.index ? indexOf(expandText(node.index, scope)[0]?.text ?? '') : null;
  const values = expandText(node.value, scope).map((piece) => ({
    ...piece,
    text: node.value.type === 'Word' && node.value.text.includes('~') ? assignedTilde(piece.text, scope) : piece.text,
  }));
  if (index !== null) return [node.name, withElements(before, index, values, node.append === true)];
  if (node.index) return [node.name, [...before, ...values]];
  if (assignsFresh(node, state)) return [node.name, values.map((piece) => ({ ...piece, fresh: true }))];
  if (!node.append) return [node.name, values];
  return [
    node.name,
    before.flatMap((old) => values.map((piece) => ({ text: old.text + piece.text, taint: old.taint | piece.taint }))),
  ];
}

function withElements(
  arrays: readonly Piece[],
  index: number,
  values: readonly Piece[],
  append: boolean,
): readonly Piece[] {
  const set = (array: Piece, value: Piece) => ({
    text: withElement(array.text, index, value.text, append),
    taint: array.taint | value.taint,
  });
  return arrays.flatMap((array) => values.map((value) => set(array, value)));
}

/** Cross product of what the words can be; past the limit a word's choices stand side by side, so that none is missed. */
function argvLists(
  walker: Walker,
  nodes: readonly (Word | Assignment)[],
  state: ShellState,
  frame: Frame,
): readonly (readonly Field[])[] {
  const scope = walker.scope(state, frame);
  let all: Field[][] = [[]];
  for (const node of nodes) {
    const bare = node.type === 'Word' ? bareWord(node, scope) : null;
    if (bare) {
      for (const list of all) list.push(bare);
      continue;
    }
    const options = node.type === 'Word' ? expandWord(node, scope) : assignmentFields(node, walker, state, frame);
    if (options.length === 1 || options.length * all.length > MAX_ARGV) {
      const side = options.length === 1 ? (options[0] as readonly Field[]) : options.flat();
      for (const list of all) for (const field of side) list.push(field);
    } else all = options.flatMap((option) => all.map((list) => [...list, ...option]));
  }
  return all;
}

function assignmentFields(
  node: Assignment,
  walker: Walker,
  state: ShellState,
  frame: Frame,
): readonly (readonly Field[])[] {
  const [name, values] = evaluate(node, walker, state, frame);
  const span = frame.locate(node.pos, node.end);
  return values.map((piece) => [
    {
      text: `${name}=${piece.text}`,
      span,
      raw: node.text,
      expanded: node.text !== `${name}=${piece.text}`,
      quoted: false,
      taint: piece.taint,
    },
  ]);
}

/** An alias defined in this text stands for its words. */
function withAlias(argv: readonly Field[], state: ShellState): readonly (readonly Field[])[] {
  const [first] = argv;
  const alias = first && !first.quoted && !first.expanded ? state.alias(first.text) : undefined;
  if (!first || alias === undefined) return [argv];
  const command = parseScript(alias)?.commands[0]?.command;
  if (command?.type !== 'Command' || !command.name || command.name.value === first.text) return [argv];
  const words = [command.name, ...command.args].filter((word): word is Word => word.type === 'Word');
  return [[...words.map((word) => ({ ...first, text: word.value })), ...argv.slice(1)]];
}

function callsOf(argv: readonly Field[], base: CallBase, walker: Walker): readonly LiveCall[] {
  const [argv0] = argv;
  return argv0 ? makeCalls(argv0, argv.slice(1), base, walker) : [];
}

/** A call for every program the first word could name; a glob in it stands for several. */
export function makeCalls(argv0: Field, args: readonly Field[], base: CallBase, walker: Walker): readonly LiveCall[] {
  const written = canonicalProgram(argv0.text, walker.facts.os);
  if (isPlainName(argv0.text)) return [newCall(base, written, argv0, args)];
  const names = [written];
  const plain = plainLetters(written);
  const folded = plain !== written && isKnown(written) ? canonicalProgram(plain, walker.facts.os) : written;
  if (folded !== written) names.push(folded);
  names.push(...copiesNamed(argv0.text, base.state).map((name) => canonicalProgram(name, walker.facts.os)));
  if (hasGlob(written) && !hasUnknown(written))
    names.push(...walker.candidates((name) => couldBe(written, name)).slice(0, MAX_CANDIDATES));
  return names.map((program) => newCall(base, program, argv0, args));
}

const NO_NAMES: readonly string[] = [];

/** Programs that this text copied or linked to the path that is run. */
function copiesNamed(path: string, state: ShellState): readonly string[] {
  if (state.files.size === 0 || !path.includes('/')) return NO_NAMES;
  return state.cwds.flatMap((cwd) => {
    const resolved = resolvePath(path, cwd);
    return (isNamed(resolved) && state.files.get(formatPath(resolved))?.program) || NO_NAMES;
  });
}
