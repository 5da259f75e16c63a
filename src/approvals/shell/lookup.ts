/** The entry of a table under a name that comes from the judged text; `__proto__` is no entry. */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** A table asked of every call. */
export function byName<T>(table: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(table));
}
