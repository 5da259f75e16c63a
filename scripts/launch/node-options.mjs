import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * How Node is started for hermod. Before 24.3 each process that strips types prints a warning, which would stand above
 * hermod's own first line. The young generation: with 16 MB a start alone takes 20 MB more, with 2 MB fifty streaming turns
 * spend twice the time on collecting it.
 */
export const FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=8'];

/** glibc would keep an arena a thread, and 10 MB of what is free: one arena, and free memory goes back to the system. */
const ALLOCATOR = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' };

/**
 * The environment Node is started in for hermod. What type stripping and the compiler made of our files is kept: a warm start
 * loads neither the stripper nor the sources.
 */
export function nodeEnv(env) {
  const folder = join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'hermod', 'compile');
  return Object.assign({ NODE_COMPILE_CACHE: folder }, ALLOCATOR, env);
}
