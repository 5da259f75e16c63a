import type { Facts } from '../analysis.ts';
import type { Call, FileUse, LiveCall } from './call.ts';
import { hasArg, optionsOf, pathsOf } from './call.ts';
import { descriptorIn, writtenTo } from './descriptors.ts';
import { addressName, cloneName, FETCHERS, fetchedBy, inside } from './fetchers.ts';
import type { Field } from './field.ts';
import type { Page } from './ledger.ts';
import { byName } from './lookup.ts';
import { throughLinks } from './made-links.ts';
import { UNKNOWN } from './marks.ts';
import { parseOptions } from './options.ts';
import { fileTaint } from './output.ts';
import { formatPath, isNamed, resolvePath } from './paths.ts';
import { fileSource } from './redirects.ts';
import type { Source } from './source.ts';
import { EMPTY_SOURCE, UNKNOWN_SOURCE } from './source.ts';
import type { ShellState } from './state.ts';
import { TAINT } from './taint.ts';
import type { Walker } from './walker.ts';

/** Notes what goes into the files a command's output is sent to; what is left for a pipe is returned. */
export function settleFiles(files: readonly FileUse[], out: Source, state: ShellState, _facts: Facts): Source {
  let left = out;
  for (const file of files) {
    if (file.use === 'read') continue;
    const target = writtenTo(file.target, state);
    if (file.fd === 2) target.reader?.(UNKNOWN_SOURCE);
    if (file.fd === 2 || (!target.reader && isOwnOutput(target.text))) continue;
    write(state, target, out, file.use === 'append');
    left = EMPTY_SOURCE;
  }
  return left;
}

/** Nothing is written there that the command would not print anyway. */
function isOwnOutput(path: string): boolean {
  return /^\/dev\/(?:stdout|stderr|tty)$/.test(path) || descriptorIn(path) !== null;
}

/** Files opened under numbers above 2 begin empty, and others write there; those that take the output itself are left. */
export function beginFiles(files: readonly FileUse[], state: ShellState): readonly FileUse[] {
  return files.filter((file) => {
    if (file.use === 'read' || (file.fd ?? 0) <= 2 || file.target.reader) return true;
    write(state, writtenTo(file.target, state), EMPTY_SOURCE, file.use === 'append');
    return false;
  });
}

function write(state: ShellState, target: Field, source: Source, append = false): void {
  if (target.reader) target.reader(source.kind === 'none' ? UNKNOWN_SOURCE : source);
  for (const cwd of state.cwds) {
    const path = resolvePath(target.text, cwd);
    if (!isNamed(path)) continue;
    const name = formatPath(path);
    const before = append ? state.files.get(name) : undefined;
    const { program } = source;
    const link = source.link ?? state.files.get(name)?.link;
    const text = before
      ? before.text === null || source.text === null
        ? null
        : before.text + source.text
      : append
        ? null
        : source.text;
    const written: Source = { kind: 'file', text, taint: source.taint | (before?.taint ?? 0) };
    const named = program === undefined || append ? written : { ...written, program };
    state.setFile(name, link === undefined ? named : { ...named, link });
  }
}

/** A file was written whose text nobody follows. */
export function noteWritten(state: ShellState, target: Field): void {
  write(state, target, UNKNOWN_FILE);
}

const FETCHED: Source = { kind: 'file', text: null, taint: TAINT.fetched };
const UNKNOWN_FILE: Source = { kind: 'file', text: null, taint: TAINT.none };

/** What programs write by themselves, as far as later parts of the text could run it. */
export function applyFileEffects(walker: Walker, call: LiveCall): void {
  EFFECTS.get(call.program)?.(call, walker);
}

function noteFetched(call: LiveCall): void {
  const { files, trees } = fetchedBy(call);
  for (const file of files) write(call.state, file, FETCHED);
  for (const tree of trees) markTree(call, tree);
}

const EFFECTS = byName<(call: LiveCall, walker: Walker) => void>({
  ...Object.fromEntries(Object.keys(FETCHERS).map((name) => [name, noteFetched])),
  tee: (call) => {
    const options = optionsOf(call, 'a|append i p');
    for (const operand of options.operands)
      write(call.state, writtenTo(operand, call.state), call.stdin, options.has('a'));
  },
  curl: byCurl,
  curlie: byCurl,
  wget: byWget,
  sponge: (call) => {
    const options = optionsOf(call, 'a');
    for (const operand of options.operands) write(call.state, operand, call.stdin, options.has('a'));
  },
  aria2c: (call) => {
    const options = optionsOf(call, 'o|out: d|dir: x: s: j: k: i|input-file: c q|quiet');
    const out = options.value('o');
    const folder = options.value('d');
    if (out) writeNamed(call, out, folder);
    else for (const url of options.operands) writeNamed(call, addressName(url), folder);
  },
  'invoke-webrequest': (call) => {
    const at = call.args.findIndex((arg) => /^-outfile$/i.test(arg.text));
    const target = at < 0 ? undefined : call.args[at + 1];
    if (target) write(call.state, target, FETCHED);
  },
  rsync: (call) => {
    const operands = optionsOf(call, 'e|rsh: exclude: include: a v z r P n').operands;
    pack(call, operands.at(-1), operands.slice(0, -1));
    noteFetched(call);
  },
  cp: (call, walker) => copyFiles(call, walker),
  mv: (call, walker) => copyFiles(call, walker),
  install: (call, walker) => copyFiles(call, walker),
  ln: (call, walker) => copyFiles(call, walker),
  link: (call, walker) => copyFiles(call, walker),
  mknod: makeNode,
  dd: (call) => {
    const out = call.args.find((arg) => arg.text.startsWith('of='));
    const from = call.args
      .filter((arg) => arg.text.startsWith('if='))
      .map((arg) => ({ ...arg, text: arg.text.slice(3) }));
    const taint = call.stdin.taint | secretsIn(call, from);
    if (out) write(call.state, { ...out, text: out.text.slice(3) }, { ...UNKNOWN_FILE, taint });
  },
  base64: (call) => writeOption(call, 'd|D i: o|output: w:', 'o', TAINT.decoded),
  openssl: (call) => {
    const at = call.args.findIndex((arg) => arg.text === '-out');
    const target = at < 0 ? undefined : call.args[at + 1];
    if (target && call.args.some((arg) => arg.text === '-d'))
      write(call.state, target, { ...UNKNOWN_FILE, taint: TAINT.decoded });
  },
  gpg: (call) => writeOption(call, 'o|output: d|decrypt r: u: q', 'o', TAINT.decoded),
  xxd: (call) => {
    const operands = optionsOf(call, 'r p c: l: s: o: g: u i b').operands;
    const taint = TAINT.decoded | secretsIn(call, operands.slice(0, 1));
    if (operands[1]) write(call.state, operands[1], { ...UNKNOWN_FILE, taint });
  },
  chmod: (call) => {
    const [mode, ...files] = optionsOf(call, 'R|recursive v c f reference: preserve-root', {}).operands;
    if (!mode || !makesExecutable(mode.text)) return;
    for (const file of files)
      for (const path of pathsOf(call, file)) if (isNamed(path)) call.state.executable.add(formatPath(path));
  },
  git: (call) => {
    const operands = optionsOf(
      call,
      'C: c: b|branch: depth: o: single-branch recursive recurse-submodules j: q',
      {},
    ).operands;
    noteStaged(call, operands);
    if (operands[0]?.text !== 'clone' || !operands[1]) return;
    markTree(call, operands[2] ?? { ...operands[1], text: cloneName(operands[1].text) });
  },
  npm: setScripts,
  pnpm: setScripts,
  tar: (call) => {
    const first = call.args[0]?.text ?? '';
    if (/^-?[a-zA-Z]*x/.test(first) || call.args.some((arg) => arg.text === '--extract' || arg.text === '--get'))
      extract(call, optionsOf(call, 'x z j J v C|directory: f|file: p strip-components: k m O').value('C'));
    else if (/^-?[a-zA-Z]*[cru]/.test(first) || call.args.some((arg) => arg.text === '--create')) archiveMembers(call);
  },
  zip: (call) => {
    const [archive, ...members] = optionsOf(call, 'r q j e m u 9 P|password: x|exclude: i|include: b:').operands;
    pack(call, archive, members);
  },
  sort: (call) => {
    const options = optionsOf(call, 'o|output: k|key: t: T: S: n r u f b g h M V R c C s z m parallel:');
    pack(call, options.value('o'), options.operands);
  },
  ...Object.fromEntries(
    'gcc g++ cc c++ clang clang++ tcc rustc go ghc nasm ld nim zig javac'.split(' ').map((name) => [name, compile]),
  ),
  '7z': sevenZip,
  '7za': sevenZip,
  '7zz': sevenZip,
  jar: (call) => {
    if (/^-?\w*x/.test(call.args[0]?.text ?? '')) extract(call, undefined);
  },
  unar: (call) => extract(call, optionsOf(call, 'o|output-directory: f D d').value('o')),
  python: (call) => {
    const at = call.args.findIndex(({ text }) => text === 'zipfile' || text === 'tarfile');
    if (at > 0 && /^(?:-e|--extract)$/.test(call.args[at + 1]?.text ?? '')) extract(call, call.args[at + 3]);
  },
  unzip: (call) => extract(call, optionsOf(call, 'd: o q n l').value('d')),
});

function byCurl(call: LiveCall): void {
  const options = optionsOf(call, CURL_OPTIONS);
  for (const name of options.values('o')) write(call.state, name, FETCHED);
  if (options.has('O', 'J', 'remote-name-all'))
    for (const url of [...options.operands, ...options.values('url')])
      writeNamed(call, addressName(url), options.value('output-dir'));
}

function byWget(call: LiveCall): void {
  const options = optionsOf(call, WGET_OPTIONS);
  const out = options.value('O');
  if (out) write(call.state, out, FETCHED);
  else for (const url of options.operands) writeNamed(call, addressName(url), options.value('P'));
}

export const CURL_OPTIONS =
  'A|user-agent: a|append b|cookie: B C|continue-at: c|cookie-jar: D|dump-header: d|data: data-ascii: data-binary: data-raw: data-urlencode: json: E|cert: e|referer: F|form: form-string: f|fail fail-with-body g G|get H|header: h|help? I|head i|include J|remote-header-name j K|config: k|insecure L|location location-trusted l M m|max-time: N|no-buffer n|netrc netrc-file: O|remote-name remote-name-all o|output: output-dir: create-dirs P|ftp-port: p|proxytunnel Q|quote: q|disable R|remote-time r|range: S|show-error s|silent T|upload-file: t|telnet-option: U|proxy-user: u|user: url: V|version v|verbose w|write-out: X|request: x|proxy: Y: y: z|time-cond: Z|parallel #|progress-bar : retry: retry-delay: retry-all-errors retry-connrefused connect-timeout: compressed http1.1 http2 resolve: interface: cacert: capath: key: key-type: cert-type: pass: proto: proto-default: tlsv1.2 tlsv1.3 ssl-reqd unix-socket: oauth2-bearer: aws-sigv4: limit-rate: max-redirs: noproxy: request-target: trace: trace-ascii: stderr: no-progress-meter variable: expand-url: url-query: ipv4|4 ipv6|6 0 1 2 3';
export const WGET_OPTIONS =
  'O|output-document: P|directory-prefix: q|quiet v|verbose nv|no-verbose S|server-response c|continue N|timestamping t|tries: T|timeout: w|wait: a|append-output: o|output-file: i|input-file: U|user-agent: e|execute: b|background r|recursive l|level: k K m|mirror p|page-requisites A|accept: R|reject: np|no-parent nc|no-clobber nd nH x header: post-data: post-file: body-data: body-file: method: user: password: http-user: http-password: load-cookies: save-cookies: no-check-certificate content-disposition show-progress progress: limit-rate: referer: max-redirect: certificate: private-key: ca-certificate: use-askpass: https-only no-verbose 4 6 spider Q: B:';

function writeOption(call: LiveCall, grammar: string, name: string, taint: number = TAINT.fetched): void {
  const target = optionsOf(call, grammar).value(name);
  if (target) write(call.state, target, { ...UNKNOWN_FILE, taint });
}

function writeNamed(call: LiveCall, name: Field | null, folder: Field | undefined): void {
  if (name) write(call.state, inside(folder, name), FETCHED);
}

/** Kinds of text that stay what they are in a copy. */
const FOLLOWED = TAINT.fetched | TAINT.decoded | TAINT.secret | TAINT.environ;

function copyFiles(call: LiveCall, walker: Walker): void {
  const options = optionsOf(
    call,
    't|target-directory: m|mode: o|owner: g|group: S|suffix: a r R f i n v s b? D T p u x',
  );
  const operands = [...options.operands];
  const target = options.value('t') ?? operands.pop();
  if (!target) return;
  const sameNode =
    call.program === 'ln' || call.program === 'link' || (call.program === 'cp' && options.has('a', 'r', 'R', 'd'));
  for (const source of operands) {
    const device = sameNode ? deviceAt(call, source) : undefined;
    const content = device ?? copiedFrom(source, call, walker);
    const followed = (content.taint & FOLLOWED) !== 0 || content.program !== undefined || device;
    if (content.text === null && !followed) continue;
    if (!device || !namesFolder(target, operands)) write(call.state, target, content);
    write(
      call.state,
      { ...target, text: `${target.text}/${source.text.slice(source.text.lastIndexOf('/') + 1)}` },
      content,
    );
    if (options.has('m'))
      for (const path of pathsOf(call, target)) if (isNamed(path)) call.state.executable.add(formatPath(path));
  }
}

/** What a copy of this word holds: what it is given, a program of the system, or what is known of the file. */
function copiedFrom(source: Field, call: Call, walker: Walker): Source {
  if (source.content) return source.content;
  if (descriptorIn(source.text) === 0) return call.stdin;
  const program = call.frame.container ? undefined : PROGRAM_FILE.exec(source.text)?.[1];
  return program === undefined ? fileSource(source, call.state, walker) : { ...UNKNOWN_FILE, program };
}

/** Several things, or a thing without a name, only go into a folder. */
function namesFolder({ text }: Field, sources: readonly Field[]): boolean {
  return sources.length > 1 || /(?:^|\/)\.{0,2}$/.test(text);
}

/** A device, or the folder of them, under a name of its own. */
function deviceAt(call: LiveCall, source: Field): Source | undefined {
  const path = pathsOf(call, source)
    .map((place) => throughLinks(place, call.state))
    .find((place) => place.absolute && place.parts[0] === 'dev' && isNamed(place));
  return path && { ...UNKNOWN_FILE, link: formatPath(path) };
}

/** `mknod name b 8 0`: a block device by its numbers. */
function makeNode(call: LiveCall): void {
  const [name, kind, ...numbers] = optionsOf(call, 'm|mode: Z').operands;
  if (name && kind?.text === 'b')
    write(call.state, name, { ...UNKNOWN_FILE, link: `/dev/block/${numbers.map(({ text }) => text).join(':')}` });
}

const PROGRAM_FILE = /^\/(?:usr\/(?:local\/)?|opt\/\w+\/|snap\/)?s?bin\/([\w.+-]+)$/;

export function makesExecutable(mode: string): boolean {
  if (/^[0-7]{3,4}$/.test(mode)) return [...mode.slice(-3)].some((digit) => Number(digit) % 2 === 1);
  return mode.split(',').some((part) => /^[ugoa]*[+=][rwXst]*x/.test(part));
}

function markTree(call: LiveCall, folder: Field): void {
  for (const name of placesNamed(call, folder)) call.state.fetchedTrees.set(name, true);
}

export function placesNamed(call: Call, field: Field): readonly string[] {
  return pathsOf(call, field).flatMap((path) => (isNamed(path) ? formatPath(path) : []));
}

/** `npm pkg set scripts.x=text`: kept apart from the file, of whose rest nothing is known. */
function setScripts(call: LiveCall): void {
  const [verb, set, ...pairs] = optionsOf(call, 'prefix: w|workspace:').operands;
  if (verb?.text !== 'pkg' || set?.text !== 'set') return;
  const scripts = pairs.flatMap(({ text }) => {
    const match = /^scripts\.([^=]+)=(.*)$/s.exec(text);
    return match ? [[match[1] as string, match[2] as string] as const] : [];
  });
  const text = JSON.stringify({ scripts: Object.fromEntries(scripts) });
  if (scripts.length > 0) write(call.state, { ...set, text: SET_SCRIPTS }, { ...UNKNOWN_FILE, text });
}

/** Where the last scripts that npm itself set are kept: no file can be there. */
export const SET_SCRIPTS = 'package.json/scripts';

function sevenZip(call: LiveCall): void {
  const [verb, archive, ...members] = optionsOf(call, '', { singleDash: true }).operands;
  if (verb?.text === 'a') pack(call, archive, members);
  const out = call.args.find(({ text }) => /^-o./.test(text));
  if (/^[xe]$/.test(verb?.text ?? '')) extract(call, out && { ...out, raw: '', text: out.text.slice(2) });
}

/** What is made out of fetched source is fetched. */
function compile(call: LiveCall): void {
  const { args, stdin, state } = call;
  const from = (arg: Field) => placesNamed(call, arg).some((name) => isDownloaded(call, name));
  if ((stdin.taint & TAINT.fetched) === 0 && !args.some(from)) return;
  const out = args.find((_, i) => args[i - 1]?.text === '-o');
  const stems = args.flatMap((arg) => /([^/]+)\.\w+$/.exec(arg.text)?.[1] ?? []);
  const made = out ? [out.text] : ['a.out', ...stems, ...stems.map((stem) => `${stem}.class`)];
  for (const text of made) write(state, { ...call.argv0, text }, FETCHED);
}

/** What comes out of a fetched archive is fetched. */
function extract(call: LiveCall, folder: Field | undefined): void {
  const archive = call.args.find((arg) =>
    pathsOf(call, arg).some((path) => isNamed(path) && isFetched(call, formatPath(path))),
  );
  if (!archive && (call.stdin.taint & TAINT.fetched) === 0) return;
  const { fetchedTrees, unpackedTrees, cwds } = call.state;
  const trees = folder ? placesNamed(call, folder) : cwds.map((cwd) => cwd ?? UNKNOWN);
  for (const tree of trees) {
    fetchedTrees.set(tree, true);
    unpackedTrees.set(tree, true);
  }
}

/** `tar czf a.tgz files`; the first word may lack its dash. */
function archiveMembers(call: LiveCall): void {
  const [first, ...rest] = call.args;
  if (!first) return;
  const dashed = first.text.startsWith('-') ? first : { ...first, text: `-${first.text}` };
  const options = parseOptions([dashed, ...rest], TAR_CREATE);
  pack(call, options.value('f'), options.operands);
}

const TAR_CREATE =
  'c|create r|append u|update z j J a v p h P f|file: C|directory: exclude: X|exclude-from: T|files-from: I|use-compress-program: owner: group: transform: g:';

/** Secrets that `git add` names or a commit message holds go where a push goes; the index stands for both. */
function noteStaged(call: LiveCall, [verb, ...rest]: readonly Field[]): void {
  const index = { ...call.argv0, text: '.git/index' };
  if (verb?.text === 'add' || verb?.text === 'stage')
    pack(call, index, hasArg(call, '-f', '--force') ? rest : rest.filter(({ text }) => !SHARED_ENV.test(text)));
  else if (/^(?:commit|tag|notes)$/.test(verb?.text ?? '') && call.args.some(({ taint }) => (taint & SECRETS) !== 0))
    write(call.state, index, { ...UNKNOWN_FILE, taint: TAINT.secret });
}

/** Environment files of a stage are often kept with the code; those of this machine are not. */
const SHARED_ENV = /(?:^|\/)\.env\.(?!(?:\w+\.)?local$)[\w.]+$/;
const SECRETS = TAINT.secret | TAINT.environ;

/** Secrets stay secrets in an archive. */
function pack(call: LiveCall, archive: Field | undefined, members: readonly Field[]): void {
  const taint = secretsIn(call, members);
  if (archive && taint !== 0) write(call.state, archive, { ...UNKNOWN_FILE, taint });
}

function secretsIn(call: Call, files: readonly Field[]): number {
  return files.reduce((all, file) => all | fileTaint(call, file), 0) & SECRETS;
}

/** Whether a file came from a network: in this text, in this session, or out of a fetched folder. */
export function isFetched(call: Call, name: string): boolean {
  return isFetchedInto(call, name, call.state.fetchedTrees);
}

/** As `isFetched`, without what a clone brought: building and testing that is the work it was cloned for. */
export function isDownloaded(call: Call, name: string): boolean {
  return isFetchedInto(call, name, call.state.unpackedTrees);
}

/** Whether the path is one of these folders or below one. */
export function isInTrees(name: string, trees: Page<true>): boolean {
  if (trees.size === 0) return false;
  if (trees.has(name) || (name.startsWith('/') && trees.has('/'))) return true;
  for (let cut = name.lastIndexOf('/'); cut > 0; cut = name.lastIndexOf('/', cut - 1))
    if (trees.has(name.slice(0, cut))) return true;
  return false;
}

function isFetchedInto(call: Call, name: string, trees: Page<true>): boolean {
  const written = call.state.files.get(name);
  if (written) return (written.taint & TAINT.fetched) !== 0;
  return call.facts.fetched.includes(name) || isInTrees(name, trees);
}
