import { describe, expect, it } from 'vitest';
import { narrowest } from '../../src/approvals/grant-cover.ts';
import type { GrantId } from '../../src/contract/ids.ts';
import type { GrantRow } from '../../src/store/grants.ts';
import { ApprovalWorld, BOB, codeTool, plainTool } from '../fakes/approval-world.ts';
import { cronRun, unattendedRun } from '../fakes/runs.ts';

const PLACE = {
  ...{ home: '/home/user', user: 'user', roots: ['/proj'], hermodHome: '/home/user/.hermod', pid: 10, parentPid: 1 },
  ...{ os: 'linux' as const, readOutside: false, backend: { name: 'local', isolated: false } },
};

/** A world where this label was pressed for this command. */
async function granted(
  label: string,
  command = 'rm -rf build',
  options: ConstructorParameters<typeof ApprovalWorld>[0] = {},
) {
  const world = new ApprovalWorld(options);
  const made = world.asks(command);
  await world.deliver();
  world.press(world.pending[0]!, label);
  expect((await made.passage).kind).toBe('pass');
  return { world, ...made };
}

/** Whether a call is covered: it runs, or somebody is asked. */
async function covered(
  world: ApprovalWorld,
  command: string,
  options: Parameters<ApprovalWorld['turn']>[0] = {},
): Promise<boolean> {
  const { passage, session } = world.asks(command, options);
  await world.deliver();
  const asked = world.pending.length > 0;
  world.broker.cancelSession(session, 'stop');
  return (await passage).kind === 'pass' && !asked;
}

describe('a grant covers', () => {
  const hits = ['rm -rf build', 'nice rm -rf build', 'time nice rm -rf build', 'rm  -rf   build'];
  const misses = [
    'rm -rf src',
    'rm -rf build src',
    'rm -rf',
    'rm -r -f build',
    'sudo rm -rf build',
    'doas rm -rf build',
    'A=1 rm -rf build',
    'rm -rf $X',
    'rm -rf build && rm -rf build',
    'git push --force',
  ];
  it.each(hits)('%s: the same words, whatever neutral wrapper', async (command) => {
    const { world } = await granted('Session');
    expect(await covered(world, command)).toBe(true);
  });
  it.each(misses)('not %s', async (command) => {
    const { world } = await granted('Session');
    expect(await covered(world, command)).toBe(false);
  });

  it('sudo only as the same user, assignments only with the same value', async () => {
    const sudo = await granted('Session', 'sudo rm -rf build');
    expect([await covered(sudo.world, 'sudo rm -rf build'), await covered(sudo.world, 'rm -rf build')]).toEqual([
      true,
      false,
    ]);
    const set = await granted('Session', 'A=1 rm -rf build');
    expect([await covered(set.world, 'A=1 rm -rf build'), await covered(set.world, 'A=2 rm -rf build')]).toEqual([
      true,
      false,
    ]);
  });

  it('only in the same folder and the same backend', async () => {
    let name = 'local';
    const place = () => ({ ...PLACE, backend: { name, isolated: false } });
    const { world, session } = await granted('Always', 'rm -rf build', { gate: { place } });
    expect(await covered(world, 'rm -rf build')).toBe(true);
    world.store.sessions.setCwd(session, '/proj/other');
    expect(await covered(world, 'rm -rf build')).toBe(false);
    world.store.sessions.setCwd(session, '/proj');
    expect(await covered(world, 'rm -rf build')).toBe(true);
    name = 'ssh';
    expect(await covered(world, 'rm -rf build')).toBe(false);
  });

  it('more words only where the rule says they cannot widen it', async () => {
    const { world } = await granted('Session', 'git push --force origin');
    expect(await covered(world, 'git push --force origin main')).toBe(true);
    expect(await covered(world, 'git push --force')).toBe(false);
  });

  it('a call only when every finding is covered', async () => {
    const { world } = await granted('Session');
    world.store.grants.add({ ...world.store.grants.list(world.clock.now())[0]!, rule: 'other.rule' });
    const finding = {
      rule: 'net.secret',
      grade: 'dangerous',
      span: [0, 1],
      why: 'sends',
      personOnly: false,
      smart: false,
    } as const;
    const tool = plainTool('shell', 'exec', { command: () => 'rm -rf build', findings: () => [finding] });
    const made = world.asks('', {}, { tool, input: {} });
    await world.deliver();
    expect(world.pending).toHaveLength(1);
    world.press(world.pending[0]!, 'Session');
    await made.passage;
    expect((await world.asks('', {}, { tool, input: {} }).passage).kind).toBe('pass');
  });
});

describe('how long and where a grant holds', () => {
  it('session and timed: this session only, and until their hour', async () => {
    for (const [label, ms] of [
      ['Session', 12 * 3_600_000],
      ['1 h', 3_600_000],
    ] as const) {
      const { world } = await granted(label);
      expect(await covered(world, 'rm -rf build', { chat: 'c2' })).toBe(false);
      world.clock.jump(ms - 1);
      expect(await covered(world, 'rm -rf build')).toBe(true);
      world.clock.jump(1);
      expect(await covered(world, 'rm -rf build')).toBe(false);
    }
  });

  it('always: every session of everybody, no job without jobs, no webhook ever', async () => {
    const { world } = await granted('Always');
    expect(await covered(world, 'rm -rf build', { chat: 'c2', actor: BOB })).toBe(true);
    const [grant] = world.store.grants.list(world.clock.now());
    expect((await world.within(cronRun(), 'rm -rf build')).kind).toBe('refused');
    world.store.grants.setJobs(grant!.id, true);
    expect((await world.within(cronRun(), 'rm -rf build')).kind).toBe('pass');
    expect((await world.within(unattendedRun(), 'rm -rf build')).kind).toBe('refused');
    expect(world.events('grant-used').at(-1)?.body).toMatchObject({ label: 'allow:always', grant: grant!.id });
    world.store.grants.revoke(grant!.id, world.clock.now());
    expect((await world.within(cronRun(), 'rm -rf build')).kind).toBe('refused');
    expect(await covered(world, 'rm -rf build')).toBe(false);
  });

  it('ends when who gave it may no longer use hermod', async () => {
    const { world } = await granted('Always');
    world.strangers.add('telegram:ann');
    expect(await covered(world, 'rm -rf build', { chat: 'c2', actor: BOB })).toBe(false);
  });

  it('never stands in for person-only rules, two people, or the floor', async () => {
    const { world } = await granted('Always');
    const [grant] = world.store.grants.list(world.clock.now());
    for (const rule of ['self.stop', 'fs.wipe']) world.store.grants.add({ ...grant!, rule, argv: ['hermod', 'stop'] });
    expect(await covered(world, 'hermod stop')).toBe(false);
    world.config = { ...world.config, two_person: ['fs.*'], approvers: ['telegram:bob'] };
    expect(await covered(world, 'rm -rf build')).toBe(false);
  });

  it('is not offered for words the card does not show as they are', async () => {
    const world = new ApprovalWorld();
    void world.asks('rm -rf a --token=hunter2hunter2');
    void world.asks('rm -rf b\u200b');
    await world.deliver();
    expect(world.pending.map(({ choices }) => choices)).toEqual([
      ['once', 'deny'],
      ['once', 'deny'],
    ]);
  });
});

describe('scripts and tools', () => {
  it('are remembered for the session by exactly what they are', async () => {
    const world = new ApprovalWorld();
    const pass = (tool: typeof codeTool, input: unknown, chat = 'c1') =>
      world.asks('', { chat }, { tool, input }).passage;
    const script = { source: 'print(1)' };
    const first = pass(codeTool, script);
    await world.deliver();
    expect(world.pending[0]?.choices).toEqual(['once', 'session', 'deny']);
    world.press(world.pending[0]!, 'Session');
    await first;
    expect((await pass(codeTool, script)).kind).toBe('pass');
    const send = plainTool('send_file', 'write');
    const sent = pass(send, { to: 'x' });
    await world.deliver();
    world.press(world.pending[0]!, 'Session');
    await sent;
    expect((await pass(send, { to: 'x' })).kind).toBe('pass');
    void pass(codeTool, { source: 'print(2)' });
    void pass(codeTool, script, 'c2');
    void pass(send, { to: 'y' });
    void pass(plainTool('send_text', 'write'), { to: 'x' });
    await world.deliver();
    expect(world.pending).toHaveLength(4);
  });
});

describe('narrowest', () => {
  const grant = (kind: GrantRow['kind'], jobs = false) => ({ kind, jobs, id: kind as unknown as GrantId }) as GrantRow;
  it.each([
    [['always'], 'always', false],
    [['always', 'session'], 'session', false],
    [['session', 'timed', 'always'], 'timed', false],
    [['job', 'always'], 'job', false],
  ] as const)('of %j', (kinds, kind, jobs) => {
    expect(narrowest(kinds.map((one) => grant(one)))).toEqual({ kind, jobs });
  });
  it('reaches jobs only when all of them do', () => {
    expect(narrowest([grant('always', true), grant('job')])).toEqual({ kind: 'job', jobs: true });
    expect(narrowest([grant('always', true), grant('always')])).toEqual({ kind: 'always', jobs: false });
  });
});
