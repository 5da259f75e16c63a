/** An interval: calendar days on a wall clock, or elapsed milliseconds. */
export type Period = { readonly days: number } | { readonly ms: number };

const UNIT_MS = { H: 3_600_000, M: 60_000, S: 1000 } as const;

/** `PnD`, `PnW`, or `PT` with H, M, S in this order. Undefined: anything else, or nothing at all. */
export function readPeriod(text: string): Period | undefined {
  const days = /^P(\d{1,9})([DW])$/.exec(text);
  if (days) return positive({ days: Number(days[1]) * (days[2] === 'W' ? 7 : 1) });
  const time = /^PT(?:(\d{1,12})H)?(?:(\d{1,12})M)?(?:(\d{1,12})S)?$/.exec(text);
  if (!time) return undefined;
  const [, h = '0', m = '0', s = '0'] = time;
  return positive({ ms: Number(h) * UNIT_MS.H + Number(m) * UNIT_MS.M + Number(s) * UNIT_MS.S });
}

function positive(period: Period): Period | undefined {
  return ('days' in period ? period.days : period.ms) > 0 ? period : undefined;
}

/** For texts that `readPeriod` took before. */
export function periodOf(text: string): Period {
  const period = readPeriod(text);
  if (!period) throw new Error(`a stored period is none: ${text}`);
  return period;
}
