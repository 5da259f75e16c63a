import type { Call } from './call.ts';
import { optionsOf } from './call.ts';
import type { Field } from './field.ts';
import { byName, entryOf } from './lookup.ts';
import { ANY, hasGlob, isKnown } from './marks.ts';
import { trimEnd } from './trim.ts';

/** What a call brings here from elsewhere. */
export interface Fetched {
  readonly files: readonly Field[];
  /** Folders of which everything below comes from there. */
  readonly trees: readonly Field[];
}

const NOTHING: Fetched = { files: [], trees: [] };

type Fetcher = (call: Call) => Fetched;

export function fetchedBy(call: Call): Fetched {
  return entryOf(FETCHERS, call.program)?.(call) ?? NOTHING;
}

/** A program that copies from elsewhere when its last operand is here. */
interface Copier {
  readonly options: string;
  readonly remote: RegExp;
  /** Its operands, parted by blanks, begin so. */
  readonly verb?: RegExp;
  /** A word with which the target gets what is in a folder. */
  readonly contents?: RegExp;
  /** With this verb the source alone will do. */
  readonly alone?: RegExp;
}

const HOST_PATH = /^[\w.-]+(?:@[\w.-]+)?:/;
const BUCKET = /^(?:s3|gs|b2|oss|cos|https?):\/\//;

const COPIERS: Readonly<Record<string, Copier>> = {
  scp: { options: 'P: i: F: o: c: l: S: J: D: r p q v C 3 4 6 A B O R s T X:', remote: HOST_PATH },
  rsync: { options: 'e|rsh: exclude: include: a v z r P n', remote: HOST_PATH },
  aws: {
    options: 'profile: region: endpoint-url: recursive quiet',
    remote: /^s3:\/\//,
    verb: /^s3 /,
    contents: /^(?:--recursive|sync)$/,
  },
  gsutil: { options: 'm q r', remote: /^gs:\/\//, contents: /^rsync$/ },
  gcloud: {
    options: 'project: zone: account: recurse recursive|r|R',
    remote: /^(?:gs:\/\/|[\w.-]+(?:@[\w.-]+)?:)/,
    verb: /^(?:alpha |beta )?(?:storage (?:cp|rsync)|compute scp) /,
  },
  s3cmd: { options: 'c|config: r|recursive', remote: BUCKET, verb: /^(?:get|sync) /, alone: /^get / },
  s5cmd: { options: 'endpoint-url: profile:', remote: BUCKET, verb: /^(?:cp|mv|sync) / },
  azcopy: { options: 'recursive? from-to:', remote: BUCKET, verb: /^(?:copy|cp|sync) / },
  rclone: {
    options: 'config: include: exclude: filter: transfers: P v q',
    remote: /^[\w. -]*:/,
    verb: /^(?:copy|copyto|copyurl|sync|move|moveto) /,
    contents: /^(?:copy|sync|move)$/,
  },
  docker: {
    options: 'H|host: c|context: l: a|archive L|follow-link q|quiet f|file: p: project-name: index:',
    remote: /^[\w.-]+:/,
    verb: /^(?:compose |container )?cp /,
  },
  kubectl: {
    options: 'n|namespace: c|container: context: kubeconfig: cluster: user: retries: no-preserve',
    remote: /^(?:[\w.-]+\/)?[\w.-]+:/,
    verb: /^cp /,
  },
  sftp: { options: 'P: o: i: F: c: l: b: B: D: J: R: S: s: X: r p q v C', remote: HOST_PATH, alone: /^/ },
};

function copied(call: Call, { options, remote, verb, contents, alone }: Copier): Fetched {
  const { operands } = optionsOf(call, options);
  const words = `${operands.map(({ text }) => text).join(' ')} `;
  if (verb && !verb.test(words)) return NOTHING;
  const last = operands.at(-1);
  if (!last) return NOTHING;
  const here = !remote.test(last.text);
  const from = operands.filter(({ text }) => remote.test(text));
  if (!here && !alone?.test(words)) return NOTHING;
  const whole = here && contents !== undefined && call.args.some(({ text }) => contents.test(text));
  const named = from.map((source) => inside(here ? last : undefined, at(source, lastPart(source.text))));
  const trees = whole || from.some(({ text }) => text.endsWith('/')) ? [...named, last] : named;
  return from.length === 0 ? NOTHING : { files: here ? [last, ...named] : named, trees: trees.filter(isOwnFolder) };
}

/** Not the folder one is in: all that is there already would count as fetched. */
function isOwnFolder({ text }: Field): boolean {
  return !/^(?:\.{0,2}\/?|~\/?|\/)$/.test(trimEnd(text, '/'));
}

/** Clones: the operand that is the address, and the one behind it that may name the folder. */
function cloned(options: string, verb: RegExp, remote = /[:/]/): Fetcher {
  return (call) => {
    const { operands } = optionsOf(call, options);
    const words = operands.map(({ text }) => text);
    const match = verb.exec(`${words.join(' ')} `);
    if (!match) return NOTHING;
    const first = match[0].split(' ').length - 1;
    const address = operands[first];
    if (!address || !remote.test(address.text)) return NOTHING;
    const folder = operands[first + 1] ?? at(address, cloneName(address.text));
    return { files: [folder], trees: [folder].filter(isOwnFolder) };
  };
}

/** Named by an option; with none of them, by the last part of an address. */
function downloaded(options: string, out: string, needs?: string): Fetcher {
  return (call) => {
    const read = optionsOf(call, options);
    const target = read.value(out);
    if (target) return { files: [target], trees: [] };
    if (needs !== undefined && !read.has(needs)) return NOTHING;
    const address = read.operands.find(({ text }) => /:\/\/|^[\w-]+(?:\.[\w-]+)+(?::\d+)?\/./.test(text));
    const name = address && addressName(address);
    return name ? { files: [name], trees: [] } : NOTHING;
  };
}

const GH = 'R|repo: p|pattern: D|dir: O|output: n|name: A|archive: clobber skip-existing';

function byGh(call: Call): Fetched {
  const options = optionsOf(call, GH);
  const words = options.operands.map(({ text }) => text);
  const folder = options.value('D');
  if (words[0] === 'run' && words[1] === 'download')
    return { files: [], trees: folder ? [folder] : options.values('n') };
  if (words[0] !== 'release' || words[1] !== 'download') return cloneOfForge(call);
  const patterns = options.values('p');
  const names = patterns.filter(({ text }) => !hasGlob(text) && !/[*?[]/.test(text));
  const out = options.value('O');
  return {
    files: out ? [out] : names.map((name) => inside(folder, name)),
    trees: folder && names.length < Math.max(1, patterns.length) ? [folder].filter(isOwnFolder) : [],
  };
}

const cloneOfForge = cloned('R: g: p: u|upstream-remote-name:', /^(?:repo )?clone /);

function byAz(call: Call): Fetched {
  const options = optionsOf(
    call,
    'c|container-name: n|name: f|file: p|path: d|dest|destination: s|source: account-name: account-key: pattern: share-name:',
  );
  const words = options.operands.map(({ text }) => text);
  if (words[2] === 'download-batch') return { files: [], trees: options.values('d').filter(isOwnFolder) };
  return words[2] === 'download' ? { files: [...options.values('f'), ...options.values('d')], trees: [] } : NOTHING;
}

const GET = /^-?(?:re)?get\s+(?:-\w+\s+)*(?:"([^"]+)"|([^\s"]+))(?:\s+([^\s-]\S*))?/;

/** `get x` as an instruction on stdin. */
function byScript(call: Call): Fetched {
  const { text } = call.stdin;
  if (text === null) return NOTHING;
  const files = text.split('\n').flatMap((line) => {
    const match = GET.exec(line.trim());
    const name = match?.[3] ?? lastPart(match?.[1] ?? match?.[2] ?? '');
    return name === '' ? [] : [at(call.argv0, name)];
  });
  return { files, trees: [] };
}

const HTTP = 'o|output: d|download a|auth: A|auth-type: b h v f j session: verify: timeout: print: p: F c|continue';
const SVN = cloned(
  'r|revision: username: password: depth: q|quiet force N x: native-eol: config-option:',
  /^(?:export|checkout|co) /,
  /:/,
);
const CLONED = cloned(
  'r|rev|revision: u|updaterev: b|branch: e|ssh: remote: colocate',
  /^(?:git )?(?:clone|branch|checkout) /,
  /:/,
);

export const FETCHERS: Readonly<Record<string, Fetcher>> = {
  ...Object.fromEntries(Object.entries(COPIERS).map(([name, copier]) => [name, (call: Call) => copied(call, copier)])),
  sftp: (call) => {
    const [direct, told] = [copied(call, COPIERS['sftp'] as Copier), byScript(call)];
    return { files: [...direct.files, ...told.files], trees: direct.trees };
  },
  ftp: byScript,
  lftp: byScript,
  gh: byGh,
  glab: cloneOfForge,
  hub: cloneOfForge,
  svn: SVN,
  hg: CLONED,
  sl: CLONED,
  brz: CLONED,
  bzr: CLONED,
  jj: CLONED,
  degit: cloned('m|mode: f|force', /^/),
  tiged: cloned('m|mode: f|force', /^/),
  az: byAz,
  http: downloaded(HTTP, 'o', 'd'),
  https: downloaded(HTTP, 'o', 'd'),
  xh: downloaded(HTTP, 'o', 'd'),
  xhs: downloaded(HTTP, 'o', 'd'),
  gdown: downloaded('O|output: id: c f q', 'O'),
  fetch: downloaded('o: q m r', 'o'),
  axel: downloaded('o|output: n: s: a q H: U: v', 'o'),
};

/** Whether a call prints what it got; those that do nothing else are known to output.ts. */
export function printsFetched({ program, args }: Call): boolean {
  const printed = PRINTED.get(program);
  return printed?.every((form) => args.some(({ text }) => form.test(text))) ?? false;
}

const PRINTED = byName<readonly RegExp[]>({
  git: [/^archive$/, /^--remote(?:=|$)/],
  svn: [/^cat$/, /:\/\//],
  aws: [/^s3$/, /^cp$/, /^-$/],
  docker: [/^cp$/, /^-$/],
  gsutil: [/^(?:cat|cp)$/, /^gs:\/\//],
  gcloud: [/^storage$/, /^cat$/],
});

function at(field: Field, text: string): Field {
  return { ...field, text };
}

export function inside(folder: Field | undefined, name: Field): Field {
  return folder ? at(name, `${folder.text}/${name.text}`) : name;
}

function lastPart(text: string): string {
  const path = trimEnd(text, '/');
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf(':')) + 1);
}

/** The file name a download gets: the last part of the URL's path, which ends where a query begins, quoted or not. */
export function addressName(url: Field): Field | null {
  const path = url.text
    .replaceAll(ANY, '?')
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/[?#].*$/s, '');
  const slash = path.lastIndexOf('/');
  const name = slash < 0 || slash === path.length - 1 ? 'index.html' : path.slice(slash + 1);
  return isKnown(slash < 0 ? path : name) ? at(url, name) : null;
}

/** The folder a clone gets: the last part of its address. */
export function cloneName(url: string): string {
  return lastPart(trimEnd(url, '/').replace(/\.git$/, ''));
}
