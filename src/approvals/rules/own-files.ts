import type { Facts } from '../analysis.ts';
import type { Call } from '../shell/call.ts';
import { optionsOf, pathsOf } from '../shell/call.ts';
import { charClass, hasOneOf } from '../shell/char-class.ts';
import { deletesFound, findRoots } from '../shell/find-words.ts';
import { isLocal } from '../shell/listings.ts';
import { hasGlob } from '../shell/marks.ts';
import { isOwn, isOwnProgram, isOwnSecret, ownPlace } from '../shell/own-places.ts';
import type { Path } from '../shell/paths.ts';
import { isAbove } from '../shell/paths.ts';
import { asksHelp, fieldHit } from './matching.ts';
import { knownReads, READING_PROGRAMS } from './read-targets.ts';
import type { Hit, Rule } from './rule.ts';
import type { Target } from './targets.ts';
import { RM_OPTIONS, targetsOf } from './targets.ts';
import { hoardHits, TREE_PROGRAMS } from './tree-reads.ts';
import { WRITING_PROGRAMS, writeTargets } from './write-targets.ts';

const REMOVERS = new Set(['rm', 'unlink', 'shred', 'rmdir', 'srm', 'rimraf', 'find', 'mv', 'trash']);

const DATABASES = new Set(['sqlite3', 'duckdb', 'litecli', 'sqlitebrowser', 'litestream']);

/** Writes and removals in hermod's own folder, and reads of what is secret there. */
function touchesOwn(call: Call): Hit {
  if (asksHelp(call)) return false;
  for (const { field, path } of writeTargets(call)) if (isOwn(path, call.facts)) return fieldHit(field);
  for (const { field, path } of removed(call)) {
    if (isOwn(path, call.facts) || (holdsOwn(path, call.facts) && call.program !== 'find')) return fieldHit(field);
  }
  const hoard = hoardHits(call).find(({ own }) => own);
  if (hoard) return fieldHit(hoard.field, "reads a whole tree with hermod's secrets in it");
  const ownSecret = ({ path }: Target) => isOwnSecretPath(path, call.facts);
  const read =
    knownReads(call).find(ownSecret) ??
    (DATABASES.has(call.program) ? targetsOf(call, call.args).find(ownSecret) : undefined);
  return read ? fieldHit(read.field, "reads hermod's secrets, configuration or database") : false;
}

function isOwnSecretPath(path: Path, facts: Facts): boolean {
  const name = ownPlace(path, facts);
  return name !== null && isOwnSecret(name);
}

function holdsOwn(path: Path, { hermodHome, installation }: Facts): boolean {
  return isAbove(path, hermodHome) || (installation !== undefined && isAbove(path, installation));
}

/** Verbs that put other files in the place of those of a folder. */
const GIT_CHANGES =
  /^(?:pull|checkout|switch|reset|merge|rebase|apply|am|restore|revert|cherry-pick|stash|clean|rm|mv)$/;
const PACKAGE_CHANGES =
  /^(?:i|in|ins|inst|install|ci|clean-install|add|update|up|upgrade|uninstall|un|remove|rm|link|dedupe|prune|rebuild|pkg|version|set-script)$/;

/** `git pull`, `npm install` where hermod's own program lies, `git checkout` in its home. */
function changesProgram(call: Call): Hit {
  if (asksHelp(call)) return false;
  const options = optionsOf(call, 'C|prefix|dir|cwd: c: git-dir: work-tree: w|workspace:', { stop: true });
  const verb = options.operands[0];
  if (!verb || !(call.program === 'git' ? GIT_CHANGES : PACKAGE_CHANGES).test(verb.text)) return false;
  const folder = options.value('C') ?? options.value('work-tree') ?? { ...verb, text: '.' };
  const places = pathsOf(call, folder);
  if (places.some((path) => isOwnProgram(path, call.facts))) return fieldHit(verb);
  return call.program === 'git' && places.some((path) => ownPlace(path, call.facts) !== null)
    ? fieldHit(verb, "changes hermod's own files")
    : false;
}

const NOTHING: readonly Target[] = [];

function removed(call: Call): readonly Target[] {
  if (!REMOVERS.has(call.program)) return NOTHING;
  if (call.program === 'find') return deletesFound(call) ? targetsOf(call, findRoots(call)) : NOTHING;
  return targetsOf(call, optionsOf(call, RM_OPTIONS).operands);
}

/** Programs that look at names, sizes and dates, and words that are only printed. */
const NAMERS = new Set(
  'ls stat test [ file du df wc md5sum sha1sum sha224sum sha256sum sha512sum b2sum cksum sum echo printf realpath readlink basename dirname tree eza exa lsd getfacl namei chmod chown cd pushd which type command find fd hermod hermes export declare local readonly alias lsof fuser inotifywait git :'.split(
    ' ',
  ),
);

/** A file of names, whose lines come out as errors. */
function readsList(call: Call): boolean {
  return call.args.some(
    ({ text }) => /^--files(?:0)?-from/.test(text) || (call.program === 'file' && /^(?:-f|--files-from)/.test(text)),
  );
}

/** Programs whose words are statements with names of files in them. */
const STATEMENTS = new Set(
  'psql mysql sqlite3 duckdb mongosh redis-cli clickhouse-client clickhouse cqlsh influx sqlcmd trino presto'.split(
    ' ',
  ),
);

const MENTIONS =
  /\.env|config\.yaml|hermod\.(?:db|lock)|daemon\.json|\.bak-|(?:^|[/=:@,])(?:run|backups|results|memory|undo)(?:\/|$)/;

/** What each of these mentions has in it, or is. */
const MENTIONING = charClass('./=:@,');
const FOLDERS = new Set(['run', 'backups', 'results', 'memory', 'undo']);

function mentions(text: string): boolean {
  return (hasOneOf(text, MENTIONING) || FOLDERS.has(text)) && MENTIONS.test(text);
}

/** A file of hermod's secrets given to a program, whatever it is: what it does with it nobody can tell. */
function namesOwnSecret(call: Call): Hit {
  if ((NAMERS.has(call.program) && !readsList(call)) || !isLocal(call)) return false;
  for (const field of call.args) {
    if (field.text.length < 3 || (!mentions(field.text) && !(hasGlob(field.text) && field.text.includes('.'))))
      continue;
    const apart = STATEMENTS.has(call.program) ? /[\s=:@,;?'"()]/ : /[=:@,?]/;
    for (const text of new Set([field.text, ...field.text.split(apart)])) {
      if (!mentions(text) && !hasGlob(text)) continue;
      if (pathsOf(call, { ...field, text }).some((path) => isOwnSecret(ownPlace(path, call.facts) ?? '')))
        return fieldHit(field);
    }
  }
  return false;
}

export const ownFileRules: readonly Rule[] = [
  {
    id: 'self.files',
    grade: 'dangerous',
    programs: [...new Set([...WRITING_PROGRAMS, ...READING_PROGRAMS, ...TREE_PROGRAMS, ...REMOVERS, ...DATABASES])],
    decorated: true,
    test: touchesOwn,
    why: "changes hermod's own files",
    personOnly: true,
    match: [
      'sed -i s/deny/approve/ ~/.hermod/config.yaml',
      'rm ~/.hermod/hermod.db',
      'cat ~/.hermod/.env',
      'cat ../config.yaml',
      'cp x ~/.hermod/scripts/a',
      'sqlite3 ~/.hermod/hermod.db "select 1"',
      'rm -rf ..',
      'tar cf - .. | base64',
      'grep -r TOKEN ..',
      'find .. -type f | xargs cat',
      'cat $(find ~ -name .env)',
      'cd .. && zip -r /tmp/x.zip .',
      'echo x >> /opt/hermod/src/approvals/decide.ts',
      'sed -i s/ask/allow/ /opt/hermod/src/approvals/decide.ts',
      'git log --output=/opt/hermod/src/main.ts',
      'rm -rf /opt',
    ],
    notMatch: [
      'cat ~/.hermes/config.yaml',
      'ls ~/.hermod',
      'echo x > ~/.hermod/workspace/a',
      'tail ~/.hermod/logs/hermod.jsonl',
      'rm a.txt',
      'grep -r TOKEN .',
      'find .. -name "*.log" | xargs cat',
      'ls -R ..',
      'tar czf x.tgz src',
      'cat /opt/hermod/src/main.ts',
      'echo x > src/main.ts',
      'git log --output=log.txt',
    ],
  },
  {
    id: 'self.program',
    grade: 'dangerous',
    programs: ['git', 'npm', 'pnpm', 'yarn', 'bun'],
    test: changesProgram,
    why: "changes hermod's own program",
    personOnly: true,
    match: [
      'git -C /opt/hermod pull',
      'cd /opt/hermod && npm install x',
      'npm --prefix /opt/hermod ci',
      'git -C ~/.hermod checkout -- config.yaml',
    ],
    notMatch: [
      'git pull',
      'npm install',
      'git -C /opt/hermod log',
      'cd /opt/hermod && npm test',
      'git -C ~/.hermod status',
      'git -C ~/.hermod/workspace pull',
    ],
  },
  {
    id: 'self.secrets',
    grade: 'dangerous',
    programs: '*',
    test: namesOwnSecret,
    why: "gives hermod's secrets, configuration or database to a program",
    personOnly: true,
    match: [
      'espeak -f ../.env',
      'dotenv -f ../.env env',
      'docker run --env-file ../.env alpine env',
      'node --env-file=../.env -p process.env',
      'perl -ne print ../run/daemon.json',
      'node -e "console.log(require(\'../run/daemon.json\').token)"',
      'Rscript -e \'cat(readLines("../.env"))\'',
      'curl -F f=@../hermod.db http://localhost/',
    ],
    notMatch: [
      'ls -la ../.env',
      'test -f ../.env',
      'sha256sum ../hermod.db',
      'dotenv -f .env env',
      'docker run --env-file .env alpine env',
      'npm run build -- run/x',
      'python3 -c "print(open(\'.env\').read())"',
      'node -e "console.log(\'.env\')"',
    ],
  },
];
