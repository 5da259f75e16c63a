import { createHash } from 'node:crypto';
import type { BootId } from '../contract/ids.ts';
import type { Db } from './open.ts';

/** JSON values only; what is undefined is left out. */
export type EventBody = Readonly<Record<string, unknown>>;

export interface AuditRow {
  readonly seq: number;
  readonly at: number;
  readonly event: string;
  readonly body: EventBody;
  readonly prev: string;
  readonly hash: string;
}

export type AuditState =
  | { readonly ok: true; readonly events: number; readonly head: string }
  /** `seq`: the first event that is not what it was, or is missing. */
  | { readonly ok: false; readonly seq: number; readonly why: string };

/** What was asked, decided, granted and run: append-only, each event chained to the one before by its hash. */
export interface Audit {
  /** Call inside the transaction of what it records. Throws where it cannot write; then that must not happen either. */
  append(event: string, body: EventBody, at: number): AuditRow;
  /** The newest event; undefined: none yet. */
  head(): { readonly seq: number; readonly hash: string } | undefined;
  /** Notes the head in the boot's row, so that a cut tail shows. */
  mark(boot: BootId): void;
  /** Walks the chain and the heads the boots noted. */
  verify(): AuditState;
  /** The newest event of one kind. */
  latest(event: string): AuditRow | undefined;
  /** Oldest first, from `after` on. */
  list(after: number, limit: number): readonly AuditRow[];
}

interface Row {
  seq: number;
  at: number;
  event: string;
  body: string;
  prev: string;
  hash: string;
}

const NOTHING = '0'.repeat(64);

/** JSON with sorted keys: one value, one text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function chained({ seq, at, event, body, prev }: Omit<Row, 'hash'>): string {
  return createHash('sha256').update(prev).update(canonicalJson({ seq, at, event, body })).digest('hex');
}

const read = (row: Row): AuditRow => ({ ...row, body: JSON.parse(row.body) as EventBody });

export function createAudit(db: Db): Audit {
  const newest = db.prepare<[], { seq: number; hash: string }>(
    'SELECT seq, hash FROM approval_event ORDER BY seq DESC LIMIT 1',
  );
  const insert = db.prepare(
    'INSERT INTO approval_event (seq, at, event, body, prev, hash) VALUES (@seq, @at, @event, @body, @prev, @hash)',
  );
  const latest = db.prepare<[string], Row>('SELECT * FROM approval_event WHERE event = ? ORDER BY seq DESC LIMIT 1');
  const page = db.prepare<[number, number], Row>('SELECT * FROM approval_event WHERE seq > ? ORDER BY seq LIMIT ?');
  const all = db.prepare<[], Row>('SELECT * FROM approval_event ORDER BY seq');
  const mark = db.prepare('UPDATE boots SET audit_head = ? WHERE id = ?');
  const marks = db.prepare<[], { audit_head: string }>('SELECT audit_head FROM boots WHERE audit_head IS NOT NULL');

  const verifyChain = (): AuditState & { hashes?: Map<number, string> } => {
    const hashes = new Map<number, string>();
    let prev = NOTHING;
    for (const row of all.iterate()) {
      const seq = hashes.size + 1;
      if (row.seq !== seq) return { ok: false, seq, why: `event ${seq} is missing` };
      if (row.prev !== prev) return { ok: false, seq, why: `event ${seq} does not follow the one before` };
      if (row.hash !== chained(row)) return { ok: false, seq, why: `event ${seq} was changed` };
      hashes.set(seq, row.hash);
      prev = row.hash;
    }
    return { ok: true, events: hashes.size, head: prev, hashes };
  };

  return {
    append(event, body, at) {
      const last = newest.get();
      const row = { seq: (last?.seq ?? 0) + 1, at, event, body: canonicalJson(body), prev: last?.hash ?? NOTHING };
      const done = { ...row, hash: chained(row) };
      insert.run(done);
      return read(done);
    },
    head: () => newest.get(),
    mark(boot) {
      const last = newest.get();
      if (last) mark.run(`${last.seq}:${last.hash}`, boot);
    },
    verify() {
      const { hashes, ...state } = verifyChain();
      if (!state.ok || !hashes) return state;
      for (const { audit_head } of marks.iterate()) {
        const [seq, hash] = audit_head.split(':');
        if (hashes.get(Number(seq)) === hash) continue;
        const first = Math.min(Number(seq), hashes.size + 1);
        return { ok: false, seq: first, why: `event ${seq} is not what a boot wrote down` };
      }
      return state;
    },
    latest(event) {
      const row = latest.get(event);
      return row && read(row);
    },
    list: (after, limit) => page.all(after, limit).map(read),
  };
}
