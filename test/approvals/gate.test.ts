import { describe, expect, it } from 'vitest';
import type { Passage } from '../../src/approvals/gate-deps.ts';
import { type EnvMarkers, NO_MARKERS } from '../../src/context/authority.ts';
import { beginRun, childRun, endRun, withRun } from '../../src/context/run-context.ts';
import type { RunId } from '../../src/contract/ids.ts';
import type { RunContext } from '../../src/contract/run.ts';
import type { Tool } from '../../src/contract/tool.ts';
import { ANN, ApprovalWorld, BOB, codeTool, plainTool, shellTool } from '../fakes/approval-world.ts';
import { settle } from '../fakes/fake-clock.ts';
import { chatRun, cliRun, cronRun, unattendedRun } from '../fakes/runs.ts';

const CRON_ONLY: EnvMarkers = { ...NO_MARKERS, cron: true };
const ALL_MARKERS: EnvMarkers = { cron: true, gateway: true, ask: true, interactive: true };
const world = (config: ConstructorParameters<typeof ApprovalWorld>[0] = {}) => new ApprovalWorld(config);
const rule = (passage: Passage) => (passage.kind === 'refused' ? passage.rule : passage.kind);
const text = (passage: Passage) => (passage.kind === 'refused' ? passage.text : passage.kind);
const writeTool = plainTool('write_file', 'write', { paths: () => [{ path: '/home/user/.ssh/config', use: 'write' }] });
const guards: readonly [string, Tool, unknown][] = [
  ['shell', shellTool, { command: 'rm -rf build' }],
  ['code', codeTool, { source: 'print(1)' }],
  ['tool', writeTool, {}],
];
const worker = (run: RunContext, n = 1): RunContext =>
  n === 0 ? run : childRun(worker(run, n - 1), `w${n}-${run.runId}` as RunId);
/** Opens a worker inside its parents, as delegation does. */
const inside = (run: RunContext, fn: () => Promise<Passage>): Promise<Passage> => withRun(run, fn);

describe('the run of a call', () => {
  it.each(guards)('%s: another run, no run, or an ended one is refused', async (_, tool, input) => {
    const w = world();
    const run = chatRun();
    expect(rule(await w.call(run, '', { tool, input }))).toBe('context_mismatch');
    expect(rule(await withRun(cronRun(), () => w.call(run, '', { tool, input })))).toBe('context_mismatch');
    expect(rule(await withRun(run, () => w.call(undefined, '', { tool, input })))).toBe('context_mismatch');
    const over = beginRun(run);
    endRun(over);
    expect(rule(await over.run(() => w.call(run, '', { tool, input })))).toBe('run_ended');
    expect(w.log.filter(({ level }) => level === 'error')).toHaveLength(3);
    expect(w.pending).toEqual([]);
  });

  it.each(guards)('%s: without a run the cron marker is the only one that counts', async (_, tool, input) => {
    const ask = (markers: EnvMarkers, cron_mode: 'deny' | 'approve' = 'deny') =>
      world({ config: { cron_mode }, gate: { markers } }).call(undefined, '', { tool, input });
    expect(text(await ask(NO_MARKERS))).toMatch(/needs a person and this call belongs to no run\.$/);
    expect(text(await ask({ ...ALL_MARKERS, cron: false }))).toMatch(
      /HERMOD_GATEWAY_SESSION, HERMOD_EXEC_ASK, HERMOD_INTERACTIVE are set, but nobody is connected to this call\.$/,
    );
    expect(text(await ask(CRON_ONLY))).toMatch(/Scheduled jobs may not run this; approvals\.cron_mode is deny\./);
    expect((await ask(CRON_ONLY, 'approve')).kind).toBe('pass');
  });

  it.each(guards)('%s: a session that was left leaves the markers, nothing is pinned', async (_, tool, input) => {
    const w = world({ gate: { markers: CRON_ONLY } });
    const handle = beginRun(chatRun());
    endRun(handle);
    endRun(handle);
    endRun(null);
    expect(text(await w.call(undefined, '', { tool, input }))).toMatch(/Scheduled jobs may not run this/);
    expect(w.pending).toEqual([]);
  });

  it('markers change nothing about a live run: a chat asks, a job under deny is refused at once', async () => {
    const w = world({ gate: { markers: ALL_MARKERS } });
    for (const [, tool, input] of guards) {
      expect(text(await w.within(cronRun(), '', { tool, input }))).toMatch(/Scheduled jobs may not run this/);
    }
    expect(w.pending).toEqual([]);
    const chat = [shellTool, codeTool].map((tool) =>
      w.asks('', {}, { tool, input: tool === codeTool ? { source: 'x' } : { command: 'rm -rf b' } }),
    );
    await w.deliver();
    expect(w.pending.map(({ guard }) => guard).sort()).toEqual(['code', 'shell']);
    w.broker.cancelSession(chat[0]!.session, 'stop');
    await Promise.all(chat.map(({ passage }) => passage));
  });
});

describe('guards', () => {
  it('a script is asked about as a whole, unless the scan may clear it; the scan still finds the worst', async () => {
    const run = (source: string, config = {}) => {
      const w = world({ config });
      return { w, passage: w.asks('', {}, { tool: codeTool, input: { source } }).passage };
    };
    const whole = run('print(1)');
    await whole.w.deliver();
    expect(whole.w.pending[0]).toMatchObject({
      guard: 'code',
      findings: [{ rule: 'code.script', why: 'runs a script of 1 line' }],
    });
    expect((await run('print(1)', { execute_code: 'scan' }).passage).kind).toBe('pass');
    const flagged = run('eval("x")', { execute_code: 'scan' });
    await flagged.w.deliver();
    expect(flagged.w.pending[0]?.findings.map((f) => f.rule)).toEqual(['code.dynamic']);
    for (const config of [{}, { execute_code: 'scan', mode: 'off' }]) {
      expect(rule(await run('wipe()', config).passage)).toBe('fs.wipe');
    }
  });

  it('a tool that says nothing about itself is asked about when it writes or executes', async () => {
    const w = world();
    const pass = (tool: Tool, input: unknown = {}) => w.asks('', {}, { tool, input }).passage;
    expect((await pass(plainTool('peek', 'read'))).kind).toBe('pass');
    expect((await pass(plainTool('note', 'own'))).kind).toBe('pass');
    expect((await pass(plainTool('tidy', 'write', { findings: () => [] }))).kind).toBe('pass');
    void pass(plainTool('send_file', 'write'), { to: 'ann', text: 'a\nb: c' });
    await w.deliver();
    expect(w.pending[0]).toMatchObject({ tool: 'send_file', command: 'send_file\nto: ann\ntext:\n  a\n  b: c' });
    expect(w.pending[0]?.findings[0]?.rule).toBe('tool.call');
  });

  it('paths are graded, and outside the work folders asked about', async () => {
    const w = world();
    const file = (path: string, use: 'read' | 'write') => plainTool('file', use, { paths: () => [{ path, use }] });
    const pass = (tool: Tool) => w.asks('', {}, { tool, input: { x: Math.random() } }).passage;
    expect((await pass(file('notes.txt', 'write'))).kind).toBe('pass');
    expect((await pass(file('/proj/deep/notes.txt', 'read'))).kind).toBe('pass');
    for (const [path, use] of [
      ['/etc/hosts', 'read'],
      ['/proj-other/x', 'write'],
      ['../x', 'write'],
      ['~/.ssh/config', 'write'],
    ] as const) {
      void pass(file(path, use));
    }
    await w.deliver();
    expect(w.pending.map(({ findings }) => findings.map((f) => f.rule).join(' '))).toEqual([
      'files.outside',
      'files.outside',
      'files.outside',
      'fs.protected files.outside',
    ]);
  });

  it('a link out of the work folders is judged as what it points at', async () => {
    const realPath = async (path: string) => path.replace('/proj/link', '/home/user/.ssh');
    const w = world({ gate: { realPath } });
    void w.asks(
      '',
      {},
      { tool: plainTool('file', 'write', { paths: () => [{ path: 'link/config', use: 'write' }] }), input: {} },
    );
    await w.deliver();
    expect(w.pending[0]?.findings.map(({ rule: id }) => id)).toEqual(['fs.protected', 'files.outside']);
  });

  it('a lasting change after untrusted text needs the requester, whatever the mode', async () => {
    const note = plainTool('memory', 'own', { change: () => 'memory' });
    const config = {
      mode: 'off',
      cron_mode: 'approve',
      subagent_mode: 'approve',
      approvers: ['telegram:bob'],
    } as const;
    const w = world({ config, gate: { taint: () => 'example.org' } });
    const { passage } = w.asks('', {}, { tool: note, input: { text: 'remember\nthis' } });
    await w.deliver();
    const [row] = w.pending;
    expect(w.shown(row!.id).text).toMatch(/^\*\*This turn read text from example\.org\. Save this note\?\*\*\n/);
    expect(w.shown(row!.id).text).toContain('text:\n  remember\n  this');
    expect(row?.choices).toEqual(['once', 'deny']);
    expect(w.press(row!, 'Once', BOB)).toBe('Only Ann can answer this.');
    w.press(row!, 'Once');
    expect((await passage).kind).toBe('pass');
    const made = w.turn();
    const child = worker(made.run);
    const refused = await withRun(made.run, () =>
      inside(child, () => w.call(child, '', { tool: note, input: {}, turn: made.turn })),
    );
    expect(text(refused)).toMatch(/^Refused: untrusted\.change needs a person/);
    const job = plainTool('schedule', 'own', { change: () => 'job' });
    expect((await w.asks('', {}, { tool: job, input: {} }).passage).kind).toBe('pass');
  });

  it('deny rules bind every guard, in containers too, and name themselves', async () => {
    const w = world({
      config: { deny: ['rm *', 'tool:memory', '*print*'], mode: 'off' },
      gate: { place: () => ({ ...PLACE, backend: { name: 'docker', isolated: true } }) },
    });
    expect(text(await w.asks('rm -rf build').passage)).toBe('Refused: your rule "rm *" in approvals.deny forbids it.');
    expect(rule(await w.asks('', {}, { tool: codeTool, input: { source: 'print(1)' } }).passage)).toBe('*print*');
    expect(rule(await w.asks('', {}, { tool: plainTool('memory', 'own'), input: {} }).passage)).toBe('tool:memory');
    expect((await w.asks('git push --force').passage).kind).toBe('pass');
    expect(w.events('decided').at(-1)?.body['label']).toBe('allow:container');
  });

  it('a call cut off before in this turn is asked about again, once or not at all', async () => {
    const w = world({ config: { mode: 'off' } });
    const made = w.turn({ calls: 2 });
    const [cut, again] = made.calls;
    expect((await w.within(made.run, 'rm -rf build', { call: cut!, turn: made.turn })).kind).toBe('pass');
    w.store.transcript.begin(cut!, 'b' as never, 1);
    w.store.transcript.finish(cut!, 'unknown', 'interrupted', 2);
    const run = chatRun({ session: made.session });
    void withRun(run, () => w.call(run, 'rm -rf build', { call: again!, turn: made.turn }));
    await w.deliver();
    expect(w.pending[0]).toMatchObject({ choices: ['once', 'deny'] });
    expect(w.pending[0]?.findings.map(({ rule: id }) => id)).toEqual(['fs.delete', 'turn.repeat']);
  });
});

const PLACE = {
  ...{ home: '/home/user', user: 'user', roots: ['/proj'], hermodHome: '/home/user/.hermod', pid: 10, parentPid: 1 },
  ...{ os: 'linux' as const, readOutside: false, backend: { name: 'local', isolated: false } },
};

describe('workers', () => {
  const asWorker = (w: ApprovalWorld, run: RunContext, depth: number, command = 'rm -rf build') => {
    const open = (n: number): Promise<Passage> => {
      const here = runs[n] as RunContext;
      return withRun(here, () => (n === depth ? w.call(here, command) : open(n + 1)));
    };
    const runs = [run];
    for (let n = 1; n <= depth; n++) runs.push(childRun(runs[n - 1] as RunContext, `w${n}` as RunId));
    return { passage: open(0), run: runs[depth] as RunContext };
  };

  it.each([1, 2])('follow subagent_mode at depth %i: in a chat, a terminal, never in a job', async (depth) => {
    for (const subagent_mode of ['deny', 'approve', 'ask'] as const) {
      const w = world({ config: { subagent_mode } });
      const turn = w.turn();
      const chat = asWorker(w, turn.run, depth);
      await w.deliver();
      expect(w.pending).toHaveLength(subagent_mode === 'ask' ? 1 : 0);
      if (subagent_mode === 'ask')
        expect(w.shown(w.pending[0]!.id).text).toMatch(/^\*\*For a worker \(no goal given\): run this\?/);
      w.broker.cancelSession(turn.session, 'stop');
      expect((await chat.passage).kind).toBe(subagent_mode === 'approve' ? 'pass' : 'refused');
      const cli = await asWorker(w, cliRun(), depth).passage;
      expect(cli.kind).toBe(subagent_mode === 'approve' ? 'pass' : 'refused');
      if (subagent_mode !== 'approve')
        expect(text(cli)).toBe(`Refused: fs.delete needs a person; approvals.subagent_mode is ${subagent_mode}.`);
      expect(text(await asWorker(w, cronRun(), depth).passage)).toMatch(
        /^Refused: fs\.delete\. Scheduled jobs may not run this/,
      );
    }
  });

  it('ask their own callback only: the one of the parent is not for them, and under cron there is none', async () => {
    const w = world({ config: { subagent_mode: 'approve' } });
    const calls: string[] = [];
    const { run } = w.turn();
    const child = childRun(run, 'child' as RunId);
    w.broker.register(run.runId, async () => calls.push('parent'));
    const remove = w.broker.register(child.runId, async () => {
      calls.push('child');
      return 'deny';
    });
    const passage = await withRun(run, () => withRun(child, () => w.call(child, 'rm -rf build')));
    expect([passage.kind, calls]).toEqual(['refused', ['child']]);
    const job = cronRun();
    const jobWorker = childRun(job, 'job-child' as RunId);
    w.broker.register(jobWorker.runId, async () => calls.push('job'));
    expect(rule(await withRun(job, () => withRun(jobWorker, () => w.call(jobWorker, 'rm -rf build'))))).toBe(
      'fs.delete',
    );
    remove();
    expect(w.broker.callbackOf(child.runId)).toBeUndefined();
    expect(calls).toEqual(['child']);
  });

  const sayings: readonly [string, () => Promise<unknown>, Passage['kind']][] = [
    ['once', () => Promise.resolve('once'), 'pass'],
    ['deny', () => Promise.resolve('deny'), 'refused'],
    ['always', () => Promise.resolve('always'), 'refused'],
    ['true', () => Promise.resolve(true), 'refused'],
    ['nothing', () => Promise.resolve(undefined), 'refused'],
    ['an error', () => Promise.reject(new Error('x')), 'refused'],
  ];
  it.each(sayings)('a callback that says %s', async (_, callback, kind) => {
    const w = world();
    const { run } = w.turn();
    const child = childRun(run, 'child' as RunId);
    w.broker.register(child.runId, callback);
    expect((await withRun(run, () => withRun(child, () => w.call(child, 'rm -rf build')))).kind).toBe(kind);
  });

  it('30 s of silence from a callback are a no', async () => {
    const w = world();
    const { run } = w.turn();
    const child = childRun(run, 'child' as RunId);
    w.broker.register(child.runId, () => new Promise(() => {}));
    const passage = withRun(run, () => withRun(child, () => w.call(child, 'rm -rf build')));
    await w.clock.skip(29_999);
    expect(w.clock.armed).toBe(1);
    await w.clock.skip(1);
    expect((await passage).kind).toBe('refused');
  });

  it('two_person and person-only rules are not for workers', async () => {
    const w = world({ config: { subagent_mode: 'approve', two_person: ['fs.*'] } });
    expect(text(await asWorker(w, w.turn().run, 1).passage)).toMatch(/^Refused: fs\.delete needs two people/);
    expect(text(await asWorker(w, w.turn().run, 1, 'hermod stop').passage)).toMatch(
      /^Refused: self\.stop needs a person/,
    );
  });
});

describe('jobs', () => {
  it.each(['schedule', 'manual', 'catch_up'] as const)(
    'follow their mode the same when fired by %s',
    async (trigger) => {
      const config = { job_allow: [{ rule: 'fs.delete', argv: ['rm', '-rf', 'build'], cwd: '/proj' }] };
      const run = (
        mode: 'deny' | 'allowlist' | 'ask' | 'approve' | undefined,
        command: string,
        cron_mode = 'deny' as const,
      ) => {
        const w = world({ config: { ...config, cron_mode } });
        const { mode: _, ...job } = { ...cronRun({ ...(mode && { mode }) }), trigger, mode };
        return { w, passage: w.within(job, command) };
      };
      expect((await run('approve', 'rm -rf build').passage).kind).toBe('pass');
      expect((await run('allowlist', 'rm -rf build').passage).kind).toBe('pass');
      for (const other of ['rm -rf src', 'sudo rm -rf build', 'A=1 rm -rf build', 'rm -rf build && rm -rf src']) {
        expect(text(await run('allowlist', other).passage)).toMatch(/approvals\.cron_mode is allowlist/);
      }
      expect(text(await run('deny', 'rm -rf build').passage)).toMatch(/approvals\.cron_mode is deny/);
      expect(text(await run(undefined, 'rm -rf build').passage)).toMatch(/approvals\.cron_mode is deny/);
      const asked = run('ask', 'rm -rf build');
      await asked.w.deliver();
      expect(asked.w.pending).toMatchObject([
        { choices: ['once', 'job', 'deny'], requester: { id: 'ann' }, runKind: 'cron' },
      ]);
      expect(asked.w.press(asked.w.pending[0]!, 'Once')).toBe('Allowed once.');
      expect((await asked.passage).kind).toBe('pass');
    },
  );

  it('that ask wait 600 s, and go on', async () => {
    const w = world({ config: { cron_mode: 'ask' } });
    const waiting: boolean[] = [];
    const passage = w.within(cronRun(), 'rm -rf build', { asking: (on) => waiting.push(on) });
    await w.deliver();
    await w.clock.skip(599_999);
    expect(w.pending).toHaveLength(1);
    await w.clock.skip(1);
    expect(text(await passage)).toMatch(/^Nobody answered within 10 min\. Do not retry/);
    expect(waiting).toEqual([true, false]);
  });

  it('without a chat, or whose owner lost access, are refused at once under ask', async () => {
    const w = world({ config: { cron_mode: 'ask' } });
    expect(text(await w.within(cronRun({ noChat: true }), 'rm -rf build'))).toBe(
      'Refused: the job has no chat to ask in (fs.delete).',
    );
    w.strangers.add('telegram:ann');
    expect(text(await w.within(cronRun(), 'rm -rf build'))).toMatch(
      /^Refused: the job's owner may no longer use hermod/,
    );
    expect(w.pending).toEqual([]);
  });

  it('are not reached by yolo, mode off or boot yolo; nor are webhooks and calls without a run', async () => {
    const w = world({ config: { mode: 'off' }, gate: { bootYolo: true } });
    for (const run of [cronRun(), unattendedRun()]) expect((await w.within(run, 'rm -rf build')).kind).toBe('refused');
    expect((await w.call(undefined, 'rm -rf build')).kind).toBe('refused');
    expect((await w.asks('rm -rf build').passage).kind).toBe('pass');
  });

  it('remember a press on Job for this job alone, and for this command alone', async () => {
    const w = world({ config: { cron_mode: 'ask' } });
    const first = w.within(cronRun(), 'rm -rf build');
    await w.deliver();
    expect(w.press(w.pending[0]!, 'Job')).toBe('Allowed for this job.');
    expect((await first).kind).toBe('pass');
    expect((await w.within(cronRun({ mode: 'deny' }), 'rm -rf build')).kind).toBe('pass');
    expect((await w.within(cronRun({ mode: 'deny', job: 'job-2' }), 'rm -rf build')).kind).toBe('refused');
    expect((await w.within(cronRun({ mode: 'deny', actor: BOB }), 'rm -rf build')).kind).toBe('refused');
    expect((await w.within(cronRun({ mode: 'deny' }), 'rm -rf src')).kind).toBe('refused');
    void w.asks('rm -rf build');
    await w.deliver();
    expect(w.pending).toHaveLength(1);
  });
});

describe('what no setting opens', () => {
  const open = { mode: 'off', cron_mode: 'approve', unattended_mode: 'approve', subagent_mode: 'approve' } as const;
  const everybody = (): readonly RunContext[] => [chatRun(), cliRun(), cronRun(), unattendedRun()];

  it('rows 1 to 3 hold under yolo, off, approve and in containers', async () => {
    for (const isolated of [false, true]) {
      const w = world({
        config: { ...open, deny: ['git push *'] },
        gate: { bootYolo: true, place: () => ({ ...PLACE, backend: { name: 'x', isolated } }) },
      });
      for (const run of everybody()) {
        expect(text(await w.within(run, 'rm -rf /'))).toMatch(
          /^Refused: wipes the system \(fs\.wipe\)\. hermod never runs this/,
        );
      }
      for (const run of everybody())
        expect(text(await w.within(run, 'sudo ls -S'))).toBe('Refused: sudo may not be fed a password.');
      for (const run of everybody()) expect(rule(await w.within(run, 'git push --force'))).toBe('git push *');
    }
  });

  it('rows 1 to 3 hold against an old Always', async () => {
    const w = world();
    const first = w.asks('git push --force');
    await w.deliver();
    w.press(w.pending[0]!, 'Always');
    expect((await first.passage).kind).toBe('pass');
    expect((await w.asks('git push --force').passage).kind).toBe('pass');
    w.config = { ...w.config, deny: ['git push *'] };
    expect(rule(await w.asks('git push --force').passage)).toBe('git push *');
  });

  it('what cannot be read is asked in a chat and refused under every approve', async () => {
    const w = world({ config: open });
    for (const run of [cronRun(), unattendedRun()]) {
      expect(text(await w.within(run, '$(x)'))).toMatch(/^Refused: shell\.unreadable needs a person/);
    }
    void w.asks('$(x)');
    await w.deliver();
    expect(w.pending).toMatchObject([{ choices: ['once', 'deny'] }]);
  });
});

describe('the guardian', () => {
  const smart = { mode: 'smart', guardian: { model: 'p:small' } } as const;
  const asking = (said: string, config = {}) => {
    const asked: string[] = [];
    const w = world({
      config: { ...smart, ...config },
      gate: {
        guard: async (question) => {
          asked.push(question);
          return said;
        },
      },
    });
    return { w, asked };
  };

  it('lets one call run and stores nothing', async () => {
    const { w, asked } = asking('APPROVE');
    expect((await w.asks('rm -rf build').passage).kind).toBe('pass');
    expect([asked.length, w.store.grants.list(0).length]).toEqual([1, 0]);
    expect(w.events('decided')[0]?.body['label']).toBe('allow:smart');
  });

  it('advises against: a card with Once and Deny', async () => {
    const { w } = asking('DENY');
    void w.asks('rm -rf build');
    await w.deliver();
    expect(w.pending).toMatchObject([{ choices: ['once', 'deny'], details: { advised: true } }]);
  });

  it('is unsure: the ordinary card', async () => {
    const { w } = asking('hm');
    void w.asks('rm -rf build');
    await w.deliver();
    expect(w.pending).toMatchObject([{ details: { advised: false } }]);
    expect(w.pending[0]?.choices).toContain('always');
  });

  it('is asked for smart rules of people only: never for jobs, workers or other rules, nor without a model', async () => {
    const { w, asked } = asking('APPROVE', { subagent_mode: 'ask' });
    const { run } = w.turn();
    await w.within(cronRun(), 'rm -rf build');
    await w.within(unattendedRun(), 'rm -rf build');
    void w.asks('git push --force');
    void withRun(run, () => {
      const child = childRun(run, 'c' as RunId);
      return withRun(child, () => w.call(child, 'rm -rf build'));
    });
    await w.deliver();
    const bare = asking('APPROVE', { guardian: {} });
    void bare.w.asks('rm -rf build');
    await bare.w.deliver();
    expect([asked, bare.asked, w.pending.length, bare.w.pending.length]).toEqual([[], [], 2, 1]);
  });
});

describe('the denial breaker', () => {
  const deny = async (w: ApprovalWorld, run: RunContext, command: string) => w.call(run, command);

  it('refuses the same command again without asking, and switches executing tools off', async () => {
    const w = world();
    await withRun(w.turn().run, async () => {});
    const { run } = w.turn();
    await withRun(run, async () => {
      const first = deny(w, run, 'rm -rf build');
      await settle();
      w.press(w.pending[0]!, 'Deny');
      expect((await first).kind).toBe('refused');
      expect(rule(await deny(w, run, 'rm -rf build'))).toBe('denial.repeated');
      expect(w.gate.blocked(run)).toBe(true);
      expect(rule(await deny(w, run, 'ls'))).toBe('denial.tools-off');
      expect((await w.call(run, '', { tool: plainTool('read', 'read'), input: {} })).kind).toBe('pass');
    });
    const next = w.turn().run;
    expect((await w.within(next, 'ls')).kind).toBe('pass');
  });

  it('counts refusals with no yes between; a firing is then blocked', async () => {
    const w = world({ config: { job_allow: [{ rule: 'git.force', argv: ['git', 'push', '--force'], cwd: '/proj' }] } });
    const run = cronRun({ mode: 'allowlist' });
    await withRun(run, async () => {
      await deny(w, run, 'rm -rf a');
      await deny(w, run, 'rm -rf b');
      expect((await deny(w, run, 'git push --force')).kind).toBe('pass');
      await deny(w, run, 'rm -rf c');
      await deny(w, run, 'rm -rf d');
      expect(w.gate.blocked(run)).toBe(false);
      await deny(w, run, 'rm -rf e');
      expect(w.gate.blocked(run)).toBe(true);
      expect(rule(await deny(w, run, 'git push --force'))).toBe('denial.tools-off');
    });
    expect(w.events('decided').at(-1)?.body['label']).toBe('block:tools-off');
  });

  it('is off at 0', async () => {
    const w = world({ config: { denial_breaker_threshold: 0 } });
    const run = cronRun();
    await withRun(run, async () => {
      for (let i = 0; i < 5; i++) expect(rule(await deny(w, run, 'rm -rf a'))).toBe('fs.delete');
    });
    expect(w.gate.blocked(run)).toBe(false);
  });
});

describe('a terminal', () => {
  it('is asked where somebody is there, and settles like any press', async () => {
    const w = world();
    const run = cliRun();
    expect(text(await w.within(run, 'rm -rf build'))).toBe('Refused: nobody is at the terminal (fs.delete).');
    const at = cliRun();
    const asked: string[][] = [];
    w.broker.register(at.runId, async (question) => {
      asked.push([question.command, ...question.choices]);
      return 'session';
    });
    expect((await w.within(at, 'rm -rf dist')).kind).toBe('pass');
    expect(asked).toEqual([['rm -rf dist', 'once', 'timed', 'session', 'always', 'deny']]);
    expect(w.events('granted')[0]?.body).toMatchObject({
      surface: 'terminal',
      actor: 'cli:operator',
      choice: 'session',
    });
    const no = cliRun();
    w.broker.register(no.runId, async () => 'whatever');
    expect((await w.within(no, 'rm -rf other')).kind).toBe('refused');
    expect(w.store.outbox.counts()).toEqual({});
  });
});

describe('offers after a firing', () => {
  it('one to the owner, for later firings of this job and exactly this command', async () => {
    const w = world();
    const run = cronRun();
    await withRun(run, async () => {
      await w.call(run, 'rm -rf build');
      await w.call(run, 'rm -rf build && rm -rf src');
    });
    expect(w.gate.firingEnded(run, { name: 'backup', slot: 'Mon 02:00' })).toBe(2);
    expect(w.gate.firingEnded(run, { name: 'backup', slot: 'Mon 02:00' })).toBe(0);
    await w.deliver();
    const [plain, barred] = w.pending;
    expect([plain?.choices, barred?.choices]).toEqual([['job', 'deny'], ['deny']]);
    expect(w.shown(barred!.id).text).toContain('Cannot be allowed in advance: it has several commands.');
    const again = cronRun();
    await w.within(again, 'rm -rf build');
    expect(w.gate.firingEnded(again, { name: 'backup', slot: 'Tue 02:00' })).toBe(0);
    expect(w.press(plain!, 'Allow for this job', BOB)).toBe('Only ann or an approver can answer this.');
    expect((await w.within(cronRun(), 'rm -rf build')).kind).toBe('refused');
    expect(w.press(plain!, 'Allow for this job', ANN)).toBe('Allowed for this job.');
    expect((await w.within(cronRun(), 'rm -rf build')).kind).toBe('pass');
    expect((await w.within(cronRun({ job: 'job-2' }), 'rm -rf build')).kind).toBe('refused');
    expect((await w.within(cronRun(), 'rm -rf builds')).kind).toBe('refused');
    expect(w.store.approvals.get(plain!.id)).toMatchObject({ state: 'granted', command: null });
    expect(w.press(barred!, 'Keep refusing')).toBe('Denied.');
  });

  it.each([
    [true, true],
    [false, false],
    [undefined, false],
  ])('go into the chat of the job as what it is: direct %s', async (known, direct) => {
    const w = world();
    const run = cronRun(known === undefined ? {} : { session: w.turn({ direct: known }).session });
    await w.within(run, 'rm -rf build');
    expect(w.gate.firingEnded(run, { name: 'backup', slot: 'x' })).toBe(1);
    const [card] = await w.deliver();
    expect([card?.direct, w.pending[0]?.direct]).toEqual([direct, direct]);
  });

  it('are not about what nobody may allow, wait for nothing, and are over after a week', async () => {
    const w = world();
    const run = cronRun();
    await withRun(run, async () => {
      await w.call(run, 'rm -rf /');
      await w.call(run, 'hermod stop');
    });
    expect(w.gate.firingEnded(run, { name: 'backup', slot: 'x' })).toBe(0);
    const next = cronRun();
    await w.within(next, 'git push --force');
    expect(w.gate.firingEnded(next, { name: 'backup', slot: 'x' })).toBe(1);
    expect(w.broker.pendingOf(next.session)).toEqual([]);
    w.broker.cancelSession(next.session, 'stop');
    expect(w.pending).toHaveLength(1);
    w.broker.recover();
    expect(w.pending).toHaveLength(1);
    await w.clock.skip(7 * 86_400_000);
    expect(w.pending).toEqual([]);
  });

  it('come from workers of the firing too, and not to an owner who lost access', async () => {
    const w = world();
    const run = cronRun();
    const child = childRun(run, 'c' as RunId);
    await withRun(run, () => withRun(child, () => w.call(child, 'rm -rf build')));
    w.strangers.add('telegram:ann');
    expect(w.gate.firingEnded(run, { name: 'backup', slot: 'x' })).toBe(0);
    w.strangers.delete('telegram:ann');
    const again = cronRun();
    const itsChild = childRun(again, 'd' as RunId);
    await withRun(again, () => withRun(itsChild, () => w.call(itsChild, 'rm -rf build')));
    expect(w.gate.firingEnded(again, { name: 'backup', slot: 'x' })).toBe(1);
  });
});

describe('the count of decisions', () => {
  it('holds safe calls too, which the audit holds only on request', async () => {
    const w = world();
    await w.asks('ls').passage;
    await w.asks('ls').passage;
    await w.within(cronRun(), 'rm -rf build');
    expect([...w.gate.counts()]).toEqual([
      ['person allow:safe', 2],
      ['cron block:cron', 1],
    ]);
    expect(w.events().map(({ body }) => body['label'])).toEqual(['block:cron']);
    const keen = world({ config: { audit_safe: true } });
    await keen.asks('ls').passage;
    expect(keen.events().map(({ body }) => body['label'])).toEqual(['allow:safe']);
  });
});
