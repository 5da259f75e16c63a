import type { FileUse, Frame } from './call.ts';
import { copied, descriptorIn, isNetworkFile, redirectedNumber } from './descriptors.ts';
import type { Field } from './field.ts';
import type { Command, Redirection, WordPart } from './parse.ts';
import { formatPath, isNamed, resolvePath } from './paths.ts';
import { isEnvFile, isPrivateFile, secretAt } from './places.ts';
import type { Source } from './source.ts';
import { UNKNOWN_SOURCE } from './source.ts';
import type { ShellState, Standing } from './state.ts';
import { TAINT } from './taint.ts';
import type { Walker } from './walker.ts';
import { expandText, expandWord } from './words.ts';

export interface OpenedFiles {
  readonly files: readonly FileUse[];
  readonly stdin: Source;
}

const NO_FILES: readonly FileUse[] = [];

/**
 * Evaluates redirections in order; the last one that touches stdin wins. What is opened under numbers above 2 is noted in the
 * state, which the caller puts back where it holds for one command only.
 */
export function openFiles(
  walker: Walker,
  redirections: readonly Redirection[],
  state: ShellState,
  frame: Frame,
  stdin: Source,
): OpenedFiles {
  const given = stdin.kind === 'none' ? (state.descriptors.get(0)?.source ?? stdin) : stdin;
  if (redirections.length === 0) return { files: NO_FILES, stdin: given };
  const opened: Opened = { files: [], stdin: given };
  for (const one of redirections) {
    const fd = redirectedNumber(one, state);
    if (one.type === 'HereDoc') {
      const quoted = one.delimiter?.quoted === true;
      const { text, ...from } = hereText(walker, one.body.parts, one.body.text, quoted, state, frame);
      const bare = one.operator === '<<-' && text !== null ? text.replace(/^\t+/gm, '') : text;
      give(opened, state, fd ?? 0, { ...from, text: bare });
    } else if (one.type === 'HereString') {
      const piece = one.target ? worst(expandText(one.target, walker.scope(state, frame))) : { text: '', taint: 0 };
      give(opened, state, fd ?? 0, { kind: 'text', text: `${piece.text}\n`, taint: piece.taint });
    } else if (one.target) {
      for (const target of expandWord(one.target, walker.scope(state, frame)).flat())
        openTarget(opened, one.operator, target, fd, state, walker);
    }
  }
  return opened;
}

interface Opened {
  readonly files: FileUse[];
  stdin: Source;
}

function give(opened: Opened, state: ShellState, fd: number, source: Source): void {
  if (fd === 0) opened.stdin = source;
  else if (fd > 2) state.open(fd, { source });
}

function openTarget(
  opened: Opened,
  operator: string,
  target: Field,
  fd: number | null,
  state: ShellState,
  walker: Walker,
): void {
  if (operator === '<&' || (operator === '>&' && fd === 0)) {
    copyInput(opened, target, fd ?? 0, state);
    return;
  }
  const use =
    operator === '>&' && isNumber(target) ? copiedOutput(target, fd ?? 1, state) : fileUse(operator, target, fd);
  if (use) opened.files.push(use);
  if (use && use.use !== 'read' && (use.fd ?? 0) > 2) state.open(use.fd as number, { target: use.target });
  if (operator === '<>') opened.files.push({ use: 'read', target, fd: fd ?? 0 });
  if (operator === '<' || operator === '<>')
    give(opened, state, fd ?? 0, target.content ?? fileSource(target, state, walker));
}

/** `<&3`: what 3 was opened for; nobody knows where this text did not open it. 1 and 2 are the caller's. */
function copyInput(opened: Opened, target: Field, fd: number, state: ShellState): void {
  if (/^(?:-|[12]-?)$/.test(target.text)) return;
  const same = /^0-?$/.test(target.text);
  const from = copied(target, state);
  const source = same ? opened.stdin : (from?.source ?? UNKNOWN_SOURCE);
  if (source.kind !== 'none') give(opened, state, fd, source);
  if (from && fd > 2) state.open(fd, from);
}

function isNumber({ text }: Field): boolean {
  return /^\d+-?$/.test(text);
}

/** `>&3` goes on where 3 was opened. */
function copiedOutput(target: Field, fd: number, state: ShellState): FileUse | null {
  const to = copied(target, state)?.target;
  return to ? { use: 'append', target: to, fd } : null;
}

/** `exec` with redirections alone opens for the shell itself. */
export function keepsDescriptors({ name, args }: Command): boolean {
  const last = args.at(-1) ?? name;
  return last?.type === 'Word' && last.value === 'exec';
}

/** The longest value: it hides least. */
function worst<T extends { readonly text: string }>(pieces: readonly T[]): T {
  return pieces.reduce((best, piece) => (piece.text.length > best.text.length ? piece : best));
}

function fileUse(operator: string, target: Field, fd: number | null): FileUse | null {
  if (operator === '<') return { use: 'read', target, fd: fd ?? 0 };
  if (operator === '<&' || (operator === '>&' && (/^\d+-?$|^-$/.test(target.text) || fd !== null))) return null;
  if (operator === '>>' || operator === '&>>') return { use: 'append', target, fd: fd ?? 1 };
  return { use: 'write', target, fd: fd ?? 1 };
}

function hereText(
  walker: Walker,
  parts: readonly WordPart[] | undefined,
  text: string,
  quoted: boolean,
  state: ShellState,
  frame: Frame,
): Source {
  if (quoted || !parts) return { kind: 'text', text, taint: TAINT.none };
  walker.bar('it has several lines of input');
  const word = {
    type: 'Word' as const,
    text: '',
    value: '',
    pos: 0,
    end: 0,
    parts: [{ type: 'DoubleQuoted' as const, pos: 0, end: 0, text: '', parts: parts as never }],
  };
  const piece = worst(expandText(word, walker.scope(state, frame)));
  return { kind: 'text', text: piece.text, taint: piece.taint };
}

/** What reading a file would bring: the text this command wrote to it, or only where it came from. */
export function fileSource(target: Field, state: Standing, { facts }: Pick<Walker, 'facts'>): Source {
  if (isNetworkFile(target.text)) return { kind: 'network', text: null, taint: TAINT.fetched };
  if (target.text === '/dev/null') return { kind: 'text', text: '', taint: TAINT.none };
  let { taint } = target;
  const fd = descriptorIn(target.text);
  const opened = fd === null ? undefined : state.descriptors.get(fd)?.source;
  if (opened) return { ...opened, taint: taint | opened.taint };
  const here: Source[] = [];
  for (const cwd of state.cwds) {
    const path = resolvePath(target.text, cwd);
    if (secretAt(path, facts) !== null || isEnvFile(path)) taint |= TAINT.secret;
    else if (isPrivateFile(path, facts)) taint |= TAINT.private;
    if (!isNamed(path)) continue;
    const written = state.files.get(formatPath(path));
    if (written) here.push(written);
    else if (facts.fetched.includes(formatPath(path))) taint |= TAINT.fetched;
  }
  for (const written of here) taint |= written.taint;
  const [text = null, ...others] = new Set(here.map((written) => written.text));
  return { kind: 'file', text: others.length > 0 ? null : text, taint };
}
