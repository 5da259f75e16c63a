import type { Clock } from '../../src/contract/clock.ts';

interface Rule {
  readonly route: RegExp;
  readonly name: string;
  readonly count: number;
  readonly windowMs: number;
}

const RULES: readonly Rule[] = [
  { route: /^POST \/channels\/\d+\/messages$/, name: 'say', count: 5, windowMs: 5_000 },
  { route: /^PATCH \/channels\/\d+\/messages\/\d+$/, name: 'edit', count: 5, windowMs: 5_000 },
  { route: /^POST \/channels\/\d+\/typing$/, name: 'typing', count: 5, windowMs: 5_000 },
  { route: /^PUT \/channels\/\d+\/messages\/\d+\/reactions\//, name: 'react', count: 1, windowMs: 250 },
];

export interface Pass {
  readonly ok: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfterS: number;
}

interface Window {
  since: number;
  used: number;
}

/** Rate limits per route and channel, with the headers that tell of them. */
export class Buckets {
  readonly #clock: Clock;
  readonly #pace: number;
  readonly #windows = new Map<string, Window>();

  /** `pace`: how much sooner a bucket is full again than Discord's own; the library waits for it in real time. */
  constructor(clock: Clock, pace = 1) {
    this.#clock = clock;
    this.#pace = pace;
  }

  pass(route: string): Pass {
    const found = RULES.find((candidate) => candidate.route.test(route));
    const rule = found && { ...found, windowMs: found.windowMs / this.#pace };
    if (!rule) return { ok: true, headers: {}, retryAfterS: 0 };
    const channel = /\d{17,19}/.exec(route)?.[0] ?? '';
    const window = this.#window(`${rule.name}:${channel}`, rule);
    const ok = window.used < rule.count;
    if (ok) window.used++;
    const leftS = Math.max(0, (window.since + rule.windowMs - this.#clock.now()) / 1000);
    const headers = {
      'x-ratelimit-bucket': `bucket-${rule.name}`,
      'x-ratelimit-limit': String(rule.count),
      'x-ratelimit-remaining': String(rule.count - window.used),
      'x-ratelimit-reset-after': leftS.toFixed(3),
      ...(ok ? {} : { 'x-ratelimit-scope': 'user', 'retry-after': leftS.toFixed(3) }),
    };
    return { ok, headers, retryAfterS: leftS };
  }

  #window(key: string, rule: Rule): Window {
    const now = this.#clock.now();
    const known = this.#windows.get(key);
    if (known && now - known.since < rule.windowMs) return known;
    const fresh = { since: now, used: 0 };
    this.#windows.set(key, fresh);
    return fresh;
  }
}
