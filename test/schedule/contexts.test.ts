import { afterEach, describe, expect, it } from 'vitest';
import { childRun, currentRun, withRun } from '../../src/context/run-context.ts';
import type { RunId } from '../../src/contract/ids.ts';
import type { CronMode } from '../../src/contract/run.ts';
import { ApprovalWorld } from '../fakes/approval-world.ts';
import { settle } from '../fakes/fake-clock.ts';
import { SchedulerWorld, says } from './scheduler-world.ts';

let world: SchedulerWorld;
afterEach(() => world.close());

const MARKED = { cron: true, gateway: true, ask: true, interactive: true };
const DANGEROUS = 'rm -rf build';
const rounds = (n: number) => Array.from({ length: n }, (_, i) => i);

/** What the gate says to a dangerous call of a firing and of a worker of it. */
async function firing(mode: CronMode, order: 'scheduled' | 'by hand') {
  const approvals = new ApprovalWorld({ config: { cron_mode: mode }, gate: { markers: MARKED } });
  world = new SchedulerWorld({ cronMode: mode });
  const heard: string[] = [];
  world.turn = async (_, run) => {
    const worker = childRun(run, 'worker' as RunId);
    for (const one of [run, worker]) {
      const passage = await withRun(one, () => approvals.call(one, DANGEROUS));
      heard.push(passage.kind === 'refused' ? `refused by ${passage.by}` : passage.kind);
    }
    return says('done');
  };
  const { id } = world.job('every 10m');
  if (order === 'by hand') world.scheduler.desk.run(id, world.from());
  await world.skip(order === 'by hand' ? 1000 : 10 * 60_000 + 1000);
  return { approvals, heard };
}

describe('the authority of a firing (schedule 13)', () => {
  it.each([
    ['deny', ['refused by policy', 'refused by policy']],
    ['allowlist', ['refused by policy', 'refused by policy']],
    ['approve', ['pass', 'pass']],
  ] as const)(
    'under %s is that of a job, for its workers too, scheduled or started by hand; nobody is asked',
    async (mode, expected) => {
      for (const order of ['scheduled', 'by hand'] as const) {
        const { approvals, heard } = await firing(mode, order);
        expect([order, heard]).toEqual([order, expected]);
        expect(approvals.pending).toEqual([]);
        world.close();
      }
    },
  );

  it('under ask is a question to its owner', async () => {
    const { approvals, heard } = await firing('ask', 'scheduled');
    expect(approvals.pending).toHaveLength(1);
    expect(approvals.pending[0]).toMatchObject({ runKind: 'cron', requester: { id: 'ann' } });
    await approvals.deliver();
    approvals.press(approvals.pending[0] as never, 'Once', world.from().by, {
      address: approvals.pending[0]?.address as never,
    });
    await world.skip(1000);
    expect(heard[0]).toBe('pass');
  });

  it('hands nothing on: what it was refused and a worker tries again, or three refusals among them, end it', async () => {
    const approvals = new ApprovalWorld({ config: { cron_mode: 'deny' } });
    world = new SchedulerWorld();
    const commands = [
      ['rm -rf build', 'rm -rf build'],
      ['rm -rf build', 'rm -rf src', 'rm -rf lib'],
      ['rm -rf build', 'rm -rf src'],
    ];
    const blocked: boolean[] = [];
    world.turn = async (_, run) => {
      for (const [i, command] of (commands.shift() ?? []).entries()) {
        const worker = i === 0 ? run : childRun(run, `worker-${i}` as RunId);
        await withRun(worker, () => approvals.call(worker, command));
      }
      blocked.push(approvals.gate.blocked(run));
      return says('done');
    };
    world.job('every 10m');
    await world.skip(31 * 60_000);
    expect(blocked).toEqual([true, true, false]);
  });

  it('stays its own among a hundred chats and workers at once, whatever the environment says', async () => {
    const approvals = new ApprovalWorld({ gate: { markers: MARKED } });
    world = new SchedulerWorld({ config: { max_parallel: 50, max_creations_per_hour: 1000 } });
    const refused: string[] = [];
    world.turn = async (_, run) => {
      for (const _round of rounds(3)) await settle(Math.ceil(Math.random() * 3));
      expect(currentRun()).toBe(run);
      const passage = await approvals.call(run, DANGEROUS);
      refused.push(passage.kind === 'refused' ? passage.text : passage.kind);
      return says('done');
    };
    for (const n of rounds(25)) world.job('every 10m', { prompt: `job ${n}` });
    const firings = world.skip(10 * 60_000 + 1000);
    const chats = rounds(100).map(async (n) => {
      await settle(n % 7);
      const made = approvals.turn({ chat: `c${n}` });
      const worker = childRun(made.run, `w${n}` as RunId);
      const own = await withRun(worker, () => approvals.call(worker, DANGEROUS));
      expect(own).toMatchObject({ kind: 'refused', text: expect.stringContaining('subagent_mode') as string });
      return approvals.within(made.run, DANGEROUS, { call: made.calls[0] as never, turn: made.turn });
    });
    await firings;
    await approvals.until(() => approvals.pending.length === 100);
    expect(refused).toHaveLength(25);
    for (const text of refused) expect(text).toContain('approvals.cron_mode is deny');
    for (const row of approvals.pending) expect(row).toMatchObject({ runKind: 'chat', depth: 0 });
    for (const row of approvals.pending)
      approvals.broker.answer(row.id, { choice: 'deny', by: row.requester, surface: 'page' });
    for (const passage of await Promise.all(chats)) expect(passage).toMatchObject({ kind: 'refused', by: 'person' });
  });
});
