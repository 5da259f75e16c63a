import { existsSync } from 'node:fs';

const MARKS = ['/.dockerenv', '/run/.containerenv'];

/**
 * Whether this is what a container was started for, itself or below an init: its end is the container's, and a restart policy
 * that knows no exit codes follows at once.
 */
export function isContainerMain(
  { pid, parentPid }: { readonly pid: number; readonly parentPid: number },
  exists: (path: string) => boolean = existsSync,
): boolean {
  return pid === 1 || (parentPid === 1 && MARKS.some((path) => exists(path)));
}
