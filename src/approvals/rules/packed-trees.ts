import type { Call } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { parseOptions } from '../shell/options.ts';
import type { Admits } from '../shell/secret-trees.ts';
import { within } from '../shell/walker.ts';

/** Roots whose whole content is read, copied, packed or served. */
export interface Trees {
  readonly roots: readonly Field[];
  readonly admits?: Admits;
}

/** Letters of tar's first word that take a word of their own, in order. */
const TAR_VALUES = 'fCTXbgHIKLNVF';
export const TAR =
  'f|file: C|directory: T|files-from: X|exclude-from: exclude: b: g|listed-incremental: H|format: I|use-compress-program: K|starting-file: L|tape-length: N|newer: V|label: F|info-script: c|create r|append u|update A|catenate x|extract t|list d|compare z|gzip j|bzip2 J|xz a|auto-compress Z v|verbose p|preserve-permissions P|absolute-names S|sparse O|to-stdout k m h|dereference W l o zstd lzma lzip one-file-system transform|xform: strip-components: owner: group: mode: mtime: sort: checkpoint? checkpoint-action: to-command: one-top-level? remove-files totals numeric-owner null warning: exclude-vcs exclude-caches anchored wildcards no-recursion ignore-failed-read xattrs acls selinux';

/** `cf x.tar` as `-c -f x.tar`. */
export function dashed(args: readonly Field[]): readonly Field[] {
  const [first, ...rest] = args;
  if (!first || !/^[a-zA-Z]+$/.test(first.text)) return args;
  const out: Field[] = [];
  for (const letter of first.text) {
    out.push({ ...first, text: `-${letter}` });
    if (TAR_VALUES.includes(letter)) out.push(...rest.splice(0, 1));
  }
  return [...out, ...rest];
}

/** What tar packs; a `-C` moves what stands behind it. */
export function packed(call: Call): Trees | undefined {
  const args = dashed(call.args);
  const options = parseOptions(args, TAR);
  if (!options.has('c', 'r', 'u', 'A')) return undefined;
  const listed = options.values('T').filter(({ text }) => text !== '-');
  const [members, folders] = [new Set(options.operands), new Set(options.values('C'))];
  const roots: Field[] = [];
  let base = '';
  for (const [i, arg] of args.entries()) {
    const attached = /^(?:--directory=|-C)(.+)$/.exec(arg.text)?.[1];
    if (folders.has(arg) && !members.has(arg)) base = below(base, arg.text);
    else if (attached !== undefined && !members.has(arg)) base = below(base, attached);
    else if (members.has(arg) && i >= 0) roots.push({ ...arg, text: below(base, arg.text) });
  }
  for (const list of listed) roots.push(...namedIn(list).map((field) => ({ ...field, text: below(base, field.text) })));
  return { roots };
}

/** The names in a list of files, where it is known; else whatever lies where it is read. */
function namedIn(list: Field): readonly Field[] {
  const text = list.content?.text;
  if (typeof text !== 'string') return [{ ...list, text: '.' }];
  const names = text.split(/[\n\0]/).filter((line) => line !== '');
  return within(names, 2_000).map((line) => ({ ...list, text: line }));
}

/** A path seen from a folder, as `-C` gives it. */
export function below(base: string, text: string): string {
  return base === '' || text.startsWith('/') ? text : `${base}/${text}`;
}
