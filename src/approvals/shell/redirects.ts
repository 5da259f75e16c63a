import type { FileUse, Frame } from './call.ts';
import type { Field } from './field.ts';
import type { Redirection, WordPart } from './parse.ts';
import { formatPath, isNamed, resolvePath } from './paths.ts';
import { isEnvFile, isPrivateFile, secretAt } from './places.ts';
import type { Source } from './source.ts';
import type { ShellState } from './state.ts';
import { TAINT } from './taint.ts';
import type { Walker } from './walker.ts';
import { expandText, expandWord } from './words.ts';

export interface OpenedFiles {
  readonly files: readonly FileUse[];
  readonly stdin: Source;
}

const NO_FILES: readonly FileUse[] = [];

/** Evaluates redirections in order; the last one that touches stdin wins. */
export function openFiles(
  walker: Walker,
  redirections: readonly Redirection[],
  state: ShellState,
  frame: Frame,
  stdin: Source,
): OpenedFiles {
  if (redirections.length === 0) return { files: NO_FILES, stdin };
  const files: FileUse[] = [];
  let input = stdin;
  for (const one of redirections) {
    const fd = one.descriptor?.type === 'FileDescriptor' ? one.descriptor.value : null;
    if (one.type === 'HereDoc') {
      const text = hereText(walker, one.body.parts, one.body.text, one.delimiter?.quoted === true, state, frame);
      if (fd === null || fd === 0)
        input = {
          ...text,
          text: one.operator === '<<-' && text.text !== null ? text.text.replace(/^\t+/gm, '') : text.text,
        };
    } else if (one.type === 'HereString') {
      const piece = one.target ? worst(expandText(one.target, walker.scope(state, frame))) : { text: '', taint: 0 };
      if (fd === null || fd === 0) input = { kind: 'text', text: `${piece.text}\n`, taint: piece.taint };
    } else if (one.target) {
      const fields = expandWord(one.target, walker.scope(state, frame)).flat();
      for (const target of fields) {
        const use = fileUse(one.operator, target, fd);
        if (use) files.push(use);
        if (use?.use === 'read' && (fd === null || fd === 0))
          input = target.content ?? fileSource(target, state, walker);
      }
      if (one.operator === '<>') for (const target of fields) files.push({ use: 'read', target, fd: fd ?? 0 });
    }
  }
  return { files, stdin: input };
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
export function fileSource(target: Field, state: ShellState, walker: Walker): Source {
  if (/^\/dev\/(?:tcp|udp)\//.test(target.text)) return { kind: 'network', text: null, taint: TAINT.fetched };
  if (target.text === '/dev/null') return { kind: 'text', text: '', taint: TAINT.none };
  let taint = target.taint;
  for (const cwd of state.cwds) {
    const path = resolvePath(target.text, cwd);
    if (secretAt(path, walker.facts) !== null || isEnvFile(path)) taint |= TAINT.secret;
    else if (isPrivateFile(path, walker.facts)) taint |= TAINT.private;
    if (!isNamed(path)) continue;
    const written = state.files.get(formatPath(path));
    if (written) return { kind: 'file', text: written.text, taint: taint | written.taint };
    if (walker.facts.fetched.includes(formatPath(path))) taint |= TAINT.fetched;
  }
  return { kind: 'file', text: null, taint };
}
