import type { Call } from '../shell/call.ts';
import { optionsOf } from '../shell/call.ts';
import { isAbove } from '../shell/paths.ts';
import { isOwnSecret, ownPlace } from '../shell/places.ts';
import { deletesFound, findRoots } from '../shell/wrappers/shells.ts';
import { asksHelp, fieldHit } from './matching.ts';
import type { Hit, Rule } from './rule.ts';
import { READING_PROGRAMS, RM_OPTIONS, readTargets, targetsOf, WRITING_PROGRAMS, writeTargets } from './targets.ts';

const REMOVERS = new Set(['rm', 'unlink', 'shred', 'rmdir', 'srm', 'rimraf', 'find', 'mv', 'trash']);

const DATABASES = new Set(['sqlite3', 'duckdb', 'litecli', 'sqlitebrowser', 'litestream']);

/** Writes and removals in hermod's own folder, and reads of what is secret there. */
function touchesOwn(call: Call): Hit {
  if (asksHelp(call)) return false;
  for (const { field, path } of writeTargets(call)) if (ownPlace(path, call.facts) !== null) return fieldHit(field);
  for (const { field, path } of removed(call)) {
    if (ownPlace(path, call.facts) !== null || (isAbove(path, call.facts.hermodHome) && call.program !== 'find'))
      return fieldHit(field);
  }
  for (const { field, path } of [
    ...readTargets(call),
    ...(DATABASES.has(call.program) ? targetsOf(call, call.args) : []),
  ]) {
    const name = ownPlace(path, call.facts);
    if (name !== null && isOwnSecret(name)) return fieldHit(field, "reads hermod's secrets or its database");
  }
  return false;
}

function removed(call: Call) {
  if (!REMOVERS.has(call.program)) return [];
  if (call.program === 'find') return deletesFound(call) ? targetsOf(call, findRoots(call)) : [];
  return targetsOf(call, optionsOf(call, RM_OPTIONS).operands);
}

export const ownFileRules: readonly Rule[] = [
  {
    id: 'self.files',
    grade: 'dangerous',
    programs: [...new Set([...WRITING_PROGRAMS, ...READING_PROGRAMS, ...REMOVERS, ...DATABASES])],
    decorated: true,
    test: touchesOwn,
    why: "changes hermod's own files",
    personOnly: true,
    match: [
      'sed -i s/deny/approve/ ~/.hermod/config.yaml',
      'rm ~/.hermod/hermod.db',
      'cat ~/.hermod/.env',
      'cp x ~/.hermod/scripts/a',
      'sqlite3 ~/.hermod/hermod.db "select 1"',
      'rm -rf ..',
    ],
    notMatch: [
      'cat ~/.hermod/config.yaml',
      'ls ~/.hermod',
      'echo x > ~/.hermod/workspace/a',
      'tail ~/.hermod/logs/hermod.jsonl',
      'rm a.txt',
    ],
  },
];
