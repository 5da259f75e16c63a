import { describe, expect, it } from 'vitest';
import type {
  AttemptReport,
  ChatMessage,
  ModelChoice,
  ModelEvent,
  ModelProvider,
  ModelRequest,
  StepEvent,
  TurnModel,
} from '../../src/contract/model.ts';
import { FAILURE_KINDS } from '../../src/contract/model.ts';
import { POLICIES } from '../../src/providers/failure-policy.ts';
import { ModelChain } from '../../src/providers/model-chain.ts';
import { readModel, writeModel } from '../../src/providers/model-name.ts';
import type { ModelTarget, StepLimits } from '../../src/providers/model-target.ts';
import { queued } from '../../src/providers/request-queue.ts';
import type { ScriptInput } from '../../src/providers/script-file.ts';
import { ScriptedProvider } from '../../src/providers/scripted.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { called, doneOf, KeptLog, request, textOf, user } from '../fakes/model-requests.ts';

const LIMITS: StepLimits = { firstOutputS: 90, idleS: 60, stepDeadlineS: 300, attempts: 3 };

function target(name: string, provider: ModelProvider, kind?: 'practice'): ModelTarget {
  return { choice: { provider: name, model: 'm' }, provider, facts: { name, ...(kind && { kind }) } };
}

/** Chains of scripted models `a`, `b`, ...; the clock moves only when told. */
function chain(
  replies: readonly ScriptInput['replies'][],
  more: { limits?: Partial<StepLimits>; filter?: boolean } = {},
) {
  const clock = new FakeClock();
  const providers = replies.map(
    (given) => new ScriptedProvider({ clock, log: new KeptLog(), scripts: [{ replies: given }] }),
  );
  const targets = providers.map((provider, i) => target('abc'[i] ?? '?', provider));
  const made = new ModelChain({
    targets,
    clock,
    limits: { ...LIMITS, ...more.limits },
    fallbackOnFilter: more.filter ?? false,
    random: () => 0.5,
  });
  return { clock, providers, chain: made, asked: () => providers.map((p) => p.requests.length) };
}

function start(
  turn: TurnModel,
  signal = new AbortController().signal,
  build: (c: ModelChoice) => ModelRequest = () => request([user('x')]),
) {
  const events: StepEvent[] = [];
  const reports: AttemptReport[] = [];
  const ended = (async () => {
    for await (const event of turn.step(build, signal, (report) => reports.push(report))) events.push(event);
  })();
  return { events, reports, ended, types: () => events.map((event) => event.type) };
}

/** The text a person sees in the end. */
function shown(events: readonly StepEvent[]): string {
  return textOf(events.slice(events.findLastIndex((event) => event.type === 'restart') + 1));
}

describe('attempts', () => {
  it('asks three times, after 1 s and 4 s, and drops the text of a broken one', async () => {
    const {
      clock,
      chain: c,
      asked,
    } = chain([[[{ say: 'half' }, { cut: true }], { fail: 'server' }, { say: 'whole' }]]);
    const step = start(c.turn());
    await clock.skip(0);
    expect(step.types()).toEqual(['text', 'restart']);
    await clock.skip(999);
    expect(asked()).toEqual([1]);
    await clock.skip(1);
    expect(asked()).toEqual([2]);
    await clock.skip(3999);
    expect(asked()).toEqual([2]);
    await clock.skip(1);
    await step.ended;
    expect(step.types()).toEqual(['text', 'restart', 'text', 'done']);
    expect(shown(step.events)).toBe('whole');
    expect(step.reports.map((r) => [r.attempt, r.failure?.kind])).toEqual([
      [1, 'cut'],
      [2, 'server'],
      [3, undefined],
    ]);
    expect(clock.armed).toBe(0);
  });

  it('spreads its waits by a quarter either way', async () => {
    for (const [random, ms] of [
      [0, 750],
      [0.999999, 1249],
    ] as const) {
      const clock = new FakeClock();
      const provider = new ScriptedProvider({
        clock,
        log: new KeptLog(),
        scripts: [{ replies: [{ fail: 'server' }, { say: 'a' }] }],
      });
      const made = new ModelChain({
        targets: [target('a', provider)],
        clock,
        limits: LIMITS,
        fallbackOnFilter: false,
        random: () => random,
      });
      const step = start(made.turn());
      await clock.skip(ms - 1);
      expect(provider.requests).toHaveLength(1);
      await clock.skip(2);
      expect(provider.requests).toHaveLength(2);
      await step.ended;
    }
  });

  it.each(FAILURE_KINDS)('%s is asked again as its policy says', async (kind) => {
    const { clock, chain: c, asked } = chain([Array.from({ length: 3 }, () => ({ fail: kind }))]);
    const step = start(c.turn());
    await clock.skip(10_000);
    await step.ended;
    expect(asked()).toEqual([{ often: 3, once: 2, never: 1 }[POLICIES[kind].retry]]);
    expect(doneOf(step.events).failure?.kind).toBe(kind);
  });

  it('says how often it tried', async () => {
    const { clock, chain: c } = chain([Array.from({ length: 3 }, () => ({ fail: 'overloaded' as const }))]);
    const turn = c.turn();
    const step = start(turn);
    await clock.skip(10_000);
    await step.ended;
    const { failure } = doneOf(step.events);
    expect(failure && turn.say(failure)).toBe('The model is overloaded; I tried 3 times. /retry later.');
  });

  it('obeys a short Retry-After and does not wait for a long one', async () => {
    const rate = (retryAfterMs: number) => ({ fail: { kind: 'rate' as const, retryAfterMs } });
    const short = chain([[rate(2000), { say: 'a' }]]);
    const one = start(short.chain.turn());
    await short.clock.skip(1999);
    expect(short.asked()).toEqual([1]);
    await short.clock.skip(1);
    await one.ended;
    expect(shown(one.events)).toBe('a');

    const long = chain([[rate(90_000)]]);
    const turn = long.chain.turn();
    const two = start(turn);
    await long.clock.skip(0);
    await two.ended;
    const { failure } = doneOf(two.events);
    expect(failure && turn.say(failure)).toBe('The model provider limits requests. Try again in 2 min.');
  });

  it('gives calls only with their end, and none of a broken attempt', async () => {
    const broken: ModelProvider = {
      name: 'p',
      async *stream(_, signal): AsyncGenerator<ModelEvent> {
        yield { type: 'text', delta: 'I ' };
        yield { type: 'call', id: '1', name: 'shell', raw: '{}' };
        if (!signal.aborted)
          yield { type: 'done', reason: 'failed', usage: null, failure: { kind: 'cut', detail: '' } };
      },
    };
    const clock = new FakeClock();
    const made = new ModelChain({
      targets: [target('a', broken)],
      clock,
      limits: LIMITS,
      fallbackOnFilter: false,
      random: () => 0.5,
    });
    const step = start(made.turn());
    await clock.skip(10_000);
    await step.ended;
    expect(step.types()).toEqual(['text', 'restart', 'text', 'restart', 'text', 'done']);

    const { clock: other, chain: c } = chain([[[{ say: 'a' }, { calls: [{ name: 'x' }, { name: 'y' }] }]]]);
    const good = start(c.turn());
    await other.skip(0);
    await good.ended;
    expect(good.types()).toEqual(['text', 'call', 'call', 'done']);
  });

  it.each([
    [
      'throws at once',
      () => {
        throw new Error('prompt text');
      },
    ],
    [
      'throws later',
      async function* () {
        yield { type: 'text', delta: 'a' } as const;
        throw new Error('prompt text');
      },
    ],
    ['ends without a word', async function* () {}],
    [
      'fails without a reason',
      async function* () {
        yield { type: 'done', reason: 'failed', usage: null } as const;
      },
    ],
  ])('survives a provider that %s', async (_, stream) => {
    const clock = new FakeClock();
    const provider = { name: 'p', stream } as unknown as ModelProvider;
    const made = new ModelChain({
      targets: [target('a', provider)],
      clock,
      limits: LIMITS,
      fallbackOnFilter: false,
      random: () => 0.5,
    });
    const step = start(made.turn());
    await clock.skip(10_000);
    await step.ended;
    expect(doneOf(step.events).failure).toMatchObject({ kind: 'cut', attempts: 3 });
    expect(JSON.stringify(step.events)).not.toContain('prompt text');
  });
});

describe('timers', () => {
  it('ends an attempt without a first output after 90 s, and the step at its deadline', async () => {
    const {
      clock,
      chain: c,
      asked,
    } = chain([Array.from({ length: 3 }, () => ({ hang: true as const }))], { limits: { stepDeadlineS: 200 } });
    const step = start(c.turn());
    await clock.skip(89_999);
    expect(step.reports).toEqual([]);
    await clock.skip(1);
    expect(step.reports[0]?.failure).toMatchObject({ kind: 'timeout', limitS: 90 });
    await clock.skip(200_000 - 90_000);
    await step.ended;
    expect(asked()).toEqual([3]);
    expect(doneOf(step.events).failure).toMatchObject({ kind: 'timeout', limitS: 200, attempts: 3 });
    expect(clock.armed).toBe(0);
  });

  it('counts the time between outputs anew after each of them', async () => {
    const slow = [
      [{ say: 'a' }, { wait: 59_000 }, { say: 'b' }, { wait: 59_000 }, { think: 'c' }, { wait: 60_001 }, { say: 'd' }],
    ];
    const { clock, chain: c } = chain([slow as ScriptInput['replies']], { limits: { attempts: 1 } });
    const step = start(c.turn());
    await clock.skip(178_000);
    await step.ended;
    expect(textOf(step.events)).toBe('ab');
    expect(doneOf(step.events).failure).toMatchObject({ kind: 'timeout', limitS: 60 });
  });

  it('takes pieces of a call for output', async () => {
    const clock = new FakeClock();
    const writer: ModelProvider = {
      name: 'p',
      async *stream(_, __, watch): AsyncGenerator<ModelEvent> {
        for (let i = 0; i < 5; i++) {
          await new Promise<void>((resolve) => clock.after(50_000, resolve));
          watch?.output();
        }
        yield { type: 'call', id: '1', name: 'write_file', raw: '{}' };
        yield { type: 'done', reason: 'calls', usage: null };
      },
    };
    const made = new ModelChain({
      targets: [target('a', writer)],
      clock,
      limits: LIMITS,
      fallbackOnFilter: false,
      random: () => 0.5,
    });
    const step = start(made.turn());
    await clock.skip(250_000);
    await step.ended;
    expect(doneOf(step.events).reason).toBe('calls');
    expect(step.reports[0]).toMatchObject({ firstOutputMs: 50_000, totalMs: 250_000, outputChars: 12 });
  });

  it('does not take a slow reader for a silent model', async () => {
    const { clock, chain: c } = chain([[{ say: ['a', 'b'] }]]);
    const events: StepEvent[] = [];
    const ended = (async () => {
      for await (const event of c.turn().step(
        () => request([user('x')]),
        new AbortController().signal,
        () => {},
      )) {
        events.push(event);
        await new Promise<void>((resolve) => clock.after(100_000, resolve));
      }
    })();
    await clock.skip(400_000);
    await ended;
    expect(doneOf(events).reason).toBe('stop');
  });

  it('starts the first-output timer when the request leaves the queue, says once that it waits, and keeps the deadline', async () => {
    const clock = new FakeClock();
    const scripted = new ScriptedProvider({
      clock,
      log: new KeptLog(),
      scripts: [{ repeat: true, replies: [[{ wait: 80_000 }, { say: 'a' }]] }],
    });
    const limited = queued(scripted, 1);
    const made = new ModelChain({
      targets: [target('a', limited)],
      clock,
      limits: LIMITS,
      fallbackOnFilter: false,
      random: () => 0.5,
    });
    const steps = [1, 2, 3, 4].map(() => start(made.turn()));
    await clock.skip(10_000);
    expect(steps.map((step) => step.types())).toEqual([[], ['waiting'], ['waiting'], ['waiting']]);
    await clock.skip(290_000);
    await Promise.all(steps.map((step) => step.ended));
    expect(steps.map((step) => doneOf(step.events).failure?.kind)).toEqual([
      undefined,
      undefined,
      undefined,
      'timeout',
    ]);
    expect(steps[2]?.types()).toEqual(['waiting', 'text', 'done']);
    expect(steps[2]?.reports[0]).toMatchObject({ firstOutputMs: 80_000, totalMs: 240_000 });
  });
});

describe('abort', () => {
  it.each([
    ['while it answers', [[{ say: 'a' }, { hang: true }]], 0],
    ['while it waits for the next attempt', [{ fail: 'server' }, { say: 'late' }], 500],
  ])('%s ends with one done', async (_, replies, ms) => {
    const { clock, chain: c } = chain([replies as ScriptInput['replies']]);
    const abort = new AbortController();
    const step = start(c.turn(), abort.signal);
    await clock.skip(ms);
    abort.abort();
    await step.ended;
    expect(doneOf(step.events)).toMatchObject({ reason: 'aborted', failure: { kind: 'aborted' } });
    expect(clock.armed).toBe(0);
  });

  it('does not wait for a provider that ignores the signal', async () => {
    const deaf: ModelProvider = {
      name: 'p',
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
    };
    const clock = new FakeClock();
    const made = new ModelChain({
      targets: [target('a', deaf)],
      clock,
      limits: LIMITS,
      fallbackOnFilter: false,
      random: () => 0.5,
    });
    const abort = new AbortController();
    const step = start(made.turn(), abort.signal);
    await clock.skip(0);
    abort.abort();
    await step.ended;
    expect(doneOf(step.events).reason).toBe('aborted');
  });
});

describe('fallback', () => {
  it('lets B answer, holds for the turn, and the next turn starts with A', async () => {
    const {
      clock,
      chain: c,
      asked,
    } = chain([
      [{ fail: { kind: 'rate', retryAfterMs: 90_000 } }, { say: 'A again' }],
      [{ call: { name: 'x' } }, { say: 'B' }],
    ]);
    const turn = c.turn();
    const one = start(turn);
    await clock.skip(0);
    await one.ended;
    const two = start(turn);
    await clock.skip(0);
    await two.ended;
    expect(shown(two.events)).toBe('B');
    expect(turn.choice.provider).toBe('b');
    expect(turn.remark).toBe('answered by b:m; a:m: rate limited');
    expect(asked()).toEqual([1, 2]);
    const next = c.turn();
    const three = start(next);
    await clock.skip(0);
    await three.ended;
    expect(shown(three.events)).toBe('A again');
    expect(next.remark).toBeUndefined();
  });

  it('drops what A said before B speaks', async () => {
    const { clock, chain: c } = chain([[[{ say: 'from A' }, { cut: true }]], [{ say: 'from B' }]], {
      limits: { attempts: 1 },
    });
    const step = start(c.turn());
    await clock.skip(0);
    await step.ended;
    expect(step.types()).toEqual(['text', 'restart', 'text', 'done']);
    expect(shown(step.events)).toBe('from B');
  });

  it.each(['auth', 'quota', 'model'] as const)('leaves A out for 300 s after %s', async (kind) => {
    const {
      clock,
      chain: c,
      asked,
    } = chain([
      [{ fail: kind }, { say: 'A' }],
      [{ say: 'B' }, { say: 'B' }],
    ]);
    const ask = async () => {
      const turn = c.turn();
      const step = start(turn);
      await clock.skip(0);
      await step.ended;
      return [shown(step.events), turn.remark?.split('; ')[0]];
    };
    expect(await ask()).toEqual(['B', 'answered by b:m']);
    await clock.skip(299_999);
    expect(await ask()).toEqual(['B', 'answered by b:m']);
    expect(asked()).toEqual([1, 2]);
    await clock.skip(1);
    expect(await ask()).toEqual(['A', undefined]);
  });

  it.each(FAILURE_KINDS)('%s falls over as its policy says', async (kind) => {
    const { clock, chain: c, asked } = chain([[{ fail: kind }], [{ say: 'B' }]], { limits: { attempts: 1 } });
    const step = start(c.turn());
    await clock.skip(0);
    await step.ended;
    expect(asked()[1]).toBe(POLICIES[kind].fallback ? 1 : 0);
  });

  it('answers a filtered request elsewhere only where that is wanted', async () => {
    const { clock, chain: c } = chain([[{ fail: 'filtered' }], [{ say: 'B' }]], { filter: true });
    const step = start(c.turn());
    await clock.skip(0);
    await step.ended;
    expect(shown(step.events)).toBe('B');
  });

  it('blames the first model when all fail', async () => {
    const { clock, chain: c } = chain([[{ fail: 'quota' }], [{ fail: 'auth' }], [{ fail: 'tls' }]]);
    const turn = c.turn();
    const step = start(turn);
    await clock.skip(0);
    await step.ended;
    const { failure } = doneOf(step.events);
    expect(failure && turn.say(failure)).toBe('The model account is out of credit (a). /retry when it is topped up.');
  });

  it('starts with the primary when all rest', async () => {
    const { clock, chain: c, asked } = chain([[{ fail: 'quota' }, { say: 'A' }], [{ fail: 'auth' }]]);
    const one = start(c.turn());
    await clock.skip(0);
    await one.ended;
    const two = start(c.turn());
    await clock.skip(0);
    await two.ended;
    expect(asked()).toEqual([2, 1]);
    expect(shown(two.events)).toBe('A');
  });

  it('never falls back to the practice model, which may be the primary', async () => {
    const clock = new FakeClock();
    const scripted = (replies: ScriptInput['replies']) =>
      new ScriptedProvider({ clock, log: new KeptLog(), scripts: [{ replies }] });
    const targets = [
      target('a', scripted([{ fail: 'auth' }])),
      target('practice', scripted([{ say: 'no' }]), 'practice'),
    ];
    const options = { clock, limits: LIMITS, fallbackOnFilter: false, random: () => 0.5 };
    const step = start(new ModelChain({ targets, ...options }).turn());
    await clock.skip(0);
    await step.ended;
    expect(doneOf(step.events).failure?.kind).toBe('auth');
    expect(new ModelChain({ targets: targets.slice(1), ...options }).turn().choice.provider).toBe('practice');
  });

  it('fits the context once for each model and gives none the kept data of another', async () => {
    const asked: ModelRequest[] = [];
    const keeper = (name: string, fails: boolean): ModelTarget =>
      target(name, {
        name,
        async *stream(r): AsyncGenerator<ModelEvent> {
          asked.push(r);
          if (fails && asked.length > 1)
            yield { type: 'done', reason: 'failed', usage: null, failure: { kind: 'auth', detail: '' } };
          else yield { type: 'done', reason: 'calls', usage: null, keep: { from: name } };
        },
      });
    const clock = new FakeClock();
    const made = new ModelChain({
      targets: [keeper('a', true), keeper('b', false)],
      clock,
      limits: LIMITS,
      fallbackOnFilter: false,
      random: () => 0.5,
    });
    const turn = made.turn();
    const messages: ChatMessage[] = [user('x')];
    const built: string[] = [];
    const run = async () => {
      const step = start(turn, undefined, (choice) => {
        built.push(choice.provider);
        return request([...messages]);
      });
      await clock.skip(0);
      await step.ended;
      const [answer, result] = called('shell', { command: 'x'.repeat(messages.length) }, 'r');
      messages.push(
        { ...answer, keep: JSON.parse(JSON.stringify(doneOf(step.events).keep)) } as ChatMessage,
        result as ChatMessage,
      );
    };
    for (let i = 0; i < 3; i++) await run();
    const keeps = asked.map((r) => r.messages.flatMap((m) => (m.role === 'assistant' ? [m.keep] : [])));
    expect(built).toEqual(['a', 'a', 'b', 'b']);
    expect(keeps).toEqual([[], [{ from: 'a' }], [undefined], [undefined, { from: 'b' }]]);
  });
});

describe('a model by name', () => {
  it.each([
    ['openai:gpt-5', { provider: 'openai', model: 'gpt-5' }],
    ['openrouter:vendor/name:free', { provider: 'openrouter', model: 'vendor/name:free' }],
  ])('%s', (text, choice) => {
    expect(readModel(text)).toEqual(choice);
    expect(writeModel(choice)).toBe(text);
  });

  it.each(['gpt-5', ':x', 'x:', ''])('%j is none', (text) => {
    expect(() => readModel(text)).toThrow('Write provider:model');
  });
});
