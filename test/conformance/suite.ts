import { describe } from 'vitest';
import type { ConformanceHarness } from './harness.ts';
import { receiving } from './receiving.ts';
import { sending } from './sending.ts';
import { soak } from './soak.ts';

/**
 * What makes an adapter a working one, point by point. `open` gives a fresh fake with people on it for every test; points that
 * the limits record or the harness rule out are skipped, and say so.
 */
export function conformance(name: string, open: () => Promise<ConformanceHarness>): void {
  describe(`${name} conforms`, () => {
    receiving(open);
    sending(open);
    soak(open);
  });
}
