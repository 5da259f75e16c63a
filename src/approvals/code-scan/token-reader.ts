import type { Place } from './effects.ts';
import type { Lexicon, Token } from './tokens.ts';
import { tokenize } from './tokens.ts';

/** The tokens of a text, and how far they were read. */
export class TokenReader {
  #source = '';
  #tokens: readonly Token[] = [];
  #at = 0;

  /** Begins a text; throws `Unreadable` where it is not code of the language. */
  begin(source: string, lexicon: Lexicon): void {
    this.#source = source;
    this.#tokens = tokenize(source, lexicon);
    this.#at = 0;
  }

  get tokens(): readonly Token[] {
    return this.#tokens;
  }

  /** The place of the token that is read next. */
  get at(): number {
    return this.#at;
  }

  get ended(): boolean {
    return this.#at >= this.#tokens.length;
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

  /** Whether that token stands right behind the one that was read last. */
  touches(token: Token): boolean {
    return this.peek(-1)?.end === token.pos;
  }

  /** How a token is written begins with this character. */
  opensWith(token: Token, char: string): boolean {
    return this.#source[token.pos] === char;
  }

  /** From a token to the one that was read last. */
  placeFrom(from: number): Place {
    const first = this.#tokens[Math.max(0, from)] as Token;
    const last = this.#tokens[Math.max(0, Math.min(this.#at, this.#tokens.length) - 1)] as Token;
    return { pos: first.pos, end: Math.max(first.end, last.end) };
  }
}
