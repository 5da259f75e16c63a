import { afterEach, expect, it } from 'vitest';
import { World } from './world.ts';

const GROUP = -100;

let world: World;
afterEach(() => world.close());

/** Cleo is let in by nothing but her membership of the group. */
async function cleoDeletes() {
  world.write('build/app.js', 'x');
  const cleo = world.person(3, 'Cleo');
  cleo.says('@hermod_test_bot delete the folder build', GROUP);
  return cleo;
}

it('what a member of a group allowed for the session holds for her next turn there', async () => {
  world = await World.open();
  world.telegram.group(GROUP, { title: 'Family' });
  const cleo = await cleoDeletes();
  const card = await cleo.isAsked(/rm -r -- 'build'/, GROUP);
  expect(await cleo.presses(card, 'Session')).toBe('Allowed for this session.');
  await world.until('the folder to be gone', () => !world.has('build'));
  await world.until('the turn to end', () => world.app.status().turns.unfinished === 0);

  await cleoDeletes();
  await world.until('the folder to be gone again', () => !world.has('build'));
  await world.until('the turn to end', () => world.app.status().turns.unfinished === 0);
  await world.delivered();
  expect(cleo.sees(GROUP).filter(({ buttons }) => buttons.length > 0)).toEqual([]);
  expect(cleo.sees(GROUP).filter(({ text }) => text.startsWith('Allowed for this session'))).toHaveLength(1);
});

it('an approver who wrote directly before gets a copy of the card there, and may answer it', async () => {
  world = await World.open({ config: 'approvals:\n  card_to: both\n  approvers: ["telegram:1", "telegram:9"]\n' });
  world.telegram.group(GROUP, { title: 'Family' });
  const anna = world.person(1, 'Anna');
  anna.says('hello');
  await anna.hears(/Hello!/);
  const cleo = await cleoDeletes();
  await cleo.isAsked(/rm -r -- 'build'/, GROUP);
  const copy = await anna.isAsked(/rm -r -- 'build'/);
  expect(await anna.presses(copy, 'Once')).toBe('Allowed once.');
  await world.until('the folder to be gone', () => !world.has('build'));
  await cleo.hears(/^Allowed once by Anna/, GROUP);
  await anna.hears(/^Allowed once by Anna/);
});
