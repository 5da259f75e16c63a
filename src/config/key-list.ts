import { z } from 'zod';
import { allowed } from './allowed.ts';
import { words } from './fields.ts';
import { bare } from './schema-walk.ts';

/** One key as a person looks it up. */
export interface KeyRow {
  /** Names from the outside in; `<name>` stands for one the operator chooses. */
  readonly path: readonly string[];
  /** The default as it would be written, undefined where there is none. */
  readonly fallback: unknown;
  /** What an absent key means, in words, where `fallback` is undefined. */
  readonly instead: string | undefined;
  readonly meaning: string;
  /** What may be written, as a phrase. */
  readonly allowed: string;
}

/** Every key of a schema, in its order; sections themselves are no rows. */
export function listKeys(schema: z.core.$ZodType, path: readonly string[] = []): readonly KeyRow[] {
  const inner = bare(schema);
  if (inner instanceof z.ZodObject) {
    return Object.entries(inner.shape).flatMap(([name, type]) => listKeys(type, [...path, name]));
  }
  const each = words.get(inner)?.each;
  if (inner instanceof z.ZodRecord && each) {
    const section = bare(inner.valueType) instanceof z.ZodObject;
    return section
      ? listKeys(inner.valueType, [...path, each])
      : [{ ...row(schema, [...path, each]), fallback: undefined }];
  }
  return [row(schema, path)];
}

function row(schema: z.core.$ZodType, path: readonly string[]): KeyRow {
  return {
    path,
    fallback: schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined,
    instead: words.get(schema)?.instead,
    meaning: (schema as z.ZodType).description ?? '',
    allowed: allowed(schema),
  };
}
