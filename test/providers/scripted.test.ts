import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { SessionId } from '../../src/contract/ids.ts';
import type { ModelRequest } from '../../src/contract/model.ts';
import type { ScriptInput } from '../../src/providers/script-file.ts';
import { ScriptedProvider } from '../../src/providers/scripted.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { called, collect, doneOf, KeptLog, request, said, textOf, user } from '../fakes/model-requests.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'scripted-'));
  folders.push(path);
  return path;
}

function model(scripts: readonly ScriptInput[] | string, record?: string) {
  const log = new KeptLog();
  const clock = new FakeClock();
  const provider = new ScriptedProvider({ scripts, log, clock, ...(record !== undefined && { record }) });
  const ask = (r: ModelRequest, signal = new AbortController().signal) => collect(provider.stream(r, signal));
  return { provider, log, clock, ask };
}

describe('steps', () => {
  it('plays say, think, usage and calls in order', async () => {
    const { ask, provider } = model([
      {
        replies: [
          [
            { think: 'hm' },
            { say: ['a', 'b'] },
            { usage: { input: 3, output: 2 } },
            {
              calls: [
                { name: 'x', input: { a: 1 } },
                { name: 'y', raw: '{', id: '' },
              ],
            },
          ],
          { say: 'end' },
        ],
      },
    ]);
    expect(await ask(request([user('go')]))).toEqual([
      { type: 'reasoning', delta: 'hm' },
      { type: 'text', delta: 'a' },
      { type: 'text', delta: 'b' },
      { type: 'call', id: 'script-1-1', name: 'x', raw: '{"a":1}' },
      { type: 'call', id: '', name: 'y', raw: '{' },
      { type: 'done', reason: 'calls', usage: { input: 3, output: 2 } },
    ]);
    expect(doneOf(await ask(request([user('go')]))).reason).toBe('stop');
    provider.verify();
  });

  it.each([
    [{ fail: 'rate' as const }, { reason: 'failed', failure: { kind: 'rate' } }],
    [
      { fail: { kind: 'rate' as const, status: 429, retryAfterMs: 2000 } },
      { failure: { status: 429, retryAfterMs: 2000 } },
    ],
    [{ cut: true as const }, { reason: 'failed', failure: { kind: 'cut' } }],
    [{ finish: 'length' as const }, { reason: 'length' }],
    [{ finish: 'filtered' as const }, { reason: 'filtered', failure: { kind: 'filtered' } }],
  ])('ends with %j', async (step, done) => {
    const { ask } = model([{ replies: [[{ say: 'half' }, step]] }]);
    const events = await ask(request([user('go')]));
    expect(textOf(events)).toBe('half');
    expect(doneOf(events)).toMatchObject(done);
  });

  it('hangs and waits until it is aborted', async () => {
    const { ask, clock } = model([
      {
        replies: [
          [{ say: 'a' }, { hang: true }],
          [{ wait: 60_000 }, { say: 'late' }],
        ],
      },
    ]);
    for (const _ of [1, 2]) {
      const abort = new AbortController();
      const all = ask(request([user('go')]), abort.signal);
      await clock.skip(1000);
      abort.abort();
      expect(doneOf(await all).reason).toBe('aborted');
    }
    expect(clock.armed).toBe(0);
  });
});

describe('which script answers', () => {
  it('goes by prompt and session, and keeps their places apart', async () => {
    const { ask, provider } = model([
      { prompt: '^deploy', replies: [{ say: 'd1' }, { say: 'd2' }] },
      { session: 's1', replies: [{ say: 'one' }] },
      { repeat: true, replies: [{ say: 'any' }] },
    ]);
    const say = async (prompt: string, session?: string) =>
      textOf(await ask(request([user(prompt)], session === undefined ? {} : { session: session as SessionId })));
    expect(await say('deploy a', 'a')).toBe('d1');
    expect(await say('Deploy b', 'b')).toBe('d1');
    expect(await say('deploy a', 'a')).toBe('d2');
    expect(await say('x', 's1')).toBe('one');
    expect(await say('x')).toBe('any');
    expect(await say('x')).toBe('any');
    expect(() => provider.verify()).toThrow('"^deploy" was not read to its end');
    expect(await say('deploy b', 'b')).toBe('d2');
    provider.verify();
  });

  it('goes on after a restart where the transcript ends', async () => {
    const scripts: ScriptInput[] = [
      { prompt: 'go', resume: true, replies: [{ call: { name: 'shell' } }, { say: 'two' }, { say: 'three' }] },
    ];
    const turn = [user('other'), said('x'), user('go'), ...called('shell', {}, 'r')];
    expect(textOf(await model(scripts).ask(request(turn)))).toBe('two');
    expect(textOf(await model(scripts).ask(request([...turn, said('two'), user('go')])))).toBe('three');
    const anew = scripts.map((script) => ({ ...script, resume: false }));
    expect(doneOf(await model(anew).ask(request(turn))).reason).toBe('calls');
  });
});

describe('what was not foreseen', () => {
  it('fails loudly when a script runs out or none fits', async () => {
    const { ask, provider, log } = model([{ name: 'short', prompt: 'go', replies: [{ say: 'a' }] }]);
    await ask(request([user('go')]));
    const over = doneOf(await ask(request([user('go')])));
    expect(over.failure).toMatchObject({ kind: 'request', detail: expect.stringContaining('"short" has 1 replies') });
    await ask(request([user('nothing fits')]));
    expect(provider.complaints).toHaveLength(2);
    expect(log.lines.map((line) => line.level)).toEqual(['error', 'error']);
    expect(() => provider.verify()).toThrow('No script fits');
  });

  it.each([
    [{ prompt: 'stop' }, 'a prompt like'],
    [{ lastResult: 'milk' }, 'a last result like /milk/, it is: bread'],
    [{ tools: ['shell', 'web'] }, 'the tools web'],
    [{ toolChoice: 'none' as const }, 'tool choice none'],
    [{ messages: 9 }, '9 messages, there are 3'],
    [{ system: 'Loki' }, 'a system prompt like'],
  ])('holds the request against %j', async (expected, words) => {
    const { ask, provider } = model([{ replies: [[{ expect: expected }, { say: 'ok' }]] }]);
    await ask(request([user('go'), ...called('shell', {}, 'bread')]));
    expect(provider.complaints[0]).toContain(words);
  });

  it('goes on when the request is as expected', async () => {
    const { ask, provider } = model([
      {
        replies: [
          [
            {
              expect: {
                prompt: 'go',
                lastResult: 'bread',
                tools: ['shell'],
                toolChoice: 'auto',
                messages: 3,
                system: 'test',
              },
            },
            { say: 'ok' },
          ],
        ],
      },
    ]);
    expect(textOf(await ask(request([user('go'), ...called('shell', {}, 'bread')])))).toBe('ok');
    provider.verify();
  });
});

describe('files', () => {
  it('reads scripts from a file and appends every request to the record', async () => {
    const at = folder();
    const script = join(at, 'script.json');
    const record = join(at, 'requests.jsonl');
    writeFileSync(script, JSON.stringify({ scripts: [{ name: 'f', replies: [{ say: 'a' }] }] }));
    const { ask } = model(script, record);
    await ask(request([user('go')], { session: 's' as SessionId }));
    await ask(request([user('go')], { session: 's' as SessionId }));
    const lines = readFileSync(record, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({
      script: 'f',
      reply: 0,
      session: 's',
      tools: expect.arrayContaining(['shell']),
      messages: [{ content: 'go' }],
    });
    expect(lines[1]).toMatchObject({ complaint: expect.stringContaining('one more') });
  });

  it.each([
    ['{', 'cannot be read'],
    ['{"scripts":[]}', 'is wrong at scripts'],
    ['{"scripts":[{"prompt":"(","replies":[{"say":"a"}]}]}', 'is no regular expression'],
    ['{"scripts":[{"replies":[{"sing":"a"}]}]}', 'is wrong at scripts.0.replies.0'],
  ])('refuses %s', (content, words) => {
    const path = join(folder(), 'script.json');
    writeFileSync(path, content);
    expect(() => model(path)).toThrow(words);
  });

  it('names a file that is not there', () => {
    expect(() => model('/nowhere/script.json')).toThrow('Check providers.<name>.script');
  });
});
