// Loaded before the daemon: a file in its home makes it stand still (`freeze`, or once it is told to stop `freeze-in-stop`), or
// throw where nobody catches (`crash`).
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

function freeze() {
  for (;;);
}

if (isMainThread) {
  setInterval(() => {
    if (wanted('crash')) throw new Error('planted');
    if (wanted('freeze')) freeze();
  }, 20).unref();
  process.on('SIGTERM', () => {
    if (wanted('freeze-in-stop')) setImmediate(freeze);
  });
}
