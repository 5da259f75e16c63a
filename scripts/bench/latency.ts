// From the commit of a message to the request at the model, in a conversation with many stored messages, over a real daemon:
// npm run bench -- latency [messages] [asked]
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { ModelServer } from '../../test/fakes/model-server.ts';
import { modelSettings } from '../../test/fakes/model-settings.ts';
import { Survivor } from '../../test/process/survivor.ts';

const [messages = 10_000, asked = 100] = process.argv.slice(2).map(Number);
const arrived: number[] = [];
const model = await ModelServer.start({
  replies: () => {
    arrived.push(Date.now());
    return { say: 'done' };
  },
});
const survivor = await Survivor.open(modelSettings(model.url));
const db = () => new Database(join(survivor.home, 'hermod.db'));

async function stop(): Promise<void> {
  survivor.daemon?.signal('SIGTERM');
  await survivor.daemon?.exited;
}

async function say(i: number): Promise<void> {
  const before = survivor.count(/done/);
  survivor.says(`question ${i}`);
  await survivor.until('an answer', () => survivor.count(/done/) > before);
}

/** As if people had talked for long. */
function seed(): void {
  const file = db();
  const { session, turn } = file.prepare('SELECT session, turn FROM transcript LIMIT 1').get() as Record<
    string,
    string
  >;
  const row = file.prepare(
    `INSERT INTO transcript (session, turn, step, role, content, created_at) VALUES (?, ?, ?, ?, ?, 1)`,
  );
  file.transaction(() => {
    for (let i = 0; i < messages; i++) {
      const person = i % 2 === 0;
      const words = person ? `question ${i} ${'x'.repeat(150)}` : `answer ${'y'.repeat(500)}`;
      row.run(session, `${turn}${i >> 1}`, person ? 0 : 1, person ? 'user' : 'assistant', words);
    }
  })();
  file.close();
}

function report(): void {
  const file = db();
  const received = file
    .prepare(`SELECT received_at FROM inbox WHERE kind = 'message' ORDER BY seq`)
    .pluck()
    .all() as number[];
  file.close();
  const took = arrived.map((at, i) => at - (received[i] ?? at)).slice(1);
  const [cold = 0, ...warm] = took;
  const sorted = warm.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  console.log(`${messages} stored messages, ${warm.length} asked`);
  console.log(
    `commit to request    p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms; the first after a boot ${cold} ms`,
  );
  process.exitCode = (at(0.95) ?? 0) > 50 ? 1 : 0;
}

try {
  await survivor.boot();
  await say(0);
  await stop();
  seed();
  await survivor.boot();
  for (let i = 1; i <= asked; i++) await say(i);
  await stop();
  report();
} finally {
  await survivor.close();
  await model.stop();
}
