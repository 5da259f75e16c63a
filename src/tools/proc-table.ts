import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** A living process, from /proc. */
export interface ProcEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Clock ticks since the machine started; with the pid it names one process for ever. */
  readonly start: string;
}

/** Whether this machine shows its processes as files (Linux). */
export const hasProcTable = existsSync('/proc/self/stat');

/** All living processes; empty where there is no /proc. */
export function readProcTable(): readonly ProcEntry[] {
  if (!hasProcTable) return [];
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readProc(Number(name)) ?? []) : []));
}

/** Undefined: gone, or dead and not yet collected by its parent. */
export function readProc(pid: number): ProcEntry | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The second field is the program's name in brackets and may hold anything.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return { pid, parent: Number(fields[1]), group: Number(fields[2]), start: fields[19] ?? '' };
}

/** Whether a process was started with this variable. Another user's process: false. */
export function startedWith(pid: number, variable: string): boolean {
  return readText(`/proc/${pid}/environ`)?.split('\0').includes(variable) ?? false;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
