import type { Route } from './route.ts';

/** What probes are told: nothing but the boot and words for what is wrong. */
export interface HealthView {
  readonly boot: string;
  readonly live: boolean;
  readonly ready: boolean;
  /** Reason codes, not sentences: `store`, `delivery`, `platforms`. */
  readonly reasons: readonly string[];
}

/** Both have one source, the daemon's own judgement, and may be asked by anybody under any name. */
export function healthRoutes(health: () => HealthView): readonly Route[] {
  const probe = (path: string, well: (view: HealthView) => boolean): Route => ({
    method: 'GET',
    path,
    access: 'anybody',
    probe: true,
    handle({ reply }) {
      const view = health();
      reply.code(well(view) ? 200 : 503);
      return { boot: view.boot, reasons: view.reasons };
    },
  });
  return [probe('/healthz', (view) => view.live), probe('/readyz', (view) => view.ready)];
}
