import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../../src/command-line.ts';
import type { Host } from '../../src/host.ts';

const SRC = join(import.meta.dirname, '../../src');
/** Of rules about commands: words of other people, and of commands that may come. */
const OTHERS = join('approvals', 'rules');
/** Verbs a command line of hermod may have, now or one day. */
const VERBS =
  /\bhermod (start|stop|restart|reload|status|doctor|logs|version|open|setup|import|backup|restore|service|config|pair|token|inbox|outbox|holds|platform|approvals|grants|explain|jobs|run-job|sessions|audit|completion)\b/g;

async function usage(): Promise<string> {
  const said: string[] = [];
  await run({ args: ['help'], out: { write: (text: string) => said.push(text) } } as unknown as Host);
  return said.join('');
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.includes(OTHERS),
);

it('every command that a sentence tells people to run is one that exists (gateway 36)', async () => {
  const help = await usage();
  const named = files.flatMap((name) =>
    [...readFileSync(join(SRC, name), 'utf8').matchAll(VERBS)].map(([, verb]) => `${name}: hermod ${verb}`),
  );
  expect(named.length).toBeGreaterThan(20);
  const known = (line: string) => new RegExp(`^ {2}(.*, )?${line.split(' ').at(-1)}\\b`, 'm').test(help);
  expect(named.filter((line) => !known(line))).toEqual([]);
});
