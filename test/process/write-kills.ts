import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Survivor } from './survivor.ts';

export interface WriteKillsOptions {
  readonly kills: number;
  /** Messages a second; each makes about ten rows and changes. */
  readonly perSecond: number;
  /** Told after each kill. */
  readonly progress?: (line: string) => void;
}

export interface WriteKillsReport {
  readonly kills: { SIGKILL: number; SIGTERM: number };
  /** What `integrity_check` or `foreign_key_check` said after a kill, other than that all is well. */
  readonly torn: readonly string[];
  readonly messages: number;
  readonly rows: number;
  /** Of all lives together, from ready to the signal. */
  readonly seconds: number;
  /** Inbox rows without an end, after a last life. */
  readonly open: number;
}

const PEOPLE = 12;
const LONGEST_LIFE_MS = 1_000;
const TABLES = ['inbox', 'turns', 'attempts', 'transcript', 'outbox'];

const SETTINGS = `  allow: [${Array.from({ length: PEOPLE }, (_, i) => `"telegram:${i + 1}"`)}]
breaker: { session_limit: 0, global_limit: 0 }
resume: { max_attempts: 100, parallel: 16 }
stop: { turns_s: 1, flush_s: 1, adapters_s: 1, total_s: 8 }
cron: { drain_s: 0 }
`;

/** People write faster than anybody reads while the daemon is ended, two times in three by SIGKILL; each time its file is checked. */
export async function writeKills({
  kills,
  perSecond,
  progress = () => {},
}: WriteKillsOptions): Promise<WriteKillsReport> {
  const survivor = await Survivor.open(SETTINGS);
  const count = { SIGKILL: 0, SIGTERM: 0 };
  const torn: string[] = [];
  let [messages, lived] = [0, 0];
  const write = () => survivor.says(`say word ${messages}`, 1 + (messages++ % PEOPLE));
  try {
    for (let i = 0; i < kills; i++) {
      const daemon = await survivor.boot();
      const writing = setInterval(write, 1_000 / perSecond);
      const life = LONGEST_LIFE_MS * (0.2 + 0.8 * ((i * 7) % 10) * 0.1);
      await new Promise((resolve) => setTimeout(resolve, life));
      const signal = i % 3 === 2 ? 'SIGTERM' : 'SIGKILL';
      daemon.signal(signal);
      clearInterval(writing);
      lived += life;
      count[signal]++;
      await daemon.exited;
      const found = check(survivor.home);
      if (found.length > 0) torn.push(`kill ${i + 1}, ${signal}: ${found.join('; ')}`);
      progress(`kill ${i + 1} of ${kills}: ${signal}, ${messages} messages so far`);
    }
    await survivor.boot();
    await survivor.until('an end of everything', () => look(survivor.home).open === 0, 120_000);
    return { kills: count, torn, messages, seconds: lived / 1_000, ...look(survivor.home) };
  } finally {
    await survivor.close();
  }
}

function check(home: string): readonly string[] {
  const db = new Database(join(home, 'hermod.db'), { readonly: true });
  try {
    const said = db.prepare<[], string>('PRAGMA integrity_check').pluck().all();
    const orphans = db.prepare('PRAGMA foreign_key_check').all().length;
    return [...said.filter((line) => line !== 'ok'), ...(orphans > 0 ? [`${orphans} rows refer to nothing`] : [])];
  } finally {
    db.close();
  }
}

/** A look at the file beside the daemon that has it open. */
function look(home: string): { readonly open: number; readonly rows: number } {
  const db = new Database(join(home, 'hermod.db'), { readonly: true });
  try {
    const one = (sql: string) => Number(db.prepare(sql).pluck().get());
    const rows = TABLES.reduce((sum, table) => sum + one(`SELECT count(*) FROM ${table}`), 0);
    return { rows, open: one(`SELECT count(*) FROM inbox WHERE state IN ('new', 'claimed')`) };
  } finally {
    db.close();
  }
}
