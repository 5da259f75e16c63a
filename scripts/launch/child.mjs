import { spawn } from 'node:child_process';
import { dieOf, receiveSignals } from './signals.mjs';
import { say } from './trouble.mjs';

const RESTART = 75;
const MINUTE_MS = 60000;
const RESTARTS_A_MINUTE = 5;

/** Runs `command` on this terminal and resolves to how it ended: `{ code, signal, told }`, told being the signals we got. */
export function runHere(command, args, options) {
  return new Promise((resolve) => {
    const told = [];
    const child = spawn(command, args, Object.assign({ stdio: 'inherit' }, options));
    const stop = receiveSignals((name) => {
      told.push(name);
      // On a terminal Ctrl-C has reached the child already, as a member of the same group.
      if (name !== 'SIGINT' || !process.stdin.isTTY) child.kill(name);
    });
    child.on('error', (error) => say(error.message));
    child.on('close', (code, signal) => {
      stop();
      resolve({ code, signal, told });
    });
  });
}

/**
 * Runs the daemon with an IPC channel, whose loss tells it that the launcher is gone, and starts it again at once when
 * it ends with 75, at most 5 times a minute. `prepare` runs before each further start.
 */
export async function keepRunning(command, args, options, prepare) {
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  let restarts = [];
  for (;;) {
    const end = await runHere(command, args, Object.assign({ stdio }, options));
    if (end.code !== RESTART || end.told.some(endsUs)) return end;
    restarts = restarts.filter((at) => Date.now() - at < MINUTE_MS);
    if (restarts.length >= RESTARTS_A_MINUTE) {
      say(
        'hermod asked for a restart 6 times within a minute, so it was not started again. logs/hermod.jsonl in its home shows why.',
      );
      return end;
    }
    restarts.push(Date.now());
    await prepare();
  }
}

function endsUs(name) {
  return name === 'SIGTERM' || name === 'SIGINT';
}

/** Ends the launcher the way its child ended. */
export function endLike(end) {
  if (end.signal) dieOf(end.signal);
  else process.exit(end.code === null || end.code < 0 ? 1 : end.code);
}
