import type { Facts } from '../analysis.ts';
import { foldedFacts, foldedPath, folds } from './folding.ts';
import { globbed } from './glob-match.ts';
import { isOwnSecret, ownPlace } from './own-places.ts';
import type { Path } from './paths.ts';
import { splitPath } from './paths.ts';
import { secretAt } from './places.ts';
import { TAINT } from './taint.ts';

/** Whether a file is among those that are read, by its parts below the root of the reading. */
export type Admits = (below: readonly string[]) => boolean;

export const ALL: Admits = () => true;

/** Whose secrets a reading of a whole tree takes in; null: none that is known. */
export interface Hoard {
  /** hermod's own. */
  readonly own: boolean;
  readonly what: string;
}

interface Known extends Hoard {
  readonly parts: readonly string[];
}

/** Below hermod's home. */
const OWN = [
  '.env',
  'config.yaml',
  'memory/notes.md',
  'run/daemon.json',
  'hermod.db',
  'hermod.db-wal',
  'backups/backup.tar.gz',
  'results/result.json',
  'undo/undo.json',
];

/** Below any home: one file that stands for each usual place. Parts are parted by `/`, what they hold stands behind. */
const HOME: Readonly<Record<string, readonly string[]>> = {
  'ssh keys': ['.ssh/id_rsa', '.ssh/id_ed25519', '.ssh/id_ecdsa', '.putty/key.ppk'],
  'stored logins': ['.netrc', '.pgpass', '.my.cnf', '.git-credentials', '.s3cfg', '.vault-token', '.pypirc', '.npmrc'],
  'stored credentials': [
    '.aws/credentials',
    '.azure/msal_token_cache.json',
    '.kube/config',
    '.docker/config.json',
    '.gnupg/private-keys-v1.d/0.key',
    '.password-store/mail.gpg',
    '.config/gh/hosts.yml',
    '.config/gcloud/credentials.db',
    '.config/gcloud/application_default_credentials.json',
    '.config/rclone/rclone.conf',
    '.config/google-chrome/Default/Cookies',
    '.config/chromium/Default/Cookies',
    '.local/share/keyrings/login.keyring',
    '.mozilla/firefox/default/logins.json',
    '.cargo/credentials.toml',
    '.m2/settings.xml',
    '.terraform.d/credentials.tfrc.json',
    'Library/Keychains/login.keychain-db',
  ],
};

/** Only root can read them, so they count only where it is root who reads. */
const SYSTEM: readonly (readonly [path: string, what: string])[] = [
  ['/etc/shadow', 'password hashes'],
  ['/etc/ssl/private/server.key', 'private keys'],
  ['/etc/ssh/ssh_host_ed25519_key', 'private keys'],
  ['/root/.ssh/id_rsa', 'ssh keys'],
  ['/root/.aws/credentials', 'stored credentials'],
  ['/run/secrets/secret', 'mounted secrets'],
];

/** What a reading of everything at and below `path` takes in, hermod's own first. */
export function hoardsBelow(path: Path, facts: Facts, root = false, admits: Admits = ALL): readonly Hoard[] {
  return folds(facts) ? below(foldedPath(path), foldedFacts(facts), root, admits) : below(path, facts, root, admits);
}

function below(path: Path, facts: Facts, root: boolean, admits: Admits): readonly Hoard[] {
  if (!path.absolute) return [];
  const found = new Map<boolean, Hoard>();
  let inside = false;
  for (const known of knownFiles(facts, root)) {
    if (found.has(known.own) || !leadsTo(path.parts, known.parts)) continue;
    inside = true;
    if (admits(known.parts.slice(path.parts.length))) found.set(known.own, known);
  }
  if (!inside) for (const hoard of atPath(path, facts)) found.set(hoard.own, hoard);
  return [...found.values()].sort((a, b) => Number(b.own) - Number(a.own));
}

/** As `hoardsBelow`, as taint of text that lists what is there. */
export function hoardTaint(path: Path, facts: Facts, root = false, admits: Admits = ALL): number {
  return hoardsBelow(path, facts, root, admits).reduce(
    (all, { own }) => all | (own ? TAINT.ownNames : TAINT.secretNames),
    0,
  );
}

/** The path is itself such a place, or in one. */
function atPath(path: Path, facts: Facts): readonly Hoard[] {
  const own = ownPlace(path, facts);
  if (own !== null && isOwnSecret(own)) return [{ own: true, what: 'its secrets' }];
  const what = secretAt(path, facts);
  return what === null ? [] : [{ own: false, what }];
}

function leadsTo(parts: readonly string[], file: readonly string[]): boolean {
  return parts.length <= file.length && parts.every((part, i) => globbed(part, file[i] as string));
}

const cache = new WeakMap<Facts, readonly [plain: readonly Known[], root: readonly Known[]]>();

function knownFiles(facts: Facts, root: boolean): readonly Known[] {
  const before = cache.get(facts) ?? collect(facts);
  cache.set(facts, before);
  return before[root || facts.user === 'root' ? 1 : 0];
}

function collect(facts: Facts): readonly [readonly Known[], readonly Known[]] {
  const home = Object.entries(HOME).flatMap(([what, files]) =>
    files
      .filter((file) => facts.os === 'darwin' || !file.startsWith('Library/'))
      .map((file) => at(facts.home, file, false, what, folds(facts))),
  );
  const own = OWN.map((file) => at(facts.hermodHome, file, true, 'its secrets', folds(facts))).filter(
    ({ parts }) => ownPlace({ absolute: true, parts }, facts) !== null,
  );
  const plain = [...own, ...home];
  return [plain, [...plain, ...SYSTEM.map(([file, what]) => at(file, '', false, what))]];
}

function at(folder: string, file: string, own: boolean, what: string, fold = false): Known {
  const parts = [...splitPath(folder), ...splitPath(file)];
  return { own, what, parts: fold ? parts.map((part) => part.toLowerCase()) : parts };
}
