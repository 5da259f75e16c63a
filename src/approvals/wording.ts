/** `1 h`, `30 min`, `90 min`. */
export function minutes(count: number): string {
  return count >= 60 && count % 60 === 0 ? `${count / 60} h` : `${count} min`;
}

/** `30 s`, `90 s`, `1 h`, `30 min`: exact to the second. */
export function span(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds % 60 === 0 && seconds > 0 ? minutes(seconds / 60) : `${seconds} s`;
}

/** `1 file`, `3 files`; thousands apart. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
