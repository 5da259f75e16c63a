import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { exampleFile, schemaFile, tables, withTables } from '../../scripts/docs/config-docs.ts';
import { listKeys } from '../../src/config/key-list.ts';
import { configSchema } from '../../src/config/schema.ts';

const root = join(import.meta.dirname, '../..');
const committed = (name: string) => readFileSync(join(root, name), 'utf8');

describe('what is made from the schema', () => {
  it.each([
    ['config/schema.json', schemaFile],
    ['config/hermod.example.yaml', exampleFile],
    ['README.md', () => withTables(committed('README.md'))],
  ])('%s is committed as it would be made (gateway 36)', (name, make) => {
    expect(committed(name)).toBe(make());
  });
});

describe('the example', () => {
  it('changes nothing when it is copied', () => {
    expect(parse(exampleFile())).toBeNull();
  });

  it('holds every default when the # are taken away', () => {
    const [, ...lines] = exampleFile().split(/^# (?=access:)/m);
    const yaml = `${lines.join('')}`.replaceAll(/^# /gm, '').replaceAll(/^ *<.*\n(?: +.*\n)*/gm, '');
    const written = JSON.parse(JSON.stringify(parse(yaml), (_, value: unknown) => value ?? undefined)) as object;
    expect(configSchema.parse(written)).toEqual(configSchema.parse({}));
    expect(Object.keys(parse(yaml) as object)).toEqual(Object.keys(configSchema.shape));
  });
});

describe('the schema for editors', () => {
  const schema = JSON.parse(schemaFile()) as {
    properties: Record<string, { default?: unknown; properties?: Record<string, object> }>;
  };

  it('knows sections, defaults, meanings and unknown keys', () => {
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(schema.properties['approvals']?.default).toBeUndefined();
    expect(schema.properties['approvals']?.properties?.['mode']).toMatchObject({
      enum: ['manual', 'smart', 'off'],
      default: 'manual',
      description: expect.any(String) as string,
    });
  });
});

describe('the tables', () => {
  it('have a row for each key', () => {
    expect(tables().split('\n')).toHaveLength(listKeys(configSchema).length + 2);
  });

  it('go between the markers and nowhere else', () => {
    const around = 'before\n<!-- config:begin -->\nold\n<!-- config:end -->\nafter\n';
    expect(withTables(around)).toBe(`before\n<!-- config:begin -->\n${tables()}\n<!-- config:end -->\nafter\n`);
    expect(() => withTables('no markers')).toThrow('README.md lacks the markers');
  });
});
