// Commands and presses beside turns that stream and turns that hang, over a real daemon and a fake Telegram. From the word of a
// person, and from its commit, to its effect and to the request at the API: npm run bench -- control [streaming] [asked]
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { modelSettings } from '../../test/fakes/model-settings.ts';
import { Survivor } from '../../test/process/survivor.ts';

const [streaming = 50, asked = 60] = process.argv.slice(2).map(Number);
const pressed = Math.min(asked, 20);
const WORD_MS = 40;
const AIM_MS = 200;

/** What one command or press led to, UTC ms. */
interface Act {
  readonly who: number;
  readonly said: number;
  /** When its answer was asked for at the API. */
  readonly request: number;
}

const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** Talks until it is cut off. */
function stream(answer: ServerResponse): void {
  let n = 0;
  const timer = setInterval(
    () => answer.write(event({ content: `word${n++}${n % 60 === 0 ? '.\n\n' : ' '}` })),
    WORD_MS,
  );
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

/** When the model lost the connection of whose turn. */
const cut = new Map<number, number>();

const model = createServer((request, answer) => {
  let body = '';
  request.on('data', (piece) => {
    body += piece;
  });
  request.on('end', () => {
    const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] };
    const words = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    const endless = /(?:stream|hang) (\d+)/.exec(words)?.[1];
    if (endless !== undefined) answer.on('close', () => cut.set(Number(endless), Date.now()));
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

const [HANG, SLEEP, PRESSER] = [streaming + 1, streaming + 2, streaming + 3];
const people = Array.from({ length: PRESSER + asked }, (_, i) => i + 1);
// One question each: what a chat may be sent in a second is no part of the figures.
const askers = people.slice(PRESSER);
const survivor = await Survivor.open(
  `  allow: [${people.map((id) => `"telegram:${id}"`)}]\n${modelSettings(url, 100)}`,
);

/** `answered`: the call that answers is there. */
async function act(who: number, method: string, say: () => void, answered: (text: string) => boolean): Promise<Act> {
  const { calls } = survivor.telegram;
  const before = calls.length;
  const said = Date.now();
  say();
  const fits = ({ chat_id, text }: Record<string, unknown>) =>
    (chat_id === undefined || Number(chat_id) === who) && answered(String(text));
  const look = () => calls.slice(before).find((one) => one.method === method && fits(one.payload));
  return { who, said, request: (await survivor.until(`an answer for ${who}`, look)).at };
}

async function stopped(who: number): Promise<Act> {
  return act(
    who,
    'sendMessage',
    () => survivor.says('/stop', who),
    (text) => text.startsWith('Stopped.'),
  );
}

async function pressing(i: number): Promise<Act> {
  survivor.says('delete it', PRESSER);
  const cards = () => survivor.seen(PRESSER).filter(({ buttons }) => buttons.length > 0);
  const card = await survivor.until('a card', () => cards().at(-1));
  const person = survivor.telegram.person(PRESSER, `Person ${PRESSER}`);
  const press = await act(
    PRESSER,
    'answerCallbackQuery',
    () => person.presses(card, 'Deny'),
    () => true,
  );
  await survivor.until('the end of it', () => survivor.count(/^done$/, PRESSER) > i);
  return press;
}

/** The daemon is gone: what its database says. */
function rows(sql: string): readonly { readonly who: number; readonly at: number }[] {
  const db = new Database(join(survivor.home, 'hermod.db'), { readonly: true });
  try {
    return db.prepare<[], { who: number; at: number }>(sql).all();
  } finally {
    db.close();
  }
}

const commits = (kind: string) =>
  rows(
    `SELECT CAST(json_extract(body, '$.by.id') AS INTEGER) AS who, received_at AS at FROM inbox WHERE kind = '${kind}' ORDER BY seq`,
  );

function print(name: string, from: readonly number[], to: readonly (number | undefined)[]): number {
  const took = from.flatMap((at, i) => (to[i] === undefined ? [] : [(to[i] as number) - at])).toSorted((a, b) => a - b);
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(share * took.length))] ?? 0;
  console.log(`${name.padEnd(34)} ${took.length} times: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`);
  return at(0.99);
}

function report(status: readonly Act[], presses: readonly Act[], stops: readonly Act[]): void {
  const commands = commits('command');
  const commit = (acts: readonly Act[]) =>
    acts.map(({ who, said }) => commands.find((row) => row.who === who)?.at ?? said);
  const pressCommits = commits('press').map(({ at }) => at);
  const decided = rows('SELECT 0 AS who, decided_at AS at FROM approvals ORDER BY created_at').map(({ at }) => at);
  const words = (acts: readonly Act[]) => acts.map(({ said }) => said);
  const requests = (acts: readonly Act[]) => acts.map(({ request }) => request);
  print('/status  word to request', words(status), requests(status));
  print('a press  word to its answer', words(presses), requests(presses));
  print('/stop    word to request', words(stops), requests(stops));
  const worst = [
    print('/status  commit to request', commit(status), requests(status)),
    print('a press  commit to verdict', pressCommits, decided),
    print('a press  commit to its answer', pressCommits, requests(presses)),
    print(
      '/stop    commit to the model cut off',
      commit(stops),
      stops.map(({ who }) => cut.get(who)),
    ),
    print('/stop    commit to request', commit(stops), requests(stops)),
  ];
  process.exitCode = Math.max(...worst) > AIM_MS ? 1 : 0;
}

try {
  const daemon = await survivor.boot();
  for (let who = 1; who <= streaming; who++) survivor.says(`stream ${who}`, who);
  survivor.says(`hang ${HANG}`, HANG);
  survivor.says('sleep', SLEEP);
  for (let who = 1; who <= streaming; who++) await survivor.hears(/word5/, 60_000, who);
  await survivor.hears(/sleep 1000/, 60_000, SLEEP);

  const status: Act[] = [];
  for (const who of askers)
    status.push(
      await act(
        who,
        'sendMessage',
        () => survivor.says('/status', who),
        () => true,
      ),
    );
  const presses: Act[] = [];
  for (let i = 0; i < pressed; i++) presses.push(await pressing(i));
  const written = survivor.seen(1).reduce((sum, { text }) => sum + text.length, 0);
  const stops: Act[] = [];
  for (const who of [HANG, SLEEP, ...people.slice(0, streaming)]) stops.push(await stopped(who));
  daemon.signal('SIGTERM');
  await daemon.exited;
  console.log(
    `${streaming} turns streaming ${1000 / WORD_MS} words a second, ${written} characters of the first shown in the end; one model and one tool hung`,
  );
  report(status, presses, stops);
} finally {
  await survivor.close();
  model.close();
  model.closeAllConnections();
}
