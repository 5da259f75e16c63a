import { UNKNOWN } from '../shell/marks.ts';
import { countBindings } from './bindings.ts';
import { readChain } from './chains.ts';
import { choices, concat, either, joined } from './choices.ts';
import { Comprehensions } from './comprehensions.ts';
import type { Place, Sink } from './effects.ts';
import { fillIn } from './formats.ts';
import type { Language, Reading } from './language.ts';
import { bindLoop } from './loops.ts';
import { holdsPower, judgeGiven, judgeHanded } from './modules.ts';
import { isBinary, leadsToElse, operate } from './operators.ts';
import { parametersOf } from './parameters.ts';
import { TokenReader } from './token-reader.ts';
import type { Token } from './tokens.ts';
import type { Value } from './values.ts';
import { ANYTHING, asText, isComputed, onlyParts, textValue } from './values.ts';

const MAX_DEPTH = 60;
/** Ends what is being read, and is left to whoever reads that. */
const STAYS = /^(?:[)\]},;:]|=>)$/;

/** One pass over a script's tokens: follows names to what they stand for and lets effects judge each use. */
export class Scanner extends TokenReader implements Reading {
  readonly language: Language;
  readonly sink: Sink;
  readonly names: Map<string, Value>;
  readonly starred: Set<string>;
  readonly imported: Set<string>;
  readonly #forks: { seen: Place | null };
  #depth = 0;
  #last: Value = ANYTHING;
  /** In a text only what a name always holds is put in. */
  readonly #outer: Scanner | undefined;
  #bindings: Map<string, number> | undefined;
  #comprehensions: Comprehensions | undefined;

  constructor(language: Language, sink: Sink, outer?: Scanner) {
    super();
    this.language = language;
    this.sink = sink;
    this.names = outer?.names ?? new Map();
    this.starred = outer?.starred ?? new Set();
    this.imported = outer?.imported ?? new Set();
    this.#forks = outer ? outer.#forks : { seen: null };
    this.#depth = outer ? outer.#depth + 1 : 0;
    this.#outer = outer;
  }

  /** How often names are given a value, in the whole script. */
  get bindings(): Map<string, number> {
    this.#bindings ??= this.#outer ? this.#outer.bindings : countBindings(this.tokens);
    return this.#bindings;
  }

  get last(): Value {
    return this.#last;
  }

  /** Throws `Unreadable` where the text is not code of this language. */
  run(source: string): void {
    this.begin(source, this.language.lexicon);
    for (const [name, value] of parametersOf(this.tokens, () => this.bindings)) this.names.set(name, value);
    while (!this.ended) this.#statement();
    if (this.#forks.seen && this.language.endless.test(source)) this.sink.report('shell.bomb', this.#forks.seen);
  }

  /** The value of a text that is one expression, else what its statements were made of. */
  #value(source: string): Value {
    this.begin(source, this.language.lexicon);
    this.#comprehensions = undefined;
    const values: Value[] = [];
    while (!this.ended) {
      this.#last = ANYTHING;
      this.#statement();
      values.push(this.#last);
    }
    return values.length === 1 ? (values[0] as Value) : onlyParts(values);
  }

  noteFork(at: Place): void {
    this.#forks.seen = at;
  }

  #statement(): void {
    this.accept('=');
    const before = this.at;
    if (bindLoop(this)) return;
    if (this.language.statement?.(this)) return;
    if (this.#assignment()) return;
    this.#last = this.expression(true);
    if (this.at === before) this.skip(1);
    else judgeGiven(this, this.#last, before);
  }

  /** `name = value`, with whatever declares it before. */
  #assignment(): boolean {
    let ahead = 0;
    while (
      /^(?:const|let|var|my|our|local|global|static|final)$/.test(this.peek(ahead)?.text ?? '') &&
      this.peek(ahead)?.kind === 'name'
    )
      ahead++;
    const target = this.peek(ahead);
    if (target?.kind !== 'name' || this.language.skipped.test(target.text)) return false;
    const op = this.peek(ahead + 1);
    if (op?.kind !== 'op' || !/^(?:=|:=|\.=|\+=)$/.test(op.text)) return false;
    const annotated = this.is(':', -1) && this.peek(-2)?.kind === 'name' ? this.peek(-2)?.text : undefined;
    const several = this.is(',', -1);
    const unpacked = this.language.power?.tuples === true && several;
    this.skip(ahead + 2);
    const from = this.at;
    const given = this.expression(unpacked);
    if (unpacked || given.kind !== 'ref') judgeHanded(this, [given], from);
    const value = this.language.givesSeveral === true && several ? ANYTHING : given;
    if (this.is('if') || this.is('or') || this.is('and')) this.bindings.set(target.text, 2);
    if (annotated !== undefined && holdsPower(this, value)) this.names.set(annotated, value);
    const old = this.names.get(target.text);
    this.names.set(
      target.text,
      op.text === '=' || op.text === ':=' ? value : concat(old ?? ANYTHING, value, this.sink.budget),
    );
    return true;
  }

  expression(judgeNames: boolean): Value {
    if (++this.#depth > MAX_DEPTH) {
      this.#depth--;
      this.skip(1);
      this.sink.budget.exceed();
      return ANYTHING;
    }
    try {
      let value = this.#operand(judgeNames);
      for (;;) {
        const op = this.peek();
        const other = op && this.#otherwise(op, value, judgeNames);
        if (other) {
          value = other;
          continue;
        }
        if (op?.kind !== 'op' || !isBinary(op.text)) return value;
        if (op.text === ':=' && this.peek(-1)?.kind === 'name') {
          value = this.#named();
          continue;
        }
        this.skip(1);
        this.skipLines();
        const right = this.#operand(judgeNames);
        value = operate(op.text, value, right, this);
      }
    } finally {
      this.#depth--;
    }
  }

  /** `c ? a : b`, `a if c else b`, `a or b`: one of two values. */
  #otherwise(op: Token, value: Value, judgeNames: boolean): Value | undefined {
    if (op.kind === 'op' && op.text === '?' && !this.language.comprehends) return this.#conditional(judgeNames);
    if (op.kind !== 'name' || !this.language.comprehends) return undefined;
    const chosen = op.text === 'if' && leadsToElse(this);
    if (!chosen && op.text !== 'or') return undefined;
    this.skip(1);
    const condition = chosen ? this.expression(judgeNames) : ANYTHING;
    if (chosen) this.skip(1);
    const other = this.expression(judgeNames);
    if (condition.kind === 'number') return condition.number === 0 ? other : value;
    return either(value, other, this.sink.budget);
  }

  #conditional(judgeNames: boolean): Value {
    this.skip(1);
    this.skipLines();
    const first = this.expression(judgeNames);
    this.skipLines();
    return this.accept(':') ? either(first, this.expression(judgeNames), this.sink.budget) : first;
  }

  /** `(name := value)`. */
  #named(): Value {
    const name = this.peek(-1)?.text ?? '';
    this.skip(1);
    const value = this.expression(false);
    this.names.set(name, value);
    return value;
  }

  #operand(judgeNames: boolean): Value {
    for (;;) {
      const token = this.peek();
      if (token?.kind === 'name' && this.language.skipped.test(token.text)) this.skip(1);
      else if (token?.kind === 'op' && /^(?:!|~|&|\*|\*\*|\+|\.\.\.|@|\\|\+\+|--|\?|\||=~)$/.test(token.text))
        this.skip(1);
      else break;
    }
    return readChain(this, this.#primary(), judgeNames);
  }

  #primary(): Value {
    const token = this.peek();
    if (!token || token.kind === 'newline') return ANYTHING;
    if (token.kind === 'op') return this.#group(token);
    this.skip(1);
    switch (token.kind) {
      case 'string':
        return this.string(token);
      case 'command':
        for (const [value] of choices([this.#filled(token)], this.sink.budget)) this.#hand(asText(value), token);
        return ANYTHING;
      case 'number': {
        const number = Number(token.text.replaceAll('_', ''));
        return Number.isNaN(number) ? ANYTHING : { kind: 'number', number };
      }
      case 'regex':
        this.#filled(token);
        return ANYTHING;
      default:
        return this.#resolve(token.text);
    }
  }

  #hand(text: string, token: Token): void {
    if (text.includes(UNKNOWN)) this.sink.report('code.spawn', token);
    this.sink.shell(text, token);
  }

  string(token: Token): Value {
    let value = this.#filled(token);
    while (this.language.adjacent && this.peek()?.kind === 'string') {
      const next = this.#filled(this.take() as Token);
      const isPlain = value.kind === 'text' && next.kind === 'text' && !isComputed(value) && !isComputed(next);
      value = isPlain ? textValue(asText(value) + asText(next)) : concat(value, next, this.sink.budget);
    }
    return value;
  }

  /** Code inside a string runs as well; what it comes to stands in the text where that is constant. */
  #filled(token: Token): Value {
    if (token.inner === undefined) return textValue(token.text);
    const inside = this.#inside(token);
    const { budget } = this.sink;
    if (this.#depth > MAX_DEPTH) budget.exceed();
    const values = token.inner.map(({ code }) => (this.#depth > MAX_DEPTH ? ANYTHING : inside.#value(code)));
    return joined(choices(values, budget).map((row) => fillIn(token, row, budget)));
  }

  #inside(token: Token): Scanner {
    const sink: Sink = {
      ...this.sink,
      report: (rule, _at, why) => this.sink.report(rule, token, why),
      shell: (text) => this.sink.shell(text, token),
      argv: (words) => this.sink.argv(words, token),
      paths: (text) => this.sink.paths(text),
    };
    return new Scanner(this.language, sink, this);
  }

  #group(token: Token): Value {
    if (STAYS.test(token.text)) return ANYTHING;
    this.skip(1);
    switch (token.text) {
      case '(':
        return this.items(')');
      case '[':
        return this.items(']');
      case '{':
        return this.#block();
      case '-': {
        const value = readChain(this, this.#primary(), true);
        return value.kind === 'number' ? { kind: 'number', number: -value.number } : ANYTHING;
      }
      default:
        return ANYTHING;
    }
  }

  items(close: string): Value {
    const items: Value[] = [];
    let comma = false;
    while (!this.ended) {
      this.skipLines();
      if (this.accept(close)) break;
      if (this.accept(',')) {
        comma = true;
        continue;
      }
      const before = this.at;
      bindLoop(this);
      this.foresee();
      const value = this.expression(true);
      if (this.at === before) this.skip(1);
      else items.push(value);
    }
    return items.length === 1 && !(comma && close === ']') && close === ')'
      ? (items[0] as Value)
      : { kind: 'list', items };
  }

  foresee(): void {
    if (!this.language.comprehends) return;
    this.#comprehensions ??= new Comprehensions(this.tokens);
    this.#comprehensions.foresee(this);
  }

  /** Braces: a record where names are followed by a colon or arrow, else statements. */
  #block(): Value {
    const fields = new Map<string, Value>();
    while (!this.ended) {
      this.skipLines();
      if (this.accept('}')) break;
      if (this.accept(',') || this.accept(';')) continue;
      const key = this.peek();
      const colon = this.peek(1);
      if (
        key &&
        (key.kind === 'name' || key.kind === 'string') &&
        colon?.kind === 'op' &&
        (colon.text === ':' || colon.text === '=>')
      ) {
        this.skip(2);
        this.skipLines();
        fields.set(key.text.replace(/^:/, ''), this.expression(true));
      } else this.#statement();
    }
    return fields.size > 0 ? { kind: 'record', fields } : ANYTHING;
  }

  /** What a name stands for: an alias, a module, or itself. */
  #resolve(name: string): Value {
    const known = this.names.get(name);
    if (known && this.#outer && isText(known) && (this.bindings.get(name) ?? 0) > 1) return onlyParts([known]);
    if (known) return known;
    const module = Object.hasOwn(this.language.modules, name) ? this.language.modules[name] : undefined;
    if (module !== undefined) return { kind: 'ref', name: module };
    for (const star of this.starred)
      if (Object.hasOwn(this.language.effects, `${star}.${name}`)) return { kind: 'ref', name: `${star}.${name}` };
    return { kind: 'ref', name };
  }
}

/** What may differ from one time to the next. */
function isText({ kind }: Value): boolean {
  return kind === 'text' || kind === 'number' || kind === 'any';
}
