import type { Call } from '../call.ts';
import type { Field } from '../field.ts';
import { literalField } from '../field.ts';
import { FIND_VALUES, findRoots, isExecEnd } from '../find-words.ts';
import { listedTaint } from '../listings.ts';
import { entryOf } from '../lookup.ts';
import { STAR, UNKNOWN } from '../marks.ts';
import type { Options } from '../options.ts';
import { parseOptions } from '../options.ts';
import { canonicalProgram, SHELLS } from '../program-names.ts';
import { fileSource } from '../redirects.ts';
import type { Source } from '../source.ts';
import { textSource, UNKNOWN_SOURCE } from '../source.ts';
import { trimEnd } from '../trim.ts';
import { within } from '../walker.ts';
import type { Inner, Peel } from './inner.ts';
import {
  bothReadings,
  exportedFunctions,
  foldersOf,
  joinFields,
  joinsApart,
  RUNS_CODE,
  splitWords,
  UNKNOWN_OPTION,
} from './inner.ts';

const SHELL_OPTIONS =
  'c i l|login r s v x e u n f a b h k m p t B C E H P T o: O: norc noprofile posix rcfile|init-file: restricted verbose version help noediting dump-strings wordexp debugger';

/** Shells whose options are followed by the text: `c` is run, `C` before it or before the prompt. */
const VALUED_SHELLS: Readonly<Record<string, string>> = {
  fish: 'c|command: C|init-command: d|debug: o|debug-output: f|features: p|profile: profile-startup: D|debug-stack-frames: i|interactive l|login N|no-config n|no-execute P|private print-rusage-self print-debug-categories v|version h|help',
  nu: 'c|commands: C|e|execute: config: env-config: plugin-config: plugins: I|include-path: m|table-mode: t|threads: log-level: log-target: error-style: i|interactive l|login no-config-file|n stdin testbin: v|version h|help',
};

/** Options that name a file the shell reads first. */
export const START_FILES: readonly string[] = ['rcfile', 'config', 'env-config'];

/** What a shell is started with. */
export function shellOptions(call: Call): Options {
  return parseOptions(unplus(call.args), entryOf(VALUED_SHELLS, call.program) ?? SHELL_OPTIONS, { stop: true });
}

/** `sh -c text name args`: `-c` may stand in a bundle; the text is the first operand. */
const shell: Peel = (call) => {
  const options = shellOptions(call);
  if (options.has('n')) return [];
  if (Object.hasOwn(VALUED_SHELLS, call.program)) return valuedTexts(call, options);
  const [text, zero, ...args] = options.operands;
  if (!options.has('c') || !text) return [];
  const main = given(call, text, args);
  return [...startFiles(call, options), zero ? { ...main, run: { ...main.run, zero } } : main];
};

function given(call: Call, text: Field, args: readonly Field[]): Inner & { readonly run: { readonly kind: 'shell' } } {
  const values = args.map((arg) => ({ text: arg.text, taint: arg.taint }));
  return { run: { kind: 'shell', text, args: values }, wrapper: { program: call.program }, bar: RUNS_CODE };
}

/** `fish -C text file`, `fish -c text words`. */
function valuedTexts(call: Call, options: Options): readonly Inner[] {
  const texts = [...options.values('C'), ...options.values('c')].map((text) => given(call, text, options.operands));
  if (texts.length === 0) return [];
  const file = options.has('c') ? undefined : options.operands[0];
  return [...startFiles(call, options), ...texts, ...(file ? [sourced(call, file)] : [])];
}

/** `bash --rcfile file -ic text` reads the file first. */
function startFiles(call: Call, options: Options): readonly Inner[] {
  return START_FILES.flatMap((name) => options.values(name)).map((file) => sourced(call, file));
}

function sourced(call: Call, file: Field): Inner {
  const argv = [literalField('source', file.span), file];
  return { run: { kind: 'argv', argv }, wrapper: { program: call.program }, bar: RUNS_CODE };
}

/** `+x` and `+o name` switch options off. */
function unplus(args: readonly Field[]): readonly Field[] {
  return args.map((arg) => (/^\+[A-Za-z]+$/.test(arg.text) ? { ...arg, text: `-${arg.text.slice(1)}` } : arg));
}

const evaluate: Peel = (call) => {
  const args = call.args[0]?.text === '--' ? call.args.slice(1) : call.args;
  if (args.length === 0) return [];
  return [
    {
      run: { kind: 'shell', text: joinFields(args, call), sameShell: true },
      wrapper: { program: 'eval' },
      bar: RUNS_CODE,
    },
  ];
};

const XARGS =
  '0|null a|arg-file: d|delimiter: E: e|eof? I: i|replace? J: L|max-lines: l? n|max-args: o|open-tty P|max-procs: p|interactive R: r|no-run-if-empty S: s|max-chars: t|verbose x|exit process-slot-var: show-limits help version';

/** Words from stdin are appended, or put where the placeholder stands; known only where stdin is constant. */
const xargs: Peel = (call) => {
  const options = parseOptions(call.args, XARGS, { stop: true });
  if (options.operands.length === 0) return [];
  const holder =
    options.value('I')?.text ??
    options.value('J')?.text ??
    (options.has('i') ? (options.value('i')?.text ?? '{}') : null);
  const by = options.has('0') ? '\0' : (delimiterOf(options.value('d')?.text) ?? (holder === null ? undefined : '\n'));
  const items = stdinItems(options.has('a') ? { ...call, stdin: listed(call, options.value('a')) } : call, by);
  const argvs =
    holder === null
      ? [[...options.operands, ...items]]
      : runsOf(items).map((some) => options.operands.flatMap((field) => fill(field, holder, some)));
  const inner = argvs.map(
    (argv): Inner => ({
      run: { kind: 'argv', argv },
      wrapper: { program: 'xargs' },
      bar: options.unknown ? UNKNOWN_OPTION : RUNS_CODE,
      appended: true,
      stdin: textSource(''),
    }),
  );
  const roots = options.has('a') ? undefined : call.stdin.roots;
  return roots ? [...inner, ...overFound(call, options.operands, roots, holder)] : inner;
};

/** What `-a file` brings. */
function listed(call: Call, file: Field | undefined): Source {
  return file ? (file.content ?? fileSource(file, call.state, call)) : UNKNOWN_SOURCE;
}

/** Every item is a run of its own. */
function runsOf(items: readonly Field[]): readonly (readonly Field[])[] {
  return items.length === 0 ? [items] : within(items, MAX_RUNS).map((item) => [item]);
}

const MAX_RUNS = 400;

/** xargs reads `\n` and its kin in a delimiter itself. */
function delimiterOf(text: string | undefined): string | undefined {
  if (text === undefined || !text.startsWith('\\')) return text;
  return ESCAPES[text[1] as string] ?? text.slice(1);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' };

/** What `find` lists is bound to its folders, as behind `-exec`. */
function overFound(
  call: Call,
  words: readonly Field[],
  roots: readonly string[],
  holder: string | null,
): readonly Inner[] {
  const fields = roots.map((root) => literalField(root, call.span, { expanded: true, taint: call.stdin.taint }));
  const placed = holder === null ? [...words, literalField('{}', call.span)] : words;
  return bound(call, placed, fields, holder ?? '{}').map((inner) => ({
    ...inner,
    appended: true,
    stdin: textSource(''),
  }));
}

function unknownItem(call: Call): Field {
  return literalField(UNKNOWN, call.span, { expanded: true, taint: call.stdin.taint });
}

function stdinItems(call: Call, delimiter?: string): readonly Field[] {
  const text = call.stdin.text;
  if (text === null || call.stdin.kind === 'none') return [unknownItem(call)];
  return text
    .split(delimiter === undefined || delimiter.length !== 1 ? /\s+/ : delimiter)
    .filter((word) => word !== '')
    .map((word) =>
      literalField(word.replace(/^(['"])(.*)\1$/, '$2'), call.span, { expanded: true, taint: call.stdin.taint }),
    );
}

function fill(field: Field, holder: string, items: readonly Field[]): readonly Field[] {
  if (!field.text.includes(holder)) return [field];
  const filled = items.length > 0 ? items : [literalField('', field.span)];
  if (field.text === holder) return filled;
  return filled.map((item) => ({
    ...field,
    text: field.text.replaceAll(holder, () => item.text),
    expanded: true,
    taint: field.taint | item.taint,
  }));
}

/** GNU parallel: a template run by a shell, with items after `:::` or from stdin. */
const parallel: Peel = (call) => {
  const cut = call.args.findIndex((arg) => /^:{3,4}\+?$/.test(arg.text));
  const head = cut < 0 ? call.args : call.args.slice(0, cut);
  const options = parseOptions(
    head,
    'j|jobs: k|keep-order a|arg-file: colsep: N: n: L: m X I: q|quote dry-run? bar progress joblog: results: retries: halt: timeout: delay: S|sshlogin: tag line-buffer|lb u|ungroup group 0|null d: memfree: load: nice: will-cite no-notice pipe block: round-robin env: wd|workdir: plus eta v t no-run-if-empty r',
    { stop: true },
  );
  if (options.has('dry-run')) return [];
  if (options.operands.length === 0) return cut < 0 ? [] : commandsBehind(call, cut);
  const from =
    cut >= 0 && !(call.args[cut] as Field).text.startsWith('::::')
      ? call.args.slice(cut + 1).filter((arg) => !/^:{3,4}\+?$/.test(arg.text))
      : stdinItems(call);
  const template = joinFields(options.operands, call);
  const holder = /\{(?:\d+|[./]+|#|%)?\}/g;
  const wrapper = { program: 'parallel' };
  const items = from.length > 0 ? from : [literalField('', call.span)];
  const apart: readonly Inner[] = joinsApart(options.operands)
    ? [{ run: { kind: 'argv', argv: options.operands }, wrapper, bar: RUNS_CODE, appended: true }]
    : [];
  if (options.has('pipe'))
    return [{ run: { kind: 'shell', text: template }, wrapper, bar: RUNS_CODE, stdin: call.stdin }];
  if (/^\{(?:\d+|[./]+)?\}$/.test(template.text.trim())) return within(items, MAX_RUNS).map((item) => asCommand(item));
  // parallel quotes what it fills in, so an item is one word whatever it holds.
  const text = holder.test(template.text) ? template.text.replace(holder, () => '"$1"') : `${template.text} "$1"`;
  const joined = within(items, MAX_RUNS).map(
    (item): Inner => ({
      run: { kind: 'shell', text: { ...template, text }, args: [{ text: item.text, taint: item.taint }] },
      wrapper,
      bar: RUNS_CODE,
      appended: true,
    }),
  );
  return [...joined, ...apart];
};

function asCommand(text: Field): Inner {
  return { run: { kind: 'shell', text }, wrapper: { program: 'parallel' }, bar: RUNS_CODE };
}

/** Without a template what stands behind `:::` are commands, and `::::` names files of them. */
function commandsBehind(call: Call, cut: number): readonly Inner[] {
  const files = (call.args[cut] as Field).text.startsWith('::::');
  return within(call.args.slice(cut + 1), MAX_RUNS).map((field) =>
    asCommand(files ? { ...field, raw: '', text: UNKNOWN } : field),
  );
}

const WATCH =
  'b|beep c|color C|no-color d|differences? e|errexit f|follow g|chgexit n|interval: p|precise q|equexit: r|no-rerun s|shotsdir: t|no-title w|no-wrap x|exec help version';

const watch: Peel = (call) => {
  const options = parseOptions(call.args, WATCH, { stop: true });
  if (options.operands.length === 0) return [];
  const wrapper = { program: 'watch' };
  const bar = options.unknown ? UNKNOWN_OPTION : RUNS_CODE;
  if (options.has('x')) return [{ run: { kind: 'argv', argv: options.operands }, wrapper, bar }];
  return bothReadings(options.operands, call, { wrapper, bar });
};

const flock: Peel = (call) => {
  const options = parseOptions(
    call.args,
    's|shared x|e|exclusive u|unlock n|nb|nonblock w|wait|timeout: o|close E|conflict-exit-code: F|no-fork c|command: v|verbose fcntl',
    { stop: true },
  );
  const direct = options.value('c');
  const rest = options.operands.slice(1);
  const wrapper = { program: 'flock' };
  if (direct) return [{ run: { kind: 'shell', text: direct }, wrapper, bar: RUNS_CODE }];
  if (rest[0]?.text === '-c' || rest[0]?.text === '--command')
    return rest[1] ? [{ run: { kind: 'shell', text: rest[1] }, wrapper, bar: RUNS_CODE }] : [];
  return rest.length > 0
    ? [{ run: { kind: 'argv', argv: rest }, wrapper, ...(options.unknown ? { bar: UNKNOWN_OPTION } : {}) }]
    : [];
};

const SCRIPT =
  'a|append c|command: e|return f|flush F: k q|quiet r p d t? T|log-timing: I|log-in: O|log-out: B|log-io: m|logging-format: E|echo: o|output-limit: h V';

/** util-linux `script -c text file`, the options on either side of the file; BSD `script file words`. */
const script: Peel = (call) => {
  const options = parseOptions(call.args, SCRIPT, { stop: true });
  const after = options.operands.slice(1);
  const behind = after[0]?.text.startsWith('-') ? parseOptions(after, SCRIPT).value('c') : undefined;
  const text = options.value('c') ?? behind;
  const wrapper = { program: 'script' };
  if (text) return [{ run: { kind: 'shell', text }, wrapper, bar: RUNS_CODE }];
  const words = call.args.slice(0, call.args.length - after.length).map((field) => field.text);
  const identity = ['script', ...words].join(' ');
  return after.length > 0 ? [{ run: { kind: 'argv', argv: after }, wrapper: { ...wrapper, identity } }] : [];
};

/** `find paths tests -exec words ; ` and fd's `-x`. What they find is bound to the paths and to everything below. */
const find: Peel = (call) => {
  const out: Inner[] = [];
  const roots = findRoots(call);
  for (let i = 0; i < call.args.length; i++) {
    const flag = (call.args[i] as Field).text;
    if (FIND_VALUES.test(flag)) i++;
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(flag)) continue;
    let end = i + 1;
    while (end < call.args.length && !isExecEnd(call.args, end)) end++;
    const words = call.args.slice(i + 1, end);
    i = end;
    if (words.length > 0) out.push(...bound(call, words, roots, '{}'));
  }
  return out;
};

function bound(call: Call, words: readonly Field[], roots: readonly Field[], holder: string): readonly Inner[] {
  const apart = SHELLS.has(canonicalProgram(words[0]?.text ?? '', call.facts.os));
  return within(roots, MAX_RUNS).flatMap((root): readonly Inner[] => {
    const names = placesOf(root);
    const choices = apart ? names.map((name) => [name]) : [names];
    return choices.map((place) => boundTo(call, words, root, holder, place));
  });
}

/** A folder and everything below it; a shell gets one of them as `$1`, other programs both. */
function placesOf(root: Field): readonly string[] {
  const base = trimEnd(root.text, '/') || (root.text.startsWith('/') ? '' : '.');
  return [base === '' ? '/' : base, `${base}/${STAR}`];
}

function boundTo(call: Call, words: readonly Field[], root: Field, holder: string, place: readonly string[]): Inner {
  const names = listedTaint(call);
  const below = place.at(-1) as string;
  const argv = words.flatMap((word) => {
    if (!word.text.includes(holder)) return [word];
    if (word.text === holder)
      return place.map((text) => ({ ...word, text, expanded: true, taint: root.taint | names }));
    return [{ ...word, text: word.text.replaceAll(holder, () => below), expanded: true, taint: names }];
  });
  return { run: { kind: 'argv', argv }, wrapper: { program: call.program }, bar: RUNS_CODE, found: true };
}

const fd: Peel = (call) => {
  const at = call.args.findIndex((arg) => /^(?:-x|-X|--exec|--exec-batch)(?:=|$)/.test(arg.text));
  if (at < 0) return [];
  const rest = call.args.slice(at + 1);
  const semicolon = rest.findIndex((arg) => arg.text === ';');
  const words = semicolon < 0 ? rest : rest.slice(0, semicolon);
  if (words.length === 0) return [];
  const placed = words.some((word) => /\{[/.]*\}/.test(word.text))
    ? words.map((word) => ({ ...word, text: word.text.replace(/\{[/.]*\}/g, '{}') }))
    : [...words, literalField('{}', call.span)];
  const before = call.args.slice(0, at).filter((arg) => !arg.text.startsWith('-'));
  return bound(call, placed, before.length > 1 ? before.slice(1) : [literalField('.', call.span)], '{}');
};

/** `busybox words`; coreutils takes the name in an option. */
const busybox: Peel = (call) => {
  const [first, ...rest] = call.args;
  const name = /^--coreutils-prog=(.+)$/s.exec(first?.text ?? '')?.[1];
  if (!first || (name === undefined && first.text.startsWith('-'))) return [];
  const argv = name === undefined ? call.args : [{ ...first, raw: '', text: name }, ...rest];
  return [{ run: { kind: 'argv', argv }, wrapper: { program: call.program } }];
};

/** capsh runs bash with what stands behind `--` or `==`. */
const capsh: Peel = (call) => {
  const at = call.args.findIndex((arg) => arg.text === '--' || arg.text === '==');
  if (at < 0) return [];
  const argv = [literalField('bash', call.span), ...call.args.slice(at + 1)];
  return [{ run: { kind: 'argv', argv }, wrapper: { program: 'capsh', identity: 'capsh' }, bar: RUNS_CODE }];
};

const trap: Peel = (call) => {
  const options = parseOptions(call.args, 'l p P', { stop: true });
  const [text, signal] = options.operands;
  if (!text || !signal || text.text === '-' || text.text === '' || options.has('l', 'p')) return [];
  return [{ run: { kind: 'shell', text, sameShell: true }, wrapper: { program: 'trap' }, bar: RUNS_CODE }];
};

/** `env -S 'words'` splits by itself. */
const env: Peel = (call) => {
  const options = parseOptions(
    call.args,
    'i|ignore-environment 0|null u|unset: C|chdir: S|split-string: v|debug block-signal? default-signal? ignore-signal?',
    { stop: true },
  );
  const text = options.value('S');
  if (!text) return [];
  const argv = [...splitWords(text), ...options.operands];
  let at = 0;
  while (argv[at] && /^[^=]+=/.test((argv[at] as Field).text)) at++;
  const folder = options.value('C');
  return [
    ...exportedFunctions(call, argv.slice(0, at)),
    {
      run: { kind: 'argv', argv: argv.slice(at) },
      wrapper: { program: 'env' },
      assignments: argv.slice(0, at),
      bar: RUNS_CODE,
      ...(folder ? { cwds: foldersOf(call, folder) } : {}),
    },
  ];
};

export const shellPeels: Readonly<Record<string, Peel>> = {
  eval: evaluate,
  xargs,
  parallel,
  sem: parallel,
  watch,
  flock,
  script,
  find,
  fd,
  busybox,
  capsh,
  trap,
};
export { env as envSplit, shell as shellPeel };
