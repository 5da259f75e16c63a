import { beforeEach, describe, expect, it } from 'vitest';
import type { TurnId } from '../../src/contract/ids.ts';
import { DeadLetters } from '../../src/gateway/dead-letters.ts';
import { Delivery } from '../../src/gateway/delivery.ts';
import { RateGate } from '../../src/gateway/rate-gate.ts';
import type { OutboxPut, OutboxRow } from '../../src/store/outbox.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { quietLog } from '../agent/quiet-log.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { chatAddress, person } from '../fakes/runs.ts';
import { laneFixture } from './lane-fixture.ts';
import { fails, RecordingAdapter } from './recording-adapter.ts';

const HOUR = 3_600_000;
const ann = person('ann');
const DISCORD = { platform: 'discord', bot: 'd1', chat: 'home' };

let store: Store;
let clock: FakeClock;
let homes: Record<string, string>;
let telegram: RecordingAdapter;
let discord: RecordingAdapter;
let delivery: Delivery;
let letters: DeadLetters;

beforeEach(() => {
  store = openStore(':memory:');
  clock = new FakeClock();
  homes = {};
  begin();
});

function begin(): void {
  const log = quietLog().log;
  const time = (at: number) => new Date(at).toISOString().slice(11, 16);
  const wake = () => delivery.wake();
  letters = new DeadLetters({ store, clock, log, time, homes: () => homes, wake });
  const gaveUp = () => letters.look();
  const rate = new RateGate(clock, store.penalties);
  delivery = new Delivery({ store, clock, log, rate, time, gaveUp, maxAgeMs: () => 24 * HOUR });
  telegram = new RecordingAdapter('telegram', { maxText: 500 });
  discord = new RecordingAdapter('discord', { maxText: 500 });
  for (const adapter of [telegram, discord]) {
    delivery.add(adapter);
    delivery.setUp(adapter.name, true);
  }
}

function talksIn(chat: string, direct = true): void {
  store.sessions.open(`${chat}`, ann, chatAddress(chat), direct, clock.now());
}

function turn(chat: string): TurnId {
  const session = store.sessions.open(chat, ann, chatAddress(chat), true, clock.now()).id;
  const place = { session, actor: ann, address: chatAddress(chat), direct: true, replyTo: null };
  return store.turns.create(place, clock.now()).id;
}

async function say(key: string, row: Partial<OutboxPut> & { chat?: string } = {}): Promise<void> {
  const { chat = 'c1', ...more } = row;
  const text = { text: key };
  store.outbox.put(
    { key, kind: 'final', direct: true, message: text, address: chatAddress(chat), ...more },
    clock.now(),
  );
  delivery.wake();
  await clock.skip(100);
}

/** Telegram refuses these chats. */
function refuses(...chats: string[]): void {
  telegram.answer = ({ to }) => {
    if (chats.includes(to.chat)) fails('gone');
  };
}

describe('a dead letter is told', () => {
  it('in the other direct chat of who had asked (gateway 23)', async () => {
    talksIn('c2');
    talksIn('-5', false);
    refuses('c1');
    await say('secret words', { turn: turn('c1') });
    expect(telegram.shown('c2')).toEqual([
      'An answer of 12:00 could not be delivered: the platform said no. /status undelivered shows it.',
    ]);
    expect(telegram.shown('-5')).toEqual([]);
  });

  it('else at home, on another platform first; the words themselves stay where they are (gateway 23)', async () => {
    homes = { discord: 'discord:home', telegram: 'telegram:c7' };
    refuses('c1');
    await say('secret words', { turn: turn('c1') });
    expect(discord.shown('home')).toHaveLength(1);
    expect(discord.shown('home')[0]).not.toContain('secret');
    expect(telegram.shown('c7')).toEqual([]);
  });

  it('where /sethome points to rather than where the configuration does', async () => {
    homes = { discord: 'discord:home' };
    store.homes.set({ address: { ...DISCORD, chat: 'chosen' }, direct: true }, 'discord:boss', clock.now());
    refuses('c1');
    await say('x', { turn: turn('c1') });
    expect([discord.shown('home'), discord.shown('chosen').length]).toEqual([[], 1]);
  });

  it('once for what dies together', async () => {
    homes = { discord: 'discord:home' };
    refuses('c1');
    for (const key of ['one', 'two']) {
      const row = { key, kind: 'final', direct: true, address: chatAddress('c1'), turn: turn('c1') } as const;
      store.outbox.put({ ...row, message: { text: key } }, clock.now());
    }
    await say('three', { kind: 'job' });
    expect([...discord.shown('home')].sort()).toEqual([
      '2 messages, the first of 12:00, could not be delivered: the platform said no. /status undelivered shows them.',
      'The output of a job of 12:00 could not be delivered: the platform said no. /status undelivered shows it.',
    ]);
  });

  it('once, whatever becomes of the letter, over restarts, too', async () => {
    homes = { discord: 'discord:home' };
    refuses('c1');
    discord.answer = () => fails('gone');
    await say('x', { turn: turn('c1') });
    await clock.skip(HOUR);
    delivery.stop();
    begin();
    letters.look();
    await clock.skip(HOUR);
    expect(discord.calls).toEqual([]);
    const dead = store.db.prepare(`SELECT count(*) FROM outbox WHERE key LIKE 'dead:%'`).pluck().get();
    expect(dead).toBe(1);
  });

  it('after a crash between its death and the telling', async () => {
    homes = { discord: 'discord:home' };
    const put = store.outbox.put(
      { key: 'x', kind: 'final', direct: true, message: { text: 'x' }, address: chatAddress('c1') },
      clock.now(),
    ) as OutboxRow;
    store.outbox.close(put.id, 'dead', 'refused');
    letters.look();
    await clock.skip(100);
    expect(discord.shown('home')).toHaveLength(1);
  });

  it('not for previews, nor for the cards of approvals, of which the broker tells', async () => {
    homes = { discord: 'discord:home' };
    refuses('c1');
    await say('preview:1', { kind: 'preview' });
    await say('card:a:0', { kind: 'card' });
    await say('card-closed:a:0', { kind: 'card', edits: 'card:a:0' });
    expect(discord.calls).toEqual([]);
  });

  it('again as soon as a store that failed works', async () => {
    homes = { discord: 'discord:home' };
    refuses('c1');
    const { untold } = store.outbox;
    let broken = 2;
    Object.assign(store.outbox, {
      untold: (person?: string) => {
        if (broken-- > 0) throw new Error('disk full');
        return untold(person);
      },
    });
    await say('x', { turn: turn('c1') });
    expect(discord.calls).toEqual([]);
    await clock.skip(60_000);
    expect(discord.shown('home')).toHaveLength(1);
  });
});

describe('what nobody could be told of', () => {
  it('heads the next answer to that person, once', async () => {
    const lane = laneFixture();
    lane.lanes.start();
    const first = lane.say('one');
    const { turn } = lane.runner.last;
    const dead = lane.store.outbox.put(
      { key: 'lost', kind: 'final', direct: true, message: { text: 'x' }, address: chatAddress('c9'), turn: turn.id },
      lane.clock.now(),
    ) as OutboxRow;
    lane.store.outbox.close(dead.id, 'dead', 'the topic was deleted.');
    lane.runner.last.reply('hello');
    await lane.clock.skip(0);
    expect(lane.outbox().at(-1)).toBe(
      'final pending: An answer of 12:00 could not be delivered: the topic was deleted. /status undelivered shows it.\n\nhello',
    );
    lane.say('two');
    lane.runner.last.reply('again');
    await lane.clock.skip(0);
    expect(lane.outbox().at(-1)).toBe('final pending: again');
    expect(first).toBe(turn.session);
  });

  it('not where answers do not arrive either', async () => {
    const lane = laneFixture();
    lane.lanes.start();
    lane.say('one');
    const { turn } = lane.runner.last;
    const row = { key: 'lost', kind: 'final', direct: true, address: chatAddress('c9'), turn: turn.id } as const;
    const dead = lane.store.outbox.put({ ...row, message: { text: 'x' } }, lane.clock.now()) as OutboxRow;
    lane.store.outbox.close(dead.id, 'dead', 'no');
    lane.store.reach.mark(turn.address, 'blocked', lane.clock.now());
    lane.runner.last.reply('hello');
    await lane.clock.skip(0);
    expect(lane.outbox().at(-1)).toBe('final pending: hello');
    expect(lane.store.outbox.untold('telegram:ann')).toHaveLength(1);
  });
});
