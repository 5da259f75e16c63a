import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs } from '../shell/call.ts';
import { entryOf } from '../shell/lookup.ts';
import { asksHelp, DRY, isVerb, operandsOf } from './matching.ts';

/** What of one program counts; one of the parts is enough. */
export interface Usage {
  /** The options before the verb that take a value (shell/options.ts). */
  readonly grammar?: string;
  /** See `isVerb`. */
  readonly verbs?: readonly string[];
  /** Any known argument of this form. */
  readonly arg?: RegExp;
  /** An argument of this form makes the call harmless: a rehearsal, a question. */
  readonly unless?: RegExp;
}

/** The usages of a family, by canonical program name; an empty usage is any call with a word behind it or none. */
export type VerbTable = Readonly<Record<string, Usage>>;

/** Tests a call against its program's usage; help and dry runs are left out. */
export function usedBy(table: VerbTable): (call: Call) => boolean {
  return (call) => {
    const usage = entryOf(table, call.program);
    if (!usage || asksHelp(call, true) || hasArg(call, ...DRY)) return false;
    const args = knownArgs(call);
    const { unless, arg, verbs, grammar } = usage;
    if (unless && args.some((text) => unless.test(text))) return false;
    if (!verbs && !arg) return true;
    return (
      (verbs !== undefined && isVerb(operandsOf(call, grammar), verbs)) ||
      (arg !== undefined && args.some((text) => arg.test(text)))
    );
  };
}
