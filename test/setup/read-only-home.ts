import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VARIABLE = 'HERMOD_TEST_HOME';

/** The HOME of every test: nobody may write there, so no test can touch the real `~/.hermod`. */
export function readOnlyHome(): string {
  const known = process.env[VARIABLE];
  if (known) return known;
  const home = mkdtempSync(join(tmpdir(), 'hermod-test-home-'));
  chmodSync(home, 0o555);
  process.env[VARIABLE] = home;
  return home;
}

/** Root writes through mode 0555, hence the look afterwards. */
export default function setup(): () => void {
  const home = readOnlyHome();
  return () => {
    const touched = existsSync(join(home, '.hermod'));
    rmSync(home, { recursive: true, force: true });
    if (touched) throw new Error('a test wrote to ~/.hermod; give it a home of its own');
  };
}
