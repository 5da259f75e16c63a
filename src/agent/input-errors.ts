import type { z } from 'zod';
import { nearest } from '../contract/nearest.ts';
import type { Tool } from '../contract/tool.ts';

/** What is wrong with the input of a call, for the model: every problem, and the right name for a wrong key. */
export function describeIssues(tool: Tool, error: z.ZodError): string {
  const lines = error.issues.slice(0, 8).map((issue) => `- ${describe(tool, issue)}`);
  return [`Not run: the input does not fit ${tool.name}.`, ...lines, 'Correct it and call again.'].join('\n');
}

/** A call of something that is not there. */
export function describeUnknown(name: string, offered: readonly Tool[]): string {
  if (offered.length === 0) return `Not run: no tools are offered here.`;
  const names = nearest(
    name,
    offered.map((tool) => tool.name),
    3,
  );
  return `Not run: there is no tool "${name.slice(0, 64)}". Nearest: ${names.join(', ')}.`;
}

function describe(tool: Tool, issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join('.');
  if (issue.code !== 'unrecognized_keys') return `${path === '' ? 'input' : path}: ${issue.message}`;
  const keys = keysAt(tool.input, issue.path);
  return issue.keys.map((key) => `unknown key "${key}"${right(key, keys)}`).join('; ');
}

function right(key: string, keys: readonly string[]): string {
  const [name] = nearest(key, keys, 1);
  return name === undefined ? '' : `; did you mean "${name}"? Keys: ${keys.join(', ')}`;
}

function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let here: unknown = schema;
  for (const key of path) here = inside(here, key);
  return Object.keys((here as { shape?: object } | undefined)?.shape ?? {});
}

/** Follows objects, arrays and optional parts; anything else ends the search. */
function inside(schema: unknown, key: PropertyKey): unknown {
  const at = unwrapped(schema) as { shape?: Record<PropertyKey, unknown>; element?: unknown } | undefined;
  return unwrapped(typeof key === 'number' ? at?.element : at?.shape?.[key]);
}

function unwrapped(schema: unknown): unknown {
  const wrapper = schema as { unwrap?: () => unknown; shape?: unknown; element?: unknown } | undefined;
  return wrapper?.unwrap && wrapper.shape === undefined && wrapper.element === undefined
    ? unwrapped(wrapper.unwrap())
    : schema;
}
