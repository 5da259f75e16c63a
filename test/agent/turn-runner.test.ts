import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { GOING_ROUND, SAME_AGAIN } from '../../src/agent/repetition.ts';
import { beginRun, endRun } from '../../src/context/run-context.ts';
import type { StepEvent } from '../../src/contract/model.ts';
import type { EndReason } from '../../src/contract/run.ts';
import type { Tool, ToolUse } from '../../src/contract/tool.ts';
import { settle } from '../fakes/fake-clock.ts';
import { call, calls, done, say, turnFixture } from './turn-fixture.ts';

/** A tool that notes when it begins and ends, and may wait for the test. */
function noted(name: string, effects: Tool['effects'], journal: string[] = [], wait?: Promise<void>): Tool {
  return {
    name,
    description: `the ${name}`,
    input: z.strictObject({ text: z.string().optional() }),
    effects,
    async run(input) {
      const { text = name } = input as { text?: string };
      journal.push(`begin ${text}`);
      await wait;
      journal.push(`end ${text}`);
      return { text: `result of ${text}`, isError: false };
    },
  };
}

const echo = () => noted('echo', 'write');

describe('a turn', () => {
  it('replies with the text and leaves its message to the caller', async () => {
    const t = turnFixture({ steps: [say('Hello Ann.')] });
    const result = await t.run();
    expect(result).toMatchObject({
      kind: 'replied',
      text: 'Hello Ann.',
      message: { role: 'assistant', content: 'Hello Ann.' },
    });
    expect(t.rows().map((row) => row.role)).toEqual(['user']);
    expect(t.sink.events).toEqual(['text Hello Ann.']);
  });

  it('records the call as planned before it runs, begun while it runs, done with its result', async () => {
    const seen: string[] = [];
    const t = turnFixture({
      tools: [
        {
          ...echo(),
          run: async () => {
            seen.push(t.calls()[0]!.state);
            return { text: 'fine', isError: false };
          },
        },
      ],
      steps: [calls({ type: 'text', delta: 'Let me look.' }, call('echo', { text: 'a' })), say('Done.')],
    });
    t.gate.judge = (asked) => {
      seen.push(t.calls()[0]!.state);
      return { kind: 'pass', input: asked.input };
    };
    await t.run();
    expect(seen).toEqual(['planned', 'begun']);
    expect(t.calls()).toMatchObject([{ state: 'done', result: 'fine', providerId: 'p1' }]);
    expect(t.rows()[1]).toMatchObject({ content: 'Let me look.', step: 1, model: 'test:m1' });
  });

  it('sends every call with its result, and what was sent stays a prefix of what is sent next', async () => {
    const t = turnFixture({
      tools: [echo()],
      steps: [
        ...Array.from({ length: 30 }, (_, i) => calls(call('echo', { text: `n${i}` }))),
        say('one'),
        say('two'),
        say('three'),
      ],
    });
    t.next(await t.run(), 'and again');
    t.next(await t.run(), 'and again');
    await t.run();
    const sent = t.model.requests.map((request) => request.messages);
    expect(sent).toHaveLength(33);
    for (const [i, messages] of sent.entries())
      expect(messages.slice(0, sent[i - 1]?.length ?? 0)).toEqual(sent[i - 1] ?? []);
    for (const messages of sent) {
      const made = messages.flatMap((m) => (m.role === 'assistant' ? m.calls.map((c) => c.id) : []));
      expect(messages.flatMap((m) => (m.role === 'tool' ? [m.callId] : []))).toEqual(made);
    }
    expect(new Set(t.model.requests.map((request) => JSON.stringify(request.system))).size).toBe(1);
  });

  it('gives the model the nearest three names for an unknown tool', async () => {
    const tools = ['read_file', 'write_file', 'list_files', 'shell'].map((name) => noted(name, 'read'));
    const t = turnFixture({ tools, steps: [calls(call('readfile', {})), say('sorry')] });
    await t.run();
    expect(t.calls()[0]).toMatchObject({
      state: 'failed',
      result: expect.stringContaining('no tool "readfile". Nearest: read_file'),
    });
    expect(t.gate.calls).toHaveLength(0);
  });

  it('names the right key for an unknown one and what is wrong with the others', async () => {
    const t = turnFixture({
      tools: [echo()],
      steps: [calls(call('echo', { txt: 'a' }), call('echo', { text: 5 })), say('sorry')],
    });
    await t.run();
    expect(t.calls()[0]).toMatchObject({
      state: 'failed',
      result: expect.stringContaining('unknown key "txt"; did you mean "text"?'),
    });
    expect(t.calls()[1]).toMatchObject({ state: 'failed', result: expect.stringContaining('text: Invalid input') });
  });

  it('runs nothing whose arguments cannot be read, and sends them as an object', async () => {
    const t = turnFixture({ tools: [echo()], steps: [calls(call('echo', '{"text": "a')), say('sorry')] });
    await t.run();
    expect(t.calls()[0]).toMatchObject({ state: 'failed', result: expect.stringContaining('not JSON') });
    expect(t.model.requests[1]?.messages[1]).toMatchObject({ calls: [{ raw: '{}' }] });
  });

  it('reads calls whatever the finish reason says, with missing and doubled ids', async () => {
    const t = turnFixture({
      tools: [echo()],
      steps: [
        [
          call('echo', { text: 'a' }, ''),
          call('echo', { text: 'b' }, 'x'),
          call('echo', { text: 'c' }, 'x'),
          done('stop'),
        ],
        say('ok'),
      ],
    });
    await t.run();
    expect(t.calls().map((c) => c.result)).toEqual(['result of a', 'result of b', 'result of c']);
    expect(new Set(t.calls().map((c) => c.id)).size).toBe(3);
  });

  it('tells the model what a refused call said and goes on', async () => {
    const t = turnFixture({ tools: [echo()], steps: [calls(call('echo', {})), say('I will not.')] });
    t.gate.judge = () => ({ kind: 'refused', by: 'person', rule: 'fs.delete', text: 'Refused by Ann.' });
    expect(await t.run()).toMatchObject({ kind: 'replied' });
    expect(t.calls()[0]).toMatchObject({ state: 'refused', result: 'Refused by Ann.' });
    expect(t.model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: 'Refused by Ann.',
      isError: true,
    });
  });

  it('runs what the gate passes, not what the model wrote', async () => {
    const t = turnFixture({ tools: [echo()], steps: [calls(call('echo', { text: 'written' })), say('ok')] });
    t.gate.judge = () => ({ kind: 'pass', input: { text: 'approved' } });
    await t.run();
    expect(t.calls()[0]?.result).toBe('result of approved');
  });

  it('turns a throwing tool into an error result and an error line', async () => {
    const broken = {
      ...echo(),
      run: async () => {
        throw new Error('disk on fire');
      },
    };
    const t = turnFixture({ tools: [broken], steps: [calls(call('echo', {})), say('it broke')] });
    expect(await t.run()).toMatchObject({ kind: 'replied', text: 'it broke' });
    expect(t.calls()[0]).toMatchObject({ state: 'failed', result: 'echo failed: disk on fire' });
    expect(t.log.map((line) => line.level)).toEqual(['error']);
  });

  it('takes secrets out of results and cuts them to size with both ends for commands', async () => {
    const long = {
      ...echo(),
      command: () => 'cat',
      run: async () => ({ text: `hunter2${'x'.repeat(5000)}end`, isError: false }),
    };
    const t = turnFixture({
      tools: [long],
      limits: { resultBytes: 1000 },
      steps: [calls(call('echo', {})), say('ok')],
    });
    await t.run();
    const result = t.calls()[0]?.result as string;
    expect(result).toMatch(/^\[secret\]x+\n\[4,011 bytes not shown\]\nx+end$/);
  });

  it('fails with the sentence for the person, and the next turn is well-formed', async () => {
    const failed: StepEvent[] = [
      { type: 'done', reason: 'failed', usage: null, failure: { kind: 'quota', detail: 'x' } },
    ];
    const t = turnFixture({ tools: [echo()], steps: [calls(call('echo', {})), failed, say('Back again.')] });
    const result = await t.run();
    expect(result).toMatchObject({ kind: 'failed', failure: { kind: 'quota' }, text: 'The model failed: quota.' });
    t.next(result, 'still there?');
    await t.run();
    expect(t.model.requests.at(-1)?.messages.map((m) => m.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
  });

  it('shows the text once when a step broke and was asked again', async () => {
    const t = turnFixture({ steps: [[{ type: 'text', delta: 'Half a' }, { type: 'restart' }, ...say('Whole.')]] });
    expect(await t.run()).toMatchObject({ text: 'Whole.' });
    expect(t.sink.events).toEqual(['text Half a', 'restart', 'text Whole.']);
  });

  it('says who answered after a fallback', async () => {
    const t = turnFixture({ steps: [say('Hi.')] });
    t.model.remark = 'answered by B; A: rate limited';
    expect(await t.run()).toMatchObject({ text: 'Hi.\n\n(answered by B; A: rate limited)' });
  });
});

describe('order of calls', () => {
  it('lets reads overlap, holds a write until they are done, and keeps the order of results', async () => {
    const journal: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const t = turnFixture({
      tools: [noted('look', 'read', journal, held), noted('put', 'write', journal)],
      steps: [
        calls(
          call('look', { text: 'r1' }),
          call('look', { text: 'r2' }),
          call('look', { text: 'r3' }),
          call('put', { text: 'w' }),
        ),
        say('ok'),
      ],
    });
    const result = t.run();
    await settle();
    expect(journal).toEqual(['begin r1', 'begin r2', 'begin r3']);
    release();
    await result;
    expect(journal.indexOf('begin w')).toBe(6);
    expect(t.model.requests[1]?.messages.slice(2).map((m) => m.content)).toEqual(
      ['r1', 'r2', 'r3', 'w'].map((t) => `result of ${t}`),
    );
  });

  it('holds what follows a question until it is answered', async () => {
    const journal: string[] = [];
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const t = turnFixture({
      tools: [noted('look', 'read', journal)],
      steps: [calls(call('look', { text: 'a' }), call('look', { text: 'b' }), call('look', { text: 'c' })), say('ok')],
    });
    t.gate.judge = async (c) => {
      if ((c.input as { text: string }).text === 'b') {
        c.asking(true);
        await asked;
        c.asking(false);
      }
      return { kind: 'pass', input: c.input };
    };
    const result = t.run();
    await settle();
    expect(journal).toEqual(['begin a', 'end a']);
    answer();
    await result;
    expect(journal).toHaveLength(6);
    expect(t.sink.events.filter((e) => e.startsWith('waiting'))).toEqual(['waiting true', 'waiting false']);
  });

  it('runs at most 32 calls of a step and skips the rest', async () => {
    const many = Array.from({ length: 35 }, (_, i) => call('echo', { text: `${i}` }));
    const t = turnFixture({ tools: [echo()], steps: [calls(...many), say('ok')] });
    await t.run();
    expect(t.calls().filter((c) => c.state === 'done')).toHaveLength(32);
    expect(t.calls().filter((c) => c.state === 'skipped')).toHaveLength(3);
  });
});

describe('guards', () => {
  it('does not run the third equal call, and takes tools away after the fourth', async () => {
    const t = turnFixture({
      tools: [echo()],
      steps: [...Array.from({ length: 4 }, () => calls(call('echo', { text: 'x' }))), say('I give up.')],
    });
    expect(await t.run()).toMatchObject({ text: 'I give up.' });
    expect(t.calls().map((c) => c.state)).toEqual(['done', 'done', 'skipped', 'skipped']);
    expect(
      t
        .calls()
        .map((c) => c.result)
        .slice(2),
    ).toEqual([SAME_AGAIN, GOING_ROUND]);
    expect(t.model.requests.map((r) => r.toolChoice)).toEqual(['auto', 'auto', 'auto', 'auto', 'none']);
  });

  it('goes on when equal calls give new results', async () => {
    let count = 0;
    const poll = { ...echo(), run: async () => ({ text: `${count++}`, isError: false }) };
    const t = turnFixture({
      tools: [poll],
      steps: [...Array.from({ length: 20 }, () => calls(call('echo', {}))), say('ready')],
    });
    expect(await t.run()).toMatchObject({ text: 'ready' });
    expect(count).toBe(20);
  });

  it('sees A-B-A-B-A-B', async () => {
    const step = (text: string) => calls(call('echo', { text }));
    const t = turnFixture({ tools: [echo()], steps: [...['a', 'b', 'a', 'b', 'a', 'b'].map(step), say('enough')] });
    await t.run();
    expect(t.calls().map((c) => c.state)).toEqual(['done', 'done', 'done', 'done', 'done', 'skipped']);
    expect(t.model.requests.at(-1)?.toolChoice).toBe('none');
  });

  it('takes tools away after eight failures of one tool in a row', async () => {
    const failing = {
      ...echo(),
      run: async (input: unknown) => ({ text: `no ${JSON.stringify(input)}`, isError: true }),
    };
    const t = turnFixture({
      tools: [failing],
      steps: [...Array.from({ length: 8 }, (_, i) => calls(call('echo', { text: `${i}` }))), say('it never works')],
    });
    expect(await t.run()).toMatchObject({ text: 'it never works' });
    expect(t.model.requests.map((r) => r.toolChoice).lastIndexOf('auto')).toBe(7);
  });

  it('ends at the step budget with a summary, after a warning at 80 %', async () => {
    const t = turnFixture({
      tools: [echo()],
      limits: { maxSteps: 5 },
      steps: [
        ...Array.from({ length: 5 }, (_, i) => calls(call('echo', { text: `${i}` }))),
        say('Two of three are done.'),
      ],
    });
    expect(await t.run()).toMatchObject({
      text: 'Two of three are done.\n\nStopped after 5 steps. Say "go on" to continue.',
    });
    expect(t.calls().map((c) => /hermod: (.*)/.exec(c.result ?? '')?.[1])).toEqual([
      undefined,
      undefined,
      undefined,
      '4 of 5 steps are used. Finish soon.',
      'that was the last step, tools are off now. Say what is done and what is open.',
    ]);
    expect(t.model.requests.map((r) => r.toolChoice)).toEqual(['auto', 'auto', 'auto', 'auto', 'auto', 'none']);
  });
});

describe('the output limit', () => {
  it('continues a cut text twice at most, and says so', async () => {
    const cut = (text: string): StepEvent[] => [{ type: 'text', delta: text }, done('length')];
    const t = turnFixture({ steps: [cut('one '), cut('two '), cut('three')] });
    expect(await t.run()).toMatchObject({ text: "one two three\n\n(cut at the model's output limit)" });
    expect(t.model.requests[2]?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', content: 'one two ' },
      { role: 'user' },
    ]);
  });

  it('never runs a cut call; once it asks for smaller pieces, then tools are off', async () => {
    const cut = [call('echo', '{"text": "aaa'), done('length')];
    const t = turnFixture({ tools: [echo()], steps: [cut, cut, say('Too long.')] });
    expect(await t.run()).toMatchObject({ text: 'Too long.' });
    expect(t.calls().map((c) => c.state)).toEqual(['skipped', 'skipped']);
    expect(t.calls()[0]?.result).toContain('smaller pieces');
    expect(t.model.requests.at(-1)?.toolChoice).toBe('none');
  });

  it('does not read an empty cut call as a call without arguments', async () => {
    const t = turnFixture({ tools: [echo()], steps: [[call('echo', ''), done('length')], say('ok')] });
    await t.run();
    expect(t.calls()[0]?.state).toBe('skipped');
  });
});

describe('stop', () => {
  const hanging = (begun: () => void): Tool => ({
    ...noted('hang', 'exec'),
    run: (_input: unknown, use: ToolUse) =>
      new Promise((resolve) => {
        use.signal.addEventListener('abort', () => resolve({ text: 'half', isError: true }));
        begun();
      }),
  });

  it('keeps the partial text, marked, and closes the stream', async () => {
    const t = turnFixture({
      steps: [
        async function* (_request, signal) {
          yield { type: 'text', delta: 'I was about to' };
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          yield { type: 'done', reason: 'aborted', usage: null };
        },
      ],
    });
    const result = t.run();
    await settle();
    t.abort.abort('stop' satisfies EndReason);
    expect(await result).toEqual({ kind: 'stopped', by: 'stop', partial: 'I was about to' });
    expect(t.rows().at(-1)).toMatchObject({ role: 'assistant', mark: 'partial', content: 'I was about to' });
  });

  it('ends begun calls as maybe done, planned ones as not run', async () => {
    const t = turnFixture({
      tools: [hanging(() => t.abort.abort('stop')), echo()],
      steps: [calls(call('hang', {}), call('echo', {}))],
    });
    expect(await t.run()).toMatchObject({ kind: 'stopped', by: 'stop' });
    expect(t.calls()).toMatchObject([
      { state: 'unknown', result: expect.stringContaining('stopped by the person; it may have had effects') },
      { state: 'skipped', result: 'not run' },
    ]);
  });

  it('does not wait for a tool that ignores its signal', async () => {
    const deaf: Tool = {
      ...noted('deaf', 'exec'),
      run: () => {
        t.abort.abort('stop');
        return new Promise(() => {});
      },
    };
    const t = turnFixture({ tools: [deaf], steps: [calls(call('deaf', {}))] });
    const result = t.run();
    await t.clock.skip(100);
    expect(await result).toMatchObject({ kind: 'stopped' });
    expect(t.calls()[0]?.state).toBe('unknown');
  });

  it('settles nothing at shutdown but what had begun, and goes on from there', async () => {
    const t = turnFixture({
      tools: [hanging(() => t.abort.abort('shutdown')), echo()],
      steps: [calls(call('hang', {}), call('echo', { text: 'later' })), say('Resumed.')],
    });
    expect(await t.run()).toMatchObject({ kind: 'stopped', by: 'shutdown' });
    expect(t.calls().map((c) => c.state)).toEqual(['unknown', 'planned']);
    const again = new AbortController();
    expect(await t.run(t.newRun(again.signal))).toMatchObject({ kind: 'replied', text: 'Resumed.' });
    expect(t.calls()).toMatchObject([
      { state: 'unknown', result: expect.stringMatching(/^interrupted; outcome unknown, check before repeating/) },
      { state: 'done', result: 'result of later' },
    ]);
  });
});

describe('resume', () => {
  it('parks on a question at shutdown and runs it after the boot', async () => {
    const t = turnFixture({
      tools: [echo()],
      steps: [calls(call('echo', { text: 'a' }), call('echo', { text: 'b' })), say('Done.')],
    });
    t.gate.judge = () => ({ kind: 'parked', approval: 'ap1' as never });
    expect(await t.run()).toEqual({ kind: 'parked', approval: 'ap1' });
    expect(t.calls().map((c) => c.state)).toEqual(['planned', 'planned']);
    t.gate.judge = (asked) => ({ kind: 'pass', input: asked.input });
    expect(await t.run(t.newRun())).toMatchObject({ kind: 'replied', text: 'Done.' });
    expect(t.calls().map((c) => c.state)).toEqual(['done', 'done']);
    expect(t.model.requests).toHaveLength(2);
  });

  it('never repeats what a dead process had begun', async () => {
    const journal: string[] = [];
    const t = turnFixture({ tools: [noted('echo', 'write', journal)], steps: [say('I look first.')] });
    const row = t.store.transcript.append(
      {
        session: t.session.id,
        turn: t.turn.id,
        step: 1,
        role: 'assistant',
        content: '',
        calls: [{ providerId: 'p', name: 'echo', raw: '{}' }],
      },
      t.clock.now(),
    );
    t.store.transcript.begin(row.calls[0]!.id, t.boot, t.clock.now());
    const boot = t.store.boots.begin(2, t.clock.now()).id;
    t.store.transcript.recover(boot, t.clock.now());
    expect(await t.run()).toMatchObject({ kind: 'replied' });
    expect(journal).toEqual([]);
    expect(t.gate.calls).toEqual([]);
    expect(t.calls()[0]).toMatchObject({
      state: 'unknown',
      result: 'interrupted; outcome unknown, check before repeating',
    });
  });

  it('returns an answer that was already written without asking the model', async () => {
    const t = turnFixture({ steps: [] });
    t.store.transcript.append(
      { session: t.session.id, turn: t.turn.id, step: 1, role: 'assistant', content: 'Here.' },
      t.clock.now(),
    );
    expect(await t.run()).toEqual({ kind: 'replied', text: 'Here.', message: undefined });
    expect(t.model.requests).toEqual([]);
  });
});

describe('the one road', () => {
  it('refuses a call outside its run, after its end, and leaves the row alone', async () => {
    const t = turnFixture({ tools: [echo()], steps: [say('ok')] });
    const run = t.newRun();
    await t.run(run);
    const ask = {
      call: 'c1' as never,
      turn: null,
      tool: 'echo',
      input: {},
      run,
      recorded: false,
      asking: () => {},
      progress: () => {},
    };
    expect(await t.registry.call(ask)).toMatchObject({
      state: 'refused',
      text: expect.stringContaining('context_mismatch'),
    });
    expect(t.log).toMatchObject([{ level: 'error', facts: { rule: 'context_mismatch' } }]);
    const other = t.newRun();
    const handle = beginRun(other);
    const ended = handle.run(async () => {
      endRun(handle);
      return t.registry.call({ ...ask, run: other });
    });
    expect(await ended).toMatchObject({ state: 'refused', text: expect.stringContaining('run_ended') });
    expect(t.gate.calls).toEqual([]);
  });

  it('commits what an atomic tool writes together with its result', async () => {
    const writes: string[] = [];
    const atomic: Tool = {
      ...noted('book', 'own'),
      atomic: true,
      run: async () => ({ text: 'booked', isError: false, commit: () => writes.push(t.calls()[0]!.state) }),
    };
    const t = turnFixture({ tools: [atomic], steps: [calls(call('book', {})), say('ok')] });
    await t.run();
    expect(writes).toEqual(['planned']);
    expect(t.calls()[0]).toMatchObject({ state: 'done', result: 'booked' });
  });

  it('fails an atomic call whose writing fails, and nothing of it stays', async () => {
    const atomic: Tool = {
      ...noted('book', 'own'),
      atomic: true,
      run: async () => ({
        text: 'booked',
        isError: false,
        commit: () => {
          t.store.sessions.setTitle(t.session.id, 'half');
          throw new Error('full');
        },
      }),
    };
    const t = turnFixture({ tools: [atomic], steps: [calls(call('book', {})), say('ok')] });
    await t.run();
    expect(t.calls()[0]).toMatchObject({ state: 'failed', result: 'book failed: full' });
    expect(t.store.sessions.get(t.session.id)?.title).toBeNull();
  });
});
