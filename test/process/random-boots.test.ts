import { expect, it } from 'vitest';
import { HOLD_RULES } from '../../src/process/breaker.ts';
import type { TurnRow } from '../../src/store/turns.ts';
import { randomFrom } from '../schedule/random-line.ts';
import { BootSeries, PLANNED, SIGKILL, SIGTERM } from './boot-series.ts';

const HOUR = 3_600_000;
const STEPS = 40;
const DEATHS = [SIGKILL, SIGTERM, PLANNED];

type Random = () => number;
const pick = <T>(random: Random, list: readonly T[]) => list[Math.floor(random() * list.length)] as T;

/** One thing that happens: somebody writes or is answered, time passes, or a boot ends in some way, at times for hours. */
async function step(series: BootSeries, random: Random, n: number): Promise<string> {
  const what = random();
  if (what < 0.25) {
    const chat = pick(random, ['c1', 'c2', 'c3', 'c4']);
    series.says(`words ${n}`, chat);
    return `says ${chat}`;
  }
  if (what < 0.45) {
    const running = series.store.turns.unfinished().filter((turn) => series.runs(turn));
    if (running.length > 0) await series.answers(pick(random, running));
    return 'answer';
  }
  if (what < 0.55) {
    await series.clock.skip(Math.floor(random() * 120_000));
    return 'time';
  }
  const death = pick(random, DEATHS);
  await series.dies(death);
  await series.clock.skip(what < 0.62 ? Math.floor(random() * random() * 2 * HOUR) : 0);
  await series.boot();
  return death.how;
}

/** What must be true at any time; each broken rule in words. */
function wrong(series: BootSeries): readonly string[] {
  const { store } = series;
  const unfinished = store.turns.unfinished();
  const sessions = unfinished.map(({ session }) => session);
  return [
    ...(new Set(sessions).size < sessions.length ? ['two unfinished turns in a session'] : []),
    ...unfinished.flatMap((turn) => wrongOf(turn, series)),
    ...cardsOf(series).flatMap(({ turn, open }) =>
      (store.turns.get(turn as TurnRow['id'])?.endedAt === null) === open ? [] : ['a card and its turn say two things'],
    ),
  ];
}

function wrongOf(turn: TurnRow, series: BootSeries): readonly string[] {
  const attempts = series.store.turns.attempts(turn.id);
  const isHeld = turn.state === 'held' && HOLD_RULES.some((rule) => rule === turn.rule);
  const asks = cardsOf(series).filter((card) => card.turn === turn.id && card.open).length;
  return [
    ...(turn.state === 'running' && !series.runs(turn) ? ['nobody runs a turn that runs'] : []),
    ...(attempts > series.limits.resume.max_attempts ? [`${attempts} attempts`] : []),
    ...(isHeld === (asks === 1) ? [] : [`${asks} open cards of a turn that is ${turn.state} by ${turn.rule}`]),
  ];
}

/** Every card of a hold there ever was, and whether it still asks. */
function cardsOf({ store }: BootSeries): readonly { readonly turn: string; readonly open: boolean }[] {
  const keys = store.db.prepare<[], string>("SELECT key FROM outbox WHERE key LIKE 'held:%'").pluck().all();
  return keys.map((key) => ({
    turn: key.split(':')[1] ?? '',
    open: store.outbox.get(key.replace('held:', 'held-closed:')) === undefined,
  }));
}

it.each(Array.from({ length: 8 }, (_, i) => 1_009 * (i + 1)))(
  'boots, words and answers at random (%i): no turn is lost, run twice or tried too often, and each hold asks once',
  async (seed) => {
    const random = randomFrom(seed);
    const series = new BootSeries();
    await series.boot();
    const done: string[] = [];
    for (let n = 0; n < STEPS; n++) {
      done.push(await step(series, random, n));
      expect(wrong(series), done.join(', ')).toEqual([]);
    }
    // Left in peace, everything that is not held comes to its end, and nobody's words wait.
    for (let rounds = 0; rounds < STEPS; rounds++)
      for (const turn of series.store.turns.unfinished()) if (series.runs(turn)) await series.answers(turn);
    expect(series.store.turns.unfinished().filter(({ state }) => state !== 'held')).toEqual([]);
    expect(series.store.inbox.sessions()).toEqual([]);
    expect(wrong(series)).toEqual([]);
  },
);
