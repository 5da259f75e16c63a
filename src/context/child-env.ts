type Env = Readonly<Record<string, string | undefined>>;

const PASSED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TZ', 'TMPDIR'];
const FIXED = { TERM: 'dumb', NO_COLOR: '1', PAGER: 'cat', GIT_TERMINAL_PROMPT: '0', CI: '1' };
const OURS = /^(?:HERMOD|HERMES)_/i;

export interface ChildEnvOptions {
  /** `shell.env_pass`: more variables by full name. */
  readonly pass?: readonly string[];
  /** Says nothing and lets the process tree be found again. */
  readonly tag?: string;
}

/**
 * The environment of a child process or worker thread. It is built from a short list, so nothing the daemon was given leaks by
 * being forgotten: no marker, no key, no variable of hermod's except `HERMOD_PROC`.
 */
export function childEnv(env: Env, { pass = [], tag }: ChildEnvOptions = {}): Record<string, string> {
  const built: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && passes(name, pass)) built[name] = value;
  }
  return { ...built, ...FIXED, ...(tag === undefined ? {} : { HERMOD_PROC: tag }) };
}

function passes(name: string, pass: readonly string[]): boolean {
  return (PASSED.includes(name) || name.startsWith('LC_') || pass.includes(name)) && !OURS.test(name);
}
