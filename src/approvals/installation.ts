import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The real folder hermod's own program lies in, wherever links lead. */
export function installationFolder(): string {
  return realpathSync(fileURLToPath(new URL('../..', import.meta.url)));
}
