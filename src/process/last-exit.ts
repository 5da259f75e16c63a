import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { BootEnd, BootRow } from '../store/boots.ts';

const record = z.object({ boot: z.string(), how: z.enum(['watchdog', 'overrun']), at: z.number() });

/** `run/last-exit.json`: what the watchdog wrote before it ended a boot. */
export type LastExit = z.output<typeof record>;

/** Where it stands; its folder is there afterwards. */
export function lastExitPath(home: string): string {
  const folder = join(home, 'run');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, 'last-exit.json');
}

/** Undefined: there is none, or it cannot be read. */
export function readLastExit(home: string): LastExit | undefined {
  try {
    return record.parse(JSON.parse(readFileSync(lastExitPath(home), 'utf8')));
  } catch {
    return undefined;
  }
}

/** How a boot ended that could not say so itself. Pure. */
export function classOf({ id, readyAt }: Pick<BootRow, 'id' | 'readyAt'>, exit: LastExit | undefined): BootEnd {
  if (readyAt === null) return 'start_failed';
  return exit?.boot === id ? exit.how : 'vanished';
}
