import type { Call } from '../shell/call.ts';
import type { Span } from '../shell/field.ts';

/** What a rule saw: the part that decided and, where it can say more than the rule's own sentence, a sentence. */
export type Hit = boolean | { readonly span?: Span; readonly why?: string };

/** One kind of dangerous thing. Rules are data: the walker asks `test` of every simple command whose program is listed. */
export interface Rule {
  /** Stable: grants, settings and the audit name it. */
  readonly id: string;
  readonly grade: 'dangerous' | 'hardline';
  /** Canonical names (program-names.ts), or `*` for every command. */
  readonly programs: readonly string[] | '*';
  /** Also every command that opens files or sets variables, whatever its program. */
  readonly decorated?: boolean;
  /** Also every command whose first word is more than a plain name: a path, an expansion, letters beyond ASCII. */
  readonly oddName?: boolean;
  /** Pure and total. */
  readonly test: (call: Call) => Hit;
  /** One sentence without a closing dot: what it would do. */
  readonly why: string;
  /** `prefix` only where more words cannot widen the effect. */
  readonly shape?: 'exact' | 'prefix';
  /** The guardian model may judge it. */
  readonly smart?: boolean;
  /** Only a person at depth 0 may say yes, once. */
  readonly personOnly?: boolean;
  readonly match: readonly string[];
  readonly notMatch: readonly string[];
}

/** A finding that no command rule makes: the shell reader, the code scan and the path rules report these by id. */
export type NamedRule = Omit<Rule, 'programs' | 'test' | 'decorated' | 'oddName'>;
