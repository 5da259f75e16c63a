import type { Field } from './field.ts';
import { couldBe, matchesEverything } from './glob-match.ts';
import { activateGlobs, CLOSE, hasGlob, hasUnknown, OPEN } from './marks.ts';
import type { Admits } from './secret-trees.ts';

/** A pattern that a program matches by itself, as one of marks. */
export function globMarks(text: string): string {
  return activateGlobs(text.replace(/\[([^\]]+)\]/g, (_, set: string) => OPEN + set + CLOSE));
}

interface NamePattern {
  readonly marks: string;
  readonly folds: boolean;
}

/** The last part of a path against patterns of which any will do; an unknown one takes in every name. */
export function byName(patterns: readonly NamePattern[]): Admits {
  return (below) => {
    const name = below.at(-1) ?? '';
    return patterns.some(({ marks, folds }) => {
      if (hasUnknown(marks)) return true;
      return folds ? couldBe(marks.toLowerCase(), name.toLowerCase()) : couldBe(marks, name);
    });
  };
}

/** `--include=*.ts` and kin: none means every file. */
export function included(globs: readonly Field[]): Admits | undefined {
  const patterns = globs
    .map(({ text }) => text.slice(text.lastIndexOf('/') + 1))
    .filter((text) => !text.startsWith('!'))
    .map((text) => ({ marks: globMarks(text), folds: false }));
  return patterns.length > 0 ? byName(patterns) : undefined;
}

/** Programs that leave out what begins with a dot. */
export const unhidden: Admits = (below) => below.every((part) => !part.startsWith('.'));

export function both(...all: readonly (Admits | undefined)[]): Admits {
  return (below) => all.every((admits) => admits === undefined || admits(below));
}

/** What the tests of a `find` let through, as far as names and depth say. */
export function foundBy(args: readonly Field[], root: string): Admits {
  const names: NamePattern[] = [];
  const paths: string[] = [];
  let depth = Number.POSITIVE_INFINITY;
  let files = true;
  for (let i = 0; i < args.length; i++) {
    const [test, value] = [(args[i] as Field).text, args[i + 1]?.text ?? ''];
    const negated = /^(?:!|-not)$/.test(args[i - 1]?.text ?? '');
    if (negated) continue;
    if (/^-i?name$/.test(test)) names.push({ marks: globMarks(value), folds: test === '-iname' });
    else if (/^-i?(?:path|wholename)$/.test(test)) paths.push(globMarks(value));
    else if (test === '-maxdepth' && /^\d+$/.test(value)) depth = Number(value);
    else if (/^-x?type$/.test(test) && /^[dbcps]$/.test(value)) files = false;
  }
  const pruned = args.some(({ text }) => text === '-prune');
  const byPath: Admits = (below) => {
    const whole = [root, ...below].join('/');
    return pruned || paths.length === 0 || paths.some((path) => hasUnknown(path) || couldBe(path, whole));
  };
  const byDepth: Admits = (below) => files && below.length <= depth;
  return both(names.length > 0 ? byName(names) : undefined, byPath, byDepth);
}

/** Names that hold a secret wherever they lie. */
const KEYS = ['id_rsa', 'id_ed25519', 'id_ecdsa', 'private.pem', 'server.key', '.netrc', '.pgpass', '.git-credentials'];

/** Whether a `find` looks for such names, and not for all of them. */
export function looksForKeys(args: readonly Field[]): boolean {
  return args.some(({ text }, i) => {
    if (!/^-i?name$/.test(args[i - 1]?.text ?? '') || /^(?:!|-not)$/.test(args[i - 2]?.text ?? '')) return false;
    const marks = globMarks(text);
    if (hasUnknown(marks) || matchesEverything(marks)) return false;
    return KEYS.some((key) => (hasGlob(marks) ? couldBe(marks, key) : marks === key));
  });
}
