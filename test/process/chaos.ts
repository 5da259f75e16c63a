import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DiscordServer } from '../fakes/discord-server.ts';
import type { Received, Reply } from '../fakes/model-replies.ts';
import { ModelServer } from '../fakes/model-server.ts';
import { modelSettings } from '../fakes/model-settings.ts';
import { allowed, conversationsOf, Talk } from './chaos-talk.ts';
import { Survivor } from './survivor.ts';

export interface ChaosOptions {
  /** Conversations, over both networks. */
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
  /** Checks of the database, one after each end of a process, and what was wrong. */
  readonly checks: number;
  readonly damage: readonly string[];
  readonly seconds: number;
}

/** So long at most a person waits before they write again; many people together do not write more. */
const PAUSE_MS = 400;
const PAUSE_EACH_MS = 120;
const THINK_MS = 300;
/** So many are killed while they start, within this time; the others live on for a moment. */
const EARLY = 0.2;
const START_MS = 1_500;
const LONGEST_LIFE_MS = 2_500;

/**
 * People talk to a daemon that is killed again and again, at any point of its life. Each message has a name; its turn runs one
 * tool, which leaves the name in a file, and answers with it. What the breaker is for is switched off: it must not be needed.
 */
export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const { people, kills, seed, progress = () => {} } = options;
  const random = randomFrom(seed);
  const started = performance.now();
  const model = await ModelServer.start({ replies: (request) => answer(request, random) });
  const discord = new DiscordServer({ limits: false });
  const survivor = await Survivor.open(settings(model.url, people), discord);
  slowSends(survivor, discord);
  const count = { SIGKILL: 0, SIGTERM: 0 };
  const damage: string[] = [];
  let early = 0;
  try {
    const conversations = conversationsOf(survivor, discord, people);
    await survivor.boot();
    const talk = new Talk({ conversations, random, pauseMs: Math.max(PAUSE_MS, people * PAUSE_EACH_MS) });
    // Discord tells nothing of a direct chat in which nobody was heard before: everybody is heard once.
    await survivor.until('everybody to be answered once', () => talk.answers >= people, 300_000);
    for (let i = 0; i < kills; i++) {
      const daemon = i === 0 && survivor.daemon ? survivor.daemon : survivor.start();
      if (random() < EARLY) await pause(random() * START_MS);
      else await daemon.ready().then(() => pause(random() * LONGEST_LIFE_MS));
      const signal = random() < 0.7 ? 'SIGKILL' : 'SIGTERM';
      count[signal]++;
      if (!daemon.output.includes('Open ')) early++;
      daemon.signal(signal);
      await daemon.exited;
      discord.gateway.forgetSessions();
      damage.push(...damageOf(survivor.home));
      progress(`kill ${i + 1} of ${kills}: ${signal}, ${talk.names.length} messages, ${talk.answers} answered`);
    }
    await survivor.boot();
    await talk.end();
    survivor.daemon?.signal('SIGTERM');
    await survivor.daemon?.exited;
    damage.push(...damageOf(survivor.home));
    const found = { kills: count, early, checks: kills + 1, damage, seconds: (performance.now() - started) / 1000 };
    return { ...heard(talk), ranTwice: ranTwice(survivor), ...ledger(survivor.home), ...found };
  } finally {
    await survivor.close();
    await model.stop();
  }
}

/** What was sent is known late: some kills fall in between. */
function slowSends({ telegram }: Survivor, discord: DiscordServer): void {
  const slow = { kind: 'slow', delayMs: 40, times: 1e9 } as const;
  telegram.fault('sendMessage', slow);
  discord.fault(/^POST \/channels\/\d+\/messages$/, slow);
}

function heard(talk: Talk) {
  const account = talk.account();
  return {
    messages: account.length,
    lost: account.filter(({ all }) => all === 0).map(({ name }) => name),
    doubled: account.filter(({ plain }) => plain > 1).map(({ name }) => name),
    repeats: account.reduce((sum, { all, plain }) => sum + all - plain, 0),
  };
}

function ranTwice({ home }: Survivor): readonly string[] {
  const file = join(home, 'workspace', 'ran');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const seen = new Set<string>();
  return lines.filter((line) => seen.size === seen.add(line).size);
}

/** While no daemon runs: nobody else opens its files. */
function look<T>(home: string, read: (one: (sql: string) => unknown) => T): T {
  const db = new Database(join(home, 'hermod.db'), { readonly: true });
  try {
    return read((sql) => db.prepare(sql).pluck().get());
  } finally {
    db.close();
  }
}

function damageOf(home: string): readonly string[] {
  const found = look(home, (one) => String(one('PRAGMA integrity_check')));
  return found === 'ok' ? [] : [found];
}

/** What the database says when all is over. */
const ledger = (home: string) =>
  look(home, (one) => ({
    open: Number(one(`SELECT count(*) FROM inbox WHERE state IN ('new', 'claimed')`)),
    interrupted: Number(one(`SELECT count(*) FROM attempts WHERE outcome = 'interrupted'`)),
  }));

async function answer({ body }: Received, random: () => number): Promise<Reply> {
  const messages = body.messages as readonly { role: string; content: string }[];
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const name = /note (\S+)/.exec(messages[last]?.content ?? '')?.[1] ?? 'nothing';
  await pause(random() * THINK_MS);
  const ran = messages.slice(last).some(({ role }) => role === 'tool');
  return ran ? { say: `done ${name}` } : { calls: [{ name: 'shell', arguments: { command: `echo ${name} >> ran` } }] };
}

const settings = (url: string, people: number) => `  allow: [${allowed(people)}]
${modelSettings(url, 64)}breaker: { session_limit: 0, global_limit: 0 }
resume: { max_attempts: 100, parallel: 16 }
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
