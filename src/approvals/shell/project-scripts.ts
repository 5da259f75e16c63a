/** The scripts of a package.json that these words of npm or its kin run, with what follows them on the command line. */
export function packageScripts(text: string, verb: string, words: readonly string[]): readonly string[] {
  const scripts = scriptsIn(text);
  const run = RUNS.has(verb);
  const [name = '', ...rest] = run ? words : [NICKNAMES.get(verb) ?? verb, ...words];
  const stages = run ? undefined : STAGES.get(verb);
  if (stages) return stages.flatMap((stage) => scripts.get(stage) ?? []);
  const script = scripts.get(name);
  if (script === undefined) return [];
  const more = rest.filter((word) => word !== '--').map(quoted);
  return [scripts.get(`pre${name}`) ?? '', [script, ...more].join(' '), scripts.get(`post${name}`) ?? ''].filter(
    Boolean,
  );
}

const RUNS: ReadonlySet<string> = new Set(['run', 'run-script', 'rum', 'urn']);
const NICKNAMES: ReadonlyMap<string, string> = new Map([
  ['t', 'test'],
  ['tst', 'test'],
]);
const INSTALL = 'preinstall install postinstall prepublish preprepare prepare postprepare';
const PUBLISH = 'prepublishOnly prepack prepare postpack publish postpublish';
/** What runs for a verb, whose names may be several. */
const STAGES: ReadonlyMap<string, readonly string[]> = new Map(
  (
    [
      [['', 'install', 'i', 'in', 'ci', 'add', 'link', 'rebuild', 'rb', 'up', 'update'], INSTALL],
      [['pack', 'publish'], PUBLISH],
      [['version'], 'preversion version postversion'],
    ] as const
  ).flatMap(([names, stages]) => names.map((name) => [name, stages.split(' ')] as const)),
);

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function scriptsIn(text: string): ReadonlyMap<string, string> {
  try {
    const { scripts } = JSON.parse(text) as { scripts?: Record<string, unknown> };
    const entries = Object.entries(scripts ?? {});
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return new Map();
  }
}
