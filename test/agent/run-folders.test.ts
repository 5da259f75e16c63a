import { expect, it } from 'vitest';
import { createRunFolders } from '../../src/agent/run-folders.ts';
import { childRun } from '../../src/context/run-context.ts';
import type { RunId } from '../../src/contract/ids.ts';
import { openStore } from '../../src/store/store.ts';
import { chatAddress, chatRun, person } from '../fakes/runs.ts';

it("keeps a session's folder over runs, and a worker's own to itself", () => {
  const { sessions } = openStore(':memory:');
  const { id } = sessions.open('k', person('ann'), chatAddress('c1'), true, 0);
  const folders = createRunFolders(sessions, '/home/ann/project');
  const run = { ...chatRun(), session: id };
  const worker = childRun(run, 'w1' as RunId);
  expect(folders.of(run)).toBe('/home/ann/project');
  folders.follow(run, '/home/ann/project/a');
  expect(folders.of({ ...chatRun(), session: id })).toBe('/home/ann/project/a');
  folders.follow(worker, '/home/ann/project/b');
  expect([folders.of(worker), folders.of(run), folders.of(childRun(run, 'w2' as RunId))]).toEqual([
    '/home/ann/project/b',
    '/home/ann/project/a',
    '/home/ann/project/a',
  ]);
});
