// Commands and presses beside turns that stream and turns that hang, over a real daemon and a fake Telegram, from the word of a
// person to what they see: npm run bench -- control [streaming] [asked]
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { modelSettings } from '../../test/fakes/model-settings.ts';
import { Survivor } from '../../test/process/survivor.ts';

const [streaming = 50, asked = 60] = process.argv.slice(2).map(Number);
const WORD_MS = 40;

const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** Talks until it is cut off. */
function stream(answer: ServerResponse): void {
  let n = 0;
  const timer = setInterval(() => answer.write(event({ content: `word${n++} ` })), WORD_MS);
  answer.on('close', () => clearInterval(timer));
}

function call(answer: ServerResponse, command: string): void {
  const use = {
    index: 0,
    id: 'c1',
    type: 'function',
    function: { name: 'shell', arguments: JSON.stringify({ command }) },
  };
  answer.write(event({ role: 'assistant', tool_calls: [use] }));
  answer.end(`${event({}, 'tool_calls')}data: [DONE]\n\n`);
}

const model = createServer((request, answer) => {
  let body = '';
  request.on('data', (piece) => {
    body += piece;
  });
  request.on('end', () => {
    const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] };
    const words = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    if (words.includes('hang')) return;
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    if (words.includes('stream')) return stream(answer);
    if (words.includes('sleep')) return call(answer, 'sleep 1000');
    if (messages.at(-1)?.role !== 'tool') return call(answer, 'rm -rf build');
    answer.write(event({ content: 'done' }));
    answer.end(`${event({}, 'stop')}data: [DONE]\n\n`);
  });
});
await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;

const [HANG, SLEEP, ASKER, PRESSER] = [streaming + 1, streaming + 2, streaming + 3, streaming + 4];
const everybody = Array.from({ length: PRESSER }, (_, i) => `"telegram:${i + 1}"`);
const survivor = await Survivor.open(`  allow: [${everybody}]
${modelSettings(url, 100)}`);

async function took(what: string, look: () => unknown): Promise<number> {
  const start = performance.now();
  await survivor.until(what, () => Boolean(look()));
  return performance.now() - start;
}

function print(name: string, times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(0);
  console.log(`${name.padEnd(10)} ${times.length} times: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`);
  return Number(at(0.99));
}

try {
  await survivor.boot();
  for (let who = 1; who <= streaming; who++) survivor.says('stream', who);
  survivor.says('hang', HANG);
  survivor.says('sleep', SLEEP);
  for (let who = 1; who <= streaming; who++) await survivor.hears(/word5/, 60_000, who);
  await survivor.hears(/sleep 1000/, 60_000, SLEEP);

  const status: number[] = [];
  for (let i = 0; i < asked; i++) {
    const before = survivor.seen(ASKER).length;
    survivor.says('/status', ASKER);
    status.push(await took('/status', () => survivor.seen(ASKER).length > before));
  }
  const presses: number[] = [];
  for (let i = 0; i < Math.min(asked, 20); i++) {
    const cards = () => survivor.seen(PRESSER).filter(({ buttons }) => buttons.length > 0);
    survivor.says('delete it', PRESSER);
    const card = await survivor.until('a card', () => cards().at(-1));
    const press = survivor.telegram.person(PRESSER, `Person ${PRESSER}`).presses(card, 'Deny');
    presses.push(await took('an answer', () => press.answer !== undefined));
    await survivor.until('the end of it', () => survivor.count(/^done$/, PRESSER) > i);
  }
  const stops: number[] = [];
  for (const who of [HANG, SLEEP, ...Array.from({ length: streaming }, (_, i) => i + 1)]) {
    survivor.says('/stop', who);
    stops.push(await took('Stopped', () => survivor.count(/^Stopped\./, who) > 0));
  }
  console.log(
    `${streaming} turns streaming ${1000 / WORD_MS} words a second, one model and one tool hung; word of a person to what they see`,
  );
  const worst = Math.max(print('/status', status), print('a press', presses), print('/stop', stops));
  process.exitCode = worst > 200 ? 1 : 0;
} finally {
  await survivor.close();
  model.close();
  model.closeAllConnections();
}
