// Loaded before the daemon: its event loop stands still as soon as somebody puts a file `freeze` into its home.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const file = join(process.env.HERMOD_HOME ?? '', 'freeze');
if (isMainThread) {
  setInterval(() => {
    if (!existsSync(file)) return;
    rmSync(file);
    for (;;);
  }, 20).unref();
}
