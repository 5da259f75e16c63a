import type { Facts } from '../analysis.ts';
import type { Frame, LiveCall } from './call.ts';
import type { Field, Span } from './field.ts';
import type { Command, CommandNode, Statement } from './parse.ts';
import type { Source } from './source.ts';
import type { ShellState } from './state.ts';
import type { WordScope } from './word-scope.ts';

/** Thrown when a limit is passed; what was found so far stays. */
export class OverLimit extends Error {}

/** Too much or too deep, which is no fault of ours. */
export function isLimit(error: unknown): boolean {
  return error instanceof OverLimit || error instanceof RangeError;
}

/** The list, if it is not too long to judge each of it: what is left out unseen could be anything. */
export function within<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length > most) throw new OverLimit();
  return list;
}

/** What the parts of the walk need of each other. */
export interface Walker {
  readonly facts: Facts;
  /** Walks nested shell text; its output as far as known. */
  text(text: Field, state: ShellState, frame: Frame, stdin?: Source): Source;
  statements(list: readonly Statement[], state: ShellState, frame: Frame, stdin: Source): Source;
  node(node: CommandNode, state: ShellState, frame: Frame, stdin: Source, piped: boolean): Source;
  simple(node: Command, state: ShellState, frame: Frame, stdin: Source, piped: boolean): Source;
  invoke(call: LiveCall): Source;
  scope(state: ShellState, frame: Frame): WordScope;
  /** Scans code of another language. */
  code(language: string, text: Field, call: LiveCall): void;
  report(rule: string, span: Span, frame: Frame, why?: string): void;
  /** Notes why no standing grant can cover the text. */
  bar(reason: string): void;
  spend(commands: number, words: number): void;
  /** Names of programs that rules and wrappers know. */
  candidates(test: (name: string) => boolean): readonly string[];
  /** The rules will be asked about the call as it is now. */
  judge(call: LiveCall): void;
  record(call: LiveCall): void;
}
