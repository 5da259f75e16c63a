import type { Facts } from '../analysis.ts';
import { couldBe, matchesEverything, matchesParent, mightBe } from './glob-match.ts';
import { hasUnknown, isKnown, UNKNOWN } from './marks.ts';

/**
 * A path as components, each of which may hold marks. `absolute` false: what stands before the first component is unknown.
 * Windows paths have the drive as their first component, in lower case (`c:`).
 */
export interface Path {
  readonly absolute: boolean;
  readonly parts: readonly string[];
}

const DRIVE = /^[A-Za-z]:(?=[\\/]|$)/;
const COLON = 58;

/** Normalises a word against the folder it is used in. Never looks at a disk. */
export function resolvePath(text: string, cwd: string | null): Path {
  const windows = windowsPath(text);
  if (windows) return windows;
  if (text.startsWith('/')) return text.startsWith('/proc/') ? throughProc(text, cwd) : normalise(true, [], text);
  if (text.startsWith(UNKNOWN)) return normalise(false, [], text);
  if (cwd === null) return normalise(false, [], text);
  if (cwd.startsWith(UNKNOWN)) return normalise(false, splitPath(cwd).slice(1), text);
  return normalise(true, splitPath(cwd), text);
}

/** `/proc/<pid>/root` is the root folder again, `/proc/self/cwd` the folder a command runs in. */
function throughProc(text: string, cwd: string | null): Path {
  const match = /^\/+proc\/+([^/]+)\/+(?:task\/+[^/]+\/+)?(root|cwd)(?=\/|$)(.*)$/s.exec(text);
  if (!match) return normalise(true, [], text);
  const [, pid, link, rest = ''] = match;
  if (link === 'root') return resolvePath(`/${rest}`, cwd);
  return /^(?:self|thread-self|\d+|\uE000)$/.test(pid as string) && cwd !== null && !cwd.startsWith('/proc/')
    ? resolvePath(`.${rest}`, cwd)
    : normalise(true, [], text);
}

export function formatPath(path: Path): string {
  const joined = path.parts.join('/');
  if (!path.absolute) return `${UNKNOWN}/${joined}`;
  return isDrive(path.parts[0]) ? joined : `/${joined}`;
}

function isDrive(part: string | undefined): boolean {
  return part?.charCodeAt(1) === COLON && /^[a-z]:$/.test(part);
}

function windowsPath(text: string): Path | null {
  if (text.charCodeAt(1) !== COLON || !DRIVE.test(text)) return null;
  return normalise(true, [text.slice(0, 2).toLowerCase()], text.slice(2).replaceAll('\\', '/').toLowerCase());
}

export function splitPath(path: string): readonly string[] {
  const before = split.get(path);
  if (before) return before;
  const parts = path.split('/').filter((part) => part !== '');
  if (split.size < MAX_SPLIT && path.length < 128) split.set(path, parts);
  return parts;
}

/** Folders of the rules and of the facts are taken apart again and again. */
const split = new Map<string, readonly string[]>();
const MAX_SPLIT = 4_000;

function normalise(absolute: boolean, base: readonly string[], text: string): Path {
  let known = absolute;
  const parts = [...base];
  for (const part of text.includes('/') ? text.split('/') : [text]) {
    if (part === '.' || part === '') continue;
    if (part === '..') {
      const top = parts.pop();
      if (top !== undefined && hasUnknown(top)) {
        known = false;
        parts.length = 0;
      }
    } else if (part === UNKNOWN && parts.length === 0 && !known) continue;
    else parts.push(part);
  }
  return { absolute: known, parts };
}

/** Whether the path itself is known to the last character. */
export function isPlain(path: Path): boolean {
  return path.absolute && path.parts.every(isKnown);
}

/** Whether the text says which file it is, though perhaps not in which folder: what one part writes another can run. */
export function isNamed(path: Path): boolean {
  return path.parts.length > 0 && path.parts.every(isKnown);
}

/** Whether any part is only known when it runs. */
export function isUnknownPath(path: Path): boolean {
  return !path.absolute || path.parts.some(hasUnknown);
}

export function basenameOf(path: Path): string {
  return path.parts.at(-1) ?? '';
}

/** Whether the path is `folder` or lies below it, whatever its unknown parts are. */
export function isWithin(path: Path, folder: string): boolean {
  const wanted = splitPath(folder);
  return path.absolute && path.parts.length >= wanted.length && wanted.every((part, i) => path.parts[i] === part);
}

/** Whether the path could be `folder` or lie below it. */
export function couldBeWithin(path: Path, folder: string): boolean {
  const wanted = splitPath(folder);
  return (
    path.absolute &&
    path.parts.length >= wanted.length &&
    wanted.every((part, i) => couldBe(path.parts[i] as string, part))
  );
}

/** Whether the path is a folder above `inner`, so that what happens to it happens to `inner` too. */
export function isAbove(path: Path, inner: string): boolean {
  const wanted = splitPath(inner);
  return (
    path.absolute &&
    path.parts.length < wanted.length &&
    path.parts.every((part, i) => couldBe(part, wanted[i] as string))
  );
}

/** Whether a known path lies in a work root and nothing in it is left open. */
export function isInRoots(path: Path, facts: Facts): boolean {
  return (
    isPlain(path) && facts.roots.some((root) => isWithin(path, root) && splitPath(root).length < path.parts.length)
  );
}

/** As `isInRoots`, but globs and unknown tails below the root count, and so does the root itself. */
export function staysInRoots(path: Path, facts: Facts): boolean {
  if (path.parts.some((part) => hasUnknown(part) || matchesParent(part))) return false;
  return facts.roots.some((root) => isWithin(path, root));
}

const TOP = new Set([
  'bin',
  'boot',
  'etc',
  'home',
  'opt',
  'root',
  'sbin',
  'usr',
  'var',
  'lib',
  'lib32',
  'lib64',
  'libx32',
  'libexec',
]);
const MAC = new Set(['System', 'Library', 'Applications', 'Users', 'private', 'cores', 'Volumes']);
const EXACT = new Set([...TOP, ...MAC]);
const FOLDED = new Set([...EXACT].map((name) => name.toLowerCase()));
const MAC_PRIVATE = new Set(['etc', 'var']);
const WINDOWS = new Set(['windows', 'users', 'program files', 'program files (x86)', 'programdata']);
const HOMES = ['home', 'Users'];

/** Roots whose loss has no way back: `/`, the system's folders, any home. Each also as `folder/*`. */
export function isProtectedRoot(path: Path, facts: Facts): boolean {
  if (!path.absolute) return false;
  const parts = path.parts.filter((part) => !/^\uE001{2,}$/.test(part));
  if (parts.length < path.parts.length && isRoot(parts, facts)) return true;
  if (isRoot(parts, facts)) return true;
  const last = parts.at(-1);
  if (last === undefined) return false;
  if (matchesEverything(last)) return isRoot(parts.slice(0, -1), facts);
  return matchesParent(last) && (isRoot(parts.slice(0, -1), facts) || isRoot(parts.slice(0, -2), facts));
}

/** Names of folders fold where the file system takes `/ETC` for `/etc`. */
function isRoot(written: readonly string[], facts: Facts): boolean {
  const folds = facts.os !== 'linux';
  const parts = folds ? written.map((part) => part.toLowerCase()) : written;
  const [first, second] = parts;
  if (first === undefined) return true;
  if (isDrive(first)) return isWindowsRoot(parts);
  if (parts.length === 1) return anyOf(folds ? FOLDED : EXACT, first);
  if (parts.length === 2 && second) {
    if (HOMES.some((home) => couldBe(first, folds ? home.toLowerCase() : home)) && !hasUnknown(second))
      return !/^shared$/i.test(second);
    if (couldBe(first, 'private')) return anyOf(MAC_PRIVATE, second);
    if (folds && first === 'var') return second === 'root';
  }
  const home = splitPath(folds ? facts.home.toLowerCase() : facts.home);
  return home.length > 0 && parts.length === home.length && home.every((part, i) => couldBe(parts[i] as string, part));
}

function isWindowsRoot(parts: readonly string[]): boolean {
  if (parts.length === 1) return true;
  const top = parts[1] as string;
  if (parts.length === 2) return anyOf(WINDOWS, top) || matchesEverything(top) || top === '*' || top === '*.*';
  return parts.length === 3 && top === 'users';
}

function anyOf(names: ReadonlySet<string>, part: string): boolean {
  if (isKnown(part)) return names.has(part);
  for (const name of names) if (couldBe(part, name)) return true;
  return false;
}

/** The path below the home it lies in (`.ssh/config`), or null. An unknown beginning counts: `$X/.ssh/config`. */
export function belowHome(path: Path, facts: Facts): readonly string[] | null {
  if (!path.absolute) return path.parts;
  const home = splitPath(facts.home);
  if (
    path.parts.length > home.length &&
    home.length > 0 &&
    home.every((part, i) => couldBe(path.parts[i] as string, part))
  )
    return path.parts.slice(home.length);
  const [first, second] = path.parts;
  if (first === 'root' && path.parts.length > 1) return path.parts.slice(1);
  if (path.parts.length > 2 && second !== undefined && HOMES.some((name) => couldBe(first as string, name)))
    return path.parts.slice(2);
  return null;
}

/** Whether the components could spell `wanted` from their beginning. */
export function startsLike(parts: readonly string[], wanted: readonly string[]): boolean {
  return parts.length >= wanted.length && wanted.every((part, i) => mightBeName(parts[i] as string, part));
}

function mightBeName(part: string, name: string): boolean {
  return hasUnknown(part) ? part !== UNKNOWN && mightBe(part, name) : couldBe(part, name);
}

const BLOCK =
  /^(?:sd[a-z]+\d*|hd[a-z]+\d*|vd[a-z]+\d*|xvd[a-z]+\d*|nvme\d+(?:n\d+(?:p\d+)?)?|mmcblk\d+(?:p\d+|boot\d+)?|r?disk\d+(?:s\d+)?|loop\d+(?:p\d+)?|md\d+(?:p\d+)?|dm-\d+|sr\d+|nbd\d+|zd\d+|ram\d+|zram\d+|pmem\d+|bcache\d+|drbd\d+|ada\d+\w*|da\d+\w*|nvd\d+\w*|vtbd\d+\w*|fd\d+|mem|kmem|port)$/;
const BLOCK_SAMPLES = ['sda', 'sda1', 'sdb', 'nvme0n1', 'vda', 'hda', 'mmcblk0', 'disk0', 'disk2'];
const BLOCK_FOLDERS = new Set(['disk', 'mapper', 'block', 'vg', 'md', 'zvol']);

/** A block device, or memory: what is written there replaces a whole disk. */
export function isBlockDevice(path: Path): boolean {
  const [top, name, ...rest] = path.parts;
  if (path.absolute && (top === undefined || !couldBe(top, 'dev') || name === undefined)) return false;
  if (!path.absolute) return top === 'dev' && name !== undefined && rest.length === 0 && BLOCK.test(name);
  if (rest.length > 0)
    return (
      BLOCK_FOLDERS.has(name as string) ||
      /^(?:vg|ubuntu-vg|centos|rhel|fedora|pve|data|debian-vg|system|volgroup)\w*$/.test(name as string)
    );
  const node = name as string;
  if (isKnown(node)) return BLOCK.test(node);
  if (hasUnknown(node)) return /^(?:sd|hd|vd|xvd|nvme|mmcblk|r?disk|md|dm-)/.test(node);
  return BLOCK_SAMPLES.some((sample) => couldBe(node, sample));
}
