import { allElements, elementAt, indexOf } from './arrays.ts';
import { couldBe } from './glob-match.ts';
import { BREAK, isKnown, UNKNOWN } from './marks.ts';
import type { ParameterExpansionPart } from './parse.ts';
import { parseScript } from './parse.ts';
import { SECRET_NAME } from './secret-names.ts';
import type { Piece } from './state.ts';
import { TAINT } from './taint.ts';
import type { WordScope } from './word-scope.ts';

const NOTHING: readonly Piece[] = [{ text: '', taint: 0 }];
const SOMETHING: readonly Piece[] = [{ text: UNKNOWN, taint: 0 }];
const NAMED: readonly Piece[] = [{ text: UNKNOWN, taint: TAINT.named }];
const MAX_EDIT = 4096;

/** `$x`, `$1`, `$@`. Not set in this text and not known to the machine: unknown. */
export function simpleParameter(name: string, quoted: boolean, scope: WordScope): readonly Piece[] {
  if (/^\d+$/.test(name))
    return name === '0' ? (scope.state.variable('0') ?? SOMETHING) : positional(Number(name), scope);
  if (name === '@' || name === '*') return allPositional(name === '@' || !quoted, scope);
  if (name === '!') return [{ text: UNKNOWN, taint: TAINT.child }];
  if (name === '#') return scope.state.args ? [{ text: String(scope.state.args.length), taint: 0 }] : SOMETHING;
  return scope.state.variable(name)?.map(firstElement) ?? wellKnown(name, scope);
}

function positional(index: number, scope: WordScope): readonly Piece[] {
  const args = scope.state.args;
  if (args === null) return SOMETHING;
  const piece = args[index - 1];
  return piece ? [piece] : NOTHING;
}

function allPositional(apart: boolean, scope: WordScope): readonly Piece[] {
  const args = scope.state.args;
  if (args === null) return SOMETHING;
  return [
    {
      text: args.map((arg) => arg.text).join(apart ? BREAK : ' '),
      taint: args.reduce((all, arg) => all | arg.taint, 0),
    },
  ];
}

function firstElement(piece: Piece): Piece {
  const end = piece.text.indexOf(BREAK);
  return end < 0 ? piece : { ...piece, text: piece.text.slice(0, end) };
}

function wellKnown(name: string, scope: WordScope): readonly Piece[] {
  const { facts, state } = scope;
  const known: Record<string, string | null> = {
    HOME: facts.home,
    USER: facts.user,
    LOGNAME: facts.user,
    PWD: state.cwd,
    OLDPWD: state.oldCwds[0] ?? null,
    PPID: String(facts.pid),
    HERMOD_HOME: facts.hermodHome,
    HERMES_HOME: facts.hermodHome,
    IFS: ' \t\n',
  };
  const value = Object.hasOwn(known, name) ? known[name] : null;
  if (value === undefined || value === null) return SECRET_NAME.test(name) ? NAMED : SOMETHING;
  return [{ text: value, taint: 0 }];
}

/** `${x:-y}` and its kin. Operands are always evaluated: substitutions in them may run. */
export function expandParameter(part: ParameterExpansionPart, quoted: boolean, scope: WordScope): readonly Piece[] {
  const base = parameterValue(part, quoted, scope);
  if (part.prefix === '#')
    return base.every((piece) => isKnown(piece.text))
      ? base.map((piece) => ({ ...piece, text: String(piece.text.length) }))
      : SOMETHING;
  const values = part.prefix === '!' ? base.flatMap((piece) => indirect(piece, quoted, scope)) : base;
  const op = part.operation;
  if (!op) return values;
  switch (op.type) {
    case 'Default':
      return withDefault(op.operator, values, isSet(part, scope), scope.text(op.operand));
    case 'Remove': {
      const pattern = scope.text(op.operand)[0]?.text ?? '';
      return values.map((piece) => edit(piece, (text) => remove(text, pattern, op.operator)));
    }
    case 'Replace': {
      const pattern = scope.text(op.pattern)[0]?.text ?? '';
      const replacement = scope.text(op.replacement)[0] ?? { text: '', taint: 0 };
      return values.map((piece) => edit(piece, (text) => replace(text, pattern, replacement.text, op.operator)));
    }
    case 'Slice': {
      const offset = scope.text(op.offset)[0]?.text ?? '';
      const length = op.length ? scope.text(op.length)[0]?.text : undefined;
      return values.map((piece) => edit(piece, (text) => slice(text, offset, length)));
    }
    case 'CaseModification':
      return values.map((piece) => edit(piece, (text) => changeCase(text, op.operator)));
    case 'Transform':
      if (scope.text(op.operand)[0]?.text === 'P') promptCommands(values, part, scope);
      return op.operator === '@' && values.every((piece) => isKnown(piece.text) && !piece.text.includes('\\'))
        ? values.map((piece) => ({ ...piece, text: transform(piece.text, scope.text(op.operand)[0]?.text) }))
        : SOMETHING;
    default:
      return SOMETHING;
  }
}

/** `${x@L}` and its kin. */
function transform(text: string, operator: string | undefined): string {
  if (operator === 'L') return text.toLowerCase();
  if (operator === 'U') return text.toUpperCase();
  return operator === 'u' ? changeCase(text, '^') : text;
}

/** `${x@P}` reads the value as a prompt: substitutions in it run. */
function promptCommands(values: readonly Piece[], part: ParameterExpansionPart, scope: WordScope): void {
  for (const { text } of values) {
    if (!/\$\(|`/.test(text)) continue;
    const source = asPrompt(text);
    const script = parseScript(source);
    if (script) scope.substitute({ ...script, source }, scope.locate(part.pos, part.end));
  }
}

/** The words of a prompt, as a command that does nothing but expand them. */
export function asPrompt(text: string): string {
  return `: "${text.replaceAll('"', '\\"')}"`;
}

function parameterValue(part: ParameterExpansionPart, quoted: boolean, scope: WordScope): readonly Piece[] {
  if (!part.index) return simpleParameter(part.parameter, quoted, scope);
  const index = scope.text(part.index)[0]?.text ?? '';
  const values = scope.state.variable(part.parameter);
  if (!values) return SOMETHING;
  if (index === '@' || index === '*') return values.map((piece) => ({ ...piece, text: allElements(piece.text) }));
  const number = indexOf(index);
  if (number === null)
    return [...values.flatMap((piece) => piece.text.split(BREAK).map((text) => ({ ...piece, text }))), ...SOMETHING];
  return values.map((piece) => ({ ...piece, text: elementAt(piece.text, number) }));
}

function indirect(piece: Piece, quoted: boolean, scope: WordScope): readonly Piece[] {
  return /^\w+$/.test(piece.text) ? simpleParameter(piece.text, quoted, scope) : SOMETHING;
}

function isSet(part: ParameterExpansionPart, scope: WordScope): boolean {
  return (
    scope.state.variable(part.parameter) !== undefined ||
    ['HOME', 'USER', 'PWD', 'PPID', 'IFS'].includes(part.parameter)
  );
}

function withDefault(
  operator: string,
  values: readonly Piece[],
  set: boolean,
  operand: readonly Piece[],
): readonly Piece[] {
  const known = set && values.every((piece) => isKnown(piece.text));
  const empty = known && values.every((piece) => piece.text === '');
  if (operator.includes('+')) return known ? (empty ? NOTHING : operand) : [...operand, ...NOTHING];
  if (operator.includes('?')) return values;
  if (known && !empty) return values;
  if (empty) return operator.startsWith(':') ? operand : values;
  return [...operand, ...values];
}

function edit(piece: Piece, change: (text: string) => string | null): Piece {
  if (!isKnown(piece.text) || piece.text.length > MAX_EDIT) return { ...piece, text: UNKNOWN };
  return { ...piece, text: change(piece.text) ?? UNKNOWN };
}

function remove(text: string, pattern: string, operator: string): string | null {
  if (pattern.includes(UNKNOWN)) return null;
  if (text.length > 256 && !isKnown(pattern)) return null;
  const longest = operator.length === 2;
  const cuts = Array.from({ length: text.length + 1 }, (_, i) => i);
  if (operator.startsWith('#')) {
    const order = longest ? cuts.reverse() : cuts;
    const cut = order.find((at) => couldBe(pattern, text.slice(0, at)));
    return cut === undefined ? text : text.slice(cut);
  }
  const order = longest ? cuts : cuts.reverse();
  const cut = order.find((at) => couldBe(pattern, text.slice(at)));
  return cut === undefined ? text : text.slice(0, cut);
}

function replace(text: string, pattern: string, by: string, operator: string): string | null {
  if (!isKnown(pattern)) return null;
  if (pattern === '') return text;
  if (by.length * text.length > 1_000_000) return null;
  if (operator === '/#') return text.startsWith(pattern) ? by + text.slice(pattern.length) : text;
  if (operator === '/%') return text.endsWith(pattern) ? text.slice(0, -pattern.length) + by : text;
  return operator === '//' ? text.replaceAll(pattern, () => by) : text.replace(pattern, () => by);
}

function slice(text: string, offset: string, length: string | undefined): string | null {
  if (!/^\s*-?\d{1,6}$/.test(offset) || (length !== undefined && !/^\s*-?\d{1,6}$/.test(length))) return null;
  const from = Number(offset) < 0 ? text.length + Number(offset) : Number(offset);
  if (length === undefined) return text.slice(from);
  return Number(length) < 0 ? text.slice(from, Number(length)) : text.slice(from, from + Number(length));
}

function changeCase(text: string, operator: string): string {
  const change = (part: string) => (operator.startsWith('^') ? part.toUpperCase() : part.toLowerCase());
  return operator.length === 2 ? change(text) : change(text.slice(0, 1)) + text.slice(1);
}
