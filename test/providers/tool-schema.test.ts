import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inOrder, toolSchema } from '../../src/providers/tool-schema.ts';
import { tool } from '../fakes/model-requests.ts';

const INPUT = z.strictObject({
  zeta: z.string().regex(/^z/).describe('Last letter'),
  alpha: z.array(z.strictObject({ pattern: z.string(), at: z.iso.date().optional() })).max(3),
  mode: z.enum(['b', 'a']).default('b'),
});

describe('the schema of a tool', () => {
  it('has keywords by name, properties as declared, and no $schema', () => {
    const schema = toolSchema(tool('x', INPUT), false);
    expect(Object.keys(schema)).toEqual(['additionalProperties', 'properties', 'required', 'type']);
    expect(Object.keys(schema['properties'] as object)).toEqual(['zeta', 'alpha', 'mode']);
    expect(JSON.stringify((schema['properties'] as Record<string, object>)['zeta'])).toBe(
      '{"description":"Last letter","pattern":"^z","type":"string"}',
    );
    expect(schema['required']).toEqual(['zeta', 'alpha']);
  });

  it('leaves out pattern and format where they cannot be taken, but no property of that name', () => {
    const text = JSON.stringify(toolSchema(tool('x', INPUT), true));
    expect(text).not.toMatch(/\^z|"format"/);
    expect(text).toContain('"pattern":{"type":"string"}');
    expect(JSON.stringify(toolSchema(tool('x', INPUT), false))).toContain('"format":"date"');
  });

  it('does not fail on what JSON Schema cannot say', () => {
    const odd = z.strictObject({ when: z.date(), check: z.string().transform((text) => text.length) });
    expect(toolSchema(tool('x', odd), false)).toMatchObject({ properties: { check: { type: 'string' }, when: {} } });
  });
});

it('tools are in order of their names, whatever the locale', () => {
  const names = ['write', 'Apple', 'äpfel', 'mcp__a', 'mcp_a', 'apple'];
  const sorted = inOrder(names.map((name) => tool(name, z.strictObject({})))).map(({ name }) => name);
  expect(sorted).toEqual(['Apple', 'apple', 'mcp__a', 'mcp_a', 'write', 'äpfel']);
});
