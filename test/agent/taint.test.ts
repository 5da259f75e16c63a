import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createScriptCalls } from '../../src/agent/script-calls.ts';
import { Taint } from '../../src/agent/taint.ts';
import { childRun } from '../../src/context/run-context.ts';
import type { RunId, TurnId } from '../../src/contract/ids.ts';
import type { Tool } from '../../src/contract/tool.ts';
import { createDelegate } from '../../src/tools/delegate.ts';
import { AgentWorld, type AgentWorldOptions } from '../fakes/agent-world.ts';
import { plainTool } from '../fakes/approval-world.ts';
import { chatRun } from '../fakes/runs.ts';
import { call, calls, say } from './turn-fixture.ts';

const fetchTool = plainTool('fetch', 'read', {
  run: async () => ({ text: 'a page', isError: false, untrusted: 'example.org' }),
});
const noteTool = plainTool('note', 'own', { change: () => 'memory' });
const FETCH = calls(call('fetch', {}));
const NOTE = calls(call('note', {}));

function world(options: AgentWorldOptions = {}) {
  const made: AgentWorld = new AgentWorld({
    ...options,
    tools: [fetchTool, noteTool, ...(options.tools ?? [])],
  });
  made.registry.add(
    createDelegate({ maxDepth: 1, maxChildren: 3, work: (...order) => made.workers.work(...order) }) as never,
  );
  return made;
}

const labels = ({ approvals }: AgentWorld) => approvals.events('decided').map(({ body }) => body['label']);

describe('a turn that read untrusted text', () => {
  it('asks before it changes something that lasts; a clean one does not', async () => {
    const t = world({
      turns: [
        [FETCH, NOTE, say('Noted.')],
        [NOTE, say('Noted.')],
      ],
    });
    const turn = t.begin('read and remember');
    const result = t.run(turn);
    await t.approvals.until(() => t.approvals.pending.length === 1);
    const [row] = t.approvals.pending;
    expect(row).toMatchObject({
      findings: [{ rule: 'untrusted.change', personOnly: true }],
      choices: ['once', 'deny'],
      details: { title: 'This turn read text from example.org. Save this note?', requesterOnly: true },
    });
    await t.approvals.deliver();
    t.approvals.press(row!, 'Once');
    expect((await result).kind).toBe('replied');
    expect(t.calls(turn).map(({ state }) => state)).toEqual(['done', 'done']);

    const clean = t.begin('remember');
    expect((await t.run(clean)).kind).toBe('replied');
    expect(t.approvals.store.transcript.ofTurn(clean.row.id).at(-1)?.calls[0]?.state).toBe('done');
    expect(labels(t)).toEqual(['ask:chat']);
  });

  it('is still known as one after a restart, by its rows', async () => {
    const t = world({ turns: [[FETCH, NOTE], [say('Not noted.')]] });
    const first = t.begin('read and remember');
    const parked = t.run(first);
    await t.approvals.until(() => t.approvals.pending.length === 1);
    first.stop.abort('shutdown');
    expect((await parked).kind).toBe('parked');
    await t.approvals.deliver();
    t.approvals.press(t.approvals.pending[0]!, 'Deny');
    const second = t.again(first.row);
    expect(t.registry.taint.of(second.run, first.row.id)).toBe('example.org');
    expect((await t.run(second)).kind).toBe('replied');
    expect(t.calls(second).map(({ state }) => state)).toEqual(['done', 'refused']);
  });

  it('hands its taint to its workers, which are refused', async () => {
    const t = world({
      turns: [[FETCH, calls(call('delegate', { workers: [{ goal: 'note it' }] })), say('Done.')]],
      workers: [[NOTE, say('I could not.')]],
      config: { subagent_mode: 'approve', mode: 'off' },
    });
    await t.run(t.begin('read, then let a worker remember'));
    expect(labels(t)).toEqual(['block:person-only']);
  });

  it('a worker of a clean turn that reads such text is refused too, and taints its parent', async () => {
    const t = world({
      turns: [[calls(call('delegate', { workers: [{ goal: 'read' }] })), NOTE, say('Done.')]],
      workers: [[FETCH, NOTE, say('Read it.')]],
      config: { subagent_mode: 'approve' },
    });
    const turn = t.begin('let a worker read, then remember');
    const result = t.run(turn);
    await t.approvals.until(() => t.approvals.pending.length === 1);
    expect(labels(t)).toEqual(['block:person-only', 'ask:chat']);
    expect(t.calls(turn)[0]?.untrusted).toBe('example.org');
    t.approvals.broker.cancelSession(turn.run.session, 'stop');
    turn.stop.abort('stop');
    await result;
  });

  it('and a script in it: what a script reads and changes counts for its run', async () => {
    const script: Tool = plainTool('script', 'own', {
      input: z.object({ tools: z.array(z.string()) }) as never,
      run: async (input, use) => {
        const results = [];
        for (const tool of (input as { tools: string[] }).tools)
          results.push(await scripts(use, { tool, input: {}, signal: use.signal, asking: use.asking }));
        return { text: results.map(({ isError }) => (isError ? 'refused' : 'done')).join(' '), isError: false };
      },
    });
    const t: AgentWorld = world({
      turns: [[calls(call('script', { tools: ['note', 'fetch', 'note'] })), say('Done.')]],
      config: { mode: 'off' },
      tools: [script],
    });
    const scripts = createScriptCalls(t.registry, ['fetch', 'note']);
    const turn = t.begin('run it');
    const result = t.run(turn);
    await t.approvals.until(() => t.approvals.pending.length === 1);
    await t.approvals.deliver();
    t.approvals.press(t.approvals.pending[0]!, 'Deny');
    expect((await result).kind).toBe('replied');
    expect(t.calls(turn)[0]?.result).toBe('done done refused');
  });
});

describe('taint', () => {
  const none = { untrustedIn: (turn: TurnId) => (turn === 't2' ? 'rows' : undefined) };
  it('keeps the first source, apart for every run', () => {
    const taint = new Taint(none);
    const [a, b] = [chatRun(), chatRun()];
    taint.add(a, 'first');
    taint.add(a, 'second');
    expect([taint.of(a, null), taint.of(b, null), taint.of(b, 't2' as TurnId)]).toEqual(['first', undefined, 'rows']);
  });

  it('goes from a turn to its worker, not back', () => {
    const taint = new Taint(none);
    const parent = chatRun();
    const [before, after, other] = [1, 2, 3].map((n) => childRun(parent, `w${n}` as RunId));
    taint.inherit(before!, parent, null);
    taint.add(after!, 'page');
    expect(taint.of(parent, null)).toBeUndefined();
    taint.inherit(other!, parent, 't2' as TurnId);
    expect([before, after, other].map((run) => taint.of(run!, null))).toEqual([undefined, 'page', 'rows']);
  });
});
