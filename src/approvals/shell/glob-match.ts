import { ANY, CLOSE, hasGlob, isKnown, isMark, OPEN, STAR, UNKNOWN } from './marks.ts';

type Atom =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | { readonly kind: 'set'; readonly set: string };

/** Whether a pattern of marks could stand for `name`. Unknown parts never count as a match: they are judged elsewhere. */
export function couldBe(pattern: string, name: string): boolean {
  if (beginsOtherwise(pattern, name)) return false;
  if (isKnown(pattern)) return pattern === name;
  if (pattern.includes(UNKNOWN) || !isShortEnough(pattern, name)) return false;
  return matchAtoms(atoms(pattern), name);
}

/** As the shell matches names of files: a pattern takes in a leading dot only where it begins with one. */
export function globbed(pattern: string, name: string): boolean {
  if (isKnown(pattern)) return pattern === name;
  return (pattern.startsWith('.') || !name.startsWith('.')) && couldBe(pattern, name);
}

/** As `couldBe`, but unknown parts count as any string. */
export function mightBe(pattern: string, name: string): boolean {
  if (beginsOtherwise(pattern, name)) return false;
  if (isKnown(pattern)) return pattern === name;
  if (!isShortEnough(pattern, name)) return false;
  return matchAtoms(atoms(pattern.replaceAll(UNKNOWN, STAR)), name);
}

/** A first character that is fixed settles most questions. */
function beginsOtherwise(pattern: string, name: string): boolean {
  const first = pattern.charCodeAt(0);
  return first !== name.charCodeAt(0) && !isMark(first) && pattern !== '';
}

/** A pattern with more fixed characters than the name has cannot stand for it. */
function isShortEnough(pattern: string, name: string): boolean {
  let fixed = 0;
  for (const char of pattern) {
    if (char === OPEN) return true;
    if (char !== STAR && char !== UNKNOWN && ++fixed > name.length) return false;
  }
  return true;
}

/** Whether a glob takes in more or less every name in a folder, as `*` does. */
export function matchesEverything(pattern: string): boolean {
  return hasGlob(pattern) && ['a', 'Zz-9', 'q_.w'].every((name) => couldBe(pattern, name));
}

/** Whether a glob that begins with a dot could stand for `..`, as `.*` does. */
export function matchesParent(pattern: string): boolean {
  return pattern.startsWith('.') && hasGlob(pattern) && couldBe(pattern, '..');
}

function atoms(pattern: string): readonly Atom[] {
  const out: Atom[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i] as string;
    if (char === STAR) {
      if (out.at(-1)?.kind !== 'star') out.push({ kind: 'star' });
    } else if (char === ANY) out.push({ kind: 'any' });
    else if (char === OPEN) {
      const end = pattern.indexOf(CLOSE, i);
      out.push({ kind: 'set', set: pattern.slice(i + 1, end < 0 ? pattern.length : end) });
      i = end < 0 ? pattern.length : end;
    } else out.push({ kind: 'char', char });
  }
  return out;
}

/** The usual two-pointer wildcard match: no recursion, at most pattern times name steps. */
function matchAtoms(pattern: readonly Atom[], name: string): boolean {
  let p = 0;
  let n = 0;
  let star = -1;
  let mark = 0;
  while (n < name.length) {
    const atom = pattern[p];
    if (atom?.kind === 'star') {
      star = p++;
      mark = n;
    } else if (atom && matchOne(atom, name[n] as string)) {
      p++;
      n++;
    } else if (star >= 0) {
      p = star + 1;
      n = ++mark;
    } else return false;
  }
  while (pattern[p]?.kind === 'star') p++;
  return p === pattern.length;
}

function matchOne(atom: Atom, char: string): boolean {
  if (atom.kind === 'char') return atom.char === char;
  if (atom.kind === 'set') return inSet(atom.set, char);
  return true;
}

function inSet(set: string, char: string): boolean {
  const negated = set[0] === '!' || set[0] === '^';
  const body = negated ? set.slice(1) : set;
  if (body.includes('[:')) return true;
  let found = false;
  for (let i = 0; i < body.length && !found; i++) {
    const from = body[i] as string;
    const to = body[i + 1] === '-' ? body[i + 2] : undefined;
    if (to === undefined) found = from === char;
    else {
      found = char >= from && char <= to;
      i += 2;
    }
  }
  return found !== negated;
}
