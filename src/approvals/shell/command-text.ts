import type { Call } from './call.ts';
import { optionsOf } from './call.ts';
import type { Field } from './field.ts';
import { UNKNOWN } from './marks.ts';

/** Text that an ordinary program hands to a shell or runs as a program because an option, a script line or a variable says so. */
export interface CommandText {
  readonly text: Field;
  readonly what: string;
}

const HARMLESS =
  /^(?:cat|less|more|most|bat|delta|diff-so-fancy|vim?|nvim|nano|emacs|code|subl|micro|true|false|:|ssh|head|tail|col|ul|gpg2?|vimdiff|meld|opendiff|kdiff3|difft|difftastic|gzip|pigz|bzip2|pbzip2|lbzip2|xz|pxz|zstd|zstdmt|lz4|lzop|brotli|compress|lzma|lzip|plzip|echo|manager|manager-core|osxkeychain|store|cache|libsecret|wincred|input|always|never|auto|none|no|yes|0|1|wsl-open|xdg-open|open|firefox|google-chrome|chromium|safari|w3m|lynx|colordiff|diff|cmp|icdiff|riff|splice|tig|column|fold|fmt|pygmentize|highlight|git|gh)(?:\.exe)?$/;

/** A known pager, editor or compressor with plain options, or nothing. `ssh -W %h:%p host` is how jump hosts work. */
export function isHarmlessCommand(text: string): boolean {
  const clean = text.trim();
  if (clean === '') return true;
  if (!/^[\w./%:@=+, ~-]+$/.test(clean)) return false;
  const [program = '', ...rest] = clean.split(/\s+/);
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (program.includes('/') && !/^(?:\/usr(?:\/local)?\/bin\/|\/bin\/|\/opt\/homebrew\/bin\/)/.test(program))
    return false;
  if (!HARMLESS.test(name)) return false;
  if (name === 'git' || name === 'gh')
    return rest[0] === 'credential-manager' || rest[0] === 'credential-osxkeychain' || rest[0] === 'auth';
  if (name === 'ssh')
    return (
      !rest.some((word) => /ProxyCommand|LocalCommand|KnownHosts/i.test(word)) &&
      (rest.every((word, i) => word.startsWith('-') || /^-[A-Za-z]$/.test(rest[i - 1] ?? '')) || rest.includes('-W'))
    );
  return (
    rest.every((word) => word.startsWith('-') || word.startsWith('+') === false) &&
    !rest.some((word) => /^[+]|^-(?:c|-cmd|-exec|e)$/.test(word))
  );
}

/** A shell of the system, without any words behind it. */
export function isShell(text: string): boolean {
  return /^(?:(?:\/usr(?:\/local)?|\/opt\/homebrew|\/run\/current-system\/sw)?\/bin\/)?(?:env )?(?:ba|z|da|k|mk|fi|tc|c|a)?sh$/.test(
    text,
  );
}

export type Read = (call: Call) => readonly CommandText[];

export function take(what: string, fields: readonly (Field | undefined)[]): readonly CommandText[] {
  return fields.filter((field): field is Field => field !== undefined).map((text) => ({ text, what }));
}

export function valued(what: string, grammar: string, ...names: readonly string[]): Read {
  return (call) => {
    const options = optionsOf(call, grammar);
    return take(
      what,
      names.flatMap((name) => options.values(name)),
    );
  };
}

/** The part of a word behind a prefix, as a word of its own. */
export function after(field: Field, length: number): Field {
  return { ...field, raw: '', text: field.text.slice(length) };
}

export function behind(call: Call, flag: RegExp): readonly CommandText[] {
  const at = call.args.findIndex((arg) => flag.test(arg.text));
  const rest = at < 0 ? [] : call.args.slice(at + 1);
  const [first] = rest;
  if (!first) return [];
  return take(`a command ${call.program} starts`, [
    { ...first, raw: rest.length === 1 ? first.raw : '', text: rest.map((field) => field.text).join(' ') },
  ]);
}

/** Code of a language that is not read. */
export function unreadCode(field: Field): Field {
  return { ...field, text: UNKNOWN };
}

export function joinWords(fields: readonly Field[]): Field | undefined {
  const [first] = fields;
  return first ? { ...first, raw: '', text: fields.map((field) => field.text).join(' ') } : undefined;
}
