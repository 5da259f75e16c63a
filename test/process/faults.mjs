// Loaded before the daemon: a file in its home makes it stand still (`freeze`), or throw where nobody catches (`crash`).
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const home = process.env.HERMOD_HOME ?? '';

function wanted(name) {
  const file = join(home, name);
  if (!existsSync(file)) return false;
  rmSync(file);
  return true;
}

if (isMainThread) {
  setInterval(() => {
    if (wanted('crash')) throw new Error('planted');
    while (wanted('freeze')) for (;;);
  }, 20).unref();
}
