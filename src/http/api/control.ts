import type { Status } from '../../gateway/status.ts';
import type { Route } from '../route.ts';

export interface ControlDeps {
  readonly status: () => Status;
  /** Begins an orderly stop or restart and returns at once. */
  readonly end: (how: 'stopped' | 'restarted', by: string) => void;
  /** Somebody would start us again. */
  readonly supervised: boolean;
}

/** What the command line on this machine asks the daemon, with the token of this boot. */
export function controlRoutes({ status, end, supervised }: ControlDeps): readonly Route[] {
  const post = (path: string, handle: Route['handle']): Route => ({
    method: 'POST',
    path,
    access: 'operate',
    body: 'json',
    handle,
  });
  const begin = (how: 'stopped' | 'restarted') => {
    end(how, 'cli:operator');
    return { accepted: true };
  };
  return [
    { method: 'GET', path: '/api/v1/status', access: 'read', handle: () => status() },
    post('/api/v1/stop', () => begin('stopped')),
    post('/api/v1/restart', () => (supervised ? begin('restarted') : { accepted: false })),
  ];
}
