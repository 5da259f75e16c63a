import type { Attribute } from './attributes.ts';
import { referenceTo } from './attributes.ts';
import type { LiveCall } from './call.ts';
import { optionsOf } from './call.ts';
import { reportDynamic } from './dynamic.ts';
import type { Field } from './field.ts';
import { knownText } from './field.ts';
import { byName } from './lookup.ts';
import { BREAK, isKnown, UNKNOWN } from './marks.ts';
import { formatPath, isNamed, resolvePath } from './paths.ts';
import { printfOutput } from './print-output.ts';
import type { Piece, ShellState } from './state.ts';
import type { Walker } from './walker.ts';

/** What shell builtins change in the shell that runs on. */
export function applyBuiltin(walker: Walker, call: LiveCall): void {
  BUILTINS.get(call.program)?.(call, walker);
}

const BUILTINS = byName<(call: LiveCall, walker: Walker) => void>({
  cd: (call) => changeDir(call, call.args),
  chdir: (call) => changeDir(call, call.args),
  'set-location': (call) => changeDir(call, call.args),
  pushd: (call) => {
    call.state.stack = [...call.state.stack, call.state.cwds];
    changeDir(call, call.args);
  },
  popd: (call) => {
    call.state.changeDir(call.state.stack.at(-1) ?? [null]);
    call.state.stack = call.state.stack.slice(0, -1);
  },
  export: (call) => assign(call),
  declare: (call) => declareNames(call),
  typeset: (call) => declareNames(call),
  local: (call) => declareNames(call),
  readonly: (call) => assign(call),
  let: () => undefined,
  unset: (call) => {
    for (const arg of call.args) if (/^\w+$/.test(arg.text)) call.state.unsetVar(arg.text);
  },
  read: (call) => readVariables(call),
  mapfile: (call, walker) => readLines(call, walker),
  readarray: (call, walker) => readLines(call, walker),
  printf: (call) => {
    const name = call.args[0]?.text === '-v' ? call.args[1]?.text : undefined;
    if (name) call.state.setVar(name, [printed(call)]);
  },
  set: (call) => {
    const first = call.args.findIndex(({ text }, i) => text === '--' || !isSetting(text, call.args[i - 1]?.text));
    if (first < 0) return;
    call.state.args = call.args.slice(call.args[first]?.text === '--' ? first + 1 : first).map(piece);
  },
  shift: (call) => {
    const count = Number(knownText(call.args[0]) ?? 1);
    call.state.args = call.state.args === null || !Number.isInteger(count) ? null : call.state.args.slice(count);
  },
  trap: (call, walker) => {
    const text = call.args.find((arg) => arg.text !== '--');
    if (text?.text.includes('$') && call.args.at(-1) !== text)
      call.state.traps?.push((state) => walker.text(text, state, call.frame));
  },
  alias: (call, walker) => defineAliases(call, walker),
  getopts: (call) => {
    const name = call.args[1]?.text;
    if (name && /^\w+$/.test(name)) call.state.setVar(name, [{ text: UNKNOWN, taint: 0 }]);
  },
});

/** `-e`, `+x`, and the name behind `-o`: no parameter. */
function isSetting(text: string, before: string | undefined): boolean {
  return /^[-+][A-Za-z]/.test(text) || /^[-+][A-Za-z]*o$/.test(before ?? '');
}

/** What `printf -v name` puts there. */
function printed(call: LiveCall): Piece {
  const rest = call.args.slice(2);
  return { text: printfOutput(rest) ?? UNKNOWN, taint: rest.reduce((all, arg) => all | arg.taint, 0) };
}

/** `mapfile name`: each line of stdin is a word of the array; what `-C` gives is run with a number and a line behind it. */
function readLines(call: LiveCall, walker: Walker): void {
  const options = optionsOf(call, 'd: n: O: s: t u: C: c:');
  const callback = options.value('C');
  if (callback) {
    reportDynamic(walker, callback, call.frame);
    walker.text({ ...callback, raw: '', text: `${callback.text} 0 "${UNKNOWN}"` }, call.state.fork(), call.frame);
  }
  const name = options.operands[0]?.text ?? 'MAPFILE';
  const end = options.value('d')?.text.slice(0, 1) ?? '\n';
  const lines = end === '' || !isKnown(end) ? undefined : call.stdin.text?.split(end).filter((line) => line !== '');
  const text = lines?.map((line) => line.replace(/\n$/, '')).join(BREAK) ?? UNKNOWN;
  if (/^\w+$/.test(name)) call.state.setVar(name, [{ text, taint: call.stdin.taint }]);
}

function piece(field: Field): Piece {
  return { text: field.text, taint: field.taint };
}

function changeDir(call: LiveCall, args: readonly Field[]): void {
  const operands = args.filter((arg) => arg.text !== '--' && !/^-[LPe@]+$/.test(arg.text));
  const target = operands[0];
  if (!target) {
    call.state.changeDir([call.facts.home]);
    return;
  }
  if (target.text === '-') {
    call.state.changeDir(call.state.oldCwds);
    return;
  }
  enterFolder(call.state, target.text);
}

/** From here on it is in this folder, seen from wherever it was. */
export function enterFolder(state: ShellState, folder: string): void {
  state.changeDir(foldersFrom(state.cwds, folder));
}

/** Where a folder is, seen from each of these. */
export function foldersFrom(cwds: readonly (string | null)[], folder: string): readonly (string | null)[] {
  const next = cwds.map((cwd) => {
    const path = resolvePath(folder, cwd);
    return isNamed(path) ? formatPath(path) : path.absolute && path.parts.length === 0 ? '/' : null;
  });
  return [...new Set(next)];
}

/** `declare -l name=text`: the attributes first, as they change what is assigned. */
function declareNames(call: LiveCall): void {
  const flags = call.args.filter(({ text }) => /^[-+][A-Za-z]+\d*$/.test(text));
  for (const { text } of flags) {
    const attribute = attributeOf(text);
    if (!attribute) continue;
    for (const arg of call.args) declareName(call.state, arg, text.startsWith('+') ? undefined : attribute);
  }
  const refers = flags.some(({ text }) => text.startsWith('-') && attributeOf(text)?.kind === 'ref');
  if (!refers) assign(call);
}

function declareName(state: ShellState, { text }: Field, attribute: Attribute | undefined): void {
  const [, name, given] = /^([A-Za-z_]\w*)(?:=(.*))?$/s.exec(text) ?? [];
  if (name === undefined) return;
  const to = attribute?.kind === 'ref' ? (given ?? state.variable(name)?.[0]?.text) : undefined;
  const made = to === undefined ? attribute : referenceTo(to);
  state.setAttribute(name, made);
  if (to !== undefined && made?.kind === 'other') state.setVar(name, [{ text: UNKNOWN, taint: 0 }]);
}

/** Of the letters those that make another value of what is assigned; `-L`, `-R` and `-Z` cut it to a width. */
function attributeOf(flag: string): Attribute | undefined {
  if (flag.includes('n')) return { kind: 'ref', to: undefined };
  if (flag.includes('l')) return { kind: 'lower' };
  if (flag.includes('u')) return { kind: 'upper' };
  return /[cLRZ]/.test(flag) ? { kind: 'other' } : undefined;
}

function assign(call: LiveCall): void {
  for (const arg of call.args) {
    const eq = arg.text.indexOf('=');
    const name = eq < 0 ? '' : arg.text.slice(0, eq);
    if (/^[A-Za-z_]\w*$/.test(name)) call.state.setVar(name, [{ text: arg.text.slice(eq + 1), taint: arg.taint }]);
  }
}

/** Names after `read` take what stdin has: each line of a constant is one possible value. */
function readVariables(call: LiveCall): void {
  const options = optionsOf(call, 'r s e E a: d: i: n: N: p: t: u: c: C: O:');
  const array = options.value('a')?.text;
  const names = options.operands.map((arg) => arg.text).filter((name) => /^\w+$/.test(name));
  const ifs = separatorsOf(call);
  const text = ifs === null || options.has('d') ? null : call.stdin.text;
  const lines = text === null ? null : text.split('\n').filter((line) => line !== '');
  const set = (name: string, choose: (line: string) => string) =>
    call.state.setVar(name, readValues(lines?.map(choose), call.stdin.taint));
  if (array !== undefined && /^\w+$/.test(array))
    set(array, (line) => fieldsOf(line, ifs ?? '', Number.POSITIVE_INFINITY).join(BREAK));
  names.forEach((name, i) => {
    set(name, (line) => fieldsOf(line, ifs ?? '', names.length)[i] ?? '');
  });
  if (names.length === 0 && array === undefined)
    call.state.setVar('REPLY', [{ text: UNKNOWN, taint: call.stdin.taint }]);
}

function readValues(values: readonly string[] | undefined, taint: number): readonly Piece[] {
  if (!values) return [{ text: UNKNOWN, taint }];
  return values.length > 0 ? values.map((text) => ({ text, taint })) : [{ text: '', taint: 0 }];
}

/** The IFS of one call: set before it, or in the shell; null where it is not known. */
function separatorsOf(call: LiveCall): string | null {
  const own = call.assignments.findLast(([name]) => name === 'IFS');
  const text = own ? own[1] : (call.state.variable('IFS')?.at(-1)?.text ?? ' \t\n');
  return text !== null && isKnown(text) ? text : null;
}

/** A line parted as `read` does; the last of `count` fields is the rest of the line. Blanks that part words count once. */
function fieldsOf(line: string, ifs: string, count: number): readonly string[] {
  const parts = (at: number) => ifs.includes(line[at] as string);
  const isBlank = (at: number) => parts(at) && /\s/.test(line[at] as string);
  const fields: string[] = [];
  let end = line.length;
  while (end > 0 && isBlank(end - 1)) end--;
  const skipBlanks = (from: number) => {
    let at = from;
    while (at < end && isBlank(at)) at++;
    return at;
  };
  let at = skipBlanks(0);
  while (at < end && fields.length < count - 1) {
    const start = at;
    while (at < end && !parts(at)) at++;
    fields.push(line.slice(start, at));
    at = skipBlanks(at);
    if (at < end && parts(at)) at = skipBlanks(at + 1);
  }
  return at < end ? [...fields, line.slice(at, end)] : fields;
}

/** An alias text is judged where it is defined, and stands for its words later. */
function defineAliases(call: LiveCall, walker: Walker): void {
  for (const arg of call.args) {
    const eq = arg.text.indexOf('=');
    if (eq <= 0 || arg.text.startsWith('-')) continue;
    const name = arg.text.slice(0, eq);
    const text = { ...arg, text: arg.text.slice(eq + 1), raw: '' };
    walker.text(text, call.state.fork(), call.frame);
    if (isKnown(text.text)) call.state.setAlias(name, text.text);
  }
}
