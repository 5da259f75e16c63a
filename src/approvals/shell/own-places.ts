import type { Facts } from '../analysis.ts';
import { foldedFacts, foldedPath, folds } from './folding.ts';
import { couldBe } from './glob-match.ts';
import { isKnown } from './marks.ts';
import type { Path } from './paths.ts';
import { couldBeWithin, isAbove, isWithin, resolvePath, splitPath } from './paths.ts';

/** hermod's own part of the disk that a path touches: its home but the work roots in it. */
export function ownPlace(path: Path, facts: Facts): string | null {
  return folds(facts) ? ownOf(foldedPath(path), foldedFacts(facts)) : ownOf(path, facts);
}

function ownOf(path: Path, facts: Facts): string | null {
  if (!path.absolute) return belowUnknown(path, facts);
  const home = splitPath(facts.hermodHome);
  if (facts.roots.some((root) => isWithin(path, root))) return null;
  if (path.parts.length < home.length || !home.every((part, i) => couldBe(path.parts[i] as string, part))) return null;
  return path.parts[home.length] ?? '';
}

/** `$X/.hermod/.env`: a hidden folder of that name is the same wherever it is seen from. */
function belowUnknown({ parts }: Path, facts: Facts): string | null {
  const home = splitPath(facts.hermodHome);
  const [folder, name = ''] = parts;
  if (folder === undefined || folder !== home.at(-1) || !folder.startsWith('.')) return null;
  const ours = { absolute: true, parts: [...home, name] };
  return facts.roots.some((root) => isWithin(ours, root)) ? null : name;
}

/** Whether a path lies in hermod's own program, but for work roots in there. */
export function isOwnProgram(written: Path, given: Facts): boolean {
  const [path, facts] = folds(given) ? [foldedPath(written), foldedFacts(given)] : [written, given];
  const { installation, roots } = facts;
  if (installation === undefined || !couldBeWithin(path, installation)) return false;
  const below = resolvePath(installation, null);
  return !roots.some((root) => isWithin(path, root) && isAbove(below, root));
}

/** Whether a change of this path changes hermod's own files. */
export function isOwn(path: Path, facts: Facts): boolean {
  return ownPlace(path, facts) !== null || isOwnProgram(path, facts);
}

/** What no tool opens either: secrets, policy, the daemon's state. */
const SEALED = [
  '.env',
  'config.yaml',
  'hermod.db',
  'hermod.db-wal',
  'hermod.db-shm',
  'hermod.lock',
  'backups',
  'run',
  'results',
  'memory',
  'undo',
];

/** Of these names below hermod's home the content is a secret or the daemon's state, so reading it counts too. */
export function isOwnSecret(name: string): boolean {
  if (isKnown(name)) return SEALED.includes(name) || name.startsWith('.env.') || /\.bak-/.test(name);
  return SEALED.some((sealed) => couldBe(name, sealed));
}
