import type { Restart } from '../../gateway/commands/command.ts';
import type { Status } from '../../gateway/status.ts';
import type { Route } from '../route.ts';

export interface ControlDeps {
  readonly status: () => Status;
  /** Begins an orderly stop and returns at once. */
  readonly end: (how: 'stopped', by: string) => void;
  /** Undefined: nobody would start us again. */
  readonly restart: Restart | undefined;
  /** Reads the configuration again; what comes back is JSON. */
  readonly reload: () => object;
}

const BY = 'cli:operator';

/** What the command line on this machine asks the daemon, with the token of this boot. */
export function controlRoutes({ status, end, restart, reload }: ControlDeps): readonly Route[] {
  const post = (path: string, handle: Route['handle']): Route => ({
    method: 'POST',
    path,
    access: 'operate',
    body: 'json',
    handle,
  });
  return [
    { method: 'GET', path: '/api/v1/status', access: 'read', handle: () => status() },
    post('/api/v1/stop', () => {
      end('stopped', BY);
      return { accepted: true };
    }),
    post('/api/v1/reload', () => reload()),
    post('/api/v1/restart', ({ request }) => begin(restart, isNow(request.body))),
  ];
}

/** `waitsFor` turns and firings, `waitMs` at most. */
function begin(restart: Restart | undefined, now: boolean) {
  if (!restart) return { accepted: false };
  const waitsFor = now ? 0 : restart.busy();
  restart.begin(BY, now);
  return { accepted: true, waitsFor, waitMs: restart.waitMs };
}

function isNow(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'now' in body && body.now === true;
}
