import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Address } from '../../src/contract/message.ts';
import { openReadOnly } from '../../src/store/open.ts';
import { openStore } from '../../src/store/store.ts';
import { plainJob } from '../schedule/plain-job.ts';
import { Survivor } from './survivor.ts';

export interface KillOrder {
  /** Before which statement each life ends. */
  readonly at: readonly number[];
  /** Waits until what may have arrived has gone out again. */
  readonly patient?: boolean;
  readonly progress?: (line: string) => void;
}

export interface KillReport {
  /** Lives that ended before their statement; the others got through all of it. */
  readonly kills: number;
  readonly through: number;
  readonly ok: number;
  readonly unknown: number;
  /** Second copies that say they may be a repeat. */
  readonly repeats: number;
  /** What must not be, in words. */
  readonly wrong: readonly string[];
}

const FORUM = -100_777;
/** What was not told in many lives is told in the last one, a message a second. */
const PATIENCE_MS = 600_000;
const LOOK_MS = 100;
/** Nothing that would rightly be refused after many lives: caps and holds are not what is tested here. */
const CONFIG = `cron:
  stagger_s: 0
  max_jobs_per_owner: 10000
  max_creations_per_hour: 10000
  max_model_calls_per_day: 100000
breaker:
  global_limit: 0
  session_limit: 0
`;
const PRELOAD = new URL('./die-at-statement.mjs', import.meta.url).href;
const DUE = "^SELECT \\* FROM jobs WHERE state = 'scheduled' AND next_run_at <= ";
const SAID = '^\\s*INSERT INTO inbox';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly delivery: string | null;
}

/** Lives of a real daemon over a fake Telegram, each with one job, each ended before some statement. */
class Lives {
  readonly survivor: Survivor;
  /** Undefined: Anna talks in private. */
  readonly topic: number | undefined;
  kills = 0;
  through = 0;

  private constructor(survivor: Survivor, topic: number | undefined) {
    this.survivor = survivor;
    this.topic = topic;
  }

  static async open(where: 'private' | 'topic'): Promise<Lives> {
    const survivor = await Survivor.open(CONFIG);
    if (where === 'private') return new Lives(survivor, undefined);
    survivor.telegram.group(FORUM, { title: 'Forum', forum: true });
    return new Lives(survivor, survivor.telegram.topic(FORUM, 'Plans'));
  }

  says(text: string): void {
    const { survivor, topic } = this;
    if (topic === undefined) survivor.says(text);
    else survivor.telegram.person(1, 'Anna').says({ chat: FORUM, topic }, `@hermod_test_bot ${text}`);
  }

  heard(pattern: RegExp): readonly string[] {
    const { survivor, topic } = this;
    const said = topic === undefined ? survivor.seen() : survivor.telegram.said(FORUM, topic);
    return said.map(({ text }) => text).filter((text) => pattern.test(text));
  }

  /** Where Anna talks, as hermod knows it. */
  async place(): Promise<Address> {
    const { survivor } = this;
    await survivor.boot();
    this.says('in 9 hours remind me to rest');
    await survivor.until('the echo', () => this.heard(/^Job \w{4} /)[0]);
    await survivor.until(
      'its turn to end',
      () => this.count('SELECT count(*) FROM turns WHERE ended_at IS NULL') === 0,
    );
    await survivor.kill();
    const [row] = this.rows<{ origin: string }>('SELECT origin FROM jobs');
    return JSON.parse(row?.origin ?? '') as Address;
  }

  /** One life: it dies by itself, or when `done` finds what it waits for. True: by itself. */
  async live(from: string, statement: number | undefined, done: () => boolean, begin = () => {}): Promise<boolean> {
    const { survivor } = this;
    const file = join(survivor.home, 'dies-at');
    if (statement === undefined) rmSync(file, { force: true });
    else writeFileSync(file, JSON.stringify({ from, statement }));
    const daemon = survivor.start({ preload: PRELOAD });
    let dead = false;
    void daemon.exited.then(() => {
      dead = true;
    });
    begin();
    const look = nowAndThen(done);
    await survivor.until(`a death before statement ${statement} or an end`, () => dead || look(), PATIENCE_MS);
    const byItself = dead;
    await survivor.kill();
    if (statement !== undefined) {
      if (byItself) this.kills++;
      else this.through++;
    }
    return byItself;
  }

  rows<T>(sql: string): readonly T[] {
    const db = openReadOnly(join(this.survivor.home, 'hermod.db'));
    try {
      return db.prepare<[], T>(sql).all();
    } finally {
      db.close();
    }
  }

  count(sql: string): number {
    return Object.values(this.rows<Record<string, number>>(sql)[0] ?? {})[0] ?? 0;
  }

  firings(): readonly Row[] {
    return this.rows<Row>(`
      SELECT f.id, j.name, f.state, d.state AS delivery FROM firings f JOIN jobs j ON j.id = f.job
      LEFT JOIN firing_deliveries d ON d.firing = f.id ORDER BY f.rowid`);
  }

  /** Whether the job of this name has an end that was told. */
  isTold(name: string): boolean {
    return this.firings().some((row) => row.name === name && (row.delivery === 'delivered' || row.state === 'unknown'));
  }

  /** Nothing runs and nothing waits to be sent. */
  isCalm(patient: boolean): boolean {
    const waiting = patient ? "'pending', 'sending', 'ambiguous'" : "'pending', 'sending'";
    const open = this.count("SELECT count(*) FROM firings WHERE state IN ('claimed', 'running')");
    return open + this.count(`SELECT count(*) FROM outbox WHERE state IN (${waiting})`) === 0;
  }

  /** What became of each job named `word-<n>`. */
  report(count: number): KillReport {
    const firings = this.firings();
    const wrong: string[] = [];
    let repeats = 0;
    for (let i = 0; i < count; i++) {
      const mine = firings.filter(({ name }) => name === `word-${i}`);
      const copies = this.heard(new RegExp(`(?<!to )\\bword-${i}$`, 'm'));
      repeats += copies.slice(1).filter((text) => /may be a repeat/.test(text)).length;
      wrong.push(...faults(mine, copies).map((what) => `word-${i}: ${what}`));
    }
    const runs = this.survivor.read('runs.txt').trim().split('\n');
    const twice = runs.filter((line, i) => line !== '' && runs.indexOf(line) !== i);
    wrong.push(...twice.map((line) => `${line}: run twice`));
    const of = (state: string) => firings.filter((row) => row.state === state).length;
    return { kills: this.kills, through: this.through, ok: of('ok'), unknown: of('unknown'), repeats, wrong };
  }
}

/** The daemon needs the processor more than whoever watches it. */
function nowAndThen(look: () => boolean): () => boolean {
  let next = 0;
  return () => {
    if (performance.now() < next) return false;
    next = performance.now() + LOOK_MS;
    return look();
  };
}

/** What is wrong with one job of one firing. */
function faults(firings: readonly Row[], copies: readonly string[]): readonly string[] {
  const [firing] = firings;
  if (!firing || firings.length > 1) return [`${firings.length} firings`];
  const unlabelled = copies.filter((text) => !/may be a repeat/.test(text)).length;
  const found: string[] = [];
  if (firing.state !== 'ok' && firing.state !== 'unknown') found.push(`it is ${firing.state}`);
  if (unlabelled > 1) found.push(`said ${unlabelled} times`);
  if (firing.state === 'ok' && firing.delivery === 'delivered' && copies.length === 0) found.push('never said');
  if (firing.state === 'ok' && firing.delivery === 'failed') found.push('not delivered');
  if (firing.state === 'unknown' && copies.length > 0) found.push('unknown, but said');
  return found;
}

/** A reminder has no outcome that is unknown: it came, or it comes. */
function comesAlways({ wrong, ...report }: KillReport): KillReport {
  return {
    ...report,
    wrong: report.unknown === 0 ? wrong : [...wrong, `${report.unknown} reminders of unknown outcome`],
  };
}

/** A job that is due, each life; killed before the given statements after it was found due. */
export async function killDueJobs({ at, patient = false, progress }: KillOrder): Promise<KillReport> {
  const lives = await Lives.open('private');
  const { survivor } = lives;
  try {
    const origin = await lives.place();
    for (const [i, statement] of at.entries()) {
      const store = openStore(join(survivor.home, 'hermod.db'));
      const now = Date.now();
      const owner = { platform: 'telegram', id: '1', name: 'Anna' };
      const schedule = { kind: 'at', at: now - 1000, tz: 'UTC' } as const;
      const prompt = `run echo ${i} >> runs.txt then say word-${i}`;
      const more = { owner, origin, direct: true, name: `word-${i}`, prompt };
      store.jobs.insert(plainJob(store.jobs.newId(), schedule, now - 2000, now - 1000, more));
      store.close();
      await lives.live(DUE, statement, () => lives.isTold(`word-${i}`));
      if (i % 20 === 19) progress?.(`${i + 1} of ${at.length}`);
    }
    const last = () => lives.firings().some(({ name }) => name === `word-${at.length - 1}`);
    await lives.live(DUE, undefined, () => last() && lives.isCalm(patient));
    return lives.report(at.length);
  } finally {
    await survivor.close();
  }
}

/** A reminder for the next second, asked for by message; killed before the given statements after the message was stored. */
export async function killReminders({ at, progress }: KillOrder): Promise<KillReport> {
  const lives = await Lives.open('topic');
  try {
    await lives.place();
    for (const [i, statement] of at.entries()) {
      const say = () => lives.says(`in 1 second remind me to word-${i}`);
      const died = await lives.live(SAID, statement, () => lives.isTold(`word-${i}`), say);
      if (died) await lives.live(SAID, undefined, () => lives.isTold(`word-${i}`));
      if (i % 20 === 19) progress?.(`${i + 1} of ${at.length}`);
    }
    await lives.live(SAID, undefined, () => lives.isCalm(true));
    return comesAlways(lives.report(at.length));
  } finally {
    await lives.survivor.close();
  }
}
