// `npm run docs` writes what is made from the configuration schema; `npm run docs:check` fails where a file differs.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exampleFile, schemaFile, withTables } from './docs/config-docs.ts';

const root = dirname(import.meta.dirname);

const FILES: Readonly<Record<string, (present: string) => string>> = {
  'config/schema.json': schemaFile,
  'config/hermod.example.yaml': exampleFile,
  'README.md': withTables,
};

const check = process.argv.includes('--check');
for (const [name, render] of Object.entries(FILES)) {
  const path = join(root, name);
  const present = read(path);
  const wanted = render(present);
  if (present === wanted) continue;
  if (!check) writeFileSync(path, wanted);
  console.log(check ? `${name} is not what the schema says; run npm run docs and commit it.` : `wrote ${name}`);
  if (check) process.exitCode = 1;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
