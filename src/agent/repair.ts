/** Argument text read as an object: `text` is its JSON. Or why it cannot be read, for the model. */
export type ReadArguments =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>>; readonly text: string }
  | { readonly ok: false; readonly why: string };

/** Arguments larger than this are not read. */
export const MAX_ARGUMENT_BYTES = 256 * 1024;

/**
 * Reads the arguments of a call as a model wrote them. Puts right what is right in meaning (a code fence, raw line breaks in
 * texts, commas at the end, Python's literals, an object sent as a text, nothing at all) and never adds a missing quote or
 * bracket: what is cut off stays unreadable. `whole: false` puts nothing right, for the last call of a cut answer.
 */
export function readArguments(raw: string, whole = true): ReadArguments {
  if (Buffer.byteLength(raw) > MAX_ARGUMENT_BYTES) {
    return { ok: false, why: `the arguments are over ${MAX_ARGUMENT_BYTES / 1024} KB; send smaller pieces` };
  }
  const strict = parse(raw);
  if (strict.ok || !whole) return strict;
  const bare = withoutFence(raw.trim());
  if (bare === '') return object({});
  const plain = parse(bare);
  return plain.ok ? plain : parse(normalised(bare), plain);
}

/** The same arguments give the same text, whatever the order of their keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function parse(text: string, first?: ReadArguments): ReadArguments {
  let value: unknown;
  try {
    value = JSON.parse(text);
    if (typeof value === 'string') value = JSON.parse(value);
  } catch (error) {
    return first ?? { ok: false, why: `the arguments are not JSON (${(error as Error).message.slice(0, 200)})` };
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return object(value);
  return { ok: false, why: 'the arguments are not a JSON object' };
}

function object(value: object): ReadArguments {
  return { ok: true, value: { ...value }, text: JSON.stringify(value) };
}

function withoutFence(text: string): string {
  return /^```[a-z0-9]*\s*\n([\s\S]*?)\n?```$/i.exec(text)?.[1]?.trim() ?? text;
}

const LITERALS: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' };

/** One pass over the text: quoted parts keep their meaning, what stands between them becomes JSON. */
function normalised(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; ) {
    const char = text[at]!;
    if (char === '"' || char === "'") {
      const end = closingQuote(text, at);
      out += quoted(text.slice(at + 1, end), char, end < text.length);
      at = end + 1;
    } else if (char === ',' && /^,\s*[}\]]/.test(text.slice(at, at + 200))) {
      at++;
    } else {
      const word = /^[A-Za-z]+/.exec(text.slice(at, at + 50))?.[0];
      out += word === undefined ? char : (LITERALS[word] ?? word);
      at += word?.length ?? 1;
    }
  }
  return out;
}

function closingQuote(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === text[open]) return at;
  }
  return text.length;
}

/** The inside of a quoted text as JSON; an unclosed one stays unclosed. */
function quoted(inside: string, quote: string, closed: boolean): string {
  let out = '';
  for (let at = 0; at < inside.length; at++) {
    const char = inside[at]!;
    if (char === '\\') {
      const next = inside[++at] ?? '';
      out += next === "'" ? next : `\\${next}`;
    } else if (char === '"' && quote === "'") out += '\\"';
    else if (char < ' ') out += JSON.stringify(char).slice(1, -1);
    else out += char;
  }
  return `"${out}${closed ? '"' : ''}`;
}
