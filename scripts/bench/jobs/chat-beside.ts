import { join } from 'node:path';
import { openStore } from '../../../src/store/store.ts';
import { ModelServer } from '../../../test/fakes/model-server.ts';
import { modelSettings } from '../../../test/fakes/model-settings.ts';
import { Survivor } from '../../../test/process/survivor.ts';
import { plainJob } from '../../../test/schedule/plain-job.ts';

const WINDOW_MS = 30_000;
const LEAD_MS = 5_000;
/** What a firing waits for its model: nobody's model answers at once. */
const THINKS_MS = 3_000;
const ANSWERS_MS = 40;

/** As many as it takes for nobody to meet the platform's limit of a message a second. */
const PEOPLE = 40;
const allowed = `  allow: [${Array.from({ length: PEOPLE }, (_, i) => `"telegram:${i + 1}"`).join(', ')}]\n`;

export interface ChatBeside {
  /** From a person's message to its answer on the platform, ms: before, while jobs fall due, after. */
  readonly before: readonly number[];
  readonly during: readonly number[];
  readonly after: readonly number[];
  readonly claimed: number;
}

/** A real daemon talks with somebody on a fake Telegram while `jobs` jobs fall due at one instant. */
export async function chatBeside(jobs: number): Promise<ChatBeside> {
  const model = await ModelServer.start({ replies: ({ body }) => reply(JSON.stringify(body)) });
  const config = `${allowed}${modelSettings(model.url)}cron:\n  stagger_s: 0\n`;
  const survivor = await Survivor.open(config);
  try {
    const daemon = await survivor.boot();
    await talk(survivor, 2_000);
    const before = await talk(survivor, WINDOW_MS);
    daemon.signal('SIGTERM');
    await daemon.exited;
    const due = seed(survivor.home, jobs);
    await survivor.boot();
    await talk(survivor, Math.max(0, due - Date.now()));
    const during = await talk(survivor, WINDOW_MS);
    const after = await talk(survivor, WINDOW_MS);
    await survivor.kill();
    return { before, during, after, claimed: claimedIn(survivor.home) };
  } finally {
    await survivor.close();
    await model.stop();
  }
}

async function reply(body: string) {
  const job = /do the job/.test(body);
  await new Promise((resolve) => setTimeout(resolve, job ? THINKS_MS : ANSWERS_MS));
  const asked = [...body.matchAll(/word (\d+)!/g)].at(-1)?.[1];
  return { say: job ? 'done' : `heard ${asked}.` };
}

let said = 0;

/** Message after message for so long; how long each answer took. */
async function talk(survivor: Survivor, forMs: number): Promise<readonly number[]> {
  const took: number[] = [];
  for (const end = performance.now() + forMs; performance.now() < end; ) {
    const answer = `heard ${++said}.`;
    const who = 1 + (said % PEOPLE);
    const began = performance.now();
    survivor.says(`word ${said}!`, who);
    while (!survivor.seen(who).some(({ text }) => text.includes(answer))) {
      if (performance.now() - began > 30_000) throw new Error(`no answer:\n${survivor.daemon?.output}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    took.push(performance.now() - began);
  }
  return took;
}

/** Jobs that are all due a few seconds from now; returns when. */
function seed(home: string, count: number): number {
  const store = openStore(join(home, 'hermod.db'));
  const now = Date.now();
  const due = now + LEAD_MS + 3_000;
  store.tx(() => {
    for (let i = 0; i < count; i++) {
      const schedule = { kind: 'every', period: 'PT1H', anchorAt: due - 3_600_000, tz: 'Europe/Berlin' } as const;
      const owner = { platform: 'telegram', id: '1', name: 'Anna' };
      store.jobs.insert(
        plainJob(store.jobs.newId(), schedule, now, due, { owner, prompt: 'do the job', deliver: ['local'] }),
      );
    }
  });
  store.close();
  return due;
}

function claimedIn(home: string): number {
  const store = openStore(join(home, 'hermod.db'));
  const count = store.db.prepare('SELECT count(*) FROM firings').pluck().get() as number;
  store.close();
  return count;
}
