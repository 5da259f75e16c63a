import type { Wrapper } from '../../analysis.ts';
import type { Call, Container } from '../call.ts';
import type { Field } from '../field.ts';
import { literalField } from '../field.ts';
import { isKnown } from '../marks.ts';
import type { Options, ParseStyle } from '../options.ts';
import { parseOptions } from '../options.ts';
import type { Source } from '../source.ts';
import type { Piece } from '../state.ts';

/** What a wrapper would run in turn. */
export interface Inner {
  readonly run:
    | { readonly kind: 'argv'; readonly argv: readonly Field[] }
    /** Shell text; `args` are its positional parameters, `sameShell` where it can change this shell. */
    | {
        readonly kind: 'shell';
        readonly text: Field;
        readonly args?: readonly Piece[];
        readonly zero?: Field;
        readonly sameShell?: boolean;
      }
    | { readonly kind: 'code'; readonly language: string; readonly text: Field };
  readonly wrapper: Wrapper;
  /** Why no standing grant may cover it. */
  readonly bar?: string;
  readonly assignments?: readonly Field[];
  readonly cwds?: readonly (string | null)[];
  readonly container?: Container;
  readonly remote?: boolean;
  readonly found?: boolean;
  readonly appended?: boolean;
  readonly stdin?: Source;
  /** It runs beside the call, which stays the command of record. */
  readonly beside?: boolean;
}

/** Reads a call as a wrapper; null where it runs nothing in turn. */
export type Peel = (call: Call) => readonly Inner[];

export const RUNS_CODE = 'it runs code';
export const UNKNOWN_OPTION = 'a wrapper has an option hermod does not know';

/** A wrapper that reads options, skips operands and runs the rest: the usual kind, as data. */
export interface PlainWrapper {
  readonly options: string;
  /** Operands before the command: the duration of `timeout`. */
  readonly skip?: number;
  /** Operands are only skipped where the first one looks like this: setarch's architecture. */
  readonly skipped?: RegExp;
  /** Options with which it runs nothing. */
  readonly idle?: readonly string[];
  /** Takes `NAME=value` before the command. */
  readonly assigns?: boolean;
  /** The option that names the folder to run in. */
  readonly folder?: string;
  /** It changes neither who nor where the command is nor what that loads: grants do not see it. */
  readonly neutral?: boolean;
  /** Makes the identity a grant must repeat; without it, its name and words are. */
  readonly identity?: (options: Options, call: Call) => string;
  readonly style?: ParseStyle;
  readonly bar?: string;
}

/** env takes any word with a `=` behind its first letter. */
const ASSIGNMENT = /^[^=]+=/;

const NOTHING: readonly Field[] = [];
const KNOWN_LATER = 'it is only known when it runs';

/** What a grant must repeat: the wrapper with the words that say who, where and with what it runs the command. */
function identityOf(call: Call, own: string | undefined, around: readonly Field[]): string {
  const words = around.map(({ text }) => text);
  if (own !== undefined && !words.some((word) => word.startsWith('-'))) return own;
  return [own ?? call.program, ...words].join(' ');
}

export function plain(spec: PlainWrapper): Peel {
  return (call) => {
    const options = parseOptions(call.args, spec.options, { stop: true, ...spec.style });
    if (spec.idle && options.has(...spec.idle)) return [];
    let rest = options.operands;
    const assignments: Field[] = [];
    while (spec.assigns && rest[0] && ASSIGNMENT.test(rest[0].text)) {
      assignments.push(rest[0]);
      rest = rest.slice(1);
    }
    if (spec.skip && (spec.skipped?.test(rest[0]?.text ?? '') ?? true))
      rest = parseOptions(rest.slice(spec.skip), spec.options, { stop: true, ...spec.style }).operands;
    if (rest.length === 0) return [];
    const folder = spec.folder ? options.value(spec.folder) : undefined;
    const around = spec.neutral ? NOTHING : call.args.slice(0, call.args.indexOf(rest[0] as Field));
    const identity = spec.neutral ? undefined : identityOf(call, spec.identity?.(options, call), around);
    const hidden = around.some(({ text }) => !isKnown(text)) ? KNOWN_LATER : spec.bar;
    const bar = options.unknown ? UNKNOWN_OPTION : hidden;
    const shared: Omit<Inner, 'run'> = {
      wrapper: { program: call.program, ...(identity === undefined ? {} : { identity }) },
      ...(bar === undefined ? {} : { bar }),
      ...(assignments.length > 0 ? { assignments } : {}),
      ...(folder ? { cwds: foldersOf(call, folder) } : {}),
    };
    const readings = options.unknown && mayBeValue(call, rest) ? [rest, rest.slice(1)] : [rest];
    return [
      ...exportedFunctions(call, assignments),
      ...readings.map((argv): Inner => ({ ...shared, run: { kind: 'argv', argv } })),
    ];
  };
}

/** What follows an option nobody knows may be its value; then the command begins with the next word. */
function mayBeValue(call: Call, words: readonly Field[]): boolean {
  const before = call.args[call.args.indexOf(words[0] as Field) - 1]?.text ?? '';
  return /^-[^=]+$/.test(before) && before !== '--' && /^\w[\w.+-]*$|^\/[\w./+-]+$/.test(words[1]?.text ?? '');
}

/** `BASH_FUNC_name%%=() { .. }`: every bash started below has that function; old ones took it from any name. */
export function exportedFunctions(call: Call, assignments: readonly Field[]): readonly Inner[] {
  return assignments.flatMap((field): readonly Inner[] => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(field.text) ?? [];
    if (value === undefined || !(name?.startsWith('BASH_FUNC_') || /^\(\)\s*\{/.test(value))) return [];
    const text = { ...field, raw: '', text: `f ${value}` };
    return [{ run: { kind: 'shell', text }, wrapper: { program: call.program }, bar: RUNS_CODE }];
  });
}

export function foldersOf(call: Call, folder: Field): readonly (string | null)[] {
  if (folder.text.startsWith('/')) return [folder.text];
  return call.state.cwds.map((cwd) => (cwd === null ? null : `${cwd}/${folder.text}`));
}

/** Several words as the text a shell gets: joined by blanks. */
export function joinFields(fields: readonly Field[], call: Call): Field {
  const [first] = fields;
  if (first && fields.length === 1) return first;
  const span = first ? ([first.span[0], (fields.at(-1) as Field).span[1]] as const) : call.span;
  return literalField(fields.map((field) => field.text).join(' '), span, {
    expanded: fields.some((field) => field.expanded),
    taint: fields.reduce((all, field) => all | field.taint, 0),
  });
}

/** Whether joining would part a word: then some programs hand on the words as they are, and both readings count. */
export function joinsApart(fields: readonly Field[]): boolean {
  return fields.length > 1 && fields.some((field) => /[\s;&|<>()$`'"\\]/.test(field.text));
}

/** Words that are joined for a shell, and also as words of their own where the joining would change them. */
export function bothReadings(fields: readonly Field[], call: Call, rest: Omit<Inner, 'run'>): readonly Inner[] {
  const text: Inner = { ...rest, run: { kind: 'shell', text: joinFields(fields, call) } };
  return joinsApart(fields) ? [text, { ...rest, run: { kind: 'argv', argv: fields } }] : [text];
}

/** The words of a text that is split at blanks and not read by a shell. */
export function splitWords(field: Field): readonly Field[] {
  return field.text
    .split(/\s+/)
    .filter((part) => part !== '')
    .map((text) => ({ ...field, text: text.replace(/^(['"])(.*)\1$/s, '$2') }));
}

/** `k3s kubectl words`: one program that holds several. */
export function holds(...programs: readonly string[]): Peel {
  return (call) => {
    const at = call.args.findIndex(({ text }) => !text.startsWith('-'));
    const [name, ...words] = at < 0 ? [] : call.args.slice(at);
    if (!name || !programs.includes(name.text) || words.length === 0) return [];
    const argv = [name, ...(words[0]?.text === '--' ? words.slice(1) : words)];
    return [{ run: { kind: 'argv', argv }, wrapper: { program: call.program, identity: call.program } }];
  };
}
