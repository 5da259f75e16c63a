import { join } from 'node:path';
import type { Host } from '../host.ts';
import { type AuditRow, type AuditState, createAudit } from '../store/audit.ts';
import { openReadOnly } from '../store/open.ts';
import { findDaemon, homeOf } from './daemon-client.ts';

const PAGE = 200;

/** Where the record is read from: the running daemon, or its file. */
interface Source {
  state(): Promise<AuditState>;
  page(after: number): Promise<readonly AuditRow[]>;
  close(): void;
}

/** `hermod audit verify` (0 whole, 1 not) and `hermod audit list|show [--json]`. */
export async function audit(host: Host, args: readonly string[]): Promise<number> {
  const [what = 'list', ...options] = args;
  if (!['verify', 'list', 'show'].includes(what)) {
    host.err.write('hermod audit takes verify, list or show.\n');
    return 64;
  }
  const source = await sourceFor(host);
  try {
    return what === 'verify' ? await verify(host, source) : await list(host, source, options.includes('--json'));
  } finally {
    source.close();
  }
}

async function verify(host: Host, source: Source): Promise<number> {
  const state = await source.state();
  if (state.ok) {
    host.out.write(`ok, ${state.events.toLocaleString('en')} events, head ${state.head.slice(0, 12)}\n`);
    return 0;
  }
  host.err.write(`The record is not whole: ${state.why} (event ${state.seq}).\n`);
  return 1;
}

async function list(host: Host, source: Source, json: boolean): Promise<number> {
  let last = 0;
  for (let rows = await source.page(0); rows.length > 0; rows = await source.page(last)) {
    for (const row of rows) host.out.write(`${json ? JSON.stringify({ v: 1, ...row }) : line(row)}\n`);
    last = rows.at(-1)?.seq ?? last;
  }
  if (last === 0) host.err.write('Nothing yet: what is asked, decided and run will stand here.\n');
  return 0;
}

/** `12  2026-11-30 14:03:11  granted  Anna  once  fs.delete  rm -rf build` */
function line({ seq, at, event, body }: AuditRow): string {
  const said = ['actor', 'label', 'choice', 'rules', 'reason', 'command'].map((name) => body[name]).filter(Boolean);
  const when = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
  return [seq, when, event, ...said.map((value) => (Array.isArray(value) ? value.join(',') : String(value)))].join(
    '  ',
  );
}

async function sourceFor(host: Host): Promise<Source> {
  const daemon = await findDaemon(host);
  if (daemon) {
    return {
      state: async () => (await daemon.get('api/v1/audit/state')) as AuditState,
      page: async (after) => (await daemon.get(`api/v1/audit?after=${after}`)) as readonly AuditRow[],
      close: () => {},
    };
  }
  const db = openReadOnly(join(homeOf(host), 'hermod.db'));
  const record = createAudit(db);
  return {
    state: async () => record.verify(),
    page: async (after) => record.list(after, PAGE),
    close: () => db.close(),
  };
}
