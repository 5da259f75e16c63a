import { z } from 'zod';
import { words } from './fields.ts';
import { bare } from './schema-walk.ts';

/** What may be written there, as a phrase that follows "use": `deny, allowlist, ask or approve`. */
export function allowed(type: z.core.$ZodType): string {
  const inner = bare(type);
  const use = words.get(inner)?.use;
  if (use) return use;
  if (inner instanceof z.ZodEnum) return either(inner.options.map(String));
  if (inner instanceof z.ZodBoolean) return 'true or false';
  if (inner instanceof z.ZodNumber) return numbers(inner);
  if (inner instanceof z.ZodArray) return 'a list, such as [first, second]';
  if (inner instanceof z.ZodObject || inner instanceof z.ZodRecord) return 'a section with keys below it';
  return 'some text';
}

function either(options: readonly string[]): string {
  const last = options.at(-1) ?? '';
  return options.length > 1 ? `${options.slice(0, -1).join(', ')} or ${last}` : last;
}

const UNBOUNDED = Number.MAX_SAFE_INTEGER;

function numbers(type: z.ZodNumber): string {
  const kind = type.format === 'safeint' ? 'a whole number' : 'a number';
  const min = type.minValue ?? -UNBOUNDED;
  const max = type.maxValue ?? UNBOUNDED;
  if (min > -UNBOUNDED && max < UNBOUNDED) return `${kind} from ${min} to ${max}`;
  return min > -UNBOUNDED ? `${kind}, ${min} or more` : kind;
}
