import { spawn } from 'node:child_process';
import { onDeath } from './signals.mjs';

const KEPT_LINES = 20;

/** Runs a command without a terminal; resolves to its code and the last 20 lines it wrote, whichever stream. */
export function quietly(command, args, options) {
  return new Promise((resolve) => {
    let text = '';
    const child = spawn(command, args, Object.assign({}, options, { stdio: ['ignore', 'pipe', 'pipe'] }));
    const forget = onDeath((signal) => child.kill(signal));
    const keep = (chunk) => {
      text = (text + chunk).slice(-16384);
    };
    const end = (code) => {
      forget();
      resolve({ code, lines: text.split('\n').filter(Boolean).slice(-KEPT_LINES) });
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => {
      keep(`${error.message}\n`);
      end(127);
    });
    child.on('close', (code) => end(code === null ? 1 : code));
  });
}

/** npm says what went wrong, and gives a dead network up after seconds instead of minutes. */
export const NPM_FLAGS = ['--loglevel=error', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];

const OFFLINE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ENOTCACHED)\b/;

/** Whether npm failed because it could not reach its registry. */
export function offline(lines) {
  return OFFLINE.test(lines.join('\n'));
}
