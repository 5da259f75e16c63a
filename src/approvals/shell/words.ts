import type { Facts } from '../analysis.ts';
import { expandBraces } from './braces.ts';
import { charClass, isAllOf, WORD_CHARACTERS } from './char-class.ts';
import type { Field, Span } from './field.ts';
import { ANY, activateGlobs, BREAK, CLOSE, OPEN, STAR, UNKNOWN } from './marks.ts';
import { expandParameter, simpleParameter } from './parameters.ts';
import type { SyntaxNode, Word, WordPart } from './parse.ts';
import { children, parseWord } from './parse.ts';
import type { Source } from './source.ts';
import type { Piece } from './state.ts';
import { trimEnd } from './trim.ts';
import type { WordScope } from './word-scope.ts';

interface Segment {
  readonly text: string;
  readonly taint: number;
  /** An unquoted expansion: falls apart at blanks, may vanish. */
  readonly split: boolean;
  readonly expanded: boolean;
  readonly quoted: boolean;
  readonly content?: Source;
  readonly reader?: (written: Source) => void;
}

const MAX_ALTERNATIVES = 12;
const MAX_TEXT = 70_000;
const MAX_EXPANDED = 16_384;

/** Every list of words that this word could become; of several the caller takes the worst. */
export function expandWord(word: Word, scope: WordScope): readonly (readonly Field[])[] {
  const bare = bareWord(word, scope);
  if (bare) return [[bare]];
  const braces = word.parts?.some((part) => part.type === 'BraceExpansion') ? expandBraces(word.text) : null;
  if (braces) return [expandBraced(word, braces, scope)];
  const plain = plainField(word, scope);
  if (plain) return [[plain]];
  return alternatives(word, scope).map((segments) => splitFields(segments, word, scope));
}

/** The values of a word where nothing falls apart: assignments, here-strings, redirect targets, case words. */
export function expandText(word: Word, scope: WordScope): readonly Piece[] {
  return alternatives(word, scope).map((segments) => joinSegments(segments));
}

function joinSegments(segments: readonly Segment[]): Piece {
  let text = '';
  let taint = 0;
  for (const segment of segments) {
    text += segment.text;
    taint |= segment.taint;
  }
  return {
    text: limited(
      text.replaceAll(BREAK, ' '),
      segments.some((segment) => segment.expanded),
    ),
    taint,
  };
}

/** Values put together of expansions stay short: doubling one again and again must not cost more than it can hide. */
function limited(text: string, expanded: boolean): string {
  const short = expanded ? text.replace(/\uE000{2,}/g, UNKNOWN) : text;
  return short.length > (expanded ? MAX_EXPANDED : MAX_TEXT) ? UNKNOWN : short;
}

/** Most words hold nothing that the shell reads otherwise than it is written. */
const BARE = charClass(`${WORD_CHARACTERS}./:=@%+,-`);

/** The one word that it is, as written; null where the shell may read it otherwise. */
export function bareWord({ text, pos, end }: Word, scope: WordScope): Field | null {
  if (!isAllOf(text, BARE)) return null;
  return { text, span: scope.locate(pos, end), raw: text, expanded: false, quoted: false, taint: 0 };
}

function plainField(word: Word, scope: WordScope): Field | null {
  if (word.parts !== undefined || word.text.startsWith('~')) return null;
  const span = scope.locate(word.pos, word.end);
  return { text: word.value, span, raw: word.text, expanded: false, quoted: word.text !== word.value, taint: 0 };
}

function expandBraced(word: Word, texts: readonly string[], scope: WordScope): readonly Field[] {
  scope.spend(texts.length);
  const span = scope.locate(word.pos, word.end);
  const inner: WordScope = { ...scope, locate: () => span };
  const fields: Field[] = [];
  for (const text of texts) {
    const parsed = isAllOf(text, BARE) ? null : parseWord(text);
    if (!parsed) fields.push({ text, span, raw: word.text, expanded: true, quoted: false, taint: 0 });
    else
      for (const list of expandWord(parsed, inner))
        fields.push(...list.map((field) => ({ ...field, span, raw: word.text })));
  }
  return fields;
}

/** Cross product of what the parts can be, up to a limit; what is cut off counts as unknown. */
function alternatives(word: Word, scope: WordScope): readonly (readonly Segment[])[] {
  const parts = word.parts;
  if (parts === undefined) {
    return [literalWord(word.text.startsWith('~') ? word.text : word.value, word, scope)];
  }
  const product = new Product();
  for (const [i, part] of parts.entries()) {
    const tilde = i === 0 && part.type === 'Literal' && part.text.startsWith('~');
    product.add(tilde ? [literalWord(part.value, word, scope)] : partSegments(part, false, scope));
  }
  return product.lists;
}

/** Lists of segments that grow together; once they are too many, further choices count as unknown. */
class Product {
  lists: Segment[][] = [[]];
  #full = false;

  add(options: readonly (readonly Segment[])[]): void {
    const [only] = options;
    if (options.length === 1 && only) {
      for (const list of this.lists) list.push(...only);
    } else if (this.#full) {
      for (const list of this.lists) list.push(UNKNOWN_SEGMENT);
    } else {
      const next = options.flatMap((option) => this.lists.map((list) => [...list, ...option]));
      this.#full = next.length > MAX_ALTERNATIVES;
      this.lists = this.#full ? [...next.slice(0, MAX_ALTERNATIVES), [UNKNOWN_SEGMENT]] : next;
    }
  }
}

const UNKNOWN_SEGMENT: Segment = { text: UNKNOWN, taint: 0, split: true, expanded: true, quoted: false };

function literalWord(text: string, word: Word, scope: WordScope): Segment[] {
  const tilde = text.startsWith('~') ? tildeHome(text, scope) : null;
  const value = tilde ?? text;
  return [{ text: value, taint: 0, split: false, expanded: false, quoted: word.text !== word.value }];
}

/** `~`, `~name`, `~+`, `~-` at the beginning of an unquoted word; null where it stays as written. */
function tildeHome(text: string, scope: WordScope): string | null {
  const slash = text.indexOf('/');
  const name = text.slice(1, slash < 0 ? text.length : slash);
  const rest = slash < 0 ? '' : text.slice(slash);
  if (name === '') return homeOf(scope) + rest;
  if (name === '+') return (scope.state.cwd ?? UNKNOWN) + rest;
  if (name === '-') return (scope.state.oldCwds[0] ?? UNKNOWN) + rest;
  if (!/^[A-Za-z_][\w.-]*$/.test(name)) return null;
  return homeNamed(name, scope.facts) + rest;
}

function homeOf(scope: WordScope): string {
  const set = scope.state.variable('HOME');
  return set?.[0]?.text ?? scope.facts.home;
}

export function homeNamed(name: string, facts: Facts): string {
  if (name === facts.user) return facts.home;
  if (name === 'root') return facts.os === 'darwin' ? '/var/root' : '/root';
  return facts.os === 'darwin' ? `/Users/${name}` : `/home/${name}`;
}

function one(text: string, more: Partial<Segment>): Segment[][] {
  return [[{ text, taint: 0, split: false, expanded: false, quoted: false, ...more }]];
}

function fromPieces(pieces: readonly Piece[], quoted: boolean): Segment[][] {
  return pieces.map((piece) => [{ text: piece.text, taint: piece.taint, split: !quoted, expanded: true, quoted }]);
}

function partSegments(part: WordPart, quoted: boolean, scope: WordScope): readonly (readonly Segment[])[] {
  switch (part.type) {
    case 'Literal':
      return one(part.value, { quoted });
    case 'SingleQuoted':
      return one(part.value, { quoted: true });
    case 'AnsiCQuoted':
      return one(part.value, { quoted: true, expanded: true });
    case 'Glob':
      if (part.kind === 'bracket') return one(OPEN + part.text.slice(1, -1) + CLOSE, {});
      return one(part.kind === 'star' ? STAR : ANY, {});
    case 'ExtendedGlob':
      for (const inner of part.parts ?? []) partSegments(inner, false, scope);
      return one(STAR, {});
    case 'DoubleQuoted':
    case 'LocaleString':
      return quotedSegments(part.parts, scope);
    case 'SimpleExpansion':
      return fromPieces(simpleParameter(part.text.slice(1), quoted, scope), quoted);
    case 'ParameterExpansion':
      return fromPieces(expandParameter(part, quoted, scope), quoted);
    case 'CommandExpansion':
      return substitution(scope.substitute(part.script, scope.locate(part.pos, part.end)), quoted);
    case 'ArithmeticExpansion':
      walkInside(part, scope);
      return fromPieces([{ text: UNKNOWN, taint: 0 }], quoted);
    case 'ProcessSubstitution': {
      const source = scope.substitute(part.script, scope.locate(part.pos, part.end));
      const end = part.operator === '>' ? { reader: readerOf(part, scope) } : { content: source };
      return one('/dev/fd/63', { taint: source.taint, expanded: true, ...end });
    }
    case 'BraceExpansion':
      return one(part.text, {});
  }
}

/** Words that one more walk of `>( )` counts for: those that hold others are walked twice as often at every level. */
const READING = 100;

/** A program that is written to by what it writes itself is walked no deeper. */
function readerOf(part: Extract<WordPart, { type: 'ProcessSubstitution' }>, scope: WordScope) {
  let busy = false;
  return (written: Source): void => {
    if (busy) return;
    busy = true;
    scope.spend(READING);
    scope.substitute(part.script, scope.locate(part.pos, part.end), written);
    busy = false;
  };
}

function substitution(source: Source, quoted: boolean): Segment[][] {
  const text = source.text === null ? UNKNOWN : trimEnd(source.text, '\n');
  return fromPieces([{ text, taint: source.taint }], quoted);
}

function quotedSegments(parts: readonly WordPart[], scope: WordScope): readonly (readonly Segment[])[] {
  if (parts.length === 0) return one('', { quoted: true });
  const product = new Product();
  for (const part of parts) product.add(partSegments(part, true, scope));
  return product.lists;
}

/** Substitutions inside arithmetic run as well. */
function walkInside(node: SyntaxNode, scope: WordScope): void {
  if (node.type === 'CommandExpansion' || node.type === 'ArithmeticCommandExpansion') {
    scope.substitute(node.script, scope.locate(node.pos, node.end));
  } else children(node, (child) => walkInside(child, scope));
}

export { walkInside as walkSubstitutions };

function splitFields(segments: readonly Segment[], word: Word, scope: WordScope): readonly Field[] {
  const ifs = separators(scope);
  const at = { span: scope.locate(word.pos, word.end), raw: word.text };
  const fields: Field[] = [];
  let open = newField(at);
  for (const segment of segments) {
    const pieces = segment.split ? split(segment.text, ifs) : segment.text.split(BREAK);
    pieces.forEach((piece, i) => {
      if (i > 0) {
        if (open.text !== '' || open.present) fields.push(finish(open));
        open = newField(at);
      }
      open.text += segment.split ? activateGlobs(piece) : piece;
      open.present ||= segment.quoted;
      open.taint |= segment.taint;
      open.expanded ||= segment.expanded;
      open.quoted ||= segment.quoted && !segment.expanded;
      if (segment.content) open.content = segment.content;
      if (segment.reader) open.reader = segment.reader;
    });
  }
  if (open.text !== '' || open.present) fields.push(finish(open));
  return fields;
}

interface OpenField {
  text: string;
  span: Span;
  raw: string;
  taint: number;
  expanded: boolean;
  quoted: boolean;
  /** Quotes make a word even of nothing. */
  present: boolean;
  content?: Source;
  reader?: (written: Source) => void;
}

function newField(at: { readonly span: Span; readonly raw: string }): OpenField {
  return { ...at, text: '', taint: 0, expanded: false, quoted: false, present: false };
}

function finish(open: OpenField): Field {
  const { span, raw, expanded, quoted, taint, content, reader } = open;
  const text = limited(open.text, expanded).replace(/\uE001{3,}/g, STAR + STAR);
  const field: Field = { text, span, raw, expanded, quoted, taint };
  if (reader) return { ...field, reader };
  return content ? { ...field, content } : field;
}

/** Splits at runs of separators; a leading or trailing run parts this piece from its neighbours. */
function split(text: string, ifs: string): readonly string[] {
  if (ifs === '' && !text.includes(BREAK)) return [text];
  const out: string[] = [];
  let current = '';
  let inRun = false;
  for (const char of text) {
    if (char === BREAK || ifs.includes(char)) {
      if (!inRun) {
        out.push(current);
        current = '';
      }
      inRun = true;
    } else {
      inRun = false;
      current += char;
    }
  }
  out.push(current);
  return out;
}

function separators(scope: WordScope): string {
  const set = scope.state.variable('IFS')?.at(-1)?.text;
  return set === undefined || set === UNKNOWN ? ' \t\n' : set;
}

/** The tilde rules of assignments: at the beginning and after each colon. */
export function assignedTilde(text: string, scope: WordScope): string {
  return text
    .split(':')
    .map((part) => (part.startsWith('~') ? (tildeHome(part, scope) ?? part) : part))
    .join(':');
}
