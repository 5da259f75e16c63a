import type { Call } from '../call.ts';
import type { Field } from '../field.ts';
import { literalField } from '../field.ts';
import { FIND_VALUES, findRoots, isExecEnd } from '../find-words.ts';
import { listedTaint } from '../listings.ts';
import { STAR } from '../marks.ts';
import { canonicalProgram, SHELLS } from '../program-names.ts';
import { trimEnd } from '../trim.ts';
import { within } from '../walker.ts';
import type { Inner, Peel } from './inner.ts';
import { RUNS_CODE } from './inner.ts';

/** So many places or items are judged, each as a run of its own. */
export const MAX_RUNS = 400;

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

/** A command with what was found in its placeholder: each of the folders, and everything below. */
export function bound(call: Call, words: readonly Field[], roots: readonly Field[], holder: string): readonly Inner[] {
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

export const finderPeels: Readonly<Record<string, Peel>> = { find, fd };
