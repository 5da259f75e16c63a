// What a real daemon holds after many long turns: people on a fake Telegram, a fake model, and a tool that writes much each turn:
// npm run bench -- memory [sessions] [turns] [KB of output] [seconds of idleness]
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { modelSettings } from '../../test/fakes/model-settings.ts';
import { Survivor } from '../../test/process/survivor.ts';

const [sessions = 200, turns = 20, kb = 1_000, idleS = 800] = process.argv.slice(2).map(Number);
const AT_ONCE = 8;
const AIM_MB = 100;
/** Conversations are let go of after ten minutes; this is before. */
const SOON_S = 90;

const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

const command = `head -c ${kb * 1_000} /dev/zero | tr '\\0' x`;
const use = {
  index: 0,
  id: 'c1',
  type: 'function',
  function: { name: 'shell', arguments: JSON.stringify({ command }) },
};

/** Keeps nothing of what it is asked: a request holds up to a megabyte of results. */
const model = createServer((request, answer) => {
  let end = '';
  request.setEncoding('latin1').on('data', (piece: string) => {
    end = (end + piece).slice(-400_000);
  });
  request.on('end', () => {
    const ran = end.lastIndexOf('"role":"tool"') > end.lastIndexOf('"role":"user"');
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.write(ran ? event({ content: 'done' }) : event({ role: 'assistant', tool_calls: [use] }));
    answer.end(`${event({}, ran ? 'stop' : 'tool_calls')}data: [DONE]\n\n`);
  });
});
await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
const everybody = Array.from({ length: sessions }, (_, i) => `"telegram:${i + 1}"`);
const survivor = await Survivor.open(`  allow: [${everybody}]\n${modelSettings(url)}display: { progress: 'off' }\n`);

const rssMb = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${survivor.daemon?.pid}/status`, 'utf8'))?.[1]) / 1024;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const left = Array.from({ length: sessions }, (_, i) => i + 1);
let done = 0;

/** One after the other of those who have not talked yet, each for so many turns. */
async function talk(): Promise<void> {
  for (let who = left.shift(); who !== undefined; who = left.shift()) {
    for (let turn = 1; turn <= turns; turn++) {
      survivor.says(`work ${turn}`, who);
      while (survivor.count(/^done$/, who) < turn) await pause(20);
      if (++done % 200 === 0) process.stderr.write(`${done} turns, ${rssMb().toFixed(0)} MB\n`);
    }
  }
}

try {
  await survivor.boot();
  await pause(3_000);
  const baseline = rssMb();
  let peak = baseline;
  const watch = setInterval(() => {
    peak = Math.max(peak, rssMb());
  }, 250);
  const started = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, talk));
  const seconds = (performance.now() - started) / 1_000;
  const busy = rssMb();
  await pause(Math.min(idleS, SOON_S) * 1_000);
  const soon = rssMb();
  await pause(Math.max(0, idleS - SOON_S) * 1_000);
  clearInterval(watch);
  const after = rssMb();
  const more = (mb: number) => `${mb.toFixed(0)} MB: ${(mb - baseline).toFixed(0)} more`;
  console.log(
    `${sessions} sessions x ${turns} turns x ${kb} KB of tool output, ${AT_ONCE} at once, ${seconds.toFixed(0)} s`,
  );
  console.log(
    `resident memory   ${baseline.toFixed(0)} MB before, ${peak.toFixed(0)} at most, ${busy.toFixed(0)} after the last turn`,
  );
  console.log(`after ${Math.min(idleS, SOON_S)} s of idleness   ${more(soon)}`);
  console.log(`after ${idleS} s of idleness   ${more(after)} (aim ${AIM_MB})`);
  process.exitCode = after - baseline > AIM_MB ? 1 : 0;
} finally {
  await survivor.close();
  // Its kept results are gigabytes.
  rmSync(survivor.home, { recursive: true, force: true });
  model.close();
  model.closeAllConnections();
}
