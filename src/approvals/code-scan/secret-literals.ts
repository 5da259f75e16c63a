import { isOwnSecret, ownPlace } from '../shell/own-places.ts';
import type { Sink } from './effects.ts';

/** Whether a text could name one of hermod's own files at all. */
const MENTIONS =
  /\.env|config\.yaml|hermod\.(?:db|lock)|daemon\.json|\.bak-|(?:run|backups|results|memory|undo)\/|(?:run|backups|results|memory|undo)["'`]/i;

const LITERAL = /(["'`])([^"'`\\\n]+)\1/g;

/**
 * Texts in code that name hermod's secrets: whatever reads them, in whatever language, a script has no business with them.
 * Which function they go to need not be known.
 */
export function judgeLiterals(source: string, sink: Sink): void {
  if (!MENTIONS.test(source)) return;
  for (const match of source.matchAll(LITERAL)) {
    const text = (match[2] as string).replace(/^file:(?:\/\/)?/, '').replace(/\?.*$/s, '');
    if (!text.includes('/') && !text.startsWith('.')) continue;
    if (sink.paths(text).some((path) => isOwnSecret(ownPlace(path, sink.facts) ?? '')))
      sink.report(
        'self.secrets',
        { pos: match.index, end: match.index + match[0].length },
        "names hermod's secrets in code",
      );
  }
}
