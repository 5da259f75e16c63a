import type { Path } from './paths.ts';
import { formatPath, isNamed, resolvePath } from './paths.ts';
import type { Standing } from './state.ts';

/** Where a path leads that goes through a name this text linked to a device: the gate looked for links before there were any. */
export function throughLinks(path: Path, { files }: Standing): Path {
  if (files.size === 0 || !isNamed(path)) return path;
  for (let depth = path.parts.length; depth > 0; depth--) {
    const link = files.get(formatPath({ ...path, parts: path.parts.slice(0, depth) }))?.link;
    if (link !== undefined) return resolvePath([link, ...path.parts.slice(depth)].join('/'), null);
  }
  return path;
}
