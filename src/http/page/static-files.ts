import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from '../route.ts';

const FILES: Readonly<Record<string, string>> = {
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

/** The page's files, read once: a request names one of these or nothing, so no path reaches the disk. */
export function staticRoutes(): readonly Route[] {
  return Object.entries(FILES).map(([name, type]) => {
    const bytes = readFileSync(join(import.meta.dirname, 'static', name));
    return {
      method: 'GET',
      path: `/static/${name}`,
      access: 'anybody',
      handle: ({ reply }) => reply.type(type).send(bytes),
    };
  });
}
