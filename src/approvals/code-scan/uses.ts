import { choices, isOpen, joined } from './choices.ts';
import type { Effect } from './effects.ts';
import type { Language, Reading } from './language.ts';
import type { Value } from './values.ts';
import { ANYTHING } from './values.ts';

/** What is known of a function by its full name, of a method on anything, or of everything in a module. */
export function effectOf(value: Value, { effects }: Language): Effect | undefined {
  if (value.kind !== 'ref') return undefined;
  if (Object.hasOwn(effects, value.name)) return effects[value.name];
  const method = `*.${value.name.slice(value.name.lastIndexOf('.') + 1)}`;
  if (value.name.includes('.') && Object.hasOwn(effects, method)) return effects[method];
  const family = `${value.name.slice(0, value.name.indexOf('.') + 1)}*`;
  return value.name.includes('.') && Object.hasOwn(effects, family) ? effects[family] : undefined;
}

/** What a function is given, and the token its name begins at. */
export interface Given {
  readonly args: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
  readonly from: number;
  readonly called: boolean;
}

const NO_NAMES: ReadonlyMap<string, Value> = new Map();

/** A function without arguments, called or only named. */
export function bare(from: number, called: boolean): Given {
  return { args: [], named: NO_NAMES, from, called };
}

/** Lets a function judge its use, each way to choose among its arguments; the value of the call. */
export function apply(scan: Reading, value: Value, { args, named, from, called }: Given): Value {
  if (value.kind === 'any' && scan.sink.budget.take(value.items.length * (args.length + 1)))
    return joined(value.items.map((item) => apply(scan, item, { args, named, from, called })));
  if (value.kind !== 'ref') return ANYTHING;
  const effect = effectOf(value, scan.language);
  const made = resultOf(value, args, named);
  if (!effect) return { ...made, of: args[0] ?? value.of ?? ANYTHING };
  const at = scan.placeFrom(from);
  if (/(?:^|[.:_])fork$/.test(value.name)) scan.noteFork(at);
  const judged = (given: readonly Value[], options: ReadonlyMap<string, Value>, on: Value | undefined): Value =>
    effect({ name: value.name, args: given, named: options, on, called, at, sink: scan.sink }) ?? {
      ...made,
      of: given[0] ?? ANYTHING,
    };
  const values = [value.of ?? ANYTHING, ...args, ...named.values()];
  if (!values.some(isOpen)) return judged(args, named, value.of);
  const rows = choices(values, scan.sink.budget).map((row) => {
    const behind = args.length + 1;
    return judged(row.slice(1, behind), zipped(named, row.slice(behind)), value.of && row[0]);
  });
  return joined(rows);
}

type Ref = Value & { readonly kind: 'ref' };

/** What comes out of a function nothing is known of: it remembers what went in. */
function resultOf({ name, of, before = of }: Ref, args: readonly Value[], named: ReadonlyMap<string, Value>): Ref {
  return { kind: 'ref', name: `${name}()`, ...(before ? { before } : {}), ...besideOf(args, named) };
}

/** What a call is given beside its first argument. */
function besideOf(args: readonly Value[], named: ReadonlyMap<string, Value>): { readonly beside?: readonly Value[] } {
  if (args.length < 2 && named.size === 0) return {};
  return { beside: named.size === 0 ? args.slice(1) : [...args.slice(1), { kind: 'record', fields: named }] };
}

function zipped(names: ReadonlyMap<string, Value>, values: readonly Value[]): ReadonlyMap<string, Value> {
  return new Map([...names.keys()].map((name, i) => [name, values[i] ?? ANYTHING]));
}
