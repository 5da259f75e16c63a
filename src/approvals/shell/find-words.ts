import type { Call } from './call.ts';
import type { Field } from './field.ts';
import { literalField } from './field.ts';

/** `;`, or `+` behind the placeholder, ends what `-exec` runs. */
export function isExecEnd(args: readonly Field[], at: number): boolean {
  const text = (args[at] as Field).text;
  return text === ';' || (text === '+' && args[at - 1]?.text === '{}');
}

/** The folders a `find` starts from. */
export function findRoots(call: Call): readonly Field[] {
  const roots: Field[] = [];
  for (const arg of call.args) {
    if (/^-(?:[HLP]|O\d?|D)$/.test(arg.text)) continue;
    if (arg.text.startsWith('-') || arg.text === '(' || arg.text === '!' || arg.text === '\\(') break;
    roots.push(arg);
  }
  return roots.length > 0 ? roots : [literalField('.', call.span)];
}

/** Tests whose next word is a value, not an action. */
export const FIND_VALUES =
  /^-(?:name|iname|path|ipath|wholename|iwholename|lname|ilname|regex|iregex|regextype|type|xtype|newer\w*|anewer|cnewer|user|group|uid|gid|size|mtime|atime|ctime|mmin|amin|cmin|perm|links|inum|samefile|maxdepth|mindepth|fstype|printf|context|used|fprint0?|fls|D)$/;

/** The actions and tests of a `find`, without their values and without what `-exec` runs. */
export function findFlags(call: Call): readonly Field[] {
  const flags: Field[] = [];
  for (let i = 0; i < call.args.length; i++) {
    const field = call.args[i] as Field;
    if (!field.text.startsWith('-')) continue;
    flags.push(field);
    if (FIND_VALUES.test(field.text)) i++;
    else if (/^-(?:exec|execdir|ok|okdir)$/.test(field.text))
      while (i < call.args.length && !isExecEnd(call.args, i)) i++;
  }
  return flags;
}

export function deletesFound(call: Call): boolean {
  return findFlags(call).some((flag) => flag.text === '-delete');
}
