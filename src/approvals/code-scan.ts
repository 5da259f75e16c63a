import type { Call } from './shell/call.ts';
import type { Field } from './shell/field.ts';
import type { Walker } from './shell/walker.ts';

export function scanInline(_language: string, text: Field, call: Call, walker: Walker): readonly string[] {
  walker.report('code.unread', text.span, call.frame);
  return text.text.split('\n');
}
