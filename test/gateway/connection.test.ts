import { beforeEach, describe, expect, it } from 'vitest';
import { currentRun, withRun } from '../../src/context/run-context.ts';
import type { Health, PlatformEvents } from '../../src/contract/platform.ts';
import { Connection } from '../../src/gateway/connection.ts';
import { quietLog } from '../agent/quiet-log.ts';
import { FakeClock, settle } from '../fakes/fake-clock.ts';
import { chatRun } from '../fakes/runs.ts';
import { door, RecordingAdapter } from './recording-adapter.ts';

/** Starts as a test says; keeps when it was started and stopped. */
class MoodyAdapter extends RecordingAdapter {
  readonly lives: string[] = [];
  mood: () => Promise<void> = async () => {};
  override async start(): Promise<void> {
    this.lives.push(`start${currentRun() ? ' in a run' : ''}`);
    await this.mood();
  }
  override async stop(): Promise<void> {
    this.lives.push('stop');
  }
}

const refuse = async () => {
  throw new Error('connection refused');
};
const NOTHING = {} as PlatformEvents;

let clock: FakeClock;
let adapter: MoodyAdapter;
let states: string[];
let connection: Connection;
let log: ReturnType<typeof quietLog>;

beforeEach(() => {
  clock = new FakeClock();
  adapter = new MoodyAdapter();
  log = quietLog();
  states = [];
  const changed = ({ state, reason }: Health) => void states.push(reason === '' ? state : `${state}: ${reason}`);
  connection = new Connection(adapter, { clock, log: log.log, connectMs: 30_000, changed });
});

const connected = (proofAt = clock.now()): Health => ({ state: 'connected', reason: '', proofAt });

describe('a connection', () => {
  it('is there after the first attempt, outside any run', async () => {
    expect(connection.health.state).toBe('starting');
    await withRun(chatRun(), () => connection.start(NOTHING));
    expect([states, adapter.lives]).toEqual([['connected'], ['start']]);
    expect(connection.health).toEqual(connected());
    expect(clock.armed).toBe(0);
  });

  it('believes the adapter before itself (gateway 24)', async () => {
    adapter.mood = async () => connection.heard({ state: 'degraded', reason: 'slow', proofAt: null });
    await connection.start(NOTHING);
    expect(states).toEqual(['degraded: slow']);
    connection.heard(connected());
    expect(connection.health.state).toBe('connected');
  });

  it('is tried again for ever, with growing pauses; the adapter is stopped in between', async () => {
    adapter.mood = refuse;
    await connection.start(NOTHING);
    expect(states).toEqual(['degraded: connection refused']);
    for (const s of [2, 5, 15, 30, 60, 120, 300, 300]) {
      const before = adapter.lives.length;
      await clock.skip(s * 1_000 - 1);
      expect(adapter.lives).toHaveLength(before);
      await clock.skip(1);
      expect(adapter.lives.slice(before)).toEqual(['stop', 'start']);
    }
  });

  it('that comes at last is known, also from an adapter that says nothing', async () => {
    adapter.mood = refuse;
    await connection.start(NOTHING);
    adapter.mood = async () => {};
    await clock.skip(2_000);
    expect(states).toEqual(['degraded: connection refused', 'connected']);
    expect(clock.armed).toBe(0);
  });

  it('that hangs is abandoned (gateway 24)', async () => {
    adapter.mood = () => new Promise(() => {});
    const started = connection.start(NOTHING);
    await clock.skip(30_000);
    await started;
    expect(states).toEqual(['degraded: no connection within 30 s']);
    adapter.mood = async () => {};
    await clock.skip(2_000);
    expect(adapter.lives).toEqual(['start', 'stop', 'start']);
    expect(connection.health.state).toBe('connected');
  });

  it('whose credentials are refused is not tried again', async () => {
    adapter.mood = async () => {
      connection.heard({ state: 'fatal', reason: 'token refused', proofAt: null });
      throw new Error('token refused');
    };
    await connection.start(NOTHING);
    await clock.skip(3_600_000);
    expect([states, adapter.lives]).toEqual([['fatal: token refused'], ['start']]);
  });

  it('survives an adapter that cannot stop', async () => {
    adapter.mood = refuse;
    adapter.stop = async () => {
      throw new TypeError('bug');
    };
    await connection.start(NOTHING);
    adapter.mood = async () => {};
    await clock.skip(2_000);
    expect(connection.health.state).toBe('connected');
    await connection.stop(1_000);
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
  });
});

describe('stop', () => {
  it('stops the adapter, and no attempt follows', async () => {
    adapter.mood = refuse;
    await connection.start(NOTHING);
    await connection.stop(1_000);
    await clock.skip(3_600_000);
    expect(adapter.lives).toEqual(['start', 'stop']);
  });

  it('while a retry is stopping the adapter: still no attempt follows', async () => {
    adapter.mood = refuse;
    await connection.start(NOTHING);
    const slow = door();
    adapter.stop = async () => {
      adapter.lives.push('stop');
      await slow.wait;
    };
    await clock.skip(2_000);
    const stopped = connection.stop(10_000);
    slow.open();
    await stopped;
    await settle();
    expect(adapter.lives).toEqual(['start', 'stop', 'stop']);
  });

  it('does not wait longer than it may', async () => {
    adapter.stop = () => new Promise(() => {});
    await connection.start(NOTHING);
    const stopped = connection.stop(3_000);
    await clock.skip(3_000);
    await stopped;
  });
});

describe('proof of life', () => {
  let told: string[];
  const watched = () => {
    told = [];
    connection = new Connection(adapter, {
      clock,
      log: log.log,
      connectMs: 30_000,
      proofMs: 90_000,
      attentionMs: 600_000,
      attention: (since, reason) => void told.push(`down for ${(clock.now() - since) / 1_000} s: ${reason}`),
      changed: ({ state, reason }) => void states.push(reason === '' ? state : `${state}: ${reason}`),
    });
  };
  const alive = () => connection.heard(connected());

  it('keeps a connection up; without one that is young enough it is degraded and built anew (gateway 24)', async () => {
    watched();
    adapter.mood = async () => alive();
    await connection.start(NOTHING);
    for (let i = 0; i < 5; i++) {
      await clock.skip(89_000);
      alive();
    }
    expect([connection.health.state, adapter.lives]).toEqual(['connected', ['start']]);
    await clock.skip(90_000);
    expect(connection.health).toMatchObject({ state: 'degraded', reason: 'no sign of life for 90 s' });
    await clock.skip(2_000);
    expect([connection.health.state, adapter.lives]).toEqual(['connected', ['start', 'stop', 'start']]);
    expect(told).toEqual([]);
  });

  it('is not asked of an adapter that never gives one', async () => {
    watched();
    await connection.start(NOTHING);
    await clock.skip(3_600_000);
    expect([connection.health.state, adapter.lives]).toEqual(['connected', ['start']]);
  });

  it('an adapter that works on its trouble is left alone for a while; then somebody is told, once, and it is built anew', async () => {
    watched();
    adapter.mood = async () => alive();
    await connection.start(NOTHING);
    connection.heard({ state: 'degraded', reason: 'no poll', proofAt: null });
    await clock.skip(599_000);
    expect([adapter.lives, told]).toEqual([['start'], []]);
    adapter.mood = refuse;
    await clock.skip(3_000);
    expect([adapter.lives, told]).toEqual([['start', 'stop', 'start'], ['down for 600 s: no poll']]);
    await clock.skip(7_200_000);
    expect(told).toHaveLength(1);
    adapter.mood = async () => alive();
    await clock.skip(300_000);
    expect(connection.health.state).toBe('connected');
    adapter.mood = refuse;
    connection.broke('a payload it could not digest');
    await clock.skip(600_000);
    expect(told[1]).toMatch(/^down for 600 s: connection refused/);
  });

  it('after a minute of it the pauses are short again, not before', async () => {
    watched();
    adapter.mood = refuse;
    await connection.start(NOTHING);
    await clock.skip(22_000);
    adapter.mood = async () => alive();
    await clock.skip(30_000);
    expect(connection.health.state).toBe('connected');
    await clock.skip(30_000);
    connection.broke('early');
    await clock.skip(59_000);
    expect(adapter.lives.at(-1)).toBe('start');
    const lives = adapter.lives.length;
    await clock.skip(1_000);
    expect(adapter.lives).toHaveLength(lives + 2);
    await clock.skip(60_000);
    connection.broke('late');
    await clock.skip(2_000);
    expect(adapter.lives).toHaveLength(lives + 4);
  });

  it('a library that breaks brings its own adapter down and up again, and nothing after the stop', async () => {
    watched();
    adapter.mood = async () => alive();
    await connection.start(NOTHING);
    connection.broke('TypeError');
    expect(states.at(-1)).toBe('degraded: TypeError');
    await clock.skip(2_000);
    expect(connection.health.state).toBe('connected');
    await connection.stop(1_000);
    connection.broke('TypeError');
    await clock.skip(3_600_000);
    expect(adapter.lives).toEqual(['start', 'stop', 'start', 'stop']);
    expect(clock.armed).toBe(0);
  });

  it('whatever breaks in between: a reconnect that died is followed by the next one (h26656, h118487) (gateway 24)', async () => {
    const broken: (() => void)[] = [];
    connection = new Connection(adapter, {
      clock,
      log: log.log,
      connectMs: 30_000,
      changed: ({ state }) => {
        states.push(state);
        broken.shift()?.();
      },
      opened: () => broken.shift()?.(),
    });
    const bug = () => {
      throw new TypeError('a bug in whoever listens');
    };
    adapter.mood = refuse;
    broken.push(bug, bug);
    await connection.start(NOTHING);
    await clock.skip(2_000);
    adapter.mood = () => {
      throw new TypeError('a bug of the library, at once');
    };
    await clock.skip(5_000);
    adapter.mood = async () => {};
    broken.push(bug, bug);
    await clock.skip(15_000);
    expect([connection.health.state, states.at(-1)]).toEqual(['degraded', 'degraded']);
    await clock.skip(30_000);
    expect([connection.health.state, states.at(-1)]).toEqual(['connected', 'connected']);
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(3);
  });

  it('retries are spread', async () => {
    const pauses: number[] = [];
    for (const random of [0, 0.5, 0.999]) {
      const one = new Connection(new MoodyAdapter(), {
        clock: {
          now: () => 0,
          after(ms) {
            pauses.push(Math.round(ms));
            return () => {};
          },
        },
        log: log.log,
        connectMs: 30_000,
        changed: () => {},
        random: () => random,
      });
      await one.start(NOTHING);
      one.broke('x');
    }
    expect(pauses.filter((ms) => ms !== 30_000)).toEqual([1_600, 2_000, 2_399]);
  });
});
