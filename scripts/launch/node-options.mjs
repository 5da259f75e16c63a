import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * How Node is started for hermod. Before 24.3 each process that strips types prints a warning, which would stand above
 * hermod's own first line. A small young generation keeps 20 MB that a daemon which mostly waits would never give back.
 */
export const FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=2'];

/** What type stripping and the compiler made of our files is kept: a warm start loads neither the stripper nor the sources. */
export function withCompileCache(env) {
  const folder = join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'hermod', 'compile');
  return Object.assign({ NODE_COMPILE_CACHE: folder }, env);
}
