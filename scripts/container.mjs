// Loaded before main.ts in the container image: a home that cannot be written to is said in words, and the token that a
// page reachable from outside needs is made at the first start.

import { randomBytes } from 'node:crypto';
import { accessSync, appendFileSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { isMainThread } from 'node:worker_threads';

const CANNOT_START = 78;
const TOKEN = 'HERMOD_HTTP_TOKEN';

// Worker threads inherit --import.
if (isMainThread) prepare(process.env.HERMOD_HOME || '/data');

function prepare(home) {
  if (!writable(home)) {
    process.stderr.write(`${unwritable(home)}\n`);
    process.exit(CANNOT_START);
  }
  if (!hasToken(join(home, '.env'))) appendToken(join(home, '.env'));
}

function writable(home) {
  try {
    accessSync(home, constants.W_OK);
    return statSync(home).isDirectory();
  } catch {
    return false;
  }
}

function unwritable(home) {
  if (!existsSync(home)) return `${home} does not exist; mount a volume there`;
  const { uid } = statSync(home);
  return `${home} belongs to uid ${uid}, hermod runs as ${process.getuid()}: chown -R ${process.getuid()} DIR, or use a named volume`;
}

function hasToken(file) {
  const written = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
  return [process.env, written].some((variables) => variables[TOKEN] || variables[`${TOKEN}_FILE`]);
}

function appendToken(file) {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  appendFileSync(file, `${gap}${TOKEN}=${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
}
