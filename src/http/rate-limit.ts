/** Counts requests a key in whole minutes; `take` says how many seconds to wait, 0: go on. */
export interface RateLimit {
  take(key: string, now: number): number;
}

const MINUTE = 60_000;
const MAX_KEYS = 10_000;

/** A bucket of `perMinute` that refills evenly. The oldest keys are forgotten beyond 10,000. */
export function createRateLimit(perMinute: number): RateLimit {
  const buckets = new Map<string, { level: number; at: number }>();
  return {
    take(key, now) {
      const before = buckets.get(key) ?? { level: perMinute, at: now };
      const refill = (Math.max(0, now - before.at) / MINUTE) * perMinute;
      const level = Math.min(perMinute, before.level + refill);
      buckets.delete(key);
      buckets.set(key, { level: level < 1 ? level : level - 1, at: now });
      if (buckets.size > MAX_KEYS) buckets.delete(buckets.keys().next().value as string);
      return level < 1 ? Math.ceil(((1 - level) / perMinute) * 60) : 0;
    },
  };
}
