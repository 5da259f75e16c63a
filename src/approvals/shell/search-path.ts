import type { LiveCall } from './call.ts';
import type { Field } from './field.ts';
import { isKnown } from './marks.ts';
import { formatPath, isNamed, resolvePath } from './paths.ts';
import { within } from './walker.ts';

/** Folders of people that are on most search paths. */
const USUAL = ['~/.local/bin', '~/bin', '/usr/local/bin'];
/** What runs programs of a project looks there first. */
const RUNNERS: ReadonlySet<string> = new Set(['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bun', 'bunx']);
const MAX_FOLDERS = 64;

/** The file that a bare program name stands for, where this text or this session wrote or fetched it onto the search path. */
export function fileOnPath(call: LiveCall): Field | undefined {
  const { files, fileNames } = call.state;
  if (!fileNames.has(call.argv0.text) && call.facts.fetched.length === 0) return undefined;
  if (call.frame.remote || call.frame.container || !isKnown(call.argv0.text)) return undefined;
  const name = placesOnPath(call).find((path) => files.has(path) || call.facts.fetched.includes(path));
  return name === undefined ? undefined : { ...call.argv0, raw: '', text: name };
}

function placesOnPath(call: LiveCall): readonly string[] {
  const { argv0, assignments, facts, state } = call;
  const given = assignments.findLast(([name]) => name === 'PATH');
  if (given?.[1] === null) return [...state.files.keys()].filter((path) => path.endsWith(`/${argv0.text}`));
  const values = given ? [given[1] as string] : (state.variable('PATH') ?? []).map(({ text }) => text);
  const folders = values.flatMap((value) => within(value.split(':'), MAX_FOLDERS)).filter(isKnown);
  const usual = USUAL.map((folder) => folder.replace('~', facts.home));
  const project = RUNNERS.has(call.frame.wrappers.at(-1)?.program ?? '') ? ['node_modules/.bin'] : [];
  return [...project, ...folders, ...usual].flatMap((folder) => {
    const path = `${folder === '' ? '.' : folder}/${argv0.text}`;
    return state.cwds
      .map((cwd) => resolvePath(path, cwd))
      .flatMap((found) => (isNamed(found) ? formatPath(found) : []));
  });
}
