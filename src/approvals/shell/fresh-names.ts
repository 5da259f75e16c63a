import type { Call } from './call.ts';
import type { Field } from './field.ts';
import type { Assignment } from './parse.ts';
import type { ShellState } from './state.ts';

/** `name=$(mktemp ..)` and nothing else: the name of a file or folder that nobody had before. */
export function assignsFresh({ value, append, index }: Assignment, state: ShellState): boolean {
  if (append || index || value.type !== 'Word') return false;
  const [part, ...more] = value.parts ?? [];
  const [inner, ...others] = part?.type === 'DoubleQuoted' ? part.parts : [part];
  if (more.length > 0 || others.length > 0 || inner?.type !== 'CommandExpansion') return false;
  const [statement, ...rest] = inner.script?.commands ?? [];
  const command = rest.length === 0 ? statement?.command : undefined;
  if (command?.type !== 'Command' || command.name?.value !== 'mktemp') return false;
  return !state.functions.has('mktemp') && state.alias('mktemp') === undefined;
}

/** Whether a word is such a variable alone. What a trap removes is looked at again when all of the text has run. */
export function isFresh({ state, frame }: Call, { raw }: Field): boolean {
  const name = /^"?\$(?:(\w+)|\{(\w+)\})"?$/.exec(raw);
  if (!name || (!state.keepsTraps && frame.wrappers.some(({ program }) => program === 'trap'))) return false;
  return state.fresh.has((name[1] ?? name[2]) as string);
}
