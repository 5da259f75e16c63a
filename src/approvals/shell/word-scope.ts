import type { Facts } from '../analysis.ts';
import type { Span } from './field.ts';
import type { ParsedScript, Word } from './parse.ts';
import type { Source } from './source.ts';
import type { Locate, Piece, ShellState } from './state.ts';

/** What evaluating a word needs. `substitute` walks an inner script and says what it would print. */
export interface WordScope {
  readonly state: ShellState;
  readonly facts: Facts;
  readonly locate: Locate;
  readonly substitute: (script: ParsedScript | undefined, at: Span, stdin?: Source) => Source;
  /** Counts words against the limit. */
  readonly spend: (words: number) => void;
  /** The values of a word in which nothing falls apart. */
  readonly text: (word: Word) => readonly Piece[];
}
