import { UNKNOWN } from '../shell/marks.ts';
import type { Sink } from './effects.ts';

/** `!words`, `x = !words` and the line magics that hand words to a shell or are named like its programs. */
const LINE =
  /^(?:[\w, \t]*=)?[ \t]*(?:!!?([^\n]*)|%(?:sx|system)[ \t]+([^\n]*)|%((?:rm|rmdir|mv|cp|mkdir|cat|ls)\b[^\n]*))$/gm;

/** Cells of a shell; the rest of the text is theirs. */
const CELL = /^[ \t]*%%(?:bash|sh|script|!|sx|system)\b[^\n]*\n([\s\S]*)/m;

/** What IPython hands to a shell is judged as such; what is left is Python, with offsets as before. */
export function shellLines(source: string, sink: Sink): string {
  const cell = CELL.exec(source);
  if (cell) {
    sink.shell(cell[1] as string, { pos: cell.index, end: source.length });
    return shellLines(source.slice(0, cell.index), sink);
  }
  return source.replace(LINE, (line, ...rest) => {
    const [direct, magic, named, pos] = rest as [string?, string?, string?, number?];
    const words = direct ?? magic ?? named ?? '';
    const at = { pos: pos ?? 0, end: (pos ?? 0) + line.length };
    sink.shell(words.replace(/\{[^{}\n]*\}|\$\w+/g, UNKNOWN), at);
    return ' '.repeat(line.length);
  });
}
