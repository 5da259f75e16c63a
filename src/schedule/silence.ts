const MARKER = '[SILENT]';

/** What becomes of a firing's answer. */
export type Answer =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'empty' };

/**
 * The marker alone: nothing is sent. Alone on the first or last line: that line is cut and the rest is sent. Inside a line it is
 * a word like any other. Pure.
 */
export function readAnswer(text: string): Answer {
  const answer = text.trim();
  if (answer === '') return { kind: 'empty' };
  if (answer === MARKER) return { kind: 'silent' };
  const lines = answer.split('\n');
  if (lines[0]?.trim() === MARKER) lines.shift();
  if (lines.at(-1)?.trim() === MARKER) lines.pop();
  const rest = lines.join('\n').trim();
  return rest === '' ? { kind: 'silent' } : { kind: 'say', text: rest };
}
