import { z } from 'zod';
import type { ToolSpec } from '../contract/model.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** What llama.cpp cannot turn into its grammar. */
const HARD_WORDS: ReadonlySet<string> = new Set(['pattern', 'format']);

const known = new WeakMap<z.ZodType, JsonSchema>();
const plain = new WeakMap<z.ZodType, JsonSchema>();

/** The JSON Schema of a tool's input, the same text every time. `simple` leaves out `pattern` and `format`. */
export function toolSchema(tool: ToolSpec, simple: boolean): JsonSchema {
  const cache = simple ? plain : known;
  const found = cache.get(tool.input);
  if (found) return found;
  const { $schema, ...schema } = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' });
  const made = ordered(schema, simple) as JsonSchema;
  cache.set(tool.input, made);
  return made;
}

/** Tools in the order in which they are sent: by name, by code unit, so that no locale changes it. */
export function inOrder(tools: readonly ToolSpec[]): readonly ToolSpec[] {
  return tools.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Keywords by name; properties stay as declared, because models write arguments in that order. */
function ordered(schema: unknown, simple: boolean): unknown {
  if (Array.isArray(schema)) return schema.map((item) => ordered(item, simple));
  if (typeof schema !== 'object' || schema === null) return schema;
  const words = Object.entries(schema).filter(([word]) => !(simple && HARD_WORDS.has(word)));
  words.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    words.map(([word, value]) => [word, isMap(word) ? eachValue(value, simple) : ordered(value, simple)]),
  );
}

function isMap(word: string): boolean {
  return word === 'properties' || word === '$defs' || word === 'patternProperties';
}

function eachValue(map: unknown, simple: boolean): unknown {
  return Object.fromEntries(Object.entries(map as object).map(([name, schema]) => [name, ordered(schema, simple)]));
}
