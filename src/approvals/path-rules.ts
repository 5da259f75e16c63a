import type { Finding, PathUse } from '../contract/tool.ts';
import type { Facts } from './analysis.ts';
import { ruleBook } from './rules/all.ts';
import { isOwn, isOwnSecret, ownPlace } from './shell/own-places.ts';
import type { Path } from './shell/paths.ts';
import { isBlockDevice, resolvePath } from './shell/paths.ts';
import { isEnvFile, protectedPlace, secretAt } from './shell/places.ts';

/**
 * Paths a tool reads or writes, graded by the rules that shell commands meet. Whether they lie in the work roots is the gate's
 * question (`files.outside`). Pure; spans cover the path as given.
 */
export function gradePaths(uses: readonly PathUse[], facts: Facts): readonly Finding[] {
  const found = uses.flatMap((use) => gradeOne(use, facts));
  return found.sort((a, b) => Number(b.grade === 'hardline') - Number(a.grade === 'hardline'));
}

function gradeOne({ path: text, use }: PathUse, facts: Facts): readonly Finding[] {
  const path = resolvePath(text === '~' || text.startsWith('~/') ? facts.home + text.slice(1) : text, facts.cwd);
  const span = [0, text.length] as const;
  return (use === 'write' ? writeFindings(path, facts) : readFindings(path, facts)).map(([id, why]) =>
    make(id, span, why),
  );
}

type Named = readonly [id: string, why: string];

function writeFindings(path: Path, facts: Facts): readonly Named[] {
  if (isBlockDevice(path)) return [['disk.write', 'writes over a whole disk or partition']];
  const out: Named[] = [];
  if (isOwn(path, facts)) out.push(['self.files', "changes hermod's own files"]);
  const place = protectedPlace(path, facts);
  if (place) out.push(['fs.protected', `changes ${place.what}`]);
  return out;
}

function readFindings(path: Path, facts: Facts): readonly Named[] {
  const own = ownPlace(path, facts);
  if (own !== null && isOwnSecret(own)) return [['self.files', "reads hermod's secrets, configuration or database"]];
  const secret = secretAt(path, facts);
  if (secret !== null) return [['secret.read', `reads ${secret}`]];
  return isBlockDevice(path) && !isEnvFile(path) ? [['disk.image', 'reads a whole disk, with everything on it']] : [];
}

function make(id: string, span: readonly [number, number], why: string): Finding {
  const rule = ruleBook.byId.get(id);
  return {
    rule: id,
    grade: rule?.grade ?? 'dangerous',
    span,
    why,
    personOnly: rule?.personOnly === true,
    smart: rule?.smart === true,
  };
}
