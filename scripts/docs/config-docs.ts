import { z } from 'zod';
import { type KeyRow, listKeys } from '../../src/config/key-list.ts';
import { configSchema } from '../../src/config/schema.ts';

/** JSON schema of `config.yaml` for editors. */
export function schemaFile(): string {
  const schema = z.toJSONSchema(configSchema, {
    io: 'input',
    target: 'draft-7',
    override: ({ zodSchema, jsonSchema }) => {
      // Preprocessing hides the default of a key, and every section would have an empty one.
      if (zodSchema instanceof z.ZodDefault) jsonSchema.default = zodSchema.def.defaultValue as never;
      if (zodSchema instanceof z.ZodPrefault) delete jsonSchema.default;
    },
  });
  return `${JSON.stringify({ title: 'hermod config.yaml', ...schema }, undefined, 2)}\n`;
}

const EXAMPLE_HEAD = `# yaml-language-server: $schema=./schema.json
# Every key of hermod with its default. Copy what you change into config.yaml of the home and take the # away.
# Secrets (tokens, API keys) never stand there: they go to .env beside it.
`;

/** Every key as a comment: a copy of the file changes nothing. */
export function exampleFile(): string {
  const lines: string[] = [];
  let open: readonly string[] = [];
  for (const row of listKeys(configSchema)) {
    const sections = row.path.slice(0, -1);
    const shared = sections.findIndex((name, i) => open[i] !== name);
    for (let depth = shared < 0 ? sections.length : shared; depth < sections.length; depth++) {
      if (depth === 0) lines.push('');
      lines.push(`# ${indent(depth)}${sections[depth]}:`);
    }
    open = sections;
    lines.push(`# ${indent(sections.length)}${row.path.at(-1)}:${value(row)}  # ${comment(row)}`);
  }
  return `${EXAMPLE_HEAD}${lines.join('\n')}\n`;
}

function indent(depth: number): string {
  return '  '.repeat(depth);
}

function value(row: KeyRow): string {
  return row.fallback === undefined ? '' : ` ${yaml(row.fallback)}`;
}

function comment(row: KeyRow): string {
  const absent = row.fallback === undefined && row.instead !== undefined && row.instead !== 'unset';
  return absent ? `${row.meaning} (${row.instead})` : row.meaning;
}

/** Defaults are scalars that need no quotes, and empty lists and sections. */
function yaml(fallback: unknown): string {
  return typeof fallback === 'object' ? JSON.stringify(fallback) : String(fallback);
}

/** The tables of README: one row a key. */
export function tables(): string {
  const rows = listKeys(configSchema).map((row) => {
    const fallback = row.fallback === undefined ? (row.instead ?? 'unset') : yaml(row.fallback);
    return `| \`${row.path.join('.')}\` | ${cell(fallback)} | ${cell(row.meaning)} |`;
  });
  return ['| key | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

const BEGIN = '<!-- config:begin -->';
const END = '<!-- config:end -->';

/** The text with what stands between the markers replaced. Throws where the markers are missing. */
export function withTables(readme: string): string {
  const begin = readme.indexOf(BEGIN);
  const end = readme.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`README.md lacks the markers ${BEGIN} and ${END}; put them back.`);
  return `${readme.slice(0, begin + BEGIN.length)}\n${tables()}\n${readme.slice(end)}`;
}
