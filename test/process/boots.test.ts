import { beforeEach, describe, expect, it } from 'vitest';
import type { TurnRow } from '../../src/store/turns.ts';
import { type BootDeath, BootSeries, PLANNED, SIGKILL, SIGTERM } from './boot-series.ts';

const MIN = 60_000;
const HOUR = 60 * MIN;
const DEATHS: readonly [string, BootDeath][] = [
  ['SIGTERM', SIGTERM],
  ['SIGKILL', SIGKILL],
];

let series: BootSeries;
beforeEach(async () => {
  series = new BootSeries();
  await series.boot();
});

/** How a turn stands after each of so many boots. */
async function states(turn: TurnRow, count: number, death: BootDeath, lastingMs?: number): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let i = 0; i < count; i++) {
    await series.boots(1, death, lastingMs);
    seen.push(series.state(turn));
  }
  return seen;
}

const THREE_TIMES = ['running', 'running', 'held session_loop', 'held session_loop'];

describe.each(DEATHS)('a session cut off by %s in one boot after the other', (_, death) => {
  it.each([10_000, 150_000, 290_000, 15 * MIN, HOUR, 2 * HOUR])(
    'each lasting %i ms: held after the third, with one card; time settles none that resumed it (h81642) (gateway 3)',
    async (lastingMs) => {
      expect(await states(series.says('restart the proxy'), 4, death, lastingMs)).toEqual(THREE_TIMES);
      expect(series.cards).toHaveLength(1);
      expect(series.ended.slice(1, 3).map(({ settledAt }) => settledAt)).toEqual([null, null]);
    },
  );

  it.each([
    [10_000, 'held session_loop'],
    [15 * MIN, 'held session_loop'],
    [2 * HOUR, 'held stale'],
  ])('with %i ms of nothing between two boots: %s', async (pauseMs, last) => {
    const turn = series.says('work');
    for (let i = 0; i < 3; i++) {
      await series.dies(death);
      await series.clock.skip(pauseMs);
      await series.boot();
    }
    expect(series.state(turn)).toBe(last);
    expect(series.cards).toHaveLength(1);
  });

  it('on a machine whose clock is set back at every start: the same (gateway 3)', async () => {
    const turn = series.says('work');
    const seen: string[] = [];
    for (let i = 0; i < 4; i++) {
      await series.dies(death);
      series.clock.jump(-HOUR);
      await series.boot();
      seen.push(series.state(turn));
    }
    expect(seen).toEqual(THREE_TIMES);
  });

  it('with a completed resume in between: not held (h20030, h19578) (gateway 3)', async () => {
    const first = series.says('one');
    await series.boots(2, death);
    await series.answers(first);
    const second = series.says('two');
    await series.boots(2, death);
    expect(series.state(second)).toBe('running');
    await series.boots(1, death);
    expect(series.state(second)).toBe('held session_loop');
  });

  it('with a clean end in between: not held, nor do those boots add up (h20030) (gateway 3)', async () => {
    const first = series.says('one');
    await series.boots(2, death);
    await series.stops(first);
    await series.boots(1, SIGTERM);
    expect(series.streak).toBe(0);
    const second = series.says('two');
    await series.boots(2, death);
    expect(series.state(second)).toBe('running');
    expect(series.streak).toBe(2);
  });
});

describe('a bystander in flight in every boot that a poisoned session ends', () => {
  it.each<[string, boolean, boolean]>([
    ['who came first and waits', true, false],
    ['who came later and waits', false, false],
    ['who came first and writes again and again', true, true],
    ['who came later and writes again and again', false, true],
  ])('%s: only the poison is held (gateway 5)', async (_, first, writes) => {
    const talk = (n: number) => series.says(`dinner ${n}`, 'c2');
    let bystander = first ? talk(0) : undefined;
    const poison = series.says('the poison');
    bystander ??= talk(0);
    let deaths = 0;
    for (let boot = 1; boot <= 8; boot++) {
      if (writes && !series.runs(bystander)) bystander = talk(boot);
      // Whatever does not run beside the poison comes to its end.
      if (series.runs(bystander) && !series.runs(poison)) await series.answers(bystander);
      if (writes && !series.runs(bystander)) bystander = talk(100 + boot);
      if (series.runs(poison)) deaths++;
      await series.boots(1, series.runs(poison) ? SIGKILL : PLANNED);
    }
    expect(deaths).toBe(3);
    expect(series.state(poison)).toBe('held session_loop');
    if (series.runs(bystander)) await series.answers(bystander);
    expect(series.state(bystander)).toBe('answered');
    expect(series.cards.map(({ chat }) => chat)).toEqual(['c1']);
  });
});

describe('five boots that each cut off another session', () => {
  it('are too many for everybody: global_loop, also for a sixth (gateway 5)', async () => {
    const turns: TurnRow[] = [];
    for (let i = 1; i <= 5; i++) {
      turns.push(series.says('work', `c${i}`));
      await series.dies(SIGKILL);
      // Too long for the turn of the boot before, which is not taken up again and proves nothing.
      await series.clock.skip(2 * HOUR);
      await series.boot();
    }
    expect(turns.map((turn) => series.state(turn))).toEqual([...Array(4).fill('held stale'), 'held global_loop']);
    expect(series.streak).toBe(5);
    const sixth = series.says('work', 'c6');
    expect(series.runs(sixth)).toBe(true);
    await series.boots(1, SIGKILL);
    expect(series.state(sixth)).toBe('held global_loop');
  });

  it('which then settles, are forgotten: the next interruption is the first', async () => {
    for (let i = 1; i <= 5; i++) {
      series.says('work', `c${i}`);
      await series.dies(SIGKILL);
      await series.clock.skip(2 * HOUR);
      await series.boot();
    }
    await series.clock.skip(60_000);
    expect(series.settled).toBe(true);
    const turn = series.says('work', 'c6');
    await series.boots(1, SIGKILL);
    expect(series.state(turn)).toBe('running');
    expect(series.streak).toBe(0);
  });
});

describe('twenty planned restarts', () => {
  it('with a turn in flight: none counts; it is held because it was tried so often (gateway 6)', async () => {
    const turn = series.says('work');
    const seen = await states(turn, 20, PLANNED);
    expect(seen).toEqual([...Array(4).fill('running'), ...Array(16).fill('held attempts')]);
    expect(series.streak).toBe(0);
    expect(series.cards).toHaveLength(1);
    const next = series.says('and now?', 'c2');
    await series.boots(2, SIGKILL);
    expect(series.state(next)).toBe('running');
  });
});

describe('turns that nobody takes up again', () => {
  it('count for nothing at any boot, and fresh ones are resumed beside them (gateway 7)', async () => {
    const [old, denied, left, far] = [
      series.says('work', 'old'),
      series.says('work', 'denied'),
      series.says('work', 'left'),
      series.says('work', 'far', 'discord'),
    ];
    series.endsSession(left);
    await series.dies(SIGKILL);
    await series.clock.skip(2 * HOUR);
    series.may = ({ address }) => address.chat !== 'denied';
    await series.boot();
    const found = () => [old, denied, left, far].map((turn) => series.state(turn));
    const expected = ['held stale', 'abandoned not_allowed', 'abandoned session_ended', 'held no_platform'];
    expect(found()).toEqual(expected);
    for (let i = 0; i < 6; i++) {
      await series.boots(1, SIGKILL);
      expect(series.streak).toBe(1);
    }
    expect(found()).toEqual(expected);
    const fresh = series.says('work', 'fresh');
    await series.boots(1, SIGKILL);
    expect(series.streak).toBe(2);
    expect(series.runs(fresh)).toBe(true);
    expect(series.ended.at(-1)).toMatchObject({ how: 'vanished', interrupted: 1 });
  });
});

describe('whatever stands in the rows of boots and attempts', () => {
  const TEXTS = [`'{"torn'`];
  const NUMBERS = ['-5', '9007199254740993'];
  const columns = (table: string) => {
    const { store } = new BootSeries();
    const found = store.db.prepare<[string], { name: string; type: string }>(
      'SELECT name, type FROM pragma_table_info(?)',
    );
    return found.all(table).map(({ name, type }) => [table, name, type === 'TEXT' ? TEXTS : NUMBERS] as const);
  };
  /** False: no row can hold that. */
  function spoil(table: string, column: string, value: string): boolean {
    const { db } = series.store;
    db.pragma('ignore_check_constraints = ON');
    db.pragma('foreign_keys = OFF');
    try {
      return db.prepare(`UPDATE ${table} SET ${column} = ${value} WHERE rowid = 1`).run().changes === 1;
    } catch {
      return false;
    } finally {
      db.pragma('ignore_check_constraints = OFF');
      db.pragma('foreign_keys = ON');
    }
  }

  it.each([...columns('boots'), ...columns('attempts')])(
    '%s.%s: the next boot comes up and answers, and no turn is lost (gateway 8)',
    async (table, column, values) => {
      for (const value of values)
        for (const boots of [0, 1]) {
          series = new BootSeries();
          await series.boot();
          const turn = series.says('work');
          await series.boots(boots, SIGKILL);
          await series.dies(SIGKILL);
          if (!spoil(table, column, value)) continue;
          await series.boot();
          expect(series.state(turn), value).toMatch(/^running$|^held state_unreadable$/);
          const next = series.says('hello', 'c9');
          await series.answers(next);
          expect(series.state(next)).toBe('answered');
          expect(series.cards.length).toBeLessThanOrEqual(1);
        }
    },
  );
});

describe.each(DEATHS)('a held turn, and twenty boots more that end by %s', (_, death) => {
  it('nothing more is said (gateway 9)', async () => {
    const turn = series.says('restart the proxy');
    await series.boots(3, death);
    const before = series.sent;
    await series.boots(20, death);
    expect(series.state(turn)).toBe('held session_loop');
    expect(series.sent).toEqual(before);
    expect(series.cards).toHaveLength(1);
  });
});

describe('twenty boots in five minutes', () => {
  const CHATS = ['c1', 'c2'];
  const DOWN = 'Interrupted by a restart. I go on when I am back.';
  const toldIn = (chat: string) => series.sent.filter((one) => one.chat === chat && one.kind === 'notice');
  const own = (chat: string) => toldIn(chat).filter(({ edits }) => edits === null);

  it('with somebody at work in each: one message that goes down and comes back (h23272, h89396) (gateway 12)', async () => {
    for (let boot = 0; boot < 20; boot++) {
      // A chat whose turn is held or over has new words for each boot.
      for (const chat of CHATS) series.says(`work ${boot}`, chat);
      await series.boots(1, SIGTERM, 15_000);
    }
    for (const chat of CHATS) {
      const told = toldIn(chat);
      expect(own(chat)).toHaveLength(1);
      const backs = told.filter(({ text }) => /^(?:Resumed|Back) after a restart\.$/.test(text));
      expect([told.filter(({ text }) => text === DOWN).length, backs.length]).toEqual([1, 1]);
      expect(told.at(-1)).toBe(backs[0]);
    }
  });

  it('of which some end without a word, and all in the middle of a tool: two messages at most, each "down" has its "back" (gateway 12)', async () => {
    for (let boot = 0; boot < 20; boot++) {
      for (const chat of CHATS) series.begins(series.says(`work ${boot}`, chat));
      await series.boots(1, boot % 3 === 0 ? SIGTERM : SIGKILL, 15_000);
    }
    for (const chat of CHATS) {
      expect(own(chat).length).toBeLessThanOrEqual(2);
      const texts = toldIn(chat).map(({ text }) => text);
      const backs = texts.filter((text) => /^(?:Resumed|Back) after a restart\./.test(text));
      expect(backs).toHaveLength(texts.filter((text) => text === DOWN).length);
      expect(texts.at(-1)).not.toBe(DOWN);
      expect(texts.at(-1)).toMatch(/outcome is unknown/);
    }
  });
});
