import type { Call } from '../call.ts';
import type { Field } from '../field.ts';
import { literalField } from '../field.ts';
import { UNKNOWN } from '../marks.ts';
import { parseOptions } from '../options.ts';
import { fileSource } from '../redirects.ts';
import type { Source } from '../source.ts';
import { textSource, UNKNOWN_SOURCE } from '../source.ts';
import { within } from '../walker.ts';
import { bound, MAX_RUNS } from './finders.ts';
import type { Inner, Peel } from './inner.ts';
import { joinFields, joinsApart, RUNS_CODE, UNKNOWN_OPTION } from './inner.ts';

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

export const itemPeels: Readonly<Record<string, Peel>> = { xargs, parallel, sem: parallel };
