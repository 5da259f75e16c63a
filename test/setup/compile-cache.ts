import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VARIABLE = 'HERMOD_TEST_COMPILE_CACHE';

/** One folder for all processes of a test run: each but the first starts warm, as the launcher starts them. */
export function compileCache(): string {
  const known = process.env[VARIABLE];
  if (known) return known;
  const folder = mkdtempSync(join(tmpdir(), 'hermod-test-compile-'));
  process.env[VARIABLE] = folder;
  return folder;
}

export default function setup(): () => void {
  const folder = compileCache();
  return () => rmSync(folder, { recursive: true, force: true });
}
