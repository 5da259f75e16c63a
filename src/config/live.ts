import type { Config } from './config.ts';
import { formatPath, type Path, valueAt, withValue } from './path.ts';

/** Sections and keys that count from the next look at them; every other one is read once, at boot. */
export const LIVE_KEYS: readonly string[] = [
  'access',
  'groups',
  'home',
  'approvals',
  'breaker',
  'resume',
  'stop',
  'restart',
  'inbox',
  'control',
  'lanes',
  'busy',
  'display',
  'outbox',
  'turns',
  'sessions',
  'cron',
  'model.max_output_tokens',
  'agent.max_steps',
  'agent.cron_max_steps',
  'agent.result_bytes',
  'shell.timeout_s',
  'shell.env_pass',
  'files.read_outside',
];

/** Inside live sections, and read at boot all the same: who masks, who judges, whose roles Discord is asked for. */
export const BOOT_KEYS: readonly string[] = [
  'approvals.redact_patterns',
  'approvals.guardian.model',
  'access.roles',
  'cron.timezone',
];

interface Reloaded {
  /** Keys that count from now on. */
  readonly applied: readonly string[];
  /** Keys whose new value waits for a restart. */
  readonly waiting: readonly string[];
}

/** What became of reading the configuration again. */
export type ReloadAnswer =
  | ({ readonly ok: true } & Reloaded)
  | { readonly ok: false; readonly problems: readonly string[] };

/** The configuration of a process that lives on while its file changes. */
export class LiveConfig {
  /** Everybody's: each section as it is now. */
  readonly view: Config;
  #now: Config;

  constructor(config: Config) {
    this.#now = config;
    const section = (name: keyof Config) => ({ enumerable: true, get: () => this.#now[name] });
    const names = Object.keys(config) as (keyof Config)[];
    this.view = Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, section(name)]))) as Config;
  }

  /** Takes what is live of a valid configuration, all of it or, when this throws, nothing. */
  take(next: Config): Reloaded {
    const changed = differences(this.#now, next, []);
    const live = changed.filter(isLive);
    this.#now = live.reduce<unknown>((all, path) => withValue(all, path, valueAt(next, path)), this.#now) as Config;
    const names = (paths: readonly Path[]) => paths.map(formatPath);
    return { applied: names(live), waiting: names(changed.filter((path) => !isLive(path))) };
  }
}

function isLive(path: Path): boolean {
  const listed = (keys: readonly string[]) => keys.some((key) => key.split('.').every((step, i) => path[i] === step));
  return listed(LIVE_KEYS) && !listed(BOOT_KEYS);
}

/** Where two configurations differ, down to single keys; lists are one value. */
function differences(a: unknown, b: unknown, path: Path): readonly Path[] {
  if (isSection(a) && isSection(b)) {
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return names.flatMap((name) => differences(a[name], b[name], [...path, name]));
  }
  return JSON.stringify(a) === JSON.stringify(b) ? [] : [path];
}

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
