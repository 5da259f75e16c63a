/** `12.3 ms` */
export const ms = (value: number): string => `${value.toFixed(1)} ms`;

/** The value below which a share of the values lies. */
export function share(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
