import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Received, Reply } from '../fakes/model-replies.ts';
import { ModelServer } from '../fakes/model-server.ts';
import { Survivor } from './survivor.ts';

export interface ChaosOptions {
  readonly people: number;
  readonly kills: number;
  readonly seed: number;
  /** Told after each kill. */
  readonly progress?: (line: string) => void;
}

export interface ChaosReport {
  readonly messages: number;
  /** Messages nobody ever answered. */
  readonly lost: readonly string[];
  /** Messages whose tool ran more than once. */
  readonly ranTwice: readonly string[];
  /** Messages answered twice without a word that it may be a repeat. */
  readonly doubled: readonly string[];
  /** Answers that came again, and said so. */
  readonly repeats: number;
  readonly kills: { readonly SIGKILL: number; readonly SIGTERM: number };
  /** Kills before the daemon was ready. */
  readonly early: number;
  readonly interrupted: number;
  /** Inbox rows without an end. */
  readonly open: number;
  readonly integrity: string;
  readonly seconds: number;
}

const PAUSE_MS = 400;
const THINK_MS = 300;
/** So many are killed while they start, within this time; the others live on for a moment. */
const EARLY = 0.2;
const START_MS = 1_500;
const LONGEST_LIFE_MS = 2_500;
/** An answer whose sending was cut off blocks its chat for 30 s; a few in a row are bad luck. */
const PATIENCE_MS = 180_000;

/**
 * People talk to a daemon that is killed again and again, at any point of its life. Each message has a name; its turn runs one
 * tool, which leaves the name in a file, and answers with it. What the breaker is for is switched off: it must not be needed.
 */
export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const { people, kills, seed, progress = () => {} } = options;
  const random = randomFrom(seed);
  const started = performance.now();
  const model = await ModelServer.start({ replies: (request) => answer(request, random) });
  const survivor = await Survivor.open(settings(model.url, people));
  // What was sent is known late: some kills fall in between.
  survivor.telegram.fault('sendMessage', { kind: 'slow', delayMs: 40, times: 1e9 });
  const talk = new Talk(survivor, random);
  const talking = Array.from({ length: people }, (_, i) => talk.person(i + 1));
  const count = { SIGKILL: 0, SIGTERM: 0, early: 0 };
  try {
    for (let i = 0; i < kills; i++) {
      const daemon = survivor.start();
      if (random() < EARLY) await pause(random() * START_MS);
      else await daemon.ready().then(() => pause(random() * LONGEST_LIFE_MS));
      const signal = random() < 0.7 ? 'SIGKILL' : 'SIGTERM';
      count[signal]++;
      if (!daemon.output.includes('Open ')) count.early++;
      daemon.signal(signal);
      await daemon.exited;
      progress(`kill ${i + 1} of ${kills}: ${signal}, ${talk.names.length} messages so far`);
    }
    await survivor.boot();
    talk.end();
    await Promise.all(talking);
    survivor.daemon?.signal('SIGTERM');
    await survivor.daemon?.exited;
    return { ...talk.account(), ...ledger(survivor.home), kills: count, early: count.early, seconds: since(started) };
  } finally {
    await survivor.close();
    await model.stop();
  }
}

/** People who write, wait for the answer, and write again. */
class Talk {
  readonly names: string[] = [];
  readonly #survivor: Survivor;
  readonly #random: () => number;
  #on = true;

  constructor(survivor: Survivor, random: () => number) {
    this.#survivor = survivor;
    this.#random = random;
  }

  end(): void {
    this.#on = false;
  }

  async person(who: number): Promise<void> {
    for (let n = 1; this.#on; n++) {
      const name = `p${who}n${n}`;
      this.names.push(name);
      this.#survivor.says(`note ${name}`, who);
      await this.#answered(who, name);
      await pause(this.#random() * PAUSE_MS);
    }
  }

  async #answered(who: number, name: string): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (this.#copies(who, name).length === 0 && performance.now() < end) await pause(20);
  }

  #copies(who: number, name: string): readonly string[] {
    const texts = this.#survivor.seen(who).map(({ text }) => text);
    return texts.filter((text) => new RegExp(`done ${name}\\b`).test(text));
  }

  account() {
    const heard = this.names.map((name) => {
      const copies = this.#copies(Number(/^p(\d+)/.exec(name)?.[1]), name);
      return { name, plain: copies.filter((text) => !text.includes('may be a repeat')).length, all: copies.length };
    });
    const file = join(this.#survivor.home, 'workspace', 'ran');
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
    return {
      messages: this.names.length,
      lost: heard.filter(({ all }) => all === 0).map(({ name }) => name),
      doubled: heard.filter(({ plain }) => plain > 1).map(({ name }) => name),
      repeats: heard.reduce((sum, { all, plain }) => sum + all - plain, 0),
      ranTwice: [...new Set(lines.filter((line, i) => lines.indexOf(line) !== i))],
    };
  }
}

/** What the database says when all is over. */
function ledger(home: string) {
  const db = new Database(join(home, 'hermod.db'), { readonly: true });
  try {
    const one = (sql: string) => db.prepare(sql).pluck().get();
    return {
      integrity: String(one('PRAGMA integrity_check')),
      open: Number(one(`SELECT count(*) FROM inbox WHERE state IN ('new', 'claimed')`)),
      interrupted: Number(one(`SELECT count(*) FROM attempts WHERE outcome = 'interrupted'`)),
    };
  } finally {
    db.close();
  }
}

async function answer({ body }: Received, random: () => number): Promise<Reply> {
  const messages = body.messages as readonly { role: string; content: string }[];
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const name = /note (\S+)/.exec(messages[last]?.content ?? '')?.[1] ?? 'nothing';
  await pause(random() * THINK_MS);
  const ran = messages.slice(last).some(({ role }) => role === 'tool');
  return ran ? { say: `done ${name}` } : { calls: [{ name: 'shell', arguments: { command: `echo ${name} >> ran` } }] };
}

const settings = (
  url: string,
  people: number,
) => `  allow: [${Array.from({ length: people }, (_, i) => `"telegram:${i + 1}"`)}]
model:
  primary: fake:some-model
providers:
  fake:
    kind: openai_compatible
    base_url: ${url}
    max_parallel: 64
breaker: { session_limit: 0, global_limit: 0 }
resume: { max_attempts: 100 }
stop: { turns_s: 1, flush_s: 1, adapters_s: 1, total_s: 8 }
cron: { drain_s: 0 }
`;

/** The same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const since = (start: number) => (performance.now() - start) / 1000;
