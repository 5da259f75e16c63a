import type { Call } from '../shell/call.ts';
import { optionsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { parseOptions } from '../shell/options.ts';

/** The words of a call that name files. */
export type Pick = (call: Call) => readonly Field[];

export const operands =
  (grammar: string, skip = 0): Pick =>
  (call) =>
    optionsOf(call, grammar).operands.slice(skip);

export const values =
  (grammar: string, ...names: readonly string[]): Pick =>
  (call) => {
    const options = optionsOf(call, grammar);
    return names.flatMap((name) => options.values(name));
  };

/** Options that name a file a program writes; a program that runs another reads none behind it. */
export const named =
  (grammar: string, ...names: readonly string[]): Pick =>
  (call) => {
    const options = parseOptions(call.args, grammar, { stop: true });
    return names.flatMap((name) => options.values(name));
  };

export function hasArgs(call: Call, pattern: RegExp): boolean {
  return call.args.some(({ text }) => pattern.test(text));
}

/** Operands that a program changes where they are, when `flag` says so. */
export function inPlace(grammar: string, flag: string, ...code: readonly string[]): Pick {
  return (call) => {
    const options = optionsOf(call, grammar);
    if (!options.has(flag)) return [];
    return options.has(...code) ? options.operands : options.operands.slice(1);
  };
}
