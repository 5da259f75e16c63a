const MOST = 300;

/** Words of people or models inside our own Markdown: one line, no markup, no mention. */
export function plainText(text: string, limit = MOST): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
  const short = line.length <= limit ? line : `${line.slice(0, limit - 1).toWellFormed()}…`;
  // An escaped bracket is shown with its backslash: only one that could end the words of a link gets it.
  return short.replace(/[\\`*_<>~@&|]|\](?=[[(:])|:(?=\/\/)/g, '\\$&');
}
