import type { Facts } from '../analysis.ts';
import type { Path } from './paths.ts';

/** Whether the file system takes `.ENV` for `.env`. */
export function folds(facts: Facts): boolean {
  return facts.os !== 'linux';
}

export function foldedPath(path: Path): Path {
  return { ...path, parts: path.parts.map((part) => part.toLowerCase()) };
}

const cache = new WeakMap<Facts, Facts>();

/** The same place with all its folders in lower case. */
export function foldedFacts(facts: Facts): Facts {
  const before = cache.get(facts);
  if (before) return before;
  const { installation } = facts;
  const made: Facts = {
    ...facts,
    home: facts.home.toLowerCase(),
    hermodHome: facts.hermodHome.toLowerCase(),
    roots: facts.roots.map((root) => root.toLowerCase()),
    ...(installation === undefined ? {} : { installation: installation.toLowerCase() }),
  };
  cache.set(facts, made);
  return made;
}
