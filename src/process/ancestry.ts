import { readFileSync } from 'node:fs';

/** Set for everything a tool starts. */
const TAG = 'HERMOD_PROC';
const DEEPEST = 64;

/** What the machine says of a process; undefined where it does not. */
export interface ProcessView {
  readonly parentOf: (pid: number) => number | undefined;
  /** Whether it carried the mark when it was started, whatever it has taken off since. */
  readonly marked: (pid: number) => boolean;
  /** The service it belongs to. A process keeps it for life, also in a session of its own and after its parent has gone. */
  readonly serviceOf: (pid: number) => string | undefined;
}

/**
 * Whether this process was started by one of these daemons: it or an ancestor carries their mark, one of them is an ancestor,
 * or it belongs to the service that one of them runs as.
 */
export function startedByAgent(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
  daemons: readonly number[],
  view: Partial<ProcessView> = {},
): boolean {
  if (env[TAG] !== undefined) return true;
  const { parentOf, marked, serviceOf } = { ...MACHINE, ...view };
  const service = serviceOf(pid);
  if (service !== undefined && daemons.some((daemon) => serviceOf(daemon) === service)) return true;
  let ancestor = parentOf(pid);
  for (let depth = 0; ancestor !== undefined && ancestor > 1 && depth < DEEPEST; depth++) {
    if (daemons.includes(ancestor) || marked(ancestor)) return true;
    ancestor = parentOf(ancestor);
  }
  return false;
}

const MACHINE: ProcessView = { parentOf: readParent, marked: readMark, serviceOf: readService };

function readMark(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
      .split('\0')
      .some((entry) => entry.startsWith(`${TAG}=`));
  } catch {
    return false;
  }
}

/** The systemd service in the control group; a login, a terminal and a container are none. */
function readService(pid: number): string | undefined {
  try {
    const groups = readFileSync(`/proc/${pid}/cgroup`, 'utf8').trim().split('\n');
    return groups
      .map((line) => /^\d+:[^:]*:(\/.*\.service)(?:\/|$)/.exec(line)?.[1])
      .find((name) => name !== undefined && !SHARED.test(name));
  } catch {
    return undefined;
  }
}

/** Services in which people's own terminals run. */
const SHARED =
  /\/(?:user@\d+|ssh|sshd|cron|crond|containerd|docker|getty@[^/]*|gdm|gnome-terminal-server|[\w-]*terminal[\w-]*|code-server|tmux[\w@-]*|screen[\w@-]*)\.service$/;

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
