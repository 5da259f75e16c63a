/** Where a value stands: names of keys and places in lists, from the outside in. */
export type Path = readonly (string | number)[];

/** `access.allow[0]`, `providers.openai.models."gpt-4.1"`. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const name = /^[\w-]+$/.test(step) ? step : JSON.stringify(step);
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

/** Whether `path` is `outer` or stands inside it. */
export function within(path: Path, outer: Path): boolean {
  return outer.every((step, i) => path[i] === step);
}

type Container = Record<string | number, unknown>;

/** The value at a path, undefined where there is none. */
export function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => {
    return isContainer(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, data);
}

/** A copy of `data` with the value put at the path, making sections on the way. `__proto__` is a key like any other. */
export function withValue(data: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const copy: Container = Array.isArray(data) ? ([...data] as unknown as Container) : copyOf(data);
  define(copy, step, withValue(Object.hasOwn(copy, step) ? copy[step] : undefined, rest, value));
  return copy;
}

/** A copy of `data` without what stands at the path; the places of other list items stay. */
export function withoutValue(data: unknown, path: Path): unknown {
  const [step, ...rest] = path;
  if (step === undefined || !isContainer(data) || !Object.hasOwn(data, step)) return data;
  if (rest.length > 0) return withValue(data, [step], withoutValue(data[step], rest));
  if (Array.isArray(data)) return data.filter((_, i) => i !== step);
  return Object.fromEntries(Object.entries(data).filter(([name]) => name !== step));
}

/** A section without a value (`approvals:` above lines that are all commented out) is as good as absent. */
export function withoutNulls(data: unknown): unknown {
  if (Array.isArray(data) || !isContainer(data)) return data ?? undefined;
  const copy: Container = {};
  for (const [name, value] of Object.entries(data)) {
    if (value !== null) define(copy, name, withoutNulls(value));
  }
  return copy;
}

function copyOf(data: unknown): Container {
  const copy: Container = {};
  if (isContainer(data)) for (const [name, value] of Object.entries(data)) define(copy, name, value);
  return copy;
}

function define(target: Container, step: string | number, value: unknown): void {
  Object.defineProperty(target, step, { value, enumerable: true, writable: true, configurable: true });
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}
