import type { Call } from '../shell/call.ts';
import { optionsOf, remember } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { CURL_OPTIONS, WGET_OPTIONS } from '../shell/file-effects.ts';
import { byName } from '../shell/lookup.ts';
import { sedFiles } from '../shell/script-commands.ts';
import { trimEnd } from '../shell/trim.ts';
import { BUILDERS, containerCopy, MAKERS, RECORDERS } from './made-files.ts';
import { hasArgs, inPlace, operands, type Pick, values } from './picks.ts';
import { COPY, copySources, isRemote, type Target, TRANSFERS, targetsOf } from './targets.ts';

/** Every path the call would write, as far as its words say. */
export function writeTargets(call: Call): readonly Target[] {
  return remember(call, writeTargets, () => writesOf(call));
}

function writesOf(call: Call): readonly Target[] {
  const redirected = call.files.filter((file) => file.use !== 'read').map((file) => file.target);
  return targetsOf(call, [...redirected, ...(WRITERS.get(call.program)?.(call) ?? [])]);
}

const SED_IN_PLACE: Pick = inPlace(
  'e|expression: f|file: i|in-place? n|quiet|silent E r s|separate z u l: b posix debug sandbox follow-symlinks',
  'i',
  'e',
  'f',
);

const WRITERS = byName<Pick>({
  ...BUILDERS,
  ...RECORDERS,
  ...MAKERS,
  tee: operands('a|append i|ignore-interrupts p output-error?'),
  sponge: operands('a'),
  cp: copyTargets,
  ditto: copyTargets,
  mv: (call) => [...copyTargets(call), ...moveSources(call)],
  install: (call) => (optionsOf(call, COPY).has('d') ? optionsOf(call, COPY).operands : copyTargets(call)),
  ln: copyTargets,
  dd: (call) =>
    call.args.filter((arg) => arg.text.startsWith('of=')).map((arg) => ({ ...arg, text: arg.text.slice(3) })),
  sed: (call) => [...SED_IN_PLACE(call), ...sedFiles(call, 'write')],
  perl: inPlace('e: E: i? p n a l? 0? F? M: m: I: w s', 'i', 'e', 'E'),
  ruby: inPlace('e: i? p n a l r: I: w s', 'i', 'e', 'e'),
  yq: inPlace('i|inplace e|expression: P o|output-format: p|input-format: r|raw-output', 'i', 'e', 'e'),
  touch: operands('a c|no-create d|date: f h m r|reference: t: time:'),
  truncate: operands('s|size: r|reference: c|no-create o'),
  mkdir: operands('m|mode: p|parents v Z'),
  mknod: (call) => optionsOf(call, 'm: Z').operands.slice(0, 1),
  mkfifo: operands('m:'),
  curl: saved(CURL_OPTIONS, 'o', 'c', 'D', 'output-dir', 'trace', 'trace-ascii', 'stderr'),
  wget: saved(WGET_OPTIONS, 'O', 'P', 'o', 'a'),
  aria2c: values('o|out: d|dir:', 'o', 'd'),
  rsync: (call) => {
    const options = optionsOf(call, TRANSFERS['rsync'] as string);
    const logged = [...options.values('log-file'), ...options.values('backup-dir'), ...options.values('partial-dir')];
    return options.has('n') ? [] : [...localLast(call, TRANSFERS['rsync'] as string), ...logged];
  },
  scp: (call) => localLast(call, TRANSFERS['scp'] as string),
  sort: values('o|output: k: t: T: S: parallel: compress-program: u r n c', 'o'),
  shuf: values('o|output: n: e i: r z', 'o'),
  tar: (call) => {
    const folder = optionsOf(call, 'C|directory: f|file: x|extract z j J v p strip-components:').values('C');
    const bundled = /^-?[a-zA-Z]*x/.test(call.args[0]?.text ?? '');
    return bundled || call.args.some((arg) => /^(?:--extract|--get|-[a-zA-Z]*x[a-zA-Z]*)$/.test(arg.text))
      ? folder
      : [];
  },
  cpio: (call) => {
    const options = optionsOf(
      call,
      'i|extract o|create p|pass-through D|directory: d m u v F|file: H|format: I: O: E: R: B',
    );
    if (options.has('p')) return options.operands.slice(-1);
    return options.has('i') ? options.values('D') : options.values('O');
  },
  pax: (call) => (hasArgs(call, /^-[a-zA-Z]*rw/) ? call.args.slice(-1) : []),
  docker: containerCopy,
  kubectl: containerCopy,
  pg_dump: values('f|file: F: t: n: h: U: p: d: j:', 'f'),
  pg_dumpall: values('f|file: h: U: p: l:', 'f'),
  mysqldump: values('r|result-file: T|tab: u: h: P: p?', 'r', 'T'),
  zstd: values('o: d|decompress c k f r T: D: q v', 'o'),
  age: values('o|output: r|recipient: R: i|identity: d|decrypt e p a', 'o'),
  dot: values('o: T: K: G: N: E: n? l: v', 'o'),
  xmllint: values('o|output: xpath: schema: format noout', 'o'),
  'yt-dlp': values('o|output: P|paths: f: x', 'o', 'P'),
  gh: (call) => {
    const options = optionsOf(call, 'D|dir: O|output: p|pattern: R|repo: n|name: A:');
    return options.operands[1]?.text === 'download' ? [...options.values('D'), ...options.values('O')] : [];
  },
  unzip: values('d: o q n', 'd'),
  split: operands('a: b: C: d e l: n: t: u filter: x? numeric-suffixes? additional-suffix:', 1),
  patch: (call) => {
    const options = optionsOf(call, 'p|strip: i|input: R N d|directory: b f s o|output: r: E dry-run');
    const written = [...options.operands.slice(0, 1), ...options.values('o')];
    return options.has('dry-run') ? [] : [...options.values('d'), ...written];
  },
  chmod: permissionTargets,
  chown: permissionTargets,
  chgrp: permissionTargets,
  setfacl: operands('m: x: M: X: R b k d', 0),
  chattr: (call) => call.args.filter((arg) => !/^[-+=]/.test(arg.text)),
  vim: editorTargets,
  nano: editorTargets,
  emacs: editorTargets,
  ed: editorTargets,
  micro: editorTargets,
  code: editorTargets,
  sudoedit: editorTargets,
  sudo: (call) => (optionsOf(call, 'e|edit u: g:', { stop: true }).has('e') ? editorTargets(call) : []),
  dos2unix: operands('n k q o'),
  find: (call) => call.args.filter((_, i) => /^-(?:fprint0?|fprintf|fls)$/.test(call.args[i - 1]?.text ?? '')),
  xxd: (call) => optionsOf(call, 'r p c: l: s: o: g: u i b').operands.slice(1, 2),
  gpg: values('o|output: d r: u:', 'o'),
  openssl: (call) =>
    call.args.filter((_, i) => /^-(?:out|keyout|writerand|CAserial)$/.test(call.args[i - 1]?.text ?? '')),
  'out-file': (call) => call.args.filter((arg) => !arg.text.startsWith('-')),
  'set-content': (call) => call.args.filter((arg) => !arg.text.startsWith('-')).slice(0, 1),
  'add-content': (call) => call.args.filter((arg) => !arg.text.startsWith('-')).slice(0, 1),
  'copy-item': (call) => call.args.filter((arg) => !arg.text.startsWith('-')).slice(1, 2),
  'move-item': (call) => call.args.filter((arg) => !arg.text.startsWith('-')).slice(0, 2),
  crudini: (call) => call.args.slice(1, 2),
  git: (call) => gitWrites(call),
});

/** As `values`; `-` is no file but what it prints. */
function saved(grammar: string, ...names: readonly string[]): Pick {
  const pick = values(grammar, ...names);
  return (call) => pick(call).filter(({ text }) => text !== '-');
}

/** Programs whose words name what they write. */
export const WRITING_PROGRAMS: readonly string[] = [...WRITERS.keys()];

/** `git config -f file`, `git archive -o file`, `git clone url folder`, `git log --output=file`. */
function gitWrites(call: Call): readonly Field[] {
  const options = optionsOf(call, 'C: c: f|file: o|output: output-directory: b|branch: depth: m|message:');
  const [verb, ...rest] = options.operands;
  if (
    /^(?:log|diff|show|diff-(?:tree|index|files)|format-patch|range-diff|shortlog|stash|whatchanged|bundle)$/.test(
      verb?.text ?? '',
    )
  )
    return gitOutputs(call, verb?.text ?? '', rest);
  if (verb?.text === 'config') return rest.length > 1 ? options.values('f') : [];
  if (verb?.text === 'archive') return options.values('o');
  if (verb?.text === 'apply' || verb?.text === 'am')
    return optionsOf(call, 'C: c: directory: p: exclude: include: check stat').values('directory');
  if (verb?.text === 'init') return rest.filter((field) => !field.text.startsWith('-')).slice(0, 1);
  if (verb?.text === 'clone') return rest.slice(1, 2);
  return [];
}

function gitOutputs(call: Call, verb: string, rest: readonly Field[]): readonly Field[] {
  if (verb === 'bundle') return rest[0]?.text === 'create' ? rest.slice(1, 2) : [];
  const options = optionsOf(call, 'C: c: output: o|output-directory:');
  return [...options.values('output'), ...(verb === 'format-patch' ? options.values('o') : [])];
}

function editorTargets(call: Call): readonly Field[] {
  if (call.argv0.text.endsWith('view') || call.args.some((arg) => arg.text === '-R')) return [];
  return optionsOf(call, 'c: S: u: T: t: w: W: cmd: eval: l: f: R n b d e s g: p').operands.filter(
    (arg) => !arg.text.startsWith('+'),
  );
}

/** The target of a copy, and the name each source would get in it. */
function copyTargets(call: Call): readonly Field[] {
  const options = optionsOf(call, COPY);
  const list = [...options.operands];
  const target = options.value('t') ?? (list.length > 1 ? list.pop() : undefined);
  if (!target) return [];
  const named = list.map((source) => ({
    ...target,
    text: `${target.text}/${trimEnd(source.text, '/').split('/').at(-1) ?? ''}`,
  }));
  return options.has('T') ? [target] : [target, ...named];
}

function moveSources(call: Call): readonly Field[] {
  return copySources(call);
}

function localLast(call: Call, grammar: string): readonly Field[] {
  const options = optionsOf(call, grammar);
  const last = options.operands.at(-1);
  return last && options.operands.length > 1 && !isRemote(last.text) && !options.has('n') ? [last] : [];
}

/** Owner and mode changes write; tightening a key's mode does not. */
function permissionTargets(call: Call): readonly Field[] {
  const options = optionsOf(
    call,
    'R|recursive v c f h H L P reference: from: preserve-root no-preserve-root dereference no-dereference',
  );
  const [mode, ...rest] = options.operands;
  const dashed = call.program === 'chmod' && call.args.some(({ text }) => /^-[rwxXst]+$/.test(text));
  const files = options.has('reference') || dashed ? options.operands : rest;
  if (
    call.program === 'chmod' &&
    !dashed &&
    /^0?[4-7]00$|^(?:u[+=][rwx]+,)?(?:go|g|o|og)[-=][rwx]*(?:,.*)?$/.test(mode?.text ?? '')
  )
    return [];
  return files;
}
