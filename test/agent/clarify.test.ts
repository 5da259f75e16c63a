import { describe, expect, it } from 'vitest';
import { createPersonQuestions } from '../../src/agent/person-questions.ts';
import type { ButtonPress } from '../../src/contract/message.ts';
import type { RunContext } from '../../src/contract/run.ts';
import { createClarify } from '../../src/tools/clarify.ts';
import { AgentWorld, type AgentWorldOptions } from '../fakes/agent-world.ts';
import { ANN, BOB } from '../fakes/approval-world.ts';
import { settle } from '../fakes/fake-clock.ts';
import { chatRun, cliRun, cronRun, unattendedRun } from '../fakes/runs.ts';
import { call, calls, say } from './turn-fixture.ts';

const QUESTION = { question: 'Which colour?', choices: ['red', 'green'] };
const asks = (input: unknown = QUESTION) => calls(call('clarify', input));

function asking(options: AgentWorldOptions = {}) {
  const world: AgentWorld = new AgentWorld({ turns: [[asks(), say('Fine.')]], ...options });
  const { broker, store } = world.approvals;
  world.registry.add(createClarify({ ask: createPersonQuestions(broker, store.transcript) }) as never);
  return world;
}

async function shown(world: AgentWorld) {
  await world.approvals.until(() => world.approvals.pending.length === 1);
  await world.approvals.deliver();
  return world.approvals.pending[0]!;
}

const press = ({ approvals }: AgentWorld, label: string, by = ANN) => {
  const row = approvals.pending[0]!;
  const { data } = approvals.buttons(row.id).find((button) => button.label === label)!;
  return approvals.broker.press(approvals.event({ by, data }) as ButtonPress).text;
};

describe('clarify', () => {
  it('asks the requester and gives the answer to the model; while it waits, the turn waits for a person', async () => {
    const world = asking();
    const turn = world.begin('paint it');
    const result = world.run(turn);
    const row = await shown(world);
    expect(world.calls(turn)[0]?.state).toBe('asked');
    expect(turn.sink.events).toEqual(['tool clarify: Which colour?', 'tool Waiting for your answer.', 'waiting true']);
    expect(press(world, 'green', BOB)).toBe('Only Ann can answer this.');
    expect(press(world, 'green')).toBe('Answered.');
    expect(await result).toMatchObject({ kind: 'replied', text: 'Fine.' });
    expect(turn.sink.events).toContain('waiting false');
    expect(world.calls(turn)[0]).toMatchObject({ state: 'done', result: 'green', flagged: false });
    expect(world.approvals.store.approvals.get(row.id)).toMatchObject({ state: 'granted', command: null });
  });

  it('says when nobody answered in time, and that is no failure', async () => {
    const world = asking();
    const turn = world.begin('paint it');
    const result = world.run(turn);
    await shown(world);
    await world.approvals.clock.skip(1_800_000);
    expect((await result).kind).toBe('replied');
    expect(world.calls(turn)[0]).toMatchObject({ state: 'done', result: 'no answer' });
  });

  it('parks with the process, and the same question is answered after the restart', async () => {
    const world = asking({ turns: [[asks()], [say('Green it is.')]] });
    const first = world.begin('paint it');
    const parked = world.run(first);
    const row = await shown(world);
    first.stop.abort('shutdown');
    expect(await parked).toEqual({ kind: 'parked', approval: row.id });
    expect(world.calls(first)[0]).toMatchObject({ state: 'asked', result: null });

    world.approvals.broker.recover();
    expect(world.approvals.pending.map(({ id }) => id)).toEqual([row.id]);
    expect(press(world, 'green')).toBe('Answered.');
    const again = world.again(first.row);
    expect(await world.run(again)).toMatchObject({ kind: 'replied', text: 'Green it is.' });
    expect(world.calls(again).map(({ state, result }) => [state, result])).toEqual([['done', 'green']]);
  });

  it('that is brought back before anybody answered waits again, for the one card there is', async () => {
    const world = asking({ turns: [[asks()], [say('Red, then.')]] });
    const first = world.begin('paint it');
    const parked = world.run(first);
    await shown(world);
    first.stop.abort('shutdown');
    await parked;
    const result = world.run(world.again(first.row));
    await settle();
    expect(world.approvals.pending).toHaveLength(1);
    press(world, 'red');
    expect(await result).toMatchObject({ text: 'Red, then.' });
  });

  it('expired while the process was away: the model reads that nobody answered', async () => {
    const world = asking({ turns: [[asks()], [say('I chose red.')]] });
    const first = world.begin('paint it');
    const parked = world.run(first);
    await shown(world);
    first.stop.abort('shutdown');
    await parked;
    world.approvals.clock.jump(2_000_000);
    world.approvals.broker.recover();
    expect(await world.run(world.again(first.row))).toMatchObject({ text: 'I chose red.' });
    expect(world.calls(first)[0]?.result).toBe('no answer');
  });

  it.each(['stop', 'reset'] as const)('ends with a %s, unanswered', async (by) => {
    const world = asking();
    const turn = world.begin('paint it');
    const result = world.run(turn);
    const row = await shown(world);
    world.approvals.broker.cancelSession(row.session, by);
    turn.stop.abort(by);
    expect(await result).toMatchObject({ kind: 'stopped', by });
    expect(world.calls(turn)[0]).toMatchObject({ state: 'failed', result: expect.stringMatching(/^Not answered: /) });
    expect(world.approvals.pending).toEqual([]);
  });

  it('counts among what a session may have open', async () => {
    const world = asking({ config: { max_pending: 1 } });
    const other = world.approvals.asks('rm -rf build');
    await settle();
    const turn = world.begin('paint it');
    expect((await world.run(turn)).kind).toBe('replied');
    expect(world.calls(turn)[0]).toMatchObject({
      state: 'failed',
      result: 'Not answered: 1 requests already wait for an answer.',
    });
    world.approvals.broker.cancelSession(other.session, 'stop');
    await other.passage;
  });

  it.each([
    ['a job', cronRun()],
    ['a webhook', unattendedRun()],
    ['a terminal', cliRun()],
    ['a script of a chat', chatRun()],
  ] as [string, RunContext][])('has nobody to ask for %s', async (_, run) => {
    const world = asking();
    expect(await world.call(run, 'clarify', QUESTION)).toMatchObject({
      state: 'done',
      text: 'nobody can answer here, decide yourself',
    });
    expect(world.approvals.pending).toEqual([]);
  });

  it('is not offered to workers', () => {
    const world = asking();
    const names = (depth: number) => world.registry.offered({ ...chatRun(), depth }).map(({ name }) => name);
    expect([names(0), names(1)]).toEqual([['clarify'], []]);
  });

  it.each([
    ['no question', { question: ' ' }],
    ['a question too long', { question: 'x'.repeat(301) }],
    ['five choices', { question: 'x', choices: ['1', '2', '3', '4', '5'] }],
    ['a choice too long', { question: 'x', choices: ['y'.repeat(61)] }],
    ['a key nobody knows', { question: 'x', options: [] }],
  ])('refuses %s', (_, input) => {
    const tool = createClarify({ ask: async () => ({ kind: 'nobody' }) });
    expect(tool.input.safeParse(input).success).toBe(false);
  });
});
