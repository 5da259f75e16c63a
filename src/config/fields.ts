import { z } from 'zod';

/** What the schema knows beyond its types: words for people. */
interface Words {
  /** What may be written there, after "use": `an id such as "telegram:123"`. */
  readonly use?: string;
  /** What an absent key means, where that is not a fixed value. */
  readonly instead?: string;
  /** For keys the operator chooses: what stands for one of them in a list of all keys. */
  readonly each?: string;
}
export const words = z.registry<Words>();

/** A key with a fixed default. */
export function key<T extends z.ZodType>(type: T, fallback: z.output<T>, meaning: string): z.ZodDefault<T> {
  return z._default(type, fallback as never).describe(meaning) as z.ZodDefault<T>;
}

/** A key that may be absent; `instead` says what then holds. */
export function maybe<T extends z.ZodType>(type: T, meaning: string, instead = 'unset'): z.ZodOptional<T> {
  const optional = z.optional(type).describe(meaning);
  words.add(optional, { instead });
  return optional;
}

/** Keys that stand together; an absent or empty section holds their defaults. */
export function section<S extends z.ZodRawShape>(shape: S): z.ZodPrefault<z.ZodObject<S, z.core.$strict>> {
  return z.strictObject(shape).prefault({} as never);
}

/** Sections under names the operator chooses. */
export function named<K extends z.ZodString, T extends z.ZodType>(each: string, name: K, type: T, meaning: string) {
  const record = z.record(name, type);
  words.add(record, { each: `<${each}>` });
  return z._default(record, {} as never).describe(meaning) as z.ZodDefault<z.ZodRecord<K, T>>;
}

/** One of some words. A file may say `off` in YAML's old spelling, which reads as false. */
export function choice<const V extends readonly [string, ...string[]]>(...values: V) {
  const type = z.enum(values);
  return values.includes('off') ? z.preprocess((value) => (value === false ? 'off' : value), type) : type;
}

export const flag = z.boolean();
export const text = z.string().min(1);

export function whole(min: number, max = Number.MAX_SAFE_INTEGER) {
  return z.int().min(min).max(max);
}

/** Seconds, at most what a timer can count (24 days). */
export function seconds(min: number, max = 2_000_000) {
  return whole(min, max);
}

export function pattern(form: RegExp, use: string) {
  return z.string().regex(form).register(words, { use });
}

const PLATFORM = '[a-z][a-z0-9_-]*';
export const platform = pattern(new RegExp(`^${PLATFORM}$`), 'the name of a platform, such as telegram');
export const id = pattern(new RegExp(`^${PLATFORM}:\\S+$`), 'an id such as "telegram:123"');
export const role = pattern(new RegExp(`^${PLATFORM}:[^/\\s]+/[^/\\s]+$`), 'a role such as "discord:<guild>/<role>"');
export const modelName = pattern(/^[^:\s]+:\S+$/, 'provider:model, such as openai:gpt-5');
export const variable = pattern(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable');
export const webUrl = pattern(/^https?:\/\/[^\s/@]+(?:\/\S*)?$/, 'an http or https address without credentials');
export const rule = pattern(/^[a-z][a-z0-9_-]*\.(?:[a-z0-9_-]+|\*)$/, 'a rule such as fs.delete or fs.*');

export const ids = z.array(id);
export const texts = z.array(text);
