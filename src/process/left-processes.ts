import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { RunId, SessionId } from '../contract/ids.ts';

const group = z.object({
  pid: z.number(),
  start: z.string().nullable(),
  tag: z.string(),
  session: z.string().transform((id) => id as SessionId),
  root: z.string().transform((id) => id as RunId),
});

/** A process tree a tool started: enough to know it again, never enough to signal a stranger. */
export type LeftGroup = z.output<typeof group>;

const pathOf = (home: string) => join(home, 'run', 'processes.json');

/** Keeps the list of running trees where the next boot finds it. A full disk is no reason to stop a command. */
export function writeGroups(home: string, groups: readonly LeftGroup[]): void {
  try {
    mkdirSync(join(home, 'run'), { recursive: true, mode: 0o700 });
    writeFileSync(pathOf(home), JSON.stringify(groups), { mode: 0o600 });
  } catch {
    // The next boot then finds an older list; what it names is checked by start time and tag before anything is ended.
  }
}

/** What an earlier process left on record; nothing where there is none or it cannot be read. */
export function readGroups(home: string): readonly LeftGroup[] {
  try {
    return z.array(group).parse(JSON.parse(readFileSync(pathOf(home), 'utf8')));
  } catch {
    return [];
  }
}
