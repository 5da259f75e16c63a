import type { Clock } from '../contract/clock.ts';
import { hashSecret, newSecret } from './secrets.ts';

const LIFE_MS = 10 * 60_000;
const MOST = 5;

/** One-time codes that sign a browser in: 128 bits, ten minutes, one use, five at a time (a sixth drops the oldest). */
export interface LoginCodes {
  issue(): string;
  /** True once for each code that is still good. */
  redeem(code: string): boolean;
}

export function createLoginCodes(clock: Clock): LoginCodes {
  const open = new Map<string, number>();
  return {
    issue() {
      const code = newSecret(16);
      open.set(hashSecret(code), clock.now() + LIFE_MS);
      if (open.size > MOST) open.delete(open.keys().next().value as string);
      return code;
    },
    redeem(code) {
      const hash = hashSecret(code.trim());
      const until = open.get(hash);
      open.delete(hash);
      return until !== undefined && clock.now() < until;
    },
  };
}
