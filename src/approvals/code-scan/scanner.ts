import { countBindings } from './bindings.ts';
import { choices, concat, joined } from './choices.ts';
import type { Effect, Place, Sink } from './effects.ts';
import { envText } from './effects.ts';
import { fillIn, fillPercent } from './formats.ts';
import { bindEach, bindLoop, comprehensionsAhead, foreseeLoop } from './loops.ts';
import { parametersOf } from './parameters.ts';
import type { Lexicon, Token } from './tokens.ts';
import { tokenize } from './tokens.ts';
import type { Value } from './values.ts';
import { ANYTHING, asText, constantText, isComputed, joinRef, member, onlyParts, textValue } from './values.ts';

/** What a scan knows of a language. */
export interface Language {
  readonly name: string;
  readonly lexicon: Lexicon;
  /** Functions by full name (`os.system`) and methods on anything (`*.unlink`). */
  readonly effects: Readonly<Record<string, Effect>>;
  /** Modules by the name they are imported under, and names that stand for other names. */
  readonly modules: Readonly<Record<string, string>>;
  /** Import statements and other forms of its own; returns whether it took the statement. */
  readonly statement?: (scan: Scanner) => boolean;
  /** Operators that join texts. */
  readonly joins: readonly string[];
  /** Words that are skipped where an expression may begin. */
  readonly skipped: RegExp;
  /** Calls without parentheses. */
  readonly bareCalls?: boolean;
  /** `'%s' % x` puts x into the text. */
  readonly percentFills?: boolean;
  /** `[f(x) for x in list]`. */
  readonly comprehends?: boolean;
  /** Two strings side by side are one. */
  readonly adjacent?: boolean;
  /** Names whose members may not be computed: `fs[x]()`. */
  readonly sensitive: RegExp;
  /** Tables whose fields stand in braces: `$ENV{HOME}`. */
  readonly braced?: string;
  /** Loops without end, against forks in them. */
  readonly endless: RegExp;
}

const MAX_DEPTH = 60;
/** Operators that put one value into another, or choose one; Python's `!r` says how. */
const CHOOSES = /^(?:%|\|\||\?\?|!)$/;

/** One pass over a script's tokens: follows names to what they stand for and lets effects judge each use. */
export class Scanner {
  readonly language: Language;
  readonly sink: Sink;
  readonly names: Map<string, Value>;
  readonly starred: Set<string>;
  #tokens: readonly Token[] = [];
  #at = 0;
  #depth = 0;
  #forks: { seen: Place | null };
  #source = '';
  #last: Value = ANYTHING;
  /** In a text only what a name always holds is put in. */
  readonly #outer: Scanner | undefined;
  #bindings: Map<string, number> | undefined;
  #loopsAhead: Int32Array | undefined;
  /** Loops whose names are known. */
  readonly #foreseen = new Set<number>();

  constructor(language: Language, sink: Sink, outer?: Scanner) {
    this.language = language;
    this.sink = sink;
    this.names = outer?.names ?? new Map();
    this.starred = outer?.starred ?? new Set();
    this.#forks = outer?.forks ?? { seen: null };
    this.#depth = outer ? outer.depth + 1 : 0;
    this.#outer = outer;
  }

  /** How often names are given a value, in the whole script. */
  get bindings(): Map<string, number> {
    this.#bindings ??= this.#outer ? this.#outer.bindings : countBindings(this.#tokens);
    return this.#bindings;
  }

  get forks() {
    return this.#forks;
  }

  get depth(): number {
    return this.#depth;
  }

  /** Of the statement before. */
  get last(): Value {
    return this.#last;
  }

  /** The value of a text that is one expression, else what its statements were made of. */
  value(source: string): Value {
    this.#at = 0;
    this.#loopsAhead = undefined;
    this.#foreseen.clear();
    this.#source = source;
    this.#tokens = tokenize(source, this.language.lexicon);
    const values: Value[] = [];
    while (this.#at < this.#tokens.length) {
      this.#last = ANYTHING;
      this.statement();
      values.push(this.#last);
    }
    return values.length === 1 ? (values[0] as Value) : onlyParts(values);
  }

  /** Throws `Unreadable` where the text is not code of this language. */
  run(source: string): void {
    this.#source = source;
    this.#tokens = tokenize(source, this.language.lexicon);
    for (const [name, value] of parametersOf(this.#tokens, () => this.bindings)) this.names.set(name, value);
    while (this.#at < this.#tokens.length) this.statement();
    if (this.#forks.seen && this.language.endless.test(source)) this.sink.report('shell.bomb', this.#forks.seen);
  }

  noteFork(at: Place): void {
    this.#forks.seen = at;
  }

  peek(ahead = 0): Token | undefined {
    return this.#tokens[this.#at + ahead];
  }

  take(): Token | undefined {
    return this.#tokens[this.#at++];
  }

  is(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return (
      token !== undefined &&
      token.text === text &&
      (token.kind === 'op' || token.kind === 'name' || token.kind === 'newline')
    );
  }

  skip(tokens: number): void {
    this.#at += tokens;
  }

  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.#at++;
    return true;
  }

  skipLines(): void {
    while (this.peek()?.kind === 'newline') this.#at++;
  }

  statement(): void {
    const before = this.#at;
    if (bindLoop(this)) return;
    if (this.language.statement?.(this)) return;
    if (this.#assignment()) return;
    this.#last = this.expression(true);
    if (this.#at === before) this.#at++;
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
    this.#at += ahead + 2;
    const value = this.#expression(false);
    if (this.is('if') || this.is('or') || this.is('and')) this.bindings.set(target.text, 2);
    const old = this.names.get(target.text);
    this.names.set(
      target.text,
      op.text === '=' || op.text === ':=' ? value : concat(old ?? ANYTHING, value, this.sink.budget),
    );
    return true;
  }

  /** Reads an expression; a risky function that is only named, not called, counts as a use of it. */
  expression(judgeNames = true): Value {
    return this.#expression(judgeNames);
  }

  #expression(judgeNames: boolean): Value {
    if (++this.#depth > MAX_DEPTH) {
      this.#depth--;
      this.#at++;
      this.sink.budget.exceed();
      return ANYTHING;
    }
    try {
      let value = this.#operand(judgeNames);
      for (;;) {
        const op = this.peek();
        if (op?.kind !== 'op' || !this.#isBinary(op.text)) return value;
        this.#at++;
        this.skipLines();
        const right = this.#operand(judgeNames);
        value = this.language.joins.includes(op.text)
          ? concat(value, right, this.sink.budget)
          : op.text === '%' && this.language.percentFills && value.kind === 'text'
            ? fillPercent(value, right.kind === 'list' ? right.items : [right], this.sink.budget)
            : op.text === '/' && value.kind === 'ref'
              ? joinRef(value, right, this.sink.budget)
              : CHOOSES.test(op.text)
                ? onlyParts([value, right])
                : ANYTHING;
      }
    } finally {
      this.#depth--;
    }
  }

  #isBinary(text: string): boolean {
    return !/^(?:[,;)\]}:{]|=>|=)$/.test(text);
  }

  #operand(judgeNames: boolean): Value {
    for (;;) {
      const token = this.peek();
      if (token?.kind === 'name' && this.language.skipped.test(token.text) && !this.is('(', 1)) this.#at++;
      else if (token?.kind === 'name' && this.language.skipped.test(token.text)) this.#at++;
      else if (token?.kind === 'op' && /^(?:!|~|&|\*|\*\*|\+|\.\.\.|@|\\|\+\+|--|\?|\||=~)$/.test(token.text))
        this.#at++;
      else break;
    }
    const value = this.#postfix(this.#primary(), judgeNames);
    return value;
  }

  #primary(): Value {
    const token = this.peek();
    if (!token || token.kind === 'newline') return ANYTHING;
    if (token.kind === 'op') return this.#group(token);
    this.#at++;
    switch (token.kind) {
      case 'string':
        return this.#string(token);
      case 'command':
        for (const [value] of choices([this.#filled(token)], this.sink.budget)) this.#runText(asText(value), token);
        return ANYTHING;
      case 'number': {
        const number = Number(token.text.replaceAll('_', ''));
        return Number.isNaN(number) ? ANYTHING : { kind: 'number', number };
      }
      case 'regex':
        this.#filled(token);
        return ANYTHING;
      default:
        return this.resolve(token.text);
    }
  }

  #runText(text: string, token: Token): void {
    if (text.includes('\uE000')) this.sink.report('code.spawn', token);
    this.sink.shell(text, token);
  }

  #string(token: Token): Value {
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
    const values = token.inner.map(({ code }) => (this.#depth > MAX_DEPTH ? ANYTHING : inside.value(code)));
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
    this.#at++;
    switch (token.text) {
      case '(':
        return this.#items(')');
      case '[': {
        const list = this.#items(']');
        return list.kind === 'list'
          ? list
          : { kind: 'list', items: list.kind === 'unknown' && this.#tokens[this.#at - 2]?.text === '[' ? [] : [list] };
      }
      case '{':
        return this.#block();
      case '-': {
        const value = this.#postfix(this.#primary(), true);
        return value.kind === 'number' ? { kind: 'number', number: -value.number } : ANYTHING;
      }
      case ')':
      case ']':
      case '}':
      case ',':
      case ';':
      case ':':
      case '=>':
        this.#at--;
        return ANYTHING;
      default:
        return ANYTHING;
    }
  }

  /** Items up to a closing bracket: one is itself, several are a list. */
  #items(close: string): Value {
    const items: Value[] = [];
    let comma = false;
    while (this.#at < this.#tokens.length) {
      this.skipLines();
      if (this.accept(close)) break;
      if (this.accept(',')) {
        comma = true;
        continue;
      }
      const before = this.#at;
      bindLoop(this);
      this.#foresee();
      const value = this.#expression(true);
      if (this.#at === before) this.#at++;
      else items.push(value);
    }
    return items.length === 1 && !(comma && close === ']') && close === ')'
      ? (items[0] as Value)
      : { kind: 'list', items };
  }

  /** Where a language has comprehensions. */
  #foresee(): void {
    if (!this.language.comprehends) return;
    this.#loopsAhead ??= comprehensionsAhead(this.#tokens);
    for (
      let at = this.#loopsAhead[this.#at] ?? -1;
      at >= 0 && !this.#foreseen.has(at);
      at = this.#loopsAhead[at + 1] ?? -1
    ) {
      this.#foreseen.add(at);
      foreseeLoop(this, at - this.#at);
    }
  }

  /** Braces: a record where names are followed by a colon or arrow, else statements. */
  #block(): Value {
    const fields = new Map<string, Value>();
    while (this.#at < this.#tokens.length) {
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
        this.#at += 2;
        this.skipLines();
        fields.set(key.text.replace(/^:/, ''), this.#expression(true));
      } else this.statement();
    }
    return fields.size > 0 ? { kind: 'record', fields } : ANYTHING;
  }

  /** What a name stands for: an alias, a module, or itself. */
  resolve(name: string): Value {
    const known = this.names.get(name);
    if (known && this.#outer && isText(known) && (this.bindings.get(name) ?? 0) > 1) return onlyParts([known]);
    if (known) return known;
    const module = Object.hasOwn(this.language.modules, name) ? this.language.modules[name] : undefined;
    if (module !== undefined) return { kind: 'ref', name: module };
    for (const star of this.starred)
      if (Object.hasOwn(this.language.effects, `${star}.${name}`)) return { kind: 'ref', name: `${star}.${name}` };
    return { kind: 'ref', name };
  }

  #postfix(start: Value, judgeNames: boolean): Value {
    let value = start;
    let called = false;
    const from = this.#at - 1;
    for (;;) {
      const token = this.peek();
      if (token?.kind === 'op' && /^(?:\.|\?\.|->|::|&\.)$/.test(token.text) && this.#isMember(token)) {
        this.#at++;
        const next = this.peek();
        if (next?.kind === 'name') {
          this.#at++;
          value = this.#place(member(value, next.text));
          called = false;
        } else if (next?.text === '(' || next?.text === '[') continue;
        else return value;
      } else if (token?.text === '(' && token.kind === 'op') {
        this.#at++;
        bindEach(this, value);
        value = this.#call(value, from, ')');
        called = true;
      } else if (token?.text === '[' && token.kind === 'op' && value.kind !== 'unknown' && this.#follows(token)) {
        this.#at++;
        value = this.#index(value, from);
      } else if (token?.text === '{' && value.kind === 'ref' && value.name === this.language.braced) {
        const key = this.peek(1);
        this.#at += this.is('}', 2) ? 3 : 1;
        value = this.#place(member({ kind: 'ref', name: 'ENV' }, key?.text ?? ''));
      } else if (token?.kind === 'string' && value.kind === 'ref' && this.#isTemplate(token) && this.#effectOf(value)) {
        this.#at++;
        value = this.#apply(value, [this.#string(token)], new Map(), from, true);
        called = true;
      } else break;
    }
    bindEach(this, value);
    if (called || value.kind !== 'ref' || !this.#effectOf(value)) return value;
    if (this.language.bareCalls && this.#startsArgument()) return this.#call(value, from, null);
    if (judgeNames)
      return this.#apply(value, [], new Map(), from, this.language.bareCalls === true && this.#endsHere());
    return value;
  }

  /** A variable of the environment, or the folder above a path, where they are known. */
  #place(value: Value): Value {
    if (value.kind !== 'ref') return value;
    const env = /^(?:os\.environ|process\.env|Bun\.env|ENV)\.(\w+)$/.exec(value.name)?.[1];
    const text = env === undefined ? undefined : envText(env, this.sink);
    if (text !== undefined) return textValue(text);
    return value.name === 'pathlib.Path().parent'
      ? { kind: 'ref', name: 'pathlib.Path()', of: textValue(`${asText(value.of)}/..`) }
      : value;
  }

  /** A dot that joins texts in Perl and PHP is no member access. */
  #isMember(token: Token): boolean {
    return !(token.text === '.' && this.language.joins.includes('.'));
  }

  /** An index stands right behind its value. */
  #follows(token: Token): boolean {
    return this.#tokens[this.#at - 1]?.end === token.pos || !this.language.bareCalls;
  }

  #isTemplate(token: Token): boolean {
    return this.#source[token.pos] === '`' && this.#tokens[this.#at - 1]?.end === token.pos;
  }

  #endsHere(): boolean {
    const token = this.peek();
    return token === undefined || token.kind === 'newline' || /^[;})\]]$/.test(token.text);
  }

  #startsArgument(): boolean {
    const token = this.peek();
    if (!token || token.kind === 'newline') return false;
    if (token.kind === 'op') return /^[[\\*:]$/.test(token.text) && this.#tokens[this.#at - 1]?.end !== token.pos;
    return !(
      token.kind === 'name' &&
      /^(?:if|unless|while|until|or|and|do|then|end|for|foreach|rescue|x|eq|ne|in|as)$/.test(token.text)
    );
  }

  #index(value: Value, from: number): Value {
    const list = this.#items(']');
    const key = list.kind === 'list' ? list.items[0] : list;
    if (value.kind === 'list' && key?.kind === 'number') return value.items.at(key.number) ?? ANYTHING;
    if (value.kind !== 'ref') return ANYTHING;
    const text = constantText(key);
    const named = text !== null && key?.kind === 'text' ? this.#place(member(value, text)) : undefined;
    if (named && !(isComputed(key) && this.#effectOf(named))) return named;
    if (named || this.language.sensitive.test(value.name))
      this.sink.report('code.dynamic', this.#placeFrom(from), 'picks what it calls when it runs');
    return named ?? onlyParts([value]);
  }

  #call(value: Value, from: number, close: string | null): Value {
    const args: Value[] = [];
    const named = new Map<string, Value>();
    while (this.#at < this.#tokens.length) {
      if (close !== null) this.skipLines();
      if (close === null ? this.#endsHere() || this.#endsBare() : this.accept(close)) break;
      if (this.accept(',')) {
        this.skipLines();
        continue;
      }
      const before = this.#at;
      this.#argument(args, named);
      if (this.#at === before) this.#at++;
      if (close === null && !this.is(',')) break;
    }
    return this.#apply(value, args, named, from, true);
  }

  #endsBare(): boolean {
    const token = this.peek();
    return (
      token?.kind === 'name' && /^(?:if|unless|while|until|or|and|do|then|end|for|foreach|rescue)$/.test(token.text)
    );
  }

  #argument(args: Value[], named: Map<string, Value>): void {
    const key = this.peek();
    const op = this.peek(1);
    if (key?.kind === 'name' && op?.kind === 'op' && /^(?:=|:)$/.test(op.text) && this.peek(2)?.text !== ':') {
      this.#at += 2;
      named.set(key.text, this.#expression(true));
      return;
    }
    bindLoop(this);
    this.#foresee();
    const value = this.#expression(true);
    if (this.is('=>')) {
      this.#at++;
      named.set(asText(value), this.#expression(true));
    } else args.push(value);
    while (this.is('for')) if (!bindLoop(this)) this.#at++;
  }

  #effectOf(value: Value): Effect | undefined {
    if (value.kind !== 'ref') return undefined;
    const { effects } = this.language;
    if (Object.hasOwn(effects, value.name)) return effects[value.name];
    const method = `*.${value.name.slice(value.name.lastIndexOf('.') + 1)}`;
    if (value.name.includes('.') && Object.hasOwn(effects, method)) return effects[method];
    const family = `${value.name.slice(0, value.name.indexOf('.') + 1)}*`;
    return value.name.includes('.') && Object.hasOwn(effects, family) ? effects[family] : undefined;
  }

  #apply(
    value: Value,
    args: readonly Value[],
    named: ReadonlyMap<string, Value>,
    from: number,
    called: boolean,
  ): Value {
    if (value.kind !== 'ref') return ANYTHING;
    const effect = this.#effectOf(value);
    const before = value.before ?? value.of;
    const made = {
      kind: 'ref',
      name: `${value.name}()`,
      ...(before ? { before } : {}),
      ...besideOf(args, named),
    } as const;
    if (!effect) return { ...made, of: args[0] ?? value.of ?? ANYTHING };
    const at = this.#placeFrom(from);
    if (/(?:^|[.:_])fork$/.test(value.name)) this.noteFork(at);
    const rows = choices([value.of ?? ANYTHING, ...args, ...named.values()], this.sink.budget);
    const results = rows.map((row): Value => {
      const given = row.slice(1, args.length + 1);
      const options = rows.length === 1 && named.size === 0 ? named : zipped(named, row.slice(args.length + 1));
      const use = {
        name: value.name,
        args: given,
        named: options,
        on: value.of && row[0],
        called,
        at,
        sink: this.sink,
      };
      return effect(use) ?? { ...made, of: given[0] ?? ANYTHING };
    });
    return joined(results);
  }

  #placeFrom(from: number): Place {
    const first = this.#tokens[Math.max(0, from)] as Token;
    const last = this.#tokens[Math.max(0, Math.min(this.#at, this.#tokens.length) - 1)] as Token;
    return { pos: first.pos, end: Math.max(first.end, last.end) };
  }
}

/** What a call is given beside its first argument. */
function besideOf(args: readonly Value[], named: ReadonlyMap<string, Value>): { readonly beside?: readonly Value[] } {
  if (args.length < 2 && named.size === 0) return {};
  return { beside: named.size === 0 ? args.slice(1) : [...args.slice(1), { kind: 'record', fields: named }] };
}

function zipped(names: ReadonlyMap<string, Value>, values: readonly Value[]): ReadonlyMap<string, Value> {
  return new Map([...names.keys()].map((name, i) => [name, values[i] ?? ANYTHING]));
}

/** What may differ from one time to the next. */
function isText({ kind }: Value): boolean {
  return kind === 'text' || kind === 'number' || kind === 'any';
}
