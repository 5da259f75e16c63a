/** `1 h`, `30 min`, `90 min`. */
export function minutes(count: number): string {
  return count >= 60 && count % 60 === 0 ? `${count / 60} h` : `${count} min`;
}

/** `1 file`, `3 files`; thousands apart. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
