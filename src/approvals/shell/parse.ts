import type { ParsedScript, SyntaxNode, Word } from 'unbash';
import { forEachChild, parse } from 'unbash';

export type {
  AndOr,
  Assignment,
  Command,
  CommandNode,
  CompoundList,
  Function as FunctionNode,
  ParameterExpansionPart,
  ParsedScript,
  Pipeline,
  Redirection,
  Statement,
  SyntaxNode,
  TestExpression,
  Word,
  WordPart,
} from 'unbash';

/** Nesting of anything, over all nested texts. */
export const MAX_DEPTH = 40;
export const MAX_LENGTH = 65_536;
const MAX_PENDING_HEREDOCS = 200;

/** The tree of a shell text, or null where it cannot be read: an error, or nesting no person would write. */
export function parseScript(source: string): ParsedScript | null {
  if (source.length > MAX_LENGTH || isTooDeep(source)) return null;
  try {
    const script = parse(source);
    return script.errors?.length ? null : script;
  } catch {
    return null;
  }
}

/** One word of shell text, for what brace expansion leaves; null where it is not exactly one word. */
export function parseWord(text: string): Word | null {
  const command = parseScript(`: ${text}`)?.commands[0]?.command;
  if (command?.type !== 'Command' || command.suffix.length !== 1) return null;
  const word = command.suffix[0];
  return word?.type === 'Word' ? word : null;
}

export function children(node: SyntaxNode, visit: (child: SyntaxNode) => void): void {
  forEachChild(node, visit);
}

/**
 * A linear look before the parser works: openings that are never closed make it try again at every level.
 * It knows nothing of quotes, so it counts only what stays open.
 */
function isTooDeep(source: string): boolean {
  let depth = 0;
  let words = 0;
  let heredocs = 0;
  for (let i = 0; i < source.length; i++) {
    switch (source.charCodeAt(i)) {
      case 40: // (
        if (++depth > MAX_DEPTH) return true;
        break;
      case 41: // )
        if (depth > 0) depth--;
        break;
      case 123: // {
        if (source.charCodeAt(i - 1) === 36 && ++words > MAX_DEPTH) return true;
        break;
      case 125: // }
        if (words > 0) words--;
        break;
      case 60: // <
        if (source.charCodeAt(i + 1) === 60 && ++heredocs > MAX_PENDING_HEREDOCS) return true;
        if (source.charCodeAt(i + 1) === 60) i++;
        break;
      case 10: // newline
        heredocs = 0;
        break;
    }
  }
  return false;
}
