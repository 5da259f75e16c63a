/** Keeps two backticks from being three, and a mention from being one; takes no room on the screen. */
export const ZERO_WIDTH = '\u200b';

const MENTION = /^<(?:@[!&]?\d|#\d|a?:\w+:\d|t:-?\d|\/[\w -]+:\d|id:\w)/;
const EVERYONE = /^@(?:everyone|here)/;
const MASKED_LINK = /^\[[^\n]*\]\(/;
const HEADING = /^#{1,3}[ \t]/;
const QUOTE = /^>(?:>>)?[ \t]/;
const BULLET = /^-#?[ \t]/;
const NUMBER = /^\d{1,9}\.[ \t]/;

export interface EscapeContext {
  /** Nothing but spaces and bullets stand before on the line. */
  readonly atLineStart: boolean;
  /** Brackets could be taken for those of a link nearby. */
  readonly brackets: boolean;
}

/** Letters `[from, to)` of a text as Discord has to be told them so that they show as they are. */
export function escapeRange(text: string, from: number, to: number, context: EscapeContext): string {
  let out = '';
  let start = context.atLineStart;
  for (let i = from; i < to; i++) {
    const character = text[i] as string;
    const number = start ? NUMBER.exec(text.slice(i, i + 12)) : null;
    if (number && i + number[0].length <= to) {
      // `1.` would begin a list.
      out += `${number[0].slice(0, -2)}\\.`;
      i += number[0].length - 2;
    } else {
      out += context.brackets && (character === '[' || character === ']') ? `\\${character}` : escaped(text, i, start);
    }
    start = character === '\n' || (start && (character === ' ' || character === '\t'));
  }
  return out;
}

/** A whole plain text. */
export function escapeText(text: string): string {
  return escapeRange(text, 0, text.length, { atLineStart: true, brackets: false });
}

function escaped(text: string, at: number, atLineStart: boolean): string {
  const character = text[at] as string;
  switch (character) {
    case '\\':
    case '*':
    case '_':
    case '`':
      return `\\${character}`;
    case '~':
    case '|':
      return text[at - 1] === character || text[at + 1] === character ? `\\${character}` : character;
    case '<':
      return MENTION.test(text.slice(at, at + 60)) ? '\\<' : '<';
    case '@':
      return EVERYONE.test(text.slice(at, at + 9)) ? `@${ZERO_WIDTH}` : '@';
    case '[':
      return MASKED_LINK.test(text.slice(at, at + 400)) ? '\\[' : '[';
    case '#':
    case '>':
    case '-':
      return atLineStart && beginsBlock(text.slice(at, at + 5)) ? `\\${character}` : character;
    default:
      return character;
  }
}

function beginsBlock(rest: string): boolean {
  return HEADING.test(rest) || QUOTE.test(rest) || BULLET.test(rest);
}
