import type { Call } from './call.ts';
import { hasArg, optionsOf, pathsOf, remember } from './call.ts';
import type { Field } from './field.ts';
import { literalField } from './field.ts';
import { findRoots } from './find-words.ts';
import { byName } from './lookup.ts';
import { both, foundBy, included, looksForKeys, unhidden } from './name-filters.ts';
import type { Admits } from './secret-trees.ts';
import { ALL, hoardTaint } from './secret-trees.ts';
import { TAINT } from './taint.ts';

/** Whether the call reads the files of this machine, and as root. */
export function isLocal(call: Call): boolean {
  return !call.frame.remote && (call.frame.container === null || call.frame.container.mounts.length > 0);
}

export function asRoot(call: Call): boolean {
  return call.frame.wrappers.some(({ identity }) => /^(?:sudo|doas|pkexec|run0|su|runuser):root/.test(identity ?? ''));
}

/** Taint of the names a program prints: secrets may be among them. Names alone are harmless; reading what they name is not. */
export function listedTaint(call: Call): number {
  const lister = isLocal(call) ? LISTERS.get(call.program) : undefined;
  return lister ? remember(call, listedTaint, () => lister(call)) : TAINT.none;
}

const LISTERS = byName<(call: Call) => number>({
  find: (call) => foundTaint(call, findRoots(call), (root) => foundBy(call.args, root), looksForKeys(call.args)),
  fd: (call) => {
    const options = optionsOf(call, FD);
    const hidden = options.has('H', 'u');
    const roots = [...options.operands.slice(1), ...options.values('search-path')];
    const name = options.operands[0]?.text ?? '';
    return foundTaint(
      call,
      orHere(call, roots),
      () => both(hidden ? ALL : unhidden, (below) => name === '' || fits(below, name)),
      /^\^?(?:id_(?:rsa|ed25519)|\.netrc)/.test(name),
    );
  },
  ls: (call) => {
    const options = optionsOf(call, LS);
    const hidden = options.has('a', 'A', 'f');
    const depth = options.has('d') ? 0 : options.has('R') ? Number.POSITIVE_INFINITY : 1;
    const shown: Admits = (below) => below.length <= depth && (hidden || unhidden(below));
    return foundTaint(call, orHere(call, options.operands), () => shown);
  },
  du: (call) =>
    hasArg(call, '-a', '--all') ? foundTaint(call, orHere(call, optionsOf(call, DU).operands), () => ALL) : TAINT.none,
  tree: (call) =>
    foundTaint(call, orHere(call, optionsOf(call, TREE).operands), () => (hasArg(call, '-a') ? ALL : unhidden)),
  rg: (call) => {
    const options = optionsOf(call, RG);
    if (!options.has('files')) return TAINT.none;
    return foundTaint(call, orHere(call, options.operands), () => ripgrepAdmits(call));
  },
  locate: (call) =>
    call.args.some(({ text }) => /id_rsa|id_ed25519|\.pem|\.key|\.ssh|credentials|\.env/.test(text))
      ? TAINT.secretNames
      : TAINT.none,
});

const FD =
  'H|hidden I|no-ignore u|unrestricted t|type: e|extension: d|max-depth: E|exclude: x|exec X|exec-batch search-path: s i g p a l 0 L';
const LS = 'a|all A|almost-all R|recursive d|directory f l h t r S 1 C x F G i n o p s color? sort: time: hide: I:';
const DU = 'a|all s|summarize h c d|max-depth: x k m exclude: t: b';
const TREE = 'a d f i L: P: I: o: H: T: p u g s h D C J X';
export const RG =
  'e|regexp: f|file: g|glob: iglob: t|type: T|type-not: A: B: C: m|max-count: u|unrestricted .|hidden files r|replace: n N i l c o w x F v S s z U P q a L I H p j: M: E: max-depth|d: sort: colors: color: pre: pre-glob: json stats no-ignore no-heading heading count files-with-matches ignore-file: type-add: max-filesize:';

/** rg leaves out hidden files unless told otherwise, here or by a second `u`. */
export function ripgrepAdmits(call: Call): Admits {
  const options = optionsOf(call, RG);
  const unrestricted = call.args.filter(({ text }) => /^-u+$/.test(text)).join('');
  const twice = call.args.reduce((all, { text }) => all + (/^-u+$/.test(text) ? text.length - 1 : 0), 0) >= 2;
  const hidden = options.has('.') || (unrestricted !== '' && twice);
  return both(hidden ? ALL : unhidden, included([...options.values('g'), ...options.values('iglob')]));
}

/** Roots, or the folder it runs in. */
export function orHere(call: Call, roots: readonly Field[]): readonly Field[] {
  return roots.length > 0 ? roots : [literalField('.', call.span)];
}

function fits(below: readonly string[], pattern: string): boolean {
  const plain = pattern.replace(/[\\^$.*+?()[\]{}|]+/g, ' ').trim();
  return plain === '' || plain.split(' ').every((piece) => (below.at(-1) ?? '').includes(piece));
}

function foundTaint(call: Call, roots: readonly Field[], admits: (root: string) => Admits, keys = false): number {
  let taint: number = keys ? TAINT.secretNames : TAINT.none;
  for (const root of roots) {
    for (const path of pathsOf(call, root))
      taint |= hoardTaint(path, call.facts, asRoot(call), admits(root.text.replace(/\/+$/, '')));
    taint |= root.taint & (TAINT.ownNames | TAINT.secretNames);
  }
  return taint;
}
