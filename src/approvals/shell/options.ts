import type { Field } from './field.ts';

/**
 * A program's options as one string of tokens parted by blanks: names parted by `|`, then `:` where a value follows
 * (`o|output:`) or `?` where one may be attached (`i|in-place?`). One letter is a short option, more are a long one.
 * The first name is what `has` and `value` answer to.
 */
export interface OptionGrammar {
  readonly short: ReadonlyMap<string, Option>;
  readonly long: ReadonlyMap<string, Option>;
}

interface Option {
  readonly name: string;
  readonly value: 'none' | 'required' | 'attached';
}

export interface Options {
  has(...names: readonly string[]): boolean;
  value(name: string): Field | undefined;
  values(name: string): readonly Field[];
  readonly operands: readonly Field[];
  /** There are options the grammar does not know. */
  readonly unknown: boolean;
}

const cache = new Map<string, OptionGrammar>();

export function grammar(text: string): OptionGrammar {
  const known = cache.get(text);
  if (known) return known;
  const short = new Map<string, Option>();
  const long = new Map<string, Option>();
  for (const token of text.split(' ')) {
    if (token === '') continue;
    const kind = token.at(-1);
    const names = (kind === ':' || kind === '?' ? token.slice(0, -1) : token).split('|');
    const option: Option = {
      name: names[0] as string,
      value: kind === ':' ? 'required' : kind === '?' ? 'attached' : 'none',
    };
    for (const name of names) (name.length === 1 ? short : long).set(name, option);
  }
  const made = { short, long };
  cache.set(text, made);
  return made;
}

export interface ParseStyle {
  /** Stop at the first operand, as programs that run another program do. */
  readonly stop?: boolean;
  /** Long options with one dash, as in `-auto-approve`; then nothing is a bundle. */
  readonly singleDash?: boolean;
}

/** Reads options as getopt_long does: bundles, attached values, `--name=value`, unambiguous or ambiguous abbreviations, `--`. */
export function parseOptions(args: readonly Field[], text: string, style: ParseStyle = {}): Options {
  return new Reader(grammar(text), style).read(args);
}

const NONE: readonly Field[] = [];

class Reader implements Options {
  readonly #grammar: OptionGrammar;
  readonly #style: ParseStyle;
  #values: Map<string, Field[]> | undefined;
  #seen: Set<string> | undefined;
  operands: readonly Field[] = [];
  unknown = false;

  constructor(from: OptionGrammar, style: ParseStyle) {
    this.#grammar = from;
    this.#style = style;
  }

  has(...names: readonly string[]): boolean {
    return this.#seen !== undefined && names.some((name) => this.#seen?.has(name));
  }

  value(name: string): Field | undefined {
    return this.#values?.get(name)?.at(-1);
  }

  values(name: string): readonly Field[] {
    return this.#values?.get(name) ?? NONE;
  }

  read(args: readonly Field[]): this {
    const operands: Field[] = [];
    this.operands = operands;
    for (let i = 0; i < args.length; i++) {
      const field = args[i] as Field;
      const text = field.text;
      if (text === '--') {
        operands.push(...args.slice(i + 1));
        return this;
      }
      if (text.length > 1 && text.startsWith('-')) {
        const next = args[i + 1];
        if (
          text.startsWith('--') || this.#style.singleDash
            ? this.#long(field, text, next)
            : this.#bundle(field, text, next)
        )
          i++;
      } else if (this.#style.stop) {
        this.operands = args.slice(i);
        return this;
      } else operands.push(field);
    }
    return this;
  }

  /** Whether the next word was taken as a value. */
  #long(field: Field, text: string, next: Field | undefined): boolean {
    const body = text.slice(text.startsWith('--') ? 2 : 1);
    const eq = body.indexOf('=');
    const name = eq < 0 ? body : body.slice(0, eq);
    const attached = eq < 0 ? undefined : { ...field, text: body.slice(eq + 1) };
    const options = this.#find(name);
    if (options.length === 0) {
      this.unknown = true;
      this.#note(name, attached);
      return false;
    }
    let took = false;
    for (const option of options) {
      if (option.value === 'required' && !attached) {
        this.#note(option.name, next);
        took = options.length === 1 || took;
      } else this.#note(option.name, attached);
    }
    return took;
  }

  #find(name: string): readonly Option[] {
    const exact = this.#grammar.long.get(name) ?? (this.#style.singleDash ? this.#grammar.short.get(name) : undefined);
    if (exact) return [exact];
    if (name.length < 2) return [];
    const found = new Set<Option>();
    for (const [long, option] of this.#grammar.long) if (long.startsWith(name)) found.add(option);
    return [...found];
  }

  #bundle(field: Field, text: string, next: Field | undefined): boolean {
    for (let i = 1; i < text.length; i++) {
      const letter = text[i] as string;
      const option = this.#grammar.short.get(letter);
      if (!option) {
        this.unknown = true;
        this.#note(letter, undefined);
        continue;
      }
      if (option.value === 'none') {
        this.#note(option.name, undefined);
        continue;
      }
      const rest = text.slice(i + 1);
      const attached = rest === '' ? undefined : { ...field, text: rest.startsWith('=') ? rest.slice(1) : rest };
      this.#note(option.name, attached ?? (option.value === 'required' ? next : undefined));
      return option.value === 'required' && !attached;
    }
    return false;
  }

  #note(name: string, value: Field | undefined): void {
    this.#seen ??= new Set();
    this.#seen.add(name);
    if (!value) return;
    this.#values ??= new Map();
    const list = this.#values.get(name);
    if (list) list.push(value);
    else this.#values.set(name, [value]);
  }
}
