// HEALTHCHECK of the container image: exit 0 while the daemon of this home answers /healthz.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const home = process.env.HERMOD_HOME || '/data';

/** Where the daemon listens; practice has a home of its own. */
function addresses() {
  return [home, join(home, 'practice')].flatMap((folder) => {
    try {
      const { url } = JSON.parse(readFileSync(join(folder, 'run', 'daemon.json'), 'utf8'));
      return url ? [new URL(url)] : [];
    } catch {
      return [];
    }
  });
}

async function healthy({ port, pathname }) {
  const path = `${pathname.replace(/\/$/, '')}/healthz`;
  const answer = await fetch(`http://127.0.0.1:${port || 80}${path}`, { signal: AbortSignal.timeout(4000) }).catch(
    () => undefined,
  );
  return answer?.ok === true;
}

const answers = await Promise.all(addresses().map(healthy));
process.exitCode = answers.includes(true) ? 0 : 1;
