import type { Call } from './call.ts';
import { optionsOf } from './call.ts';
import type { CommandText } from './command-text.ts';
import { after, isShell, take } from './command-text.ts';
import { namesInput } from './descriptors.ts';
import type { Field } from './field.ts';
import { makeLines } from './makefile.ts';
import { UNKNOWN } from './marks.ts';
import { parseOptions } from './options.ts';
import { writtenTexts } from './written-text.ts';

/** In Ex mode `-s` means silent and takes no word; what follows it in the same word are options. */
function silentFlag(call: Call, { text }: Field): string | undefined {
  return (isEx(call) ? /^-[eE]?s/ : /^-[eE]s/).exec(text)?.[0];
}

function withoutSilent(call: Call, arg: Field): readonly Field[] {
  const flag = silentFlag(call, arg);
  if (flag === undefined) return [arg];
  const rest = arg.text.slice(flag.length);
  return rest === '' ? [] : [{ ...arg, raw: '', text: `-${rest}` }];
}

/** In Ex mode an editor takes its commands from stdin; else it takes keys, of which a colon begins a command. */
function exLines(call: Call): readonly Field[] {
  const { text } = call.stdin;
  if (text === null) return [];
  const lines = linesOf([{ ...call.argv0, text }]);
  if (isEx(call) || call.args.some((arg) => /^-[eE]/.test(arg.text))) return lines;
  return call.args.some((arg) => arg.text === '-') ? [] : lines.filter((line) => line.text.startsWith(':'));
}

function isEx({ argv0 }: Call): boolean {
  return /(?:^|\/)ex(?:im)?$/.test(argv0.text);
}

function linesOf(texts: readonly Field[]): readonly Field[] {
  return texts.flatMap((field) => field.text.split('\n').map((line) => ({ ...field, raw: '', text: line })));
}

/** The files of `-c 'source f'` and `+'so f'`. */
export function sourcedFiles({ args }: Call): readonly Field[] {
  return args.flatMap((arg) => {
    const name = /^\+?[\s:]*so(?:u(?:r(?:ce?)?)?)?!?\s+(\S+)\s*$/.exec(arg.text)?.[1];
    return name === undefined ? [] : [{ ...arg, raw: '', text: name }];
  });
}

/** `-c ':!cmd'`, `+!cmd`, `--cmd`; scripting languages inside vim count as a command hermod cannot read. */
export function vimTexts(call: Call): readonly CommandText[] {
  const options = parseOptions(
    call.args.flatMap((arg) => withoutSilent(call, arg)),
    'c: cmd: S: s: u: i: t: T: w: W: p o O R n N e E d Z es headless clean noplugin remote: servername:',
  );
  const lines = [
    ...options.values('c'),
    ...options.values('cmd'),
    ...call.args.filter((arg) => arg.text.startsWith('+')).map((arg) => after(arg, 1)),
    ...exLines(call),
    ...linesOf(
      writtenTexts(
        call,
        ['S', 'u'].flatMap((name) => options.values(name)),
      ),
    ),
  ];
  return lines.flatMap((line) => vimLine(line));
}

const BANG =
  /^[\s:]*(?:silent!?\s+|sil!?\s+|exe(?:cute)?\s+["'])?(?:[\d,$%]*|r(?:ead)?\s*|w(?:rite)?\s*|te(?:rminal)?\s+)?!(.*)$/s;
/** A command that runs later, and what `normal` types on the command line. */
const LATER =
  /^[\s:]*(?:au|autocmd)!?\s+\S+\s+(?:\S+\s+)+?:?(?:silent!?\s+)?!(.*)$|^[\s:]*(?:[\d,$%]*|g\/.*\/)norm(?:al?)?!?\s.*?:[^:!]*!(.*)$/s;
/** Options whose value vim starts as a program. */
const PROGRAM =
  /^[\s:]*(?:se(?:t|tl|tlocal|tg|tglobal)?\s+|let\s+&(?:[lg]:)?)(?:(?:grep|make|keyword|equal|format)prg|sh|shell)\s*=\s*(.*)$/s;
const BUILDER =
  /^["']?(?:make|ninja|cmake|gmake|npm|npx|pnpm|yarn|cargo|go|rg|grep|ag|ack|git grep|tsc|eslint|ruff|pytest|man|par|prettier|black|clang-format|jq)(?: [\w./%$:=*-]+)*["']?$/;
const CODE =
  /\b(?:system(?:list)?|libcall|job_start|jobstart|termopen|term_start|delete|rename|writefile|mkdir|setfperm|feedkeys|execute|eval)\s*\(|^[\s:]*(?:py|pyx|python|lua|perl|ruby|tcl|mz|term)\w*\s|luafile|pyfile/;

/** Commands on one line that are looked at, parted by bars. */
const MAX_BARS = 50;

function vimLine(line: Field, left = MAX_BARS): readonly CommandText[] {
  const what = 'a command vim runs';
  const bang = BANG.exec(line.text) ?? LATER.exec(line.text);
  const run = bang?.[1] ?? bang?.[2];
  if (run !== undefined) return [{ text: after(line, line.text.length - run.length), what }];
  const program = PROGRAM.exec(line.text)?.[1]?.replaceAll('\\ ', ' ');
  if (program !== undefined)
    return BUILDER.test(program) || isShell(program) ? [] : [{ text: { ...line, raw: '', text: program }, what }];
  if (left === 0 || CODE.test(line.text)) return [{ text: { ...line, text: UNKNOWN }, what: 'code vim runs' }];
  const bar = line.text.search(/[^\\]\|/);
  return bar < 0 ? [] : vimLine(after(line, bar + 2), left - 1);
}

export function gdbTexts(call: Call): readonly CommandText[] {
  const options = optionsOf(call, 'ex|eval-command: iex: x|command: ix: p|pid: batch q args', { singleDash: true });
  const scripts = linesOf(writtenTexts(call, [...options.values('x'), ...options.values('ix')]));
  return [...options.values('ex'), ...options.values('iex'), ...scripts].flatMap((line) => {
    const match = /^\s*(?:!|shell\s+|(?:py|python|pipe|make)\b)(.*)$/s.exec(line.text);
    return match
      ? [{ text: after(line, line.text.length - (match[1] as string).length), what: 'a command gdb runs' }]
      : [];
  });
}

export function lldbTexts(call: Call): readonly CommandText[] {
  const grammar =
    'o|one-line: O|one-line-before-file: k|one-line-on-crash: s|source: S: f|file: n: p|attach-pid: b|batch w a|arch: c|core:';
  const options = optionsOf(call, grammar);
  return ['o', 'O', 'k']
    .flatMap((name) => options.values(name))
    .flatMap((line) => {
      const match = /^\s*(?:platform\s+)?(?:shell|script)\b(.*)$/s.exec(line.text);
      return match
        ? [{ text: after(line, line.text.length - (match[1] as string).length), what: 'a command lldb runs' }]
        : [];
    });
}

/** A makefile from stdin, `--eval`, or a shell of its own. */
export function makeTexts(call: Call): readonly CommandText[] {
  const options = optionsOf(
    call,
    'f|file|makefile: C|directory: I: j? l? n|just-print|dry-run o: W: eval|E: B d e i k p q r R s S t v w',
  );
  const words = options.operands.map(({ text }) => text);
  const eval_ = options.values('eval').flatMap((field) => recipes(field, words));
  const shell = call.args
    .filter((arg) => /^(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|MAKE)=/.test(arg.text))
    .map((arg) => after(arg, arg.text.indexOf('=') + 1))
    .filter(({ text }) => !isShell(text) && !PLAIN_FLAGS.test(text));
  const stdin = options.values('f').some((field) => namesInput(field.text));
  const text = call.stdin.text;
  const piped: readonly CommandText[] =
    !stdin || options.has('n')
      ? []
      : text === null
        ? [{ text: { ...(call.argv0 as Field), text: UNKNOWN }, what: 'a makefile from stdin' }]
        : recipes({ ...call.argv0, text }, words);
  return [
    ...take(
      'code make evaluates',
      eval_.map(({ text: field }) => field),
    ),
    ...take("make's shell", shell),
    ...piped,
  ];
}

/** What a shell is told of how to run a recipe, and make of how many at once. */
const PLAIN_FLAGS = /^-[a-zA-Z]+\d*(?: -[eux]| -o pipefail| -c)*$/;

/** What make runs out of this text for the goals it is told. */
function recipes(field: Field, words: readonly string[]): readonly CommandText[] {
  const lines = makeLines(field.text, words);
  return lines.map((line) => ({ text: { ...field, raw: '', text: line }, what: 'a recipe of a makefile' }));
}

/** Longer scripts are asked about: the patterns below go back and forth in them. */
const MAX_SED = 2_000;

const SED = 'e|expression: f|file: i|in-place? n|quiet E r s|separate z u l: b posix debug sandbox';

/** GNU sed runs what follows `e`, and `s///e` runs the result. */
export function sedTexts(call: Call): readonly CommandText[] {
  const options = optionsOf(call, SED);
  if (options.has('sandbox')) return [];
  const scripts = options.has('e', 'f')
    ? [...options.values('e'), ...writtenTexts(call, options.values('f'))]
    : options.operands.slice(0, 1);
  return scripts.flatMap((script) => {
    if (script.text.length > MAX_SED) return [{ text: { ...script, text: UNKNOWN }, what: 'a command sed runs' }];
    const run = /(?:^|[;{\n]|\d|\/[IM]*|\$)\s*e(?:\s+([^\n]+))?\s*(?=$|[\n};])/s.exec(stripSubstitutions(script.text));
    const flag =
      /(?:^|[;{\n]|[\d$/,!]\s*)\s*s([^\w\s\\;])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[gpImM\d]*e/s.test(
        script.text,
      );
    if (run?.[1]) return [{ text: { ...script, raw: '', text: run[1] }, what: 'a command sed runs' }];
    return run || flag ? [{ text: { ...script, text: UNKNOWN }, what: 'a command sed runs' }] : [];
  });
}

/** The files that commands of a sed script name: `w file`, `s/a/b/w file` write, `r file` and `R file` read. */
export function sedFiles(call: Call, use: 'read' | 'write'): readonly Field[] {
  const options = optionsOf(call, SED);
  const scripts = options.has('e', 'f') ? options.values('e') : options.operands.slice(0, 1);
  const command =
    use === 'write' ? /(?:^|[;{\n]|[\d$/,!p])\s*[wW]\s*([^\n]+)/g : /(?:^|[;{\n]|[\d$/,!])\s*[rR]\s*([^\n]+)/g;
  return scripts.flatMap((script) =>
    [...keepFlags(script.text).matchAll(command)].map((match) => ({ ...script, text: (match[1] as string).trim() })),
  );
}

/** As `stripSubstitutions`, with what the flag `w` writes to. */
function keepFlags(script: string): string {
  return script
    .slice(0, MAX_SED)
    .replace(
      /(^|[;{\n]|[\d$/,!]\s*)\s*[sy]([^\w\s\\;])(?:\\.|(?!\2)[^\\])*\2(?:\\.|(?!\2)[^\\])*\2[gpImM\d]*(w?)/gs,
      '$1p$3',
    );
}

/** `s/a/b/` and `y/a/b/` hold data in which an `e` means nothing. */
function stripSubstitutions(script: string): string {
  return script
    .slice(0, MAX_SED)
    .replace(
      /(^|[;{\n]|[\d$/,!]\s*)\s*[sy]([^\w\s\\;])(?:\\.|(?!\2)[^\\])*\2(?:\\.|(?!\2)[^\\])*\2[gpImM\d]*/gs,
      '$1p',
    );
}

/** Lines beginning with `!` leave these programs for a shell. */
export function bangLines(call: Call): readonly CommandText[] {
  const texts = [
    ...call.args,
    ...(call.stdin.text === null ? [] : [{ ...call.argv0, raw: '', text: call.stdin.text }]),
  ];
  return texts.flatMap((field) =>
    [...field.text.matchAll(/(?:^|[\n;])!([^\n]*)/g)].map((match) => ({
      text: { ...field, raw: '', text: match[1] as string },
      what: `a line of ${call.program}`,
    })),
  );
}

/** Lines with which a database client leaves for a shell: `\\! cmd`, `.shell cmd`, `system cmd`. */
export function databaseTexts(call: Call): readonly CommandText[] {
  const scripts = optionsOf(call, 'f|file: init: d: h: U: p: v: c: o: e:').values('f');
  const texts = [
    ...call.args,
    ...(scripts.length > 0 ? writtenTexts(call, scripts) : []),
    ...(call.stdin.text === null ? [] : [{ ...call.argv0, raw: '', text: call.stdin.text }]),
  ];
  return texts.flatMap((field) =>
    [...field.text.matchAll(/(?:^|[\n;])[ \t]*(?:\\!|\.shell\b|\.system\b|system\s)\s*([^\n]*)/g)].map((match) => ({
      text: { ...field, raw: '', text: match[1] as string },
      what: 'a line of a database client',
    })),
  );
}
