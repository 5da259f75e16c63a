import { readFileSync } from 'node:fs';

/** Set for everything a tool starts. */
const TAG = 'HERMOD_PROC';
const DEEPEST = 64;

/** Whether this process was started by one of these daemons: it carries their mark, or one of them is an ancestor of it. */
export function startedByAgent(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
  daemons: readonly number[],
  parentOf: (pid: number) => number | undefined = readParent,
): boolean {
  if (env[TAG] !== undefined) return true;
  let ancestor = parentOf(pid);
  for (let depth = 0; ancestor !== undefined && ancestor > 1 && depth < DEEPEST; depth++) {
    if (daemons.includes(ancestor)) return true;
    ancestor = parentOf(ancestor);
  }
  return false;
}

/** Undefined where the machine does not say. */
function readParent(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name may hold anything; what follows its last parenthesis does not.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
