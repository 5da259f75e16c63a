import type { Finding, PathUse } from '../contract/tool.ts';
import type { Detector, Facts } from './analysis.ts';
import { outsideFinding } from './own-findings.ts';
import { absolutePath, type RealPath } from './real-paths.ts';

export interface PathPlace {
  readonly facts: Facts;
  readonly readOutside: boolean;
  readonly realPath: RealPath;
}

/**
 * What the paths of a tool call mean: each is judged as it was given and as it really is, so a link only makes it stricter. A
 * rule is told once; spans lie in `text`, where the path stands in it.
 */
export async function pathFindings(
  uses: readonly PathUse[],
  text: string,
  detector: Pick<Detector, 'gradePaths'>,
  place: PathPlace,
): Promise<readonly Finding[]> {
  const found = new Map<string, Finding>();
  for (const { path, use } of uses) {
    const span = spanOf(path, text);
    for (const real of await bothPaths(path, place)) {
      const outside = outsideFinding({ path: real, use }, text, { ...place, roots: place.facts.roots });
      const graded = detector.gradePaths([{ path: real, use }], place.facts);
      for (const finding of outside ? [...graded, outside] : graded) {
        if (!found.has(finding.rule)) found.set(finding.rule, { ...finding, span });
      }
    }
  }
  return [...found.values()];
}

/** As given, and where that leads. */
async function bothPaths(path: string, { facts, realPath }: PathPlace): Promise<readonly string[]> {
  const given = absolutePath(path, facts.cwd, facts.home);
  const real = await realPath(given);
  return real === given ? [given] : [given, real];
}

function spanOf(path: string, text: string): readonly [number, number] {
  const at = text.indexOf(path);
  return at < 0 ? [0, text.length] : [at, at + path.length];
}
