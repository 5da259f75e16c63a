import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { REAL_RUNS } from '../../src/schedule/claims.ts';
import { checkAccounts } from '../../src/schedule/doctor.ts';
import { openStore } from '../../src/store/store.ts';
import { settle } from '../fakes/fake-clock.ts';
import { SchedulerWorld, SettableClock, START } from './scheduler-world.ts';

/** A process that dies before its nth statement: nothing of an open transaction survives, and nothing runs any more. */
const death = { in: Number.POSITIVE_INFINITY, dead: false, statements: 0 };
class Killed extends Error {}

function count(): void {
  death.statements++;
  if (--death.in <= 0) death.dead = true;
  if (death.dead) throw new Killed('killed');
}

const { prepare } = Database.prototype;
beforeAll(() => {
  template = join(mkdtempSync(join(tmpdir(), 'hermod-kills-')), 'hermod.db');
  openStore(template).close();
  Database.prototype.prepare = function (this: Database.Database, sql: string) {
    const statement = prepare.call(this, sql) as unknown as Record<string, (...args: unknown[]) => unknown>;
    for (const name of ['run', 'get', 'all']) {
      const real = statement[name] as (...args: unknown[]) => unknown;
      statement[name] = (...args) => {
        count();
        return real.apply(statement, args);
      };
    }
    return statement;
  } as never;
});
afterAll(() => {
  Database.prototype.prepare = prepare;
  rmSync(dirname(template), { recursive: true, force: true });
});

let folder: string;
let template: string;
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const MINUTE = 60_000;

interface Life {
  readonly world: SchedulerWorld;
  readonly clock: SettableClock;
}

function boot(path: string, start: number): Life {
  const clock = new SettableClock(start);
  const world = new SchedulerWorld({ clock, path });
  return { world, clock };
}

/** One life up to its death before the nth statement after the job fell due, and a second one. */
async function lives(nth: number) {
  folder = mkdtempSync(join(tmpdir(), 'hermod-kills-'));
  Object.assign(death, { in: Number.POSITIVE_INFINITY, dead: false, statements: 0 });
  const path = join(folder, 'hermod.db');
  copyFileSync(template, path);
  const first = boot(path, Date.parse(START));
  const up = first.world.job('every 1m', { name: 'up', repeat: 1 });
  const down = first.world.scheduler.desk.create({ after: up.id, prompt: 'follow', name: 'down' }, first.world.from());
  await first.world.skip(MINUTE - 1000);
  Object.assign(death, { in: nth, statements: 0 });
  await first.world.skip(MINUTE);
  const { statements, dead } = death;
  Object.assign(death, { in: Number.POSITIVE_INFINITY, dead: false });
  first.world.store.close();
  const second = boot(path, first.clock.now());
  await second.world.skip(3 * MINUTE);
  await settle();
  const asked = [...first.world.asked, ...second.world.asked];
  return { up, down, dead, statements, asked, world: second.world };
}

describe('a process killed between any two statements', () => {
  it('fires no slot twice and loses none; what began is unknown, what ended is sent once and followed once (schedule 3, schedule 22)', async () => {
    let kills = 0;
    for (let nth = 1; ; nth++) {
      const { up, down, dead, asked, world } = await lives(nth);
      const [firing, ...more] = world.store.firings.ofJob(up.id, 10);
      const of = (id: string) => asked.filter(({ run }) => run.jobId === id).length;
      const where = `killed before statement ${nth}`;
      expect([where, more.length, firing?.slotAt]).toEqual([where, 0, Date.parse('2026-11-30T08:01:00Z')]);
      expect([where, ['ok', 'unknown'].includes(firing?.state ?? '')]).toEqual([where, true]);
      expect([where, of(up.id) <= 1]).toEqual([where, true]);
      if (firing?.state === 'ok') expect([where, of(up.id)]).toEqual([where, 1]);
      expect([where, checkAccounts(world.get(up.id), world.store, REAL_RUNS, 100)]).toEqual([where, []]);
      const followers = world.store.firings.ofJob(down.id, 10);
      expect([where, followers.length]).toEqual([where, firing?.state === 'ok' ? 1 : 0]);
      expect([where, of(down.id) <= 1]).toEqual([where, true]);
      const sent = world.sent('job').filter(({ key }) => key.includes(firing?.id ?? ''));
      expect([where, sent.length]).toEqual([where, firing?.state === 'ok' ? 1 : 0]);
      world.close();
      rmSync(folder, { recursive: true, force: true });
      if (!dead) break;
      kills++;
    }
    expect(kills).toBeGreaterThan(40);
  }, 300_000);
});
