import type { Reading } from './language.ts';
import { effectOf } from './uses.ts';
import type { Value } from './values.ts';

type Ref = Value & { readonly kind: 'ref' };

/** Of more values for one use any may be such a module. */
const MAX_LOOKS = 1_000;

/** The module that a member is, under the name it is known by. */
export function moduleOf(scan: Reading, value: Ref): Value | undefined {
  const { sameAs, power } = scan.language;
  const name = sameAs?.(value.name, scan.imported) ?? value.name;
  if (name !== value.name) {
    scan.imported.add(name);
    return { ...value, name };
  }
  const held = power && scan.names.get(name.slice(name.lastIndexOf('.') + 1));
  return held?.kind === 'ref' && power?.modules.test(held.name) ? held : undefined;
}

/** Arguments of a call: a module that deletes or starts programs is asked about where it is not followed. */
export function judgeArguments(scan: Reading, callee: Value, args: readonly Value[], from: number): void {
  const { power } = scan.language;
  if (!power || effectOf(callee, scan.language)) return;
  if (callee.kind === 'ref' && power.lookers.test(callee.name)) return;
  judgeHanded(scan, args, from);
}

/** A statement that is only a value: `return os`, `x if y else os`, `a[0] = os`. */
export function judgeGiven(scan: Reading, value: Value, at: number): void {
  const before = scan.peek(at - 1 - scan.at)?.text ?? '';
  const first = scan.peek(at - scan.at)?.text ?? '';
  if (scan.language.power?.givers.test(before) || scan.language.power?.givers.test(first))
    judgeHanded(scan, [value], at);
}

/** Whether a value is a module that deletes or starts programs, or has one in it. */
export function holdsPower(scan: Reading, ...values: readonly Value[]): boolean {
  if (!scan.language.power) return false;
  const seen = new Set<Value>();
  return values.some((value) => holdsModule(scan, value, seen));
}

export function judgeHanded(scan: Reading, values: readonly Value[], from: number): void {
  if (holdsPower(scan, ...values))
    scan.sink.report('code.dynamic', scan.placeFrom(from), 'hands on a module that deletes or starts programs');
}

function holdsModule(scan: Reading, value: Value, seen: Set<Value>): boolean {
  if (seen.has(value)) return false;
  if (seen.size >= MAX_LOOKS) return true;
  seen.add(value);
  switch (value.kind) {
    case 'ref':
      return isPower(scan, value.name);
    case 'list':
    case 'any':
      return value.items.some((item) => holdsModule(scan, item, seen));
    case 'record':
      return [...value.fields.values()].some((item) => holdsModule(scan, item, seen));
    default:
      return false;
  }
}

function isPower({ language: { power }, imported }: Reading, name: string): boolean {
  return power?.modules.test(name) === true && (!power.byImport || imported.has(name));
}
