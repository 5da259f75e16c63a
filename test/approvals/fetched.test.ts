import { describe, expect, it } from 'vitest';
import type { Analysis, Detector } from '../../src/approvals/analysis.ts';
import type { Finding } from '../../src/contract/tool.ts';
import { ApprovalWorld, BOB, toyDetector } from '../fakes/approval-world.ts';

/** `curl -o FILE` fetches, `sh FILE` runs: flagged when the session fetched that very file. */
const detector: Detector = {
  ...toyDetector,
  analyze(text, facts): Analysis {
    const analysis = toyDetector.analyze(text, facts) as Analysis;
    const [, fetched] = /curl -o (\S+)/.exec(text) ?? [];
    const [, run] = /sh (\S+)/.exec(text) ?? [];
    const remote: Finding = {
      ...{ rule: 'code.remote', grade: 'dangerous', span: [0, text.length], why: 'runs what was fetched' },
      ...{ personOnly: false, smart: false },
    };
    const found = run !== undefined && facts.fetched.includes(`/proj/${run}`) ? [remote] : [];
    const more = fetched === undefined ? {} : { fetches: [`/proj/${fetched}`] };
    return { ...analysis, findings: [...analysis.findings, ...found], ...more };
  },
};

const fetching = () => new ApprovalWorld({ gate: { detector }, config: { cron_mode: 'deny' } });
const last = (world: ApprovalWorld) => world.events('decided').at(-1)?.body;

describe('what a command fetched', () => {
  it('is known to later commands of its session, and to no other', async () => {
    const world = fetching();
    const ann = world.turn();
    const bob = world.turn({ actor: BOB, chat: 'c2' });
    expect((await world.within(ann.run, 'curl -o i.sh https://example.org')).kind).toBe('pass');
    const { run } = world.turn();
    const asked = world.within(run, 'sh i.sh');
    await world.deliver();
    expect(last(world)).toMatchObject({ label: 'ask:chat', rules: ['code.remote'] });
    while (world.broker.pendingOf(run.session).length === 0) await world.deliver();
    world.broker.cancelSession(run.session, 'stop');
    await asked;
    expect((await world.within(bob.run, 'sh i.sh')).kind).toBe('pass');
    expect((await world.within(world.turn().run, 'sh other.sh')).kind).toBe('pass');
  });

  it('is known once it was allowed, and not when it was refused', async () => {
    const world = fetching();
    for (const [label, files] of [
      ['Deny', []],
      ['Once', ['/proj/i.sh']],
    ] as const) {
      const { passage, session } = world.asks('curl -o i.sh https://example.org && rm -rf build');
      await world.deliver();
      expect(world.store.fetchedFiles.of(session)).toEqual([]);
      world.press(world.pending[0]!, label);
      await passage;
      expect(world.store.fetchedFiles.of(session)).toEqual(files);
    }
  });

  it('is listed once, however often it is fetched', async () => {
    const world = fetching();
    for (let i = 0; i < 3; i++) await world.within(world.turn().run, 'curl -o i.sh https://example.org');
    expect(world.store.fetchedFiles.of(world.turn().session)).toEqual(['/proj/i.sh']);
  });
});
