import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { TurnInput, TurnResult } from '../../src/agent/turn-port.ts';
import { withRun } from '../../src/context/run-context.ts';
import type { ModelRequest, StepEvent } from '../../src/contract/model.ts';
import type { Tool } from '../../src/contract/tool.ts';
import { settle } from '../fakes/fake-clock.ts';
import { call, calls, say, turnFixture } from './turn-fixture.ts';

type Fixture = ReturnType<typeof turnFixture>;

/** What the person writes meanwhile, as the lane would put it there. */
class Typing implements TurnInput {
  words: string[] = [];
  #changed: (() => void)[] = [];
  readonly #fixture: Fixture;

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
  }

  waits = () => this.words.length > 0;
  take(): void {
    for (const content of this.words) this.write(content);
    this.words = [];
  }
  changed(fn: () => void): () => void {
    this.#changed.push(fn);
    return () => {
      this.#changed = this.#changed.filter((one) => one !== fn);
    };
  }
  get listeners(): number {
    return this.#changed.length;
  }
  write(content: string): void {
    const { store, session, turn, clock } = this.#fixture;
    store.transcript.append({ session: session.id, turn: turn.id, step: 0, role: 'user', content }, clock.now());
  }
  change(): void {
    for (const fn of [...this.#changed]) fn();
  }
}

function run(fixture: Fixture, input: TurnInput): Promise<TurnResult> {
  const { newRun, runner, turn, sink } = fixture;
  const context = newRun();
  return withRun(context, () => runner.run({ turn, run: context, input }, sink));
}

/** A tool that writes what it did, and calls back. */
function tool(done: string[], during: () => void = () => {}): Tool {
  return {
    name: 'work',
    description: 'works',
    input: z.strictObject({ text: z.string() }),
    effects: 'write',
    async run(input) {
      done.push((input as { text: string }).text);
      during();
      return { text: 'done', isError: false };
    },
  };
}

const views = ({ model }: Fixture) =>
  model.requests.map((request: ModelRequest) => request.messages.map(({ role, content }) => `${role}: ${content}`));

describe('words that steer', () => {
  it('reach the model after the results of the step, and calls that had not begun are skipped', async () => {
    const done: string[] = [];
    const fixture: Fixture = turnFixture({
      tools: [tool(done, () => input.words.push('stop deleting'))],
      steps: [
        calls(call('work', { text: 'a' }, 'p1'), call('work', { text: 'b' }, 'p2'), call('work', { text: 'c' }, 'p3')),
        say('All right.'),
      ],
    });
    const input = new Typing(fixture);
    expect(await run(fixture, input)).toMatchObject({ kind: 'replied', text: 'All right.' });
    expect(done).toEqual(['a']);
    expect(fixture.calls().map(({ state, result }) => `${state}: ${result}`)).toEqual([
      'done: done',
      'skipped: skipped: the person wrote meanwhile',
      'skipped: skipped: the person wrote meanwhile',
    ]);
    expect(views(fixture)[1]?.at(-1)).toBe('user: stop deleting');
    expect(views(fixture)[1]?.at(-2)).toBe('tool: skipped: the person wrote meanwhile');
  });

  it('skip no call that a person was asked about, in this process or before: it is theirs to decide', async () => {
    const done: string[] = [];
    const meanwhile = () => {
      const [, second] = fixture.store.transcript.ofTurn(fixture.turn.id).flatMap((row) => row.calls);
      fixture.store.transcript.asked((second as NonNullable<typeof second>).id);
      input.words.push('and say hello');
    };
    const fixture: Fixture = turnFixture({
      tools: [tool(done, () => done.length === 1 && meanwhile())],
      steps: [
        calls(call('work', { text: 'a' }, 'p1'), call('work', { text: 'b' }, 'p2'), call('work', { text: 'c' }, 'p3')),
        say('All right.'),
      ],
    });
    const input = new Typing(fixture);
    expect(await run(fixture, input)).toMatchObject({ kind: 'replied' });
    expect(done).toEqual(['a', 'b']);
    expect(fixture.calls().map(({ state }) => state)).toEqual(['done', 'done', 'skipped']);
    expect(views(fixture)[1]?.at(-1)).toBe('user: and say hello');
  });

  it('are not taken while a text that was cut off is continued', async () => {
    const fixture: Fixture = turnFixture({
      steps: [
        async function* (): AsyncIterable<StepEvent> {
          yield { type: 'text', delta: 'one ' };
          input.words.push('and more');
          yield { type: 'done', reason: 'length', usage: null };
        },
        say('two'),
      ],
    });
    const input = new Typing(fixture);
    expect(await run(fixture, input)).toMatchObject({ text: 'one two' });
    expect(input.words).toEqual(['and more']);
  });
});

describe('words that change', () => {
  /** Answers only when it is told to begin again. */
  const hung = async function* (_: ModelRequest, signal: AbortSignal): AsyncIterable<StepEvent> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    yield { type: 'done', reason: 'aborted', usage: null, failure: { kind: 'aborted', detail: '' } };
  };

  it('before anything is shown: the model is asked again, with all of them', async () => {
    const fixture = turnFixture({ words: 'first', steps: [hung, say('Both.')] });
    const input = new Typing(fixture);
    const result = run(fixture, input);
    await settle();
    input.write('second');
    input.change();
    expect(await result).toMatchObject({ kind: 'replied', text: 'Both.' });
    expect(views(fixture)).toEqual([['user: first'], ['user: first\n\nsecond']]);
    expect(fixture.sink.events).toEqual(['text Both.']);
    expect(input.listeners).toBe(0);
  });

  it('after a stop nothing is asked again', async () => {
    const fixture = turnFixture({ steps: [hung, say('Never.')] });
    const input = new Typing(fixture);
    const result = run(fixture, input);
    await settle();
    fixture.abort.abort('stop');
    input.change();
    expect(await result).toMatchObject({ kind: 'stopped', by: 'stop' });
    expect(fixture.model.left).toBe(1);
  });
});
