import type { Frame } from './call.ts';
import type { Field } from './field.ts';
import { hasUnknown } from './marks.ts';
import { TAINT } from './taint.ts';
import type { Walker } from './walker.ts';

/** Reports text that is run although it came from a network, a decoder or is only known when it runs. */
export function reportDynamic(walker: Walker, text: Pick<Field, 'text' | 'taint' | 'span'>, frame: Frame): void {
  if ((text.taint & TAINT.fetched) !== 0) walker.report('code.remote', text.span, frame);
  else if ((text.taint & TAINT.decoded) !== 0) walker.report('code.decoded', text.span, frame);
  else if (hasUnknown(text.text)) walker.report('code.dynamic', text.span, frame);
}
