import type { Clock } from '../contract/clock.ts';
import type { Detector } from './analysis.ts';
import { analyze, INLINE_LENGTH, scanCode } from './analyze.ts';
import { createDeepAnalyzer } from './deep-analyzer.ts';
import { gradePaths } from './path-rules.ts';
import { grantableShape } from './rules/all.ts';

/** The detector as the gate needs it. It owns a worker thread for long texts, from the first of them on. */
export function createDetector(clock: Clock): Detector & { close(): Promise<void> } {
  const deep = createDeepAnalyzer(clock);
  return {
    analyze: (text, facts) =>
      text.length <= INLINE_LENGTH ? analyze(text, facts) : deep.analyzeLarge({ text, language: undefined, facts }),
    scanCode: (language, text, facts) =>
      text.length <= INLINE_LENGTH ? scanCode(language, text, facts) : deep.analyzeLarge({ text, language, facts }),
    gradePaths,
    shapeOf: grantableShape,
    close: () => deep.close(),
  };
}
