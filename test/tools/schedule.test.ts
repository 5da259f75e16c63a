import { describe, expect, it } from 'vitest';
import { createSchedule } from '../../src/tools/schedule.ts';
import { chatRun, cliRun, cronRun, unattendedRun } from '../fakes/runs.ts';

describe('the schedule tool', () => {
  const tool = createSchedule({ answer: () => ({ text: '', isError: false }) });

  it('is offered to people in their turns, at depth 0, and to nobody else (schedule 15)', () => {
    expect(tool.offered?.(chatRun())).toBe(true);
    expect(tool.offered?.(cliRun())).toBe(true);
    for (const run of [cronRun(), unattendedRun(), { ...chatRun(), depth: 1 }]) expect(tool.offered?.(run)).toBe(false);
  });

  it('takes no approval mode, model, script or owner from a model', () => {
    for (const key of ['approval_mode', 'model', 'script', 'owner', 'workdir'])
      expect(tool.input.safeParse({ action: 'create', prompt: 'x', when: 'in 2h', [key]: 'x' }).success).toBe(false);
    for (const repeat of [0, -1, 1001, 1.5])
      expect(tool.input.safeParse({ action: 'create', repeat }).success).toBe(false);
  });
});
