/** The shell evaluates the index of `name[index]` as arithmetic, and a command substitution in it runs, quoted or not. */
const INDEXED = /\w\[[^\]]*(?:\$\(|`)/;

const MAX_TEXT = 4_096;

/** Whether a value taken for a name or a number would run a command in its index. */
export function runsInIndex(text: string): boolean {
  return text.includes('[') && (text.length > MAX_TEXT ? /\$\(|`/ : INDEXED).test(text);
}
