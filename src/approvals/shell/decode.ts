import type { Call } from './call.ts';
import { knownArgs, optionsOf } from './call.ts';
import { byName, entryOf } from './lookup.ts';
import { isKnown } from './marks.ts';
import { resolveEscapes } from './print-output.ts';

const MAX_INPUT = 65_536;

/** What a decoder makes of a constant; undefined where the program is none or does not decode, null where it cannot be told. */
export function decodedOutput(call: Call, input: string | null): string | null | undefined {
  const decode = DECODERS.get(call.program);
  const decoder = decode?.(call);
  if (!decoder) return undefined;
  const file = call.args.find((arg) => arg.content)?.content?.text;
  const text = file ?? input;
  if (text === null || text === undefined || !isKnown(text) || text.length > MAX_INPUT) return null;
  return decoder(text);
}

type Decoder = (text: string) => string | null;

const DECODERS = byName<(call: Call) => Decoder | null>({
  base64: (call) => (optionsOf(call, 'd|decode|D i|ignore-garbage w|wrap:').has('d') ? fromBase64 : null),
  gbase64: (call) => (optionsOf(call, 'd|decode|D i w:').has('d') ? fromBase64 : null),
  base32: (call) => (optionsOf(call, 'd|decode i w:').has('d') ? () => null : null),
  basenc: (call) =>
    optionsOf(call, 'd|decode i w:').has('d')
      ? call.args.some((arg) => arg.text === '--base64')
        ? fromBase64
        : () => null
      : null,
  xxd: (call) => {
    const args = knownArgs(call).filter((arg) => /^-/.test(arg));
    if (!args.some((arg) => /^-(?:r|revert)/.test(arg) || /^-[a-z]*r/.test(arg))) return null;
    return args.some((arg) => /^-(?:p|ps|plain|postscript)|^-[a-z]*p/.test(arg)) ? fromHex : fromHexDump;
  },
  openssl: (call) => {
    const args = knownArgs(call);
    if (!args.includes('-d')) return null;
    return args.some((arg) => arg === 'base64' || arg === '-base64' || arg === '-a') &&
      !args.some((arg) => /^-(?:aes|des|k|pass|K)/.test(arg))
      ? fromBase64
      : () => null;
  },
  tr: (call) => translate(call),
  rev: () => (text) =>
    text
      .split('\n')
      .map((line) => [...line].reverse().join(''))
      .join('\n'),
  gunzip: () => () => null,
  zcat: () => () => null,
  gzcat: () => () => null,
  gzip: (call) => (optionsOf(call, 'd|decompress|uncompress c|stdout f').has('d') ? () => null : null),
  bunzip2: () => () => null,
  bzcat: () => () => null,
  bzip2: (call) => (optionsOf(call, 'd|decompress c').has('d') ? () => null : null),
  xz: (call) => (optionsOf(call, 'd|decompress c|stdout').has('d') ? () => null : null),
  unxz: () => () => null,
  xzcat: () => () => null,
  zstd: (call) => (optionsOf(call, 'd|decompress c|stdout').has('d') ? () => null : null),
  zstdcat: () => () => null,
  unzstd: () => () => null,
  lz4: (call) => (optionsOf(call, 'd c').has('d') ? () => null : null),
  brotli: (call) => (optionsOf(call, 'd|decompress c').has('d') ? () => null : null),
  uudecode: () => () => null,
  ascii2uni: () => () => null,
  rot13: () => (text) => mapChars(text, 'a-zA-Z', 'n-za-mN-ZA-M'),
  gpg: (call) => (knownArgs(call).some((arg) => arg === '-d' || arg === '--decrypt') ? () => null : null),
  age: (call) => (knownArgs(call).some((arg) => arg === '-d' || arg === '--decrypt') ? () => null : null),
  iconv: () => () => null,
});

function fromBase64(text: string): string | null {
  const clean = text.replace(/[^A-Za-z0-9+/=_-]/g, '');
  return readable(Buffer.from(clean, 'base64'));
}

function fromHex(text: string): string | null {
  return readable(Buffer.from(text.replace(/[^0-9A-Fa-f]/g, ''), 'hex'));
}

/** `00000000: 726d 202d  rm -`: the columns between colon and text. */
function fromHexDump(text: string): string | null {
  const hex = text.split('\n').map((line) => {
    const body = line.includes(':') ? line.slice(line.indexOf(':') + 1) : line;
    return body.trimStart().split('  ')[0] ?? '';
  });
  return fromHex(hex.join(''));
}

function readable(bytes: Buffer): string | null {
  const text = bytes.toString('utf8');
  return text.includes('\uFFFD') ? null : text;
}

function translate(call: Call): Decoder | null {
  const options = optionsOf(call, 'd|delete s|squeeze-repeats c|C|complement t|truncate-set1');
  const [from, to] = options.operands.map((arg) => arg.text);
  if (from === undefined || !isKnown(from) || (to !== undefined && !isKnown(to))) return () => null;
  if (options.has('c', 's')) return () => null;
  if (options.has('d')) return (text) => deleteChars(text, from);
  return to === undefined ? () => null : (text) => mapChars(text, from, to);
}

function deleteChars(text: string, set: string): string {
  const gone = new Set(expandSet(set));
  return [...text].filter((char) => !gone.has(char)).join('');
}

function mapChars(text: string, from: string, to: string): string {
  const source = expandSet(from);
  const target = expandSet(to);
  const map = new Map<string, string>();
  for (const [i, char] of source.entries()) map.set(char, target[Math.min(i, target.length - 1)] ?? '');
  return [...text].map((char) => map.get(char) ?? char).join('');
}

const CLASSES: Readonly<Record<string, string>> = {
  lower: 'a-z',
  upper: 'A-Z',
  digit: '0-9',
  alpha: 'A-Za-z',
  alnum: 'A-Za-z0-9',
  space: ' \t\n\r\f\v',
  blank: ' \t',
};

function expandSet(set: string): readonly string[] {
  const named = set.replace(/\[:(\w+):\]/g, (all, name: string) => entryOf(CLASSES, name) ?? all);
  const chars = [...resolveEscapes(named, false)];
  const out: string[] = [];
  for (let i = 0; i < chars.length; i++) {
    const from = chars[i] as string;
    const to = chars[i + 1] === '-' ? chars[i + 2] : undefined;
    if (to === undefined || to < from || out.length > 4096) out.push(from);
    else {
      for (
        let code = from.codePointAt(0) as number;
        code <= (to.codePointAt(0) as number) && out.length <= 4096;
        code++
      )
        out.push(String.fromCodePoint(code));
      i += 2;
    }
  }
  return out;
}
