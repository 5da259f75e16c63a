import type { Call } from '../shell/call.ts';
import { hasArg, optionsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';

/** The operands of a program with sub-commands; `grammar` names the options that take a value. */
export function operandsOf(call: Call, grammar = ''): readonly string[] {
  return optionsOf(call, grammar).operands.map((field) => field.text);
}

/**
 * Whether the operands begin with one of the verbs. A verb is words parted by blanks; a word may list choices (`rm|remove`)
 * and `*` stands for any one word.
 */
export function isVerb(operands: readonly string[], verbs: readonly string[]): boolean {
  return verbs.some((verb) => wordsOf(verb).every((choices, i) => matchesWord(operands[i], choices)));
}

/** As `isVerb`, for programs that take any beginning of a verb's words. */
export function isShortVerb(operands: readonly string[], verbs: readonly string[]): boolean {
  return verbs.some((verb) => wordsOf(verb).every((choices, i) => beginsWord(operands[i], choices)));
}

function beginsWord(operand: string | undefined, choices: readonly string[]): boolean {
  if (operand === undefined || operand === '') return false;
  return choices[0] === '*' || choices.some((choice) => choice.startsWith(operand));
}

function matchesWord(operand: string | undefined, choices: readonly string[]): boolean {
  return operand !== undefined && (choices[0] === '*' || choices.includes(operand));
}

/** The choices for each word of a verb; verbs are those of the rules, so there is an end to them. */
function wordsOf(verb: string): readonly (readonly string[])[] {
  const before = split.get(verb);
  if (before) return before;
  const words = verb.split(' ').map((word) => word.split('|'));
  split.set(verb, words);
  return words;
}

const split = new Map<string, readonly (readonly string[])[]>();

/** Tests a sub-command program against verbs, leaving out help and dry runs. */
export function verbs(call: Call, grammar: string, list: readonly string[], dry: readonly string[] = DRY): boolean {
  if (asksHelp(call, true) || hasArg(call, ...dry)) return false;
  return isVerb(operandsOf(call, grammar), list);
}

export const DRY: readonly string[] = [
  '--dry-run',
  '--dryrun',
  '--dry-run=client',
  '--dry-run=server',
  '--dry-run=true',
  '--what-if',
  '--simulate',
  '--check',
];

/**
 * `--help` before any operand, or anywhere for programs with sub-commands. There also `-h` and `help`; behind a sub-command
 * `--version` says which one is meant.
 */
export function asksHelp(call: Call, subCommands = false): boolean {
  let operands = false;
  for (const arg of call.args) {
    if (arg.text === '--') return false;
    if (arg.text === '--help' || (arg.text === '--version' && !operands)) return true;
    if (subCommands && (arg.text === '-h' || arg.text === '-help')) return true;
    if (!arg.text.startsWith('-')) {
      if (!subCommands) return false;
      operands = true;
    }
  }
  return subCommands && call.args[0]?.text === 'help';
}

export function fieldHit(field: Field, why?: string): { readonly span: Field['span']; readonly why?: string } {
  return why === undefined ? { span: field.span } : { span: field.span, why };
}

/** Words that ask for help or only for a rehearsal. */
export function helped(args: readonly Field[]): boolean {
  return (
    args.some((arg) => arg.text === '--help' || arg.text === '-h' || arg.text === 'help') ||
    args.some((arg) => DRY.includes(arg.text))
  );
}
