// A lock that two launchers on one machine can share without a dependency: a folder with one file in it, named by
// the holder's pid. Removing a dead holder's file by name has one winner, so a live lock is never broken.

import { mkdirSync, readdirSync, rmdirSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onDeath } from './signals.mjs';

const LOOK_MS = 200;
const BEAT_MS = 2000;
/** Looks without a beat of the holder after which its pid must have gone to somebody else. */
const SILENT_LOOKS = 150;

/** Runs `work` while no other process holds `folder`. `waiting(pid)` is called once if another one does. */
export async function withFolderLock(folder, waiting, work) {
  const release = await acquire(folder, waiting);
  const forget = onDeath(release);
  try {
    return await work();
  } finally {
    forget();
    release();
  }
}

async function acquire(folder, waiting) {
  mkdirSync(dirname(folder), { recursive: true });
  let said = false;
  let seen = '';
  let silent = 0;
  for (;;) {
    if (take(folder)) return hold(folder);
    const holder = look(folder);
    silent = holder.beat === seen ? silent + 1 : 0;
    seen = holder.beat;
    if (holder.dead || silent > SILENT_LOOKS) {
      clear(folder, holder.pid);
      continue;
    }
    if (!said) waiting(holder.pid);
    said = true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function take(folder) {
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, String(process.pid)), '');
    return true;
  } catch (error) {
    if (error.code === 'EEXIST' || error.code === 'ENOENT') return false;
    throw error;
  }
}

function hold(folder) {
  const file = join(folder, String(process.pid));
  const beat = setInterval(() => attempt(() => utimesSync(file, new Date(), new Date())), BEAT_MS);
  return () => {
    clearInterval(beat);
    clear(folder, process.pid);
  };
}

/** Who holds it and a text that changes with every beat. An empty folder is a holder that is just arriving or leaving. */
function look(folder) {
  const pid = Number((attempt(() => readdirSync(folder)) || [])[0]);
  if (!pid) return { pid: 0, dead: false, beat: 'arriving' };
  const times = attempt(() => statSync(join(folder, String(pid))));
  return { pid, dead: !alive(pid), beat: `${pid} ${times ? times.mtimeMs : ''}` };
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function clear(folder, pid) {
  if (pid && !attempt(() => unlinkSync(join(folder, String(pid))) || true)) return;
  attempt(() => rmdirSync(folder));
}

function attempt(read) {
  try {
    return read();
  } catch (_) {
    return undefined;
  }
}
