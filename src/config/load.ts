import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, resolveConfig } from './config.ts';
import { readDotenv } from './dotenv.ts';
import { judge } from './judge.ts';
import { type Path, valueAt, withoutNulls, withValue } from './path.ts';
import { inFile, type Placed, type Source, sourceOf } from './places.ts';
import { readSecrets, SECRET_NAMES, type Secrets } from './secrets.ts';
import { readSetOption } from './set-option.ts';
import { readYaml } from './yaml-file.ts';

export interface LoadInput {
  /** Absolute: `HERMOD_HOME` or its default. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `KEY=VALUE` of each `--set`. */
  readonly set: readonly string[];
  /** Practice although there is a configuration. */
  readonly practice?: boolean;
  /** Throws like `readFileSync`. */
  readonly readFile?: (path: string) => string;
}

export type Loaded =
  | {
      readonly ok: true;
      readonly config: Config;
      readonly secrets: Secrets;
      /** No `config.yaml`, or asked for: defaults, no secret but that of the page, and a home of its own. */
      readonly practice: boolean;
      /** Where this daemon lives: the home, or `practice/` in it. */
      readonly home: string;
      readonly warnings: readonly string[];
      /** Where the value at a path comes from. */
      readonly source: (path: Path) => Source;
    }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads `config.yaml` and `.env` of the home, the environment and `--set`; an absent file is fine. Never throws: all that
 * is wrong comes back at once, one sentence each, the file's first and in its order.
 */
export function loadConfig(input: LoadInput): Loaded {
  const read = input.readFile ?? ((path: string) => readFileSync(path, 'utf8'));
  const yaml = input.practice ? {} : readIfThere(read, join(input.home, 'config.yaml'));
  const env = readIfThere(read, join(input.home, '.env'));
  const dotenv = readDotenv(env.text ?? '');
  const practice = input.practice === true || (yaml.text === undefined && yaml.problem === undefined);
  const file = yaml.text === undefined ? undefined : readYaml(yaml.text);
  const set = readOptions(input.set);
  const data = set.values.reduce<unknown>(
    (all, { path, value }) => withValue(all, path, value),
    withoutNulls(file?.data) ?? {},
  );
  const { secrets, problems } = readSecrets(practice ? PRACTICE_SECRETS : secretNames(data), {
    env: input.env,
    file: dotenv.variables,
    readFile: read,
  });
  const places = { file, set: set.values.map(({ path }) => path) };
  const verdict = file?.readable === false ? undefined : judge(data, secrets, places);
  const sentences = [
    ...inOrder([...(file?.problems ?? []).map(({ line, text }) => inFile(line, text)), ...(verdict?.problems ?? [])]),
    ...[yaml.problem, env.problem].filter((problem) => problem !== undefined),
    ...dotenv.problems,
    ...problems,
    ...set.problems,
  ];
  if (sentences.length > 0 || !verdict) return { ok: false, problems: sentences };
  const home = practice ? join(input.home, 'practice') : input.home;
  const config = resolveConfig(verdict.config, { home, userHome: input.env['HOME'] ?? input.home, secrets });
  return {
    ok: true,
    config,
    secrets,
    practice,
    home,
    warnings: verdict.warnings,
    source: (path) => sourceOf(places, path),
  };
}

// A token in the environment must not connect a practice daemon to anybody.
const PRACTICE_SECRETS = ['HERMOD_HTTP_TOKEN'];

/** The fixed names, and what `api_key_env` adds. */
function secretNames(data: unknown): ReadonlySet<string> {
  const providers = valueAt(data, ['providers']);
  const names = Object.keys(typeof providers === 'object' && providers !== null ? providers : {})
    .map((name) => valueAt(providers, [name, 'api_key_env']))
    .filter((name) => typeof name === 'string');
  return new Set([...SECRET_NAMES, ...names]);
}

function readOptions(options: readonly string[]) {
  const all = options.map(readSetOption);
  return {
    values: all.flatMap((option) => ('problem' in option ? [] : [option])),
    problems: all.flatMap((option) => ('problem' in option ? [option.problem] : [])),
  };
}

function readIfThere(read: (path: string) => string, path: string): { text?: string; problem?: string } {
  try {
    return { text: read(path) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    return code === 'ENOENT' ? {} : { problem: `${path} cannot be read (${code}); correct its owner or mode` };
  }
}

function inOrder(placed: readonly Placed[]): readonly string[] {
  const sorted = [...placed].sort((a, b) => a.line - b.line);
  return [...new Set(sorted.map(({ text }) => text))];
}
