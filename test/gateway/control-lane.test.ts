import { beforeEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/gateway/commands/table.ts';
import { settle } from '../fakes/fake-clock.ts';
import { person } from '../fakes/runs.ts';
import { command, inbound } from './inbound.ts';
import { laneFixture } from './lane-fixture.ts';
import { routerFixture } from './router-fixture.ts';

const STREAMING = 50;
const [HUNG_MODEL, HUNG_TOOL] = ['c50', 'c51'];
const BOSS = person('boss');

let fixture: ReturnType<typeof routerFixture>;

beforeEach(() => {
  fixture = routerFixture();
});

const now = () => fixture.lane.clock.now();
const hears = (text: string, more: Parameters<typeof inbound>[1] = {}) =>
  fixture.hears(inbound(text, { sentAt: now(), ...more }));
const orders = (text: string, more: Parameters<typeof inbound>[1] = {}) =>
  fixture.hears(command(text, { sentAt: now(), ...more }));

describe('beside fifty turns that stream, a model and a tool that hang', () => {
  const of = (chat: string) => fixture.lane.runner.turns.filter(({ turn }) => turn.address.chat === chat);
  const rowsOf = (turn: string) =>
    fixture.lane.store.db.prepare('SELECT count(*) FROM outbox WHERE turn = ?').pluck().get(turn);

  beforeEach(async () => {
    // No room for one more turn.
    fixture = routerFixture({ lane: laneFixture({ maxTurns: () => STREAMING + 2 }) });
    for (let i = 0; i < STREAMING + 2; i++) await hears('work', { chat: `c${i}` });
    for (const { sink } of fixture.lane.runner.turns.slice(0, STREAMING)) sink.text('word ');
    expect(fixture.lane.turns()).toEqual(Array(STREAMING + 2).fill('running'));
  });

  it('a command has its answer and a press its end by the time they are stored (gateway 31)', async () => {
    await orders('/status', { chat: 'c99' });
    expect(fixture.answers()).toEqual([expect.stringMatching(/No conversation yet|Nothing/)]);
    const { by, address, direct } = inbound('', { chat: HUNG_TOOL });
    const press = { eventId: 'p', by, address, direct, sentAt: now(), data: 'h1:ap:x' };
    expect(await fixture.events.press(press)).toEqual({ text: 'pressed h1:ap:x' });
    await orders('/status', { chat: HUNG_MODEL });
    expect(fixture.answers().at(-1)).toMatch(/running/);
  });

  it.each([HUNG_MODEL, HUNG_TOOL, 'c7'])(
    '/stop in %s ends that turn, which says no more (gateway 31)',
    async (chat) => {
      const [task] = of(chat);
      if (!task) throw new Error('no turn there');
      await orders('/stop', { chat });
      expect(task.run.signal.reason).toBe('stop');
      expect(fixture.answers()).toEqual(['Stopped.']);
      const before = rowsOf(task.turn.id);
      for (const word of ['and ', 'so ', 'on']) task.sink.text(word);
      task.sink.tool('shell: ls');
      await settle();
      await fixture.lane.clock.skip(60_000);
      expect(rowsOf(task.turn.id)).toBe(before);
      await hears('and now?', { chat });
      of(chat).at(-1)?.reply('Here I am.');
      await settle();
      expect(fixture.answers()).toEqual(['Stopped.', 'Here I am.']);
    },
  );
});

describe('while a turn runs', () => {
  it.each(COMMANDS.filter(({ idle, words }) => !idle && !words).map(({ name }) => name))(
    '/%s is answered at once, to a member or an admin (gateway 34)',
    async (name) => {
      for (const by of [person('ann'), BOSS]) {
        const chat = `of ${by.id}`;
        await hears('work', { by, chat });
        const before = fixture.answers().length;
        await orders(`/${name}`, { by, chat });
        expect(fixture.answers().slice(before)).toHaveLength(1);
        expect(fixture.answers().at(-1)).not.toMatch(/Unknown|A turn is running/);
      }
    },
  );
});

describe('a command that comes twice', () => {
  it('/restart restarts once (h11940) (gateway 32)', async () => {
    const again = command('/restart', { sentAt: now(), by: BOSS });
    await fixture.hears(again);
    await fixture.hears(again);
    await settle();
    expect(fixture.counts.restarts).toBe(1);
  });
});
