import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../contract/clock.ts';
import type { CallId, SessionId } from '../contract/ids.ts';

const MAX_FILE = 50 * 1024 * 1024;
const MAX_ALL = 500 * 1024 * 1024;
const MAX_AGE_MS = 14 * 24 * 60 * 60 * 1000;
const ID = /^[a-z0-9-]+$/;

/** One result that is being kept piece by piece. */
export interface KeptResult {
  /** Past 50 MB the rest is dropped. */
  write(bytes: Buffer): void;
  close(): void;
  /** What read_file calls it. */
  readonly name: string;
}

export interface KeptResultsDeps {
  /** `results/` of the home; made when first needed. */
  readonly folder: string;
  readonly clock: Clock;
}

/** Results too long to be sent to a model: a file a call, readable by its own session only, for 14 days. */
export class KeptResults {
  readonly #deps: KeptResultsDeps;

  constructor(deps: KeptResultsDeps) {
    this.#deps = deps;
  }

  /** Begins a result; undefined: it cannot be kept, or is kept already. */
  open(session: SessionId, call: CallId): KeptResult | undefined {
    if (!ID.test(session) || !ID.test(call)) return undefined;
    const folder = join(this.#deps.folder, session);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return keeping(openSync(join(folder, `${call}.txt`), 'wx', 0o600), `result:${call}`);
    } catch {
      return undefined;
    }
  }

  /** Keeps a whole result; one that is kept already stays. Returns its name, or undefined where it could not be kept. */
  save(session: SessionId, call: CallId, text: string): string | undefined {
    const file = this.open(session, call);
    if (!file) return this.read(session, call) === undefined ? undefined : `result:${call}`;
    file.write(Buffer.from(text));
    file.close();
    return file.name;
  }

  read(session: SessionId, call: string): string | undefined {
    if (!ID.test(session) || !ID.test(call)) return undefined;
    try {
      return readFileSync(join(this.#deps.folder, session, `${call}.txt`), 'utf8');
    } catch {
      return undefined;
    }
  }

  /** Removes what is older than 14 days, then the oldest above 500 MB. Never rejects. */
  async prune(maxAll = MAX_ALL): Promise<void> {
    const files = await this.#files();
    const oldest = this.#deps.clock.now() - MAX_AGE_MS;
    let bytes = 0;
    for (const file of files.sort((a, b) => b.at - a.at)) {
      bytes += file.bytes;
      if (file.at < oldest || bytes > maxAll) await rm(file.path, { force: true }).catch(() => {});
    }
  }

  async #files() {
    const { folder } = this.#deps;
    const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const files = paths.map(async (path) => {
      const stats = await stat(path).catch(() => undefined);
      return stats ? [{ path, bytes: stats.size, at: stats.mtimeMs }] : [];
    });
    return (await Promise.all(files)).flat();
  }
}

function keeping(fd: number, name: string): KeptResult {
  let left = MAX_FILE;
  return {
    name,
    write(bytes) {
      const piece = bytes.subarray(0, left);
      left -= piece.length;
      for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at);
    },
    close: () => closeSync(fd),
  };
}
