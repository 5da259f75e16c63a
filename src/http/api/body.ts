import type { z } from 'zod';
import { HttpError } from '../http-error.ts';

/** A JSON body of one shape; anything else is a 422 that names what is wrong. */
export function readBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') ?? '';
  const what = `${where === '' ? 'The body' : where}: ${issue?.message ?? 'not understood'}`;
  throw new HttpError(422, 'wrong_body', what, 'Correct the body and send it again.');
}
