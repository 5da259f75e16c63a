const TOKEN = /(?:bot)?\d{6,}(?::|%3A)[\w-]{20,}/gi;

/** Takes the token, whole or as its secret half, out of a text that may leave the adapter. */
export function redact(text: string, token: string): string {
  const secret = token.split(':')[1] ?? '';
  const known = [token, secret].filter((part) => part.length >= 8);
  return known.reduce((rest, part) => rest.replaceAll(part, '[token]'), text).replace(TOKEN, '[token]');
}
