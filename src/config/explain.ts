import { z } from 'zod';
import { editDistance } from '../contract/nearest.ts';
import { allowed } from './allowed.ts';
import { id } from './fields.ts';
import { formatPath, type Path, valueAt } from './path.ts';
import { bare, keysOf, typeAt } from './schema-walk.ts';

/** One thing wrong with a value: where it stands and a sentence that begins with the path. */
export interface Finding {
  readonly path: Path;
  readonly text: string;
}

/** The values as written, and how a scalar is spelled where the reading loses digits. */
export interface Written {
  readonly data: unknown;
  spelling(path: Path): string | undefined;
}

/** What zod found, as sentences for the person who wrote the file: path, value, allowed values, nearest key. Pure. */
export function explainIssues(
  issues: readonly z.core.$ZodIssue[],
  schema: z.core.$ZodType,
  written: Written,
): readonly Finding[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
    if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => unknownKey(schema, path, name));
    if (issue.code === 'invalid_key') return [{ path, text: wrongName(schema, path) }];
    return [{ path, text: wrongValue(schema, path, written) }];
  });
}

const NEAR = 2;

function unknownKey(schema: z.core.$ZodType, section: Path, name: string): Finding {
  const inside = section.length > 0 ? `${formatPath(section)}.` : '';
  const hint = flatKey(schema, section, name) ?? nearKey(schema, section, name, inside);
  return {
    path: [...section, name],
    text: `unknown key "${inside}${name}"; ${hint ?? 'remove it or correct its name'}`,
  };
}

function nearKey(schema: z.core.$ZodType, section: Path, name: string, inside: string): string | undefined {
  const known = keysOf(typeAt(schema, section)).map((key) => ({ key, distance: editDistance(name, key) }));
  const best = known.filter(({ distance }) => distance <= NEAR).sort((a, b) => a.distance - b.distance)[0];
  return best && `did you mean "${inside}${best.key}"?`;
}

/** `approvals.mode: off` in one line, as `--set` spells it. */
function flatKey(schema: z.core.$ZodType, section: Path, name: string): string | undefined {
  const steps = name.split('.');
  if (steps.length === 1 || !typeAt(schema, [...section, ...steps])) return undefined;
  return `write ${steps.at(-1)}: in a line of its own below ${steps.slice(0, -1).join(': ')}:`;
}

/** A key the operator chooses has a form too. */
function wrongName(schema: z.core.$ZodType, path: Path): string {
  const record = typeAt(schema, path.slice(0, -1));
  const inner = record && bare(record);
  const use = inner instanceof z.ZodRecord ? allowed(inner.keyType) : 'another name';
  return `unknown key "${formatPath(path)}"; use ${use}`;
}

function wrongValue(schema: z.core.$ZodType, path: Path, written: Written): string {
  const value = valueAt(written.data, path);
  const type = typeAt(schema, path);
  const here = formatPath(path) || 'the file';
  if (!type) return `${here} is ${shown(value)}`;
  if (typeof value === 'number' && bare(type) === id)
    return `${here} is a number; write "${numberAsId(path, written)}"`;
  if (isText(type) && (typeof value === 'number' || typeof value === 'boolean')) {
    return `${here} is ${shown(value)}, which is not text; put it in quotes`;
  }
  return `${here} is ${shown(value)}; use ${allowed(type)}`;
}

/** The digits as written, with the platform as far as the path tells. */
function numberAsId(path: Path, written: Written): string {
  const platform = path[0] === 'home' ? String(path[1]) : 'telegram';
  return `${platform}:${written.spelling(path) ?? String(valueAt(written.data, path))}`;
}

function isText(type: z.core.$ZodType): boolean {
  return bare(type) instanceof z.ZodString;
}

const SHOWN = 60;

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null || value === '') return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a section';
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}..."` : text;
}
