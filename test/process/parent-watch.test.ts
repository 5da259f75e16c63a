import { expect, it } from 'vitest';
import { watchParent } from '../../src/process/parent-watch.ts';
import { FakeClock } from '../fakes/fake-clock.ts';

it('another parent is told once; a cancelled watch tells nothing', async () => {
  const clock = new FakeClock();
  let parent = 7;
  let gone = 0;
  watchParent(
    clock,
    () => parent,
    () => void gone++,
  );
  const cancel = watchParent(
    clock,
    () => parent,
    () => {
      gone += 100;
    },
  );
  await clock.skip(60_000);
  cancel();
  parent = 1;
  await clock.skip(2_000);
  expect(gone).toBe(1);
  await clock.skip(60_000);
  expect(gone).toBe(1);
});
