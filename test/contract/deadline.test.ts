import { expect, it } from 'vitest';
import { Deadline } from '../../src/contract/deadline.ts';
import { FakeClock } from '../fakes/fake-clock.ts';

it('counts only the time in which nobody held it', async () => {
  const clock = new FakeClock();
  let over = 0;
  const deadline = new Deadline(clock, 1000, () => over++);
  await clock.skip(600);
  deadline.hold();
  deadline.hold();
  await clock.skip(60_000);
  deadline.release();
  await clock.skip(60_000);
  deadline.release();
  await clock.skip(399);
  expect(over).toBe(0);
  await clock.skip(1);
  expect(over).toBe(1);
});

it('is never over after cancel', async () => {
  const clock = new FakeClock();
  const deadline = new Deadline(clock, 1000, () => {
    throw new Error('over');
  });
  deadline.hold();
  deadline.cancel();
  deadline.release();
  await clock.skip(5000);
  expect(clock.armed).toBe(0);
});
