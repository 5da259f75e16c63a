import { createHash } from 'node:crypto';
import type { Base } from './app-base.ts';
import type { AppDeps, Live } from './app-deps.ts';
import { randomCode } from './contract/ids.ts';
import { createHttp } from './http/http.ts';
import type { Route } from './http/route.ts';
import { hashSecret } from './http/secrets.ts';
import { createWeb } from './platforms/web/adapter.ts';
import { lifeNotes } from './process/life-status.ts';
import { VERSION } from './version.ts';

/** The page with its adapter, and the token by which the command line reaches this boot. */
export function createPage(base: Base, { secrets, practice }: AppDeps, live: Live, routes: readonly Route[]) {
  const { config, store, boot, clock, log, home, zone } = base;
  const web = createWeb({ messages: store.webMessages, clock, log });
  const bootToken = randomCode(32);
  const http = createHttp({
    ...{ clock, log, boot, practice, routes, timeZone: zone, nextPort: practice, version: VERSION },
    config: config.http,
    web: web.surface,
    sessions: store.pageSessions,
    health: () => {
      const { ready, reasons, life } = live.status();
      return { boot, live: life.watched, ready, reasons: [...reasons, ...lifeNotes(life)] };
    },
    homeHash: createHash('sha256').update(home).digest('hex').slice(0, 12),
    token: secrets['HERMOD_HTTP_TOKEN'],
    tokens: [{ name: 'cli', hash: hashSecret(bootToken), scope: 'operate' }],
  });
  return { web, bootToken, http };
}
