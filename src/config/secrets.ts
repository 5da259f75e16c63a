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
  return { secrets: Object.freeze(secrets), problems };
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

/** Their values, for a redactor. */
export function secretValues(secrets: Secrets): readonly string[] {
  return Object.getOwnPropertyNames(secrets).flatMap((name) => secrets[name] ?? []);
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : 'unreadable';
}

export function sameSecrets(a: Secrets, b: Secrets): boolean {
  const names = [...new Set([...Object.getOwnPropertyNames(a), ...Object.getOwnPropertyNames(b)])];
  return names.every((name) => a[name] === b[name]);
}
