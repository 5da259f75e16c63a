import type { Call } from '../shell/call.ts';
import { optionsOf, pathsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import type { Path } from '../shell/paths.ts';

/** A path a call touches, with the word that names it. */
export interface Target {
  readonly field: Field;
  readonly path: Path;
}

export const RM_OPTIONS =
  'r|R|recursive f|force i I interactive? one-file-system no-preserve-root preserve-root? d|dir v|verbose help version P W x';
export const COPY =
  't|target-directory: T|no-target-directory m|mode: o|owner: g|group: S|suffix: a|archive r|R|recursive f|force i|interactive n|no-clobber v|verbose s|symbolic b backup? D d p u|update? x H L P l|link reflink? sparse? parents remove-destination strip-trailing-slashes no-preserve: preserve? attributes-only C c Z context?';

const NO_TARGETS: readonly Target[] = [];

export function targetsOf(call: Call, fields: readonly Field[]): readonly Target[] {
  if (fields.length === 0) return NO_TARGETS;
  const targets: Target[] = [];
  for (const field of fields) for (const path of pathsOf(call, field)) targets.push({ field, path });
  return targets;
}

export function copySources(call: Call): readonly Field[] {
  const options = optionsOf(call, COPY);
  return options.has('t') ? options.operands : options.operands.slice(0, -1);
}

/** Options of scp and rsync. */
export const TRANSFERS: Readonly<Record<string, string>> = {
  scp: 'P: i: F: o: c: l: S: J: D: X: r p q v C T O B 3 4 6 A R s',
  rsync:
    'e|rsh: exclude: include: filter|f: files-from: exclude-from: include-from: rsync-path: chmod: chown: partial-dir: backup-dir: log-file: T|temp-dir: password-file: port: bwlimit: B: M: a v z r P n|dry-run',
};

/** Sources and, last, the target of scp and rsync. */
export function transferOperands(call: Call): readonly Field[] {
  return optionsOf(call, TRANSFERS[call.program] ?? '').operands;
}

/** `host:path`, but not a Windows drive. */
export function isRemote(text: string): boolean {
  return (
    /^(?:[\w.-]+@)?[\w.-]+:(?!\\)/.test(text) ||
    text.startsWith('rsync://') ||
    /^[\w.-]+::/.test(text) ||
    /^[\w-]+@[^/]+$/.test(text)
  );
}
