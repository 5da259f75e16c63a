import { codeOnly, importsOf, isOurs, type SourceFile, withoutComments } from './source.ts';

/** A layer is a folder or file of `src`; it knows itself and what is listed, nothing else. */
export interface Layer {
  readonly is: string;
  /** Layers it may import; `*` for all. */
  readonly knows: readonly string[];
}
export type Layers = Readonly<Record<string, Layer>>;

/** Places (layers or files) where something may stand; `*` for everywhere. */
export type Owners = Readonly<Record<string, readonly string[]>>;

/** A word that may stand in code only in some places. */
export interface Ban {
  readonly pattern: RegExp;
  /** Places it is about; absent: all of `src`. */
  readonly inside?: readonly string[];
  readonly except: readonly string[];
  readonly why: string;
  /** Look at quoted text too. */
  readonly strings?: true;
}

/** Imports that point upwards or sideways, and files that belong to no layer. */
export function wrongDirections(files: readonly SourceFile[], layers: Layers): readonly string[] {
  return files.flatMap((file) => {
    const from = layerOf(file.path, layers);
    if (!from) return [`${file.path} belongs to no layer of the map`];
    return importsOf(file)
      .filter(isOurs)
      .flatMap((target) => {
        const to = layerOf(target, layers);
        const known = layers[from]?.knows ?? [];
        const fine = to !== undefined && (to === from || known.includes('*') || known.includes(to));
        return fine
          ? []
          : [`${file.path} imports ${target}, but ${from} does not know ${to ?? 'a layer of that name'}`];
      });
  });
}

/** Packages and built-in modules imported where they do not belong; a package nobody listed belongs nowhere. */
export function wrongPackages(files: readonly SourceFile[], owners: Owners, freeBuiltins: RegExp): readonly string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter((name) => !isOurs(name))
      .filter((name) => {
        const places = owners[packageOf(name)];
        return places ? !places.some((place) => stands(file.path, place)) : !freeBuiltins.test(name);
      })
      .map((name) => `${file.path} imports ${name}, which does not belong there`),
  );
}

/** Each circle of imports once, as a path that ends where it began. */
export function cycles(files: readonly SourceFile[]): readonly string[] {
  const edges = new Map(files.map((file) => [file.path, importsOf(file).filter(isOurs)]));
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push([...trail.slice(start), path].join(' -> '));
    if (start >= 0 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) walk(path, []);
  return [...new Set(found)];
}

const VAGUE = /(?:^|[/-])(?:util|utils|helper|helpers|manager|service|handler|types|misc|common|index)(?=[-.])/;

/** Files that pass on what others define, and names that say nothing. */
export function vagueFiles(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text }) => [
    ...(VAGUE.test(path) ? [`${path}: name the subject of this file`] : []),
    ...(/^[a-z0-9/-]+(?:\.d)?\.ts$/.test(path) ? [] : [`${path}: write the name in kebab-case`]),
    ...(/^\s*export\s+\*/m.test(withoutComments(text))
      ? [`${path}: import from the file that defines it, not through this one`]
      : []),
  ]);
}

/** Words that stand where they must not, each with its line. */
export function bannedWords(files: readonly SourceFile[], bans: readonly Ban[]): readonly string[] {
  return files.flatMap((file) =>
    bans
      .filter((ban) => applies(ban, file.path))
      .flatMap((ban) => {
        const lines = (ban.strings ? withoutComments(file.text) : codeOnly(file.text)).split('\n');
        return lines.flatMap((line, i) => (ban.pattern.test(line) ? [`${file.path}:${i + 1} ${ban.why}`] : []));
      }),
  );
}

function applies({ inside, except }: Ban, path: string): boolean {
  return (!inside || inside.some((place) => stands(path, place))) && !except.some((place) => stands(path, place));
}

/** The most specific layer a file lies in. */
function layerOf(path: string, layers: Layers): string | undefined {
  const fitting = Object.keys(layers).filter((layer) => stands(path, layer));
  return fitting.sort((a, b) => b.length - a.length)[0];
}

function stands(path: string, place: string): boolean {
  return place === '*' || path === `${place}.ts` || path.startsWith(`${place}/`);
}

function packageOf(name: string): string {
  if (name.startsWith('node:')) return name;
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}
