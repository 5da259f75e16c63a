import type { Hit, Rule } from '../rules/rule.ts';
import type { Call, LiveCall } from './call.ts';
import { atThisMoment } from './call.ts';
import { isPlainName } from './program-names.ts';
import { isLimit } from './walker.ts';

/** The rules for one program, by their places in the book: of a plain call; with files opened or variables set; under an odd name; both. */
export type RuleSet = readonly [
  plain: readonly number[],
  decorated: readonly number[],
  odd: readonly number[],
  both: readonly number[],
];

/** Rules in the order in which they report, and which of them look at a program. */
export interface Rules {
  readonly rules: readonly Rule[];
  readonly byProgram: ReadonlyMap<string, RuleSet>;
  /** For programs no rule names. */
  readonly other: RuleSet;
}

/** A rule's hit, and the place of the call it was in. */
export interface Found {
  readonly rule: Rule;
  readonly hit: Exclude<Hit, false>;
  readonly call: Call;
  readonly place: number;
}

/**
 * Calls that wait for the rules. A rule is asked about all of them before the next one is, as its code then stays near the
 * processor. Each call is judged as it was when it was met.
 */
export class Docket {
  readonly #book: Rules;
  readonly #calls: Call[] = [];

  constructor(book: Rules) {
    this.#book = book;
  }

  /** Calls so far. */
  get size(): number {
    return this.#calls.length;
  }

  add(call: LiveCall): void {
    this.#calls.push(atThisMoment(call));
  }

  /** Reports the hits call by call; false where a rule passed a limit, so that not all is judged. */
  settle(report: (hit: Found) => void): boolean {
    let whole = true;
    const found: Found[] = [];
    for (const [i, places] of this.#byRule().entries()) {
      const rule = this.#book.rules[i] as Rule;
      for (const place of places ?? NONE) {
        const call = this.#calls[place] as Call;
        const hit = ask(rule, call);
        if (hit === null) whole = false;
        else if (hit !== false) found.push({ rule, hit, call, place });
      }
    }
    for (const one of found.sort((a, b) => a.place - b.place)) report(one);
    return whole;
  }

  /** For each rule the places of the calls it looks at. */
  #byRule(): readonly (readonly number[] | undefined)[] {
    const places: (number[] | undefined)[] = this.#book.rules.map(() => undefined);
    for (const [place, call] of this.#calls.entries()) {
      for (const rule of rulesFor(call, this.#book)) {
        const own = places[rule];
        if (own) own.push(place);
        else places[rule] = [place];
      }
    }
    return places;
  }
}

const NONE: readonly number[] = [];

/** Null: a limit was passed. */
function ask(rule: Rule, call: Call): Hit | null {
  try {
    return rule.test(call);
  } catch (error) {
    if (!isLimit(error)) throw error;
    return null;
  }
}

function rulesFor(call: Call, book: Rules): readonly number[] {
  const set = book.byProgram.get(call.program) ?? book.other;
  const decorated = call.files.length > 0 || call.assignments.length > 0;
  if (isPlainlyNamed(call)) return set[decorated ? 1 : 0];
  return set[decorated ? 3 : 2];
}

function isPlainlyNamed({ argv0, program }: Call): boolean {
  return program === '' || (!argv0.expanded && isPlainName(argv0.text));
}
