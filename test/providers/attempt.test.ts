import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { ModelEvent, ModelProvider } from '../../src/contract/model.ts';
import { attempt } from '../../src/providers/attempt.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { request, user } from '../fakes/model-requests.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const EVENTS = 1_000;

it('keeps nothing of what has passed while its stream lasts', async () => {
  const passed: WeakRef<ModelEvent>[] = [];
  const provider: ModelProvider = {
    name: 'talker',
    async *stream() {
      for (let n = 0; n < EVENTS; n++) {
        const event: ModelEvent = { type: 'text', delta: `word ${n}` };
        passed.push(new WeakRef(event));
        yield event;
      }
      await new Promise(() => {});
    },
  };
  const limits = { firstOutputS: 90, idleS: 60 };
  const options = { provider, request: request([user('x')]), limits, deadline: { at: 1e9, seconds: 300 } };
  const events = attempt({ ...options, clock: new FakeClock() }, new AbortController().signal);
  for (let n = 0; n < EVENTS; n++) await events.next();
  await turn();
  collect();
  expect(passed).toHaveLength(EVENTS);
  expect(passed.filter((event) => event.deref()).length).toBeLessThan(EVENTS / 100);
  // Still open: nothing has let go of it.
  void events.next();
});
