import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FiringId, JobId } from '../contract/ids.ts';

const ID = /^[a-z0-9]+$/;

export interface KeptOutput {
  /** Below the folder. */
  readonly path: string;
  readonly sha256: string;
}

/** What firings said, a file each (0600), so that it can be read when a chat could not be reached. */
export class Outputs {
  readonly #folder: string;

  /** `folder`: made when first needed. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Undefined: it could not be kept. Writing the same twice leaves one file. */
  keep(job: JobId, firing: FiringId, text: string): KeptOutput | undefined {
    if (!ID.test(job) || !ID.test(firing)) return undefined;
    const path = join(job, `${firing}.md`);
    try {
      mkdirSync(join(this.#folder, dirname(path)), { recursive: true, mode: 0o700 });
      writeFileSync(join(this.#folder, path), text, { mode: 0o600 });
      return { path, sha256: createHash('sha256').update(text).digest('hex') };
    } catch {
      return undefined;
    }
  }

  /** Undefined: it is gone. */
  read(path: string): string | undefined {
    try {
      return readFileSync(join(this.#folder, path), 'utf8');
    } catch {
      return undefined;
    }
  }

  drop(paths: readonly string[]): void {
    for (const path of paths) rmSync(join(this.#folder, path), { force: true });
  }
}
