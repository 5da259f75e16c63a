import type { Audit } from '../../store/audit.ts';
import type { Route } from '../route.ts';

const PAGE = 200;

/** The record of decisions, for whoever may operate. */
export function auditRoutes(audit: Audit): readonly Route[] {
  return [
    { method: 'GET', path: '/api/v1/audit/state', access: 'operate', handle: () => audit.verify() },
    {
      method: 'GET',
      path: '/api/v1/audit',
      access: 'operate',
      handle: ({ request }) => audit.list(Number((request.query as { after?: string }).after) || 0, PAGE),
    },
  ];
}
