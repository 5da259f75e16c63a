import { join } from 'node:path';
import { type ApprovalView, approvalView, type GrantView, grantView } from '../approvals/approval-view.ts';
import { createRedactor } from '../approvals/redact.ts';
import { loadConfig } from '../config/load.ts';
import { secretValues } from '../config/secrets.ts';
import { systemClock } from '../context/system-clock.ts';
import type { Host } from '../host.ts';
import { createApprovals } from '../store/approvals.ts';
import { createGrants } from '../store/grants.ts';
import { openReadOnly } from '../store/open.ts';
import { findDaemon, homeOf } from './daemon-client.ts';

/** Requests and grants as the running daemon tells them, or, without one, as its file does. */
export interface ApprovalSource {
  approvals(all: boolean): Promise<readonly ApprovalView[]>;
  grants(): Promise<readonly GrantView[]>;
}

const RECENT = 50;

export async function approvalSource(host: Host): Promise<ApprovalSource> {
  const daemon = await findDaemon(host);
  if (!daemon) return fileSource(host);
  return {
    approvals: async (all) =>
      ((await daemon.get(`api/v1/approvals${all ? '?all=1' : ''}`)) as { approvals: ApprovalView[] }).approvals,
    grants: async () => ((await daemon.get('api/v1/grants')) as { grants: GrantView[] }).grants,
  };
}

function fileSource(host: Host): ApprovalSource {
  const home = homeOf(host);
  const loaded = loadConfig({ home, env: host.env, set: [] });
  const redactor = loaded.ok
    ? createRedactor(loaded.config.approvals.redact_patterns, secretValues(loaded.secrets))
    : createRedactor();
  const reading = async <T>(look: (db: ReturnType<typeof openReadOnly>) => T): Promise<T> => {
    const db = openReadOnly(join(home, 'hermod.db'));
    try {
      return look(db);
    } finally {
      db.close();
    }
  };
  return {
    approvals: (all) =>
      reading((db) => {
        const rows = createApprovals(db);
        return (all ? rows.recent(RECENT) : rows.pending()).map((row) => approvalView(row, redactor));
      }),
    grants: () =>
      reading((db) =>
        createGrants(db)
          .list(systemClock.now())
          .map((row) => grantView(row, redactor)),
      ),
  };
}
