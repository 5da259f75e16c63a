// Writes src/schedule/zone-list.ts from a tzdata.zi of the system or of a tzdata release: node scripts/zones.ts [FILE]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const source = process.argv[2] ?? '/usr/share/zoneinfo/tzdata.zi';
const target = join(import.meta.dirname, '../src/schedule/zone-list.ts');

const lines = readFileSync(source, 'utf8').split('\n');
const version = /^# version (\S+)/.exec(lines[0] ?? '')?.[1] ?? 'unknown';
const zones = lines.flatMap((line) => (line.startsWith('Z ') ? [line.split(' ')[1] as string] : []));
const links = new Map(
  lines.flatMap((line) => {
    const [kind, to, name] = line.split(' ');
    return kind === 'L' ? [[name as string, to as string] as const] : [];
  }),
);

const families = new Map(zones.filter((name) => name !== 'Factory').map((name) => [name, [name]]));
for (const name of links.keys()) families.get(canonical(name))?.push(name);
const rows = [...families.values()].map(([first, ...rest]) => [first, ...rest.sort()].join(' ')).sort();

writeFileSync(
  target,
  `// Made by scripts/zones.ts from tzdata ${version}: a zone and the names that link to it, a line each. Do not edit.
export const ZONE_LIST = \`
${rows.join('\n')}
\`;
`,
);
console.log(`${rows.join(' ').split(' ').length} names in ${rows.length} zones, tzdata ${version}`);

function canonical(name: string): string {
  const to = links.get(name);
  return to === undefined ? name : canonical(to);
}
