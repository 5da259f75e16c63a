import type { Call } from '../shell/call.ts';
import { hasArg, optionsOf, pathsOf, remember } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { asRoot, isLocal, orHere, RG, ripgrepAdmits } from '../shell/listings.ts';
import { byName } from '../shell/lookup.ts';
import { both, included, unhidden } from '../shell/name-filters.ts';
import { parseOptions } from '../shell/options.ts';
import type { Hoard } from '../shell/secret-trees.ts';
import { ALL, hoardsBelow } from '../shell/secret-trees.ts';
import { TAINT } from '../shell/taint.ts';
import { gitReads } from './git-trees.ts';
import type { Trees } from './packed-trees.ts';
import { packed } from './packed-trees.ts';
import { READING_PROGRAMS, readOperands } from './read-targets.ts';
import { copySources, isRemote, transferOperands } from './targets.ts';

/** Secrets that come along with a tree, or with the names another program lists. */
export interface HoardHit extends Hoard {
  readonly field: Field;
}

export function hoardHits(call: Call): readonly HoardHit[] {
  return remember(call, hoardHits, () => (isLocal(call) ? byTree(call).concat(byNames(call)) : NO_HITS));
}

const NO_HITS: readonly HoardHit[] = [];

function byTree(call: Call): readonly HoardHit[] {
  const trees = READERS.get(call.program)?.(call);
  if (!trees) return NO_HITS;
  return trees.roots.flatMap((field) =>
    pathsOf(call, field).flatMap((path) =>
      hoardsBelow(path, call.facts, asRoot(call), trees.admits ?? ALL).map((hoard) => ({ ...hoard, field })),
    ),
  );
}

const NAMES = TAINT.ownNames | TAINT.secretNames;

/** `cat $(find ..)`, `find .. | xargs cat`, `find .. | cpio -o`. */
function byNames(call: Call): readonly HoardHit[] {
  const named = call.args.some(({ taint }) => (taint & NAMES) !== 0) && READS.has(call.program);
  const fields = named ? readOperands(call).filter((field) => (field.taint & NAMES) !== 0) : [];
  const listed =
    (call.stdin.taint & NAMES) !== 0 && takesNames(call) ? [{ ...call.argv0, taint: call.stdin.taint }] : [];
  if (fields.length === 0 && listed.length === 0) return NO_HITS;
  return [...fields, ...listed].flatMap((field) => [
    ...((field.taint & TAINT.ownNames) !== 0 ? [{ field, own: true, what: 'its secrets' }] : []),
    ...((field.taint & TAINT.secretNames) !== 0 ? [{ field, own: false, what: 'private keys or credentials' }] : []),
  ]);
}

const READS = new Set(READING_PROGRAMS);

/** Reads a list of files to pack from its input. */
function takesNames(call: Call): boolean {
  switch (call.program) {
    case 'cpio':
    case 'pax':
    case 'afio':
      return true;
    case 'zip':
      return hasArg(call, '-@', '-');
    case 'tar':
    case 'rsync':
      return call.args.some(({ text }, i) => /^(?:--files-from=-|-T-)$/.test(text) || namesInput(call, i));
    default:
      return false;
  }
}

function namesInput(call: Call, at: number): boolean {
  return /^(?:-T|--files-from)$/.test(call.args[at]?.text ?? '') && call.args[at + 1]?.text === '-';
}

const GREP =
  'e|regexp: f|file: A|after-context: B|before-context: C|context: m|max-count: d|directories: D|devices: include: exclude: exclude-dir: exclude-from: color? colour? label: binary-files: r|recursive R|dereference-recursive E F G P i v w x c l L o q s b H h n T Z z I a U';
const AG =
  'A: B: C: G: g: m: p: ignore: ignore-dir: depth: pager: hidden U|skip-vcs-ignores u|unrestricted a|all-types t|all-text i l c w v s S';

const searched = (call: Call, grammar: string): readonly Field[] => {
  const options = optionsOf(call, grammar);
  const roots = options.has('e', 'f') ? options.operands : options.operands.slice(1);
  return roots.length > 0 || call.stdin.kind === 'none' ? orHere(call, roots) : [];
};

function grep(call: Call): Trees | undefined {
  const options = optionsOf(call, GREP);
  const recursive =
    options.has('r', 'R') ||
    options.value('d')?.text === 'recurse' ||
    /(?:^|\/)(?:rgrep|ugrep|ug)$/.test(call.argv0.text);
  if (!recursive) return undefined;
  const roots = options.has('e', 'f') ? options.operands : options.operands.slice(1);
  const admits = included(options.values('include'));
  return { roots: orHere(call, roots), ...(admits ? { admits } : {}) };
}

/** Reads all of its operands but the first few. */
const operands =
  (grammar: string, skip = 0): ((call: Call) => Trees) =>
  (call) => ({ roots: optionsOf(call, grammar).operands.slice(skip) });

/** Reads the folder an option names, else the one it runs in. */
const served =
  (grammar: string, ...names: readonly string[]): ((call: Call) => Trees) =>
  (call) => {
    const options = optionsOf(call, grammar);
    return {
      roots: orHere(
        call,
        names.flatMap((name) => options.values(name)),
      ),
    };
  };

function copied(call: Call): Trees | undefined {
  return hasArg(call, '--recursive', '--archive') || call.args.some(({ text }) => /^-[a-zA-Z]*[rRa]/.test(text))
    ? { roots: copySources(call) }
    : undefined;
}

function transferred(call: Call): Trees | undefined {
  const flags = call.args.filter(({ text }) => /^-[a-zA-Z]/.test(text)).map(({ text }) => text);
  const recursive =
    hasArg(call, '--recursive', '--archive') ||
    flags.some((text) => /^-[a-zA-Z]*[ra]/.test(text)) ||
    call.args.some(({ text }) => /^--files-from/.test(text));
  if (!recursive || hasArg(call, '--dry-run', '-n', '--list-only')) return undefined;
  return {
    roots: transferOperands(call)
      .slice(0, -1)
      .filter(({ text }) => !isRemote(text)),
  };
}

const verb =
  (grammar: string, ...verbs: readonly string[]): ((call: Call) => Trees | undefined) =>
  (call) => {
    const [first, ...rest] = optionsOf(call, grammar).operands;
    return first && verbs.includes(first.text) ? { roots: rest } : undefined;
  };

/** `docker cp folder container:`, `docker build folder`. */
function containerReads(call: Call): Trees | undefined {
  const options = optionsOf(
    call,
    'f|file: t|tag: build-arg: a|archive L|follow-link q platform: target: o|output: label: c: H: D context: progress: secret: ssh: cache-from: cache-to: network:',
  );
  const words = options.operands;
  const at = /^(?:container|image|buildx|builder)$/.test(words[0]?.text ?? '') ? 1 : 0;
  if (words[at]?.text === 'cp') return { roots: words.slice(at + 1, -1).filter(({ text }) => !/^[\w.-]+:/.test(text)) };
  return words[at]?.text === 'build' ? { roots: words.slice(at + 1, at + 2) } : undefined;
}

const ARCHIVE_VERB = verb('p? o? t? m? r s? x? i? y hp? ep? idq', 'a', 'u', 'm');

const READERS = byName<(call: Call) => Trees | undefined>({
  grep,
  zgrep: grep,
  ugrep: grep,
  ug: grep,
  rg: (call) => {
    const options = optionsOf(call, RG);
    if (options.has('files', 'type-list', 'version', 'help')) return undefined;
    return { roots: searched(call, RG), admits: ripgrepAdmits(call) };
  },
  ag: (call) => ({
    roots: searched(call, AG),
    admits: optionsOf(call, AG).has('hidden', 'u') ? ALL : unhidden,
  }),
  ack: (call) => ({ roots: searched(call, AG), admits: both(unhidden) }),
  git: gitReads,
  cp: copied,
  ditto: operands('V X c k x z', 0),
  mv: (call) => ({ roots: copySources(call) }),
  ln: (call) => {
    const sources = copySources(call);
    const all = optionsOf(call, 's f n v r i b T t: L P S:').operands;
    return { roots: sources.length > 0 ? sources : all };
  },
  rsync: transferred,
  scp: transferred,
  tar: packed,
  zip: (call) => {
    const options = optionsOf(
      call,
      'r|recurse-paths q y 0 1 2 3 4 5 6 7 8 9 j m u f x|exclude: i|include: P|password: e t: n: b: T d v @ X D o s:',
    );
    return options.has('r', 'R') ? { roots: options.operands.slice(1) } : undefined;
  },
  '7z': withoutArchive,
  '7za': withoutArchive,
  '7zz': withoutArchive,
  rar: withoutArchive,
  jar: (call) => (/^-?-?c/.test(call.args[0]?.text ?? '') ? { roots: call.args.slice(1) } : undefined),
  pax: (call) =>
    hasArg(call, '-w') || call.args.some(({ text }) => /^-\w*w/.test(text))
      ? operands('w f: x: z v r k')(call)
      : undefined,
  mksquashfs: (call) => ({ roots: operands('')(call).roots.slice(0, -1) }),
  genisoimage: operands('o: V: R J r f m: x: A: quiet'),
  mkisofs: operands('o: V: R J r f m: x: A: quiet'),
  diff: (call) =>
    hasArg(call, '--recursive') || call.args.some(({ text }) => /^-[a-zA-Z]*r/.test(text))
      ? operands('U: C: x: X: I: W: r u c q N a b B w i y s E t T l')(call)
      : undefined,
  restic: verb('r|repo: p|password-file: tag: e|exclude: exclude-file: iexclude: host: files-from: o: v q', 'backup'),
  kopia: (call) => (call.args[0]?.text === 'snapshot' ? { roots: call.args.slice(2) } : undefined),
  borg: (call) =>
    call.args.some(({ text }) => text === 'create')
      ? operands('e: C|compression: s p v exclude: pattern: comment:', 2)(call)
      : undefined,
  duplicity: (call) => ({
    roots: operands('exclude: include: encrypt-key: full-if-older-than: s3-endpoint-url:')(call).roots.slice(0, -1),
  }),
  docker: containerReads,
  python: (call) => {
    const at = call.args.findIndex(({ text }) => text === '-m');
    const packs = call.args.slice(at + 2);
    if (at >= 0 && /^(?:zipfile|tarfile)$/.test(call.args[at + 1]?.text ?? ''))
      return /^(?:-c|--create)$/.test(packs[0]?.text ?? '') ? { roots: packs.slice(2) } : undefined;
    if (
      at < 0 ||
      !/^(?:http\.server|SimpleHTTPServer|RangeHTTPServer|uploadserver)$/.test(call.args[at + 1]?.text ?? '')
    )
      return undefined;
    const inner = parseOptions(call.args.slice(at + 2), 'd|directory: b|bind: cgi p|protocol:');
    return { roots: orHere(call, inner.values('d')) };
  },
  php: (call) => (hasArg(call, '-S') ? served('S: t: d: c: n', 't')(call) : undefined),
  serve: (call) => ({
    roots: orHere(
      call,
      optionsOf(
        call,
        'l|listen: p|port: s|single d|debug c|config: n|no-clipboard C|cors u S|symlinks L T ssl-cert: ssl-key:',
      ).operands,
    ),
  }),
  'http-server': (call) => ({
    roots: orHere(
      call,
      optionsOf(call, 'p|port: a: d? i? g b e? s|silent c? o? P|proxy: S|tls C|cert: K|key: U cors? r').operands,
    ),
  }),
  miniserve: operands('p|port: i|interfaces: a|auth: c: t|title: u? q v r z g'),
  darkhttpd: (call) => ({ roots: call.args.slice(0, 1) }),
  webfsd: (call) => {
    const roots = optionsOf(call, 'r: p: F d s l: L: f: b: e: i: n: 4 6').values('r');
    return roots.length > 0 ? { roots } : undefined;
  },
  httpd: (call) => {
    const roots = optionsOf(call, 'h: p: f i v u: r: c: e: m: d:').values('h');
    return roots.length > 0 ? { roots } : undefined;
  },
  rclone: (call) => {
    const [first, , root] = optionsOf(
      call,
      'addr: user: pass: config: v q read-only vfs-cache-mode: cert: key:',
    ).operands;
    return first?.text === 'serve' && root && !root.text.includes(':') ? { roots: [root] } : undefined;
  },
  caddy: (call) =>
    call.args[0]?.text === 'file-server'
      ? served('root|r: l|listen: d|domain: b|browse a v t', 'root')(call)
      : undefined,
});

/** The archive itself stands before what goes into it. */
function withoutArchive(call: Call): Trees | undefined {
  const trees = ARCHIVE_VERB(call);
  return trees && { roots: trees.roots.slice(1) };
}

export const TREE_PROGRAMS: readonly string[] = [...READERS.keys(), 'cpio', 'afio'];
