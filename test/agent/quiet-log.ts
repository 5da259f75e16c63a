import type { Log } from '../../src/contract/log.ts';

/** A log that keeps its lines. */
export function quietLog(): {
  readonly log: Log;
  readonly lines: { level: string; facts: object; sentence: string }[];
} {
  const lines: { level: string; facts: object; sentence: string }[] = [];
  const at = (level: string) => (facts: object, sentence: string) => void lines.push({ level, facts, sentence });
  return { log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, lines };
}
