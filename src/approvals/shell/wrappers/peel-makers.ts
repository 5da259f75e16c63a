import type { Call } from '../call.ts';
import { optionsOf } from '../call.ts';
import type { Field } from '../field.ts';
import { parseOptions } from '../options.ts';
import { within } from '../walker.ts';
import type { Inner, Peel } from './inner.ts';
import { RUNS_CODE } from './inner.ts';

/** `tool verb [options] words`, for runners that only prepare an environment. */
export function afterVerb(verbs: readonly string[], options: string, skip = 0): Peel {
  return (call) => {
    const head = parseOptions(call.args, options, { stop: true });
    const [verb, ...rest] = head.operands;
    if (!verb || !verbs.includes(verb.text)) return [];
    const inner = parseOptions(rest, options, { stop: true });
    const argv = inner.operands.slice(skip);
    return argv.length > 0 ? [{ run: { kind: 'argv', argv }, wrapper: { program: call.program }, bar: RUNS_CODE }] : [];
  };
}

/** Everything behind `--`. */
export function afterDashes(...verbs: readonly string[]): Peel {
  return (call) => {
    const cut = call.args.findIndex((arg) => arg.text === '--');
    const first = call.args.find((arg) => !arg.text.startsWith('-'))?.text ?? '';
    if (cut < 0 || cut === call.args.length - 1 || (verbs.length > 0 && !verbs.includes(first))) return [];
    return [
      { run: { kind: 'argv', argv: call.args.slice(cut + 1) }, wrapper: { program: call.program }, bar: RUNS_CODE },
    ];
  };
}

/** A text that a shell runs. */
export function shellText(call: Call, text: Field): Inner {
  return { run: { kind: 'shell', text }, wrapper: { program: call.program }, bar: RUNS_CODE };
}

/** Options whose value is shell text, wherever they stand. */
export function textOption(grammar: string, ...names: readonly string[]): Peel {
  return (call) => {
    const options = optionsOf(call, grammar);
    return names.flatMap((name) => options.values(name)).map((text) => shellText(call, text));
  };
}

/** A call with more texts than this is too long to judge (`within`). */
export const MAX_TEXTS = 200;

/** Each operand is one shell text. */
export function textOperands(grammar: string): Peel {
  return (call) => within(parseOptions(call.args, grammar).operands, MAX_TEXTS).map((text) => shellText(call, text));
}

/** The first that runs anything. */
export function either(...peels: readonly Peel[]): Peel {
  return (call) => {
    for (const peel of peels) {
      const inner = peel(call);
      if (inner.length > 0) return inner;
    }
    return [];
  };
}
