const MARKER = String.raw`(?:>|(?:[-+*]|\d{1,9}[.)])[ \t])`;
const DEEP_LINE = new RegExp(`^(?:[ \\t]*${MARKER}){24}`, 'm');
const MOST_MARKS = 3_000;

/**
 * Text that only looks like Markdown and would hold the event loop: a line that opens two dozen quotes and lists at once (20 s
 * for 16,000 characters of `- - - -`, and a tree too deep to walk), or thousands of marks for emphasis and links (their pairing
 * is quadratic). Show it as it is written.
 */
export function isTangled(markdown: string): boolean {
  return DEEP_LINE.test(markdown) || (markdown.match(/[*_~[]/g)?.length ?? 0) > MOST_MARKS;
}
