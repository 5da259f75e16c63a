import type { Path } from './path.ts';

/** Shapes of keys and tokens, and the variable each belongs in. */
const SHAPES: readonly (readonly [shape: RegExp, variable?: string])[] = [
  [/^\d{5,}:[\w-]{30,}$/, 'TELEGRAM_BOT_TOKEN'],
  [/^(?:Bot )?[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}$/, 'DISCORD_BOT_TOKEN'],
  [/^sk-ant-[\w-]{10,}$/, 'ANTHROPIC_API_KEY'],
  [/^sk-or-[\w-]{10,}$/, 'OPENROUTER_API_KEY'],
  [/^sk-[\w-]{16,}$/, 'OPENAI_API_KEY'],
  [/^AIza[\w-]{30,}$/, 'GEMINI_API_KEY'],
  [/^tvly-[\w-]{10,}$/, 'TAVILY_API_KEY'],
  [/^(?:gh[pousr]|github_pat)_\w{20,}$/],
  [/^xox[abps]-[\w-]{10,}$/],
  [/^eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]*$/],
  [/^(?:Bearer|Basic) \S{8,}$/i],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  [/^[a-z][a-z+]*:\/\/[^/\s:@]+:[^/\s@]+@/i],
];

const SECRET_KEY = /(?:^|[_-])(?:token|secret|password|passwd|api[_-]?key|authorization|private[_-]?key)$/i;
const VARIABLE = /^[A-Z][A-Z0-9_]*_(?:TOKEN|KEY|SECRET)$/;

/** Whether a value in the file is a secret, by its shape, by the name of its key, or because it is one we know. */
export function isSecret(path: Path, value: string, known: readonly string[]): boolean {
  if (value === '') return false;
  const name = String(path.at(-1) ?? '');
  return (
    SECRET_KEY.test(name) ||
    SHAPES.some(([shape]) => shape.test(value)) ||
    known.some((secret) => value.includes(secret))
  );
}

/** The variable such a secret belongs in, as far as path and shape tell. */
export function variableFor(path: Path, value: string): string | undefined {
  const name = path.find((step) => typeof step === 'string' && VARIABLE.test(step));
  if (typeof name === 'string') return name;
  const shaped = SHAPES.find(([shape]) => shape.test(value))?.[1];
  const [section, second] = path;
  if (section === 'providers' && typeof second === 'string') {
    return `${second.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_API_KEY`;
  }
  if (shaped) return shaped;
  if (section === 'telegram') return path.at(-1) === 'secret' ? 'TELEGRAM_WEBHOOK_SECRET' : 'TELEGRAM_BOT_TOKEN';
  if (section === 'discord') return 'DISCORD_BOT_TOKEN';
  return section === 'http' ? 'HERMOD_HTTP_TOKEN' : undefined;
}
