import type { Status } from '../../gateway/status.ts';
import type { Route } from '../route.ts';

export interface ControlDeps {
  readonly status: () => Status;
  readonly loginUrl: () => string;
  /** Begins an orderly stop or restart and returns at once; false: nothing here would start hermod again. */
  readonly end: (how: 'stopped' | 'restarted', by: string) => boolean;
}

/** What the command line on this machine asks the daemon, with the token of this boot. */
export function controlRoutes({ status, loginUrl, end }: ControlDeps): readonly Route[] {
  const post = (path: string, handle: Route['handle']): Route => ({
    method: 'POST',
    path,
    access: 'operate',
    body: 'json',
    handle,
  });
  return [
    { method: 'GET', path: '/api/v1/status', access: 'read', handle: () => status() },
    post('/api/v1/open', () => ({ url: loginUrl() })),
    post('/api/v1/stop', () => ({ accepted: end('stopped', 'cli:operator') })),
    post('/api/v1/restart', () => ({ accepted: end('restarted', 'cli:operator') })),
  ];
}
