import { readdir, readFile, readlink } from 'node:fs/promises';

const LISTENING = '0A';

/** Name and pid of the program that listens on a port, where Linux tells us: only our own account's programs can be seen. */
export async function portHolder(port: number, proc = '/proc'): Promise<string | undefined> {
  const sockets = new Set<string>();
  for (const table of ['tcp', 'tcp6']) {
    const text = await readFile(`${proc}/net/${table}`, 'utf8').catch(() => '');
    for (const inode of listeners(text, port)) sockets.add(`socket:[${inode}]`);
  }
  if (sockets.size === 0) return undefined;
  for (const pid of (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    if (await holds(`${proc}/${pid}/fd`, sockets)) return await named(proc, pid);
  }
  return undefined;
}

/** Inodes of the sockets of a `/proc/net/tcp` table that listen on a port. */
export function listeners(table: string, port: number): readonly string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table.split('\n').flatMap((line) => {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    return local?.endsWith(suffix) && state === LISTENING && inode !== undefined ? [inode] : [];
  });
}

async function holds(folder: string, sockets: ReadonlySet<string>): Promise<boolean> {
  for (const fd of await readdir(folder).catch(() => [])) {
    if (sockets.has(await readlink(`${folder}/${fd}`).catch(() => ''))) return true;
  }
  return false;
}

async function named(proc: string, pid: string): Promise<string> {
  const name = await readFile(`${proc}/${pid}/comm`, 'utf8').catch(() => '');
  return `${name.trim() || 'a program'} (pid ${pid})`;
}
