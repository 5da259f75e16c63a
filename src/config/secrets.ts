/** Secrets by the name of their variable. No key is enumerable, so printing, logging or copying one shows nothing. */
export type Secrets = Readonly<Record<string, string | undefined>>;

/** Variables that hold a secret whatever the configuration says; `api_key_env` adds more. */
export const SECRET_NAMES: readonly string[] = [
  'HERMOD_HTTP_TOKEN',
  'TELEGRAM_BOT_TOKEN',
  'TELEGRAM_WEBHOOK_SECRET',
  'DISCORD_BOT_TOKEN',
  'OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
  'ANTHROPIC_API_KEY',
  'GEMINI_API_KEY',
  'BRAVE_API_KEY',
  'TAVILY_API_KEY',
];

type Variables = Readonly<Record<string, string | undefined>>;

export interface SecretPlaces {
  readonly env: Variables;
  /** What `.env` of the home says; the environment wins. */
  readonly file: Variables;
  /** Text of the file a `<NAME>_FILE` variable names. Throws like `readFileSync`. */
  readonly readFile: (path: string) => string;
}

/** The secrets of these names. An empty variable counts as unset; a file that cannot be read is a problem. */
export function readSecrets(
  names: Iterable<string>,
  places: SecretPlaces,
): { readonly secrets: Secrets; readonly problems: readonly string[] } {
  const secrets: Record<string, string> = {};
  const problems: string[] = [];
  for (const name of names) {
    try {
      const value = readSecret(name, places);
      if (value) Object.defineProperty(secrets, name, { value, enumerable: false });
    } catch (error) {
      problems.push(`${name}_FILE names a file that cannot be read (${codeOf(error)}); correct the path or its mode`);
    }
  }
  others.set(
    secrets,
    Object.values(places.file).flatMap((value) => (value && isUnguessable(value) ? [value] : [])),
  );
  return { secrets: Object.freeze(secrets), problems };
}

/** Values of `.env` that nothing here asks for by name, and that look like secrets all the same. */
const others = new WeakMap<Secrets, readonly string[]>();

/** Long, with letters and digits, and neither a path, an address nor a host. */
function isUnguessable(value: string): boolean {
  const text = value.trim();
  return (
    text.length >= 16 &&
    /^\S+$/.test(text) &&
    /\d/.test(text) &&
    /[A-Za-z]/.test(text) &&
    !/^(?:[~.]?\/|[a-z][a-z0-9+.-]*:\/\/)/i.test(text) &&
    !/^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?::\d+)?(?:\/|$)/i.test(text) &&
    !/^\d{4}-\d{2}-\d{2}/.test(text)
  );
}

function readSecret(name: string, { env, file, readFile }: SecretPlaces): string | undefined {
  for (const variables of [env, file]) {
    const value = variables[name]?.trim();
    if (value) return value;
    const path = variables[`${name}_FILE`]?.trim();
    if (path) return readFile(path).trim();
  }
  return undefined;
}

/** Their values, and what else in `.env` looks like one, for a redactor. */
export function secretValues(secrets: Secrets): readonly string[] {
  const named = Object.getOwnPropertyNames(secrets).flatMap((name) => secrets[name] ?? []);
  return [...new Set([...named, ...(others.get(secrets) ?? [])])];
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : 'unreadable';
}

export function sameSecrets(a: Secrets, b: Secrets): boolean {
  const names = [...new Set([...Object.getOwnPropertyNames(a), ...Object.getOwnPropertyNames(b)])];
  return names.every((name) => a[name] === b[name]);
}
