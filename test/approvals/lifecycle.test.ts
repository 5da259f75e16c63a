import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childRun, withRun } from '../../src/context/run-context.ts';
import type { CallId, RunId } from '../../src/contract/ids.ts';
import {
  ANN,
  ApprovalWorld,
  shellTool,
  type Turn,
  toyDetector as toy,
  type WorldOptions,
} from '../fakes/approval-world.ts';
import { FakeClock, settle } from '../fakes/fake-clock.ts';
import { chatRun, cliRun, cronRun } from '../fakes/runs.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermod-life-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** One database, one life after the other; `kill` leaves everything as a SIGKILL would. */
class Lives {
  readonly clock = new FakeClock();
  world: ApprovalWorld;
  readonly #options: WorldOptions;

  constructor(options: WorldOptions = {}) {
    this.#options = { ...options, clock: this.clock, path: join(folder, 'hermod.db') };
    this.world = new ApprovalWorld(this.#options);
  }

  /** The next boot on the same file, after the repair that every boot makes. */
  boot(): ApprovalWorld {
    this.world.broker.stop();
    this.world = new ApprovalWorld(this.#options);
    this.world.store.transcript.recover(this.world.boot, this.clock.now());
    this.world.broker.recover();
    return this.world;
  }

  /** The lane parks the turn it had. */
  park({ turn }: Turn): void {
    this.world.store.turns.setState(turn, 'parked');
  }

  /** The lane runs the turn again: its open call passes the gate in a run built from rows. */
  resume({ session, turn, calls }: Turn, command = 'the model says something else by now') {
    const run = chatRun({ session, actor: ANN });
    return withRun(run, () => this.world.call(run, command, { call: calls[0] as CallId, turn, tool: shellTool }));
  }
}

const pending = (world: ApprovalWorld) => world.pending[0]!;

describe('a restart', () => {
  it('after SIGKILL while pending: the press dispatches the turn, and the text of the row runs, once', async () => {
    const lives = new Lives();
    const turn = lives.world.asks('rm -rf build');
    await lives.world.deliver();
    lives.park(turn);
    const world = lives.boot();
    const row = pending(world);
    expect(world.press(row, 'Once')).toBe('Allowed once.');
    expect(world.press(row, 'Once')).toBe('Already decided by Ann: allowed once.');
    await settle();
    expect(world.settled.map(({ turn: id }) => id)).toEqual([turn.turn]);
    expect(await lives.resume(turn)).toEqual({ kind: 'pass', input: { command: 'rm -rf build' } });
    expect(await lives.resume(turn)).toMatchObject({ kind: 'refused', rule: 'approval.used' });
    expect(world.events('begun')).toHaveLength(1);
  });

  it('after SIGTERM: parked, and of two parked calls the first press brings the turn back', async () => {
    const lives = new Lives();
    const stop = new AbortController();
    const first = lives.world.asks('rm -rf a', { signal: stop.signal });
    const second = lives.world.asks('rm -rf b', { signal: stop.signal });
    await lives.world.deliver();
    stop.abort('shutdown');
    expect((await first.passage).kind).toBe('parked');
    expect((await second.passage).kind).toBe('parked');
    lives.park(first);
    lives.park(second);
    const world = lives.boot();
    expect(world.pending).toHaveLength(2);
    world.press(pending(world), 'Once');
    await settle();
    expect(world.settled.map(({ turn }) => turn)).toEqual([first.turn]);
    expect(world.pending.map(({ turn }) => turn)).toEqual([second.turn]);
    expect((await lives.resume(first)).kind).toBe('pass');
  });

  it('denied or expired while up: the resumed turn takes the refusal', async () => {
    for (const end of ['deny', 'expire'] as const) {
      const lives = new Lives();
      const turn = lives.world.asks(`rm -rf ${end}`);
      await lives.world.deliver();
      lives.park(turn);
      const world = lives.boot();
      if (end === 'deny') world.commands('deny', 'not this', turn.session);
      else await lives.clock.skip(1_800_000);
      await settle();
      expect(world.settled).toHaveLength(1);
      const passage = await lives.resume(turn);
      expect(passage).toMatchObject({ kind: 'refused', by: end === 'deny' ? 'person' : 'timeout' });
      world.store.close();
      rmSync(join(folder, 'hermod.db'), { force: true });
      for (const more of ['-wal', '-shm']) rmSync(join(folder, `hermod.db${more}`), { force: true });
    }
  });

  it('expired while down: the card says so, the turn goes on with the refusal', async () => {
    const lives = new Lives();
    const turn = lives.world.asks('rm -rf build');
    await lives.world.deliver();
    lives.park(turn);
    const { id } = pending(lives.world);
    lives.clock.jump(3_600_000);
    const world = lives.boot();
    await world.deliver();
    expect(world.shown(id).text).toMatch(/^Expired 12:30\. Not run\./);
    expect(world.settled.map((row) => row.id)).toEqual([id]);
    expect(await lives.resume(turn)).toMatchObject({ kind: 'refused', by: 'timeout' });
  });

  it('between the yes and the start: it runs once after the boot', async () => {
    const lives = new Lives();
    const turn = lives.world.asks('rm -rf build');
    await lives.world.deliver();
    lives.park(turn);
    lives.world.store.approvals.settle(
      pending(lives.world).id,
      { state: 'granted', choice: 'once', by: ANN },
      lives.clock.now(),
    );
    const world = lives.boot();
    await settle();
    expect(world.settled).toHaveLength(1);
    expect((await lives.resume(turn)).kind).toBe('pass');
    expect((await lives.resume(turn)).kind).toBe('refused');
  });

  it('between the yes and the start, too late: not run, and everybody is told', async () => {
    const lives = new Lives();
    const turn = lives.world.asks('rm -rf build');
    await lives.world.deliver();
    lives.park(turn);
    const { id } = pending(lives.world);
    lives.clock.jump(120_000);
    lives.world.store.approvals.settle(id, { state: 'granted', choice: 'once', by: ANN }, lives.clock.now());
    lives.clock.jump(3_600_000);
    const world = lives.boot();
    await world.deliver();
    const said = 'You allowed this at 12:02, but hermod restarted before it began. Not run.';
    expect(world.shown(id).text).toContain(said);
    expect(await lives.resume(turn)).toMatchObject({ kind: 'refused', by: 'restart' });
    expect(world.press({ id }, 'Once')).toBe(said);
  });

  it('between the yes and the start, too late for the turn though not for the boot: not run either', async () => {
    const lives = new Lives();
    const turn = lives.world.asks('rm -rf build');
    await lives.world.deliver();
    lives.park(turn);
    const { id } = pending(lives.world);
    lives.world.store.approvals.settle(id, { state: 'granted', choice: 'once', by: ANN }, lives.clock.now());
    const world = lives.boot();
    lives.clock.jump(3_600_000);
    expect(await lives.resume(turn)).toMatchObject({ kind: 'refused', by: 'restart' });
    expect(await lives.resume(turn)).toMatchObject({ kind: 'refused', by: 'restart' });
    expect(world.events('begun')).toEqual([]);
    expect(world.events('expired')).toHaveLength(1);
  });

  it('after the start: never again', async () => {
    const lives = new Lives();
    const turn = lives.world.asks('rm -rf build');
    await lives.world.deliver();
    lives.world.press(pending(lives.world), 'Once');
    expect((await turn.passage).kind).toBe('pass');
    lives.world.store.transcript.begin(turn.calls[0]!, lives.world.boot, lives.clock.now());
    const world = lives.boot();
    expect(world.store.transcript.call(turn.calls[0]!)?.state).toBe('unknown');
    expect(await lives.resume(turn)).toMatchObject({ kind: 'refused' });
    expect(world.events('begun')).toHaveLength(1);
  });

  it('cancels what cannot be built again: a worker, a terminal, a job, a call of a script', async () => {
    const lives = new Lives({ config: { subagent_mode: 'ask', cron_mode: 'ask' } });
    const { world } = lives;
    const made = world.turn();
    const worker = childRun(made.run, 'w' as RunId);
    void withRun(made.run, () => withRun(worker, () => world.call(worker, 'rm -rf worker', { turn: made.turn })));
    void world.within(cronRun(), 'rm -rf job');
    const terminal = cliRun();
    world.broker.register(terminal.runId, () => new Promise(() => {}));
    void world.within(terminal, 'rm -rf terminal');
    void world.within(chatRun({ session: made.session }), 'rm -rf script', { turn: made.turn });
    await world.deliver();
    expect(world.pending).toHaveLength(4);
    const ids = world.pending.map(({ id }) => id);
    const next = lives.boot();
    expect(next.pending).toEqual([]);
    await next.deliver();
    const shown = ids
      .filter((id) => next.store.approvals.cards(id).length > 0)
      .map((id) => next.shown(id).text.split('\n')[0]);
    expect(shown).toEqual(Array(3).fill('Not run: hermod restarted while this waited.'));
  });

  it('keeps session and timed yeses, until 12 h or /new', async () => {
    const lives = new Lives();
    const turn = lives.world.asks('rm -rf build');
    await lives.world.deliver();
    lives.world.press(pending(lives.world), 'Session');
    await turn.passage;
    let world = lives.boot();
    expect((await world.asks('rm -rf build').passage).kind).toBe('pass');
    lives.clock.jump(12 * 3_600_000);
    world = lives.boot();
    void world.asks('rm -rf build');
    await world.deliver();
    expect(world.pending).toHaveLength(1);
  });
});

describe('/stop and /new', () => {
  it('cancel a session with its workers at once; nothing of it is answered later (gateway 10)', async () => {
    const world = new ApprovalWorld({ config: { subagent_mode: 'ask' } });
    const made = world.turn({ calls: 2 });
    const worker = childRun(made.run, 'w' as RunId);
    const passages = withRun(made.run, () =>
      Promise.all([
        world.call(made.run, 'rm -rf a', { call: made.calls[0]!, turn: made.turn }),
        world.call(made.run, 'rm -rf b', { call: made.calls[1]!, turn: made.turn }),
        withRun(worker, () => world.call(worker, 'rm -rf c', { turn: made.turn })),
      ]),
    );
    const other = world.asks('rm -rf d', { chat: 'c2' });
    await world.deliver();
    const ids = world.pending.map(({ id }) => id);
    expect(world.broker.cancelSession(made.session, 'stop')).toBe(3);
    expect((await passages).map((passage) => passage.kind === 'refused' && passage.by)).toEqual([
      'stop',
      'stop',
      'stop',
    ]);
    await world.deliver();
    const mine = ids.filter((id) => world.store.approvals.get(id)?.session === made.session);
    expect(mine.map((id) => world.shown(id).text.split('\n')[0])).toEqual(Array(3).fill('Stopped. Not run.'));
    expect(mine.map((id) => world.press({ id }, 'Once'))).toEqual(Array(3).fill('Stopped. Not run.'));
    expect(world.pending.map(({ session }) => session)).toEqual([other.session]);
  });

  it('an abort of the run does the same for that run alone', async () => {
    const world = new ApprovalWorld();
    for (const reason of ['stop', 'interrupt', 'idle', 'reset'] as const) {
      const stop = new AbortController();
      const mine = world.asks('rm -rf a', { signal: stop.signal });
      await world.deliver();
      const { id } = pending(world);
      stop.abort(reason);
      expect(await mine.passage).toMatchObject({ kind: 'refused', by: reason === 'reset' ? 'reset' : 'stop' });
      await world.deliver();
      expect(world.shown(id).text).toMatch(reason === 'reset' ? /^Session reset\. Not run\./ : /^Stopped\. Not run\./);
    }
    const aborted = new AbortController();
    aborted.abort('stop');
    expect(await world.asks('rm -rf b', { signal: aborted.signal }).passage).toMatchObject({
      kind: 'refused',
      by: 'stop',
    });
    expect(world.pending).toEqual([]);
  });

  it('/new drops the yeses of the session; an Always stays', async () => {
    const world = new ApprovalWorld();
    for (const [label, command] of [
      ['Session', 'rm -rf a'],
      ['1 h', 'rm -rf b'],
      ['Always', 'rm -rf c'],
    ] as const) {
      const { passage } = world.asks(command);
      await world.deliver();
      world.press(pending(world), label);
      expect((await passage).kind).toBe('pass');
    }
    const { session } = world.turn();
    world.broker.cancelSession(session, 'reset');
    expect((await world.asks('rm -rf c').passage).kind).toBe('pass');
    void world.asks('rm -rf a');
    void world.asks('rm -rf b');
    await world.deliver();
    expect(world.pending).toHaveLength(2);
    expect(world.events('grant-revoked')).toHaveLength(1);
  });

  it('both end a parked turn: nobody waits, the card closes, nothing is dispatched (gateway 10)', async () => {
    for (const by of ['stop', 'reset'] as const) {
      const world = new ApprovalWorld();
      const stop = new AbortController();
      const { passage, session } = world.asks('rm -rf a', { signal: stop.signal });
      await world.deliver();
      const { id } = pending(world);
      stop.abort('shutdown');
      await passage;
      expect(world.broker.cancelSession(session, by)).toBe(1);
      await world.deliver();
      expect(world.shown(id).text).toMatch(by === 'stop' ? /^Stopped\. Not run\./ : /^Session reset\. Not run\./);
      expect(world.settled.map(({ state }) => state)).toEqual(['cancelled']);
    }
  });

  it('who loses access loses what was asked and allowed', async () => {
    const world = new ApprovalWorld();
    const allowed = world.asks('rm -rf a');
    await world.deliver();
    world.press(pending(world), 'Always');
    await allowed.passage;
    const { passage } = world.asks('rm -rf b');
    await world.deliver();
    expect(world.broker.cancelRequester('telegram:ann')).toBe(1);
    expect(await passage).toMatchObject({
      kind: 'refused',
      by: 'policy',
      text: 'Refused: who asked may no longer use hermod.',
    });
    expect(world.store.grants.list(world.clock.now())).toEqual([]);
  });
});

describe('between question and start', () => {
  const granted = async (world: ApprovalWorld, command: string, meanwhile: () => void) => {
    const turn = world.asks(command);
    await world.until(() => world.pending.length === 1);
    await world.deliver();
    const row = pending(world);
    meanwhile();
    world.press(row, 'Once');
    return { ...turn, row };
  };

  it('a new deny rule refuses', async () => {
    const world = new ApprovalWorld();
    const { passage } = await granted(world, 'rm -rf build', () => {
      world.config = { ...world.config, deny: ['rm *'] };
    });
    expect(await passage).toMatchObject({ kind: 'refused', rule: 'rm *' });
    expect(world.events('begun')).toEqual([]);
  });

  it('a changed script file is asked about again', async () => {
    const script = join(folder, 'clean.sh');
    writeFileSync(script, 'echo one');
    const detector = { ...toy, analyze: scriptAnalysis(script) };
    const world = new ApprovalWorld({ gate: { detector } });
    const { passage, row } = await granted(world, 'run it', () => writeFileSync(script, 'echo two'));
    await world.until(() => world.pending.length === 1);
    await world.deliver();
    expect(pending(world).id).not.toBe(row.id);
    world.press(pending(world), 'Once');
    expect((await passage).kind).toBe('pass');
    expect(world.events('begun').map(({ body }) => body['approval'])).not.toContain(row.id);
  });

  it('another folder is another call: asked again', async () => {
    const world = new ApprovalWorld();
    const turn = world.asks('rm -rf build');
    await world.deliver();
    const row = pending(world);
    world.store.sessions.setCwd(turn.session, '/proj/other');
    world.press(row, 'Once');
    await settle(20);
    expect(world.pending.map(({ cwd }) => cwd)).toEqual(['/proj/other']);
  });

  it('a run that ended in between runs nothing', async () => {
    const world = new ApprovalWorld();
    const stop = new AbortController();
    const turn = world.asks('rm -rf build', { signal: stop.signal });
    await world.deliver();
    world.press(pending(world), 'Once');
    stop.abort('stop');
    expect(await turn.passage).toMatchObject({ kind: 'refused', by: 'stop' });
    expect(world.events('begun')).toEqual([]);
  });
});

const scriptAnalysis = (script: string) => () => {
  const finding = {
    rule: 'code.fetched',
    grade: 'dangerous',
    span: [0, 6],
    why: 'runs it',
    personOnly: false,
    smart: false,
  } as const;
  const command = {
    argv: ['bash', script],
    program: 'bash',
    wrappers: [],
    cwd: '/proj',
    assignments: [],
    span: [0, 6] as const,
  };
  return {
    grade: 'dangerous',
    findings: [finding],
    commands: [command],
    readable: true,
    sudoStdin: false,
    grantBar: 'it runs code',
    code: [],
  } as const;
};

describe('identical requests', () => {
  const twice = async (world: ApprovalWorld) => {
    const made = world.turn({ calls: 2 });
    const both = withRun(made.run, () =>
      Promise.all(made.calls.map((call) => world.call(made.run, 'rm -rf build', { call, turn: made.turn }))),
    );
    await world.deliver();
    return { ...made, both };
  };

  it('share one card; Once is for the first, the next gets its own', async () => {
    const world = new ApprovalWorld();
    const { both } = await twice(world);
    expect(world.pending).toHaveLength(1);
    await world.deliver();
    expect(world.shown(pending(world).id).text).toMatch(/^\*\*Run this command\?\*\* \(x2\)/);
    const first = pending(world);
    world.press(first, 'Once');
    await world.deliver();
    expect(world.pending).toHaveLength(1);
    expect(pending(world).id).not.toBe(first.id);
    world.press(pending(world), 'Deny');
    expect((await both).map(({ kind }) => kind).sort()).toEqual(['pass', 'refused']);
    expect(world.events('begun')).toHaveLength(1);
  });

  it.each([
    ['Session', 'pass'],
    ['Always', 'pass'],
    ['Deny', 'refused'],
  ])('%s is for both', async (label, kind) => {
    const world = new ApprovalWorld();
    const { both } = await twice(world);
    world.press(pending(world), label);
    expect((await both).map((passage) => passage.kind)).toEqual([kind, kind]);
    expect(world.pending).toEqual([]);
  });

  it('a timeout is for both, and so is a shutdown', async () => {
    const world = new ApprovalWorld();
    const { both } = await twice(world);
    await world.clock.skip(1_800_000);
    expect((await both).map((passage) => passage.kind)).toEqual(['refused', 'refused']);
  });

  it('of a stopped worker: who waits with it asks for itself', async () => {
    const world = new ApprovalWorld({ config: { subagent_mode: 'ask' } });
    const made = world.turn();
    const stop = new AbortController();
    const child = childRun(made.run, 'w' as RunId, stop.signal);
    const sibling = childRun(made.run, 'v' as RunId);
    const both = withRun(made.run, () =>
      Promise.all([
        withRun(child, () => world.call(child, 'rm -rf build')),
        withRun(sibling, () => world.call(sibling, 'rm -rf build')),
      ]),
    );
    await world.deliver();
    const first = pending(world);
    stop.abort('stop');
    await world.deliver();
    expect(pending(world).id).not.toBe(first.id);
    world.press(pending(world), 'Once');
    expect((await both).map(({ kind }) => kind)).toEqual(['refused', 'pass']);
  });

  it('are never shared across sessions, and the ninth that waits is refused', async () => {
    const world = new ApprovalWorld();
    void world.asks('rm -rf build', { chat: 'c1' });
    void world.asks('rm -rf build', { chat: 'c2' });
    await world.deliver();
    expect(world.pending).toHaveLength(2);
    for (let i = 1; i < 8; i++) void world.asks(`rm -rf b${i}`, { chat: 'c1' });
    await world.deliver();
    expect(await world.asks('rm -rf b9', { chat: 'c1' }).passage).toMatchObject({
      text: 'Refused: 8 requests already wait for an answer (max_pending).',
    });
    expect(world.pending).toHaveLength(9);
  });
});

describe('a card on its way', () => {
  it('settled before it was sent goes out closed, never with live buttons', async () => {
    const world = new ApprovalWorld();
    const { session, passage } = world.asks('rm -rf build');
    await world.clock.skip(0);
    const { id, code } = pending(world);
    world.commands('approve', code, session);
    await passage;
    const sent = await world.deliver();
    expect(sent.map(({ message }) => [message.text.split('\n')[0], message.buttons])).toEqual([
      ['Allowed once by Ann, 12:00', undefined],
    ]);
    expect(world.store.outbox.get(`card:${id}:0`)?.state).toBe('superseded');
  });

  it('refused for good becomes text, and when that fails too the model is told', async () => {
    const world = new ApprovalWorld();
    const { passage } = world.asks('rm -rf build');
    await world.clock.skip(0);
    const { id, code } = pending(world);
    const fail = (key: string) => {
      world.store.outbox.close(world.store.outbox.get(key)!.id, 'dead', 'refused');
      world.broker.undeliverable(key);
    };
    fail(`card:${id}:0`);
    const text = world.store.outbox.get(`card-text:${id}:0`)!;
    expect(text.message.text).toContain(`Answer \`/approve ${code}\` or \`/deny ${code} <reason>\``);
    expect(text.message.buttons).toBeUndefined();
    fail(`card-text:${id}:0`);
    expect(await passage).toMatchObject({
      kind: 'refused',
      by: 'policy',
      text: 'Refused: the question could not be shown to anybody.',
    });
    world.broker.undeliverable('card:nonsense:0');
  });

  it('whose file cannot be sent leaves only a no', async () => {
    const world = new ApprovalWorld();
    const { session } = world.asks(`rm -rf ${'x'.repeat(9000)}`);
    await world.clock.skip(0);
    const { id, choices } = pending(world);
    expect(choices).toEqual(['once', 'deny']);
    expect(world.shown(id).files).toHaveLength(1);
    world.store.outbox.close(world.store.outbox.get(`card:${id}:0`)!.id, 'dead');
    world.broker.undeliverable(`card:${id}:0`);
    expect(pending(world).choices).toEqual(['deny']);
    expect(world.commands('approve', '', session)).toMatch(/does not fit/);
    expect(world.commands('deny', '', session)).toBe('Denied.');
  });

  it('in one of two chats is enough', async () => {
    const config = { card_to: 'both', approvers: ['telegram:bob'] } as const;
    const world = new ApprovalWorld({
      config,
      broker: { directOf: () => ({ platform: 'telegram', bot: 'b1', chat: 'bobs' }) },
    });
    void world.asks('rm -rf build');
    await world.clock.skip(0);
    const { id } = pending(world);
    for (const key of [`card:${id}:0`, `card-text:${id}:0`]) {
      world.store.outbox.close(world.store.outbox.get(key)!.id, 'dead');
      world.broker.undeliverable(key);
    }
    expect(world.pending).toHaveLength(1);
  });
});
