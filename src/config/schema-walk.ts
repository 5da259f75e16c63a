import { z } from 'zod';
import type { Path } from './path.ts';

/** The type itself, without default, optional and preprocessing around it. */
export function bare(type: z.core.$ZodType): z.core.$ZodType {
  if (type instanceof z.ZodDefault || type instanceof z.ZodPrefault || type instanceof z.ZodOptional) {
    return bare(type.def.innerType);
  }
  return type instanceof z.ZodPipe ? bare(type.def.out) : type;
}

/** The type that stands at a path of values; undefined where the schema has no such key. */
export function typeAt(root: z.core.$ZodType, path: Path): z.core.$ZodType | undefined {
  return path.reduce<z.core.$ZodType | undefined>((type, step) => type && inside(bare(type), step), root);
}

function inside(type: z.core.$ZodType, step: string | number): z.core.$ZodType | undefined {
  if (type instanceof z.ZodObject) return Object.hasOwn(type.shape, step) ? type.shape[step] : undefined;
  if (type instanceof z.ZodRecord) return type.valueType;
  return type instanceof z.ZodArray ? type.element : undefined;
}

/** Keys a section may have; none where the operator chooses them. */
export function keysOf(type: z.core.$ZodType | undefined): readonly string[] {
  const section = type && bare(type);
  return section instanceof z.ZodObject ? Object.keys(section.shape) : [];
}
