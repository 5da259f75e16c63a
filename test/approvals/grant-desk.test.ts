import { expect, it } from 'vitest';
import { GrantDesk } from '../../src/approvals/grant-desk.ts';
import { ANN, ApprovalWorld, BOB, EVE } from '../fakes/approval-world.ts';

const APPROVER = { platform: 'cli', id: 'operator', name: 'the operator' };

it('a remembered yes is seen by whoever gave it, by those of its conversation, and by approvers', async () => {
  const world = new ApprovalWorld();
  const { session, passage } = world.asks('rm -rf build');
  await world.deliver();
  world.press(world.pending[0]!, 'Session');
  await passage;
  const trail = { write: () => {}, mark: () => {} };
  const desk = new GrantDesk({ ...world, trail, config: () => ({ approvers: ['cli:operator'] }) });
  const other = world.turn({ actor: EVE, chat: 'c2' }).session;
  const seen = (...who: Parameters<GrantDesk['visible']>) => desk.visible(...who).length;
  expect([seen(ANN, undefined), seen(ANN, other), seen(BOB, session), seen(APPROVER, undefined)]).toEqual([1, 1, 1, 1]);
  expect([seen(BOB, undefined), seen(BOB, other)]).toEqual([0, 0]);
});
