import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ModelServer } from '../fakes/model-server.ts';
import { modelSettings } from '../fakes/model-settings.ts';
import { Survivor } from './survivor.ts';

let survivor: Survivor;
let model: ModelServer;

/** Ends when somebody lets it. */
const PATIENT = 'echo begun > log; until [ -e go ]; do sleep 0.1; done; echo woke >> log';
/** Does not listen when it is asked to end. */
const DEAF = "trap '' TERM; echo begun > log; while :; do sleep 0.1; done";

beforeEach(async () => {
  model = await ModelServer.start({
    replies: ({ body }) => {
      const messages = body.messages as readonly { role: string }[];
      if (messages.at(-1)?.role === 'tool') return { say: 'the job is done' };
      return { calls: [{ name: 'shell', arguments: { command: 'sh work.sh' } }] };
    },
  });
});

afterEach(async () => {
  await survivor.close();
  await model.stop();
});

/** A firing that is in the middle of its work; it may take `drainS` to end once the daemon is told to. */
async function firing(work: string, drainS: number) {
  survivor =
    await Survivor.open(`${modelSettings(model.url)}stop: { turns_s: 1, flush_s: 2, adapters_s: 1, total_s: 30 }
cron: { drain_s: ${drainS}, stagger_s: 0 }
`);
  const daemon = await survivor.boot();
  writeFileSync(join(survivor.home, 'workspace', 'work.sh'), work);
  survivor.says('/jobs add in 1s | do the work');
  await survivor.until('the firing', () => survivor.read('log') === 'begun\n');
  return daemon;
}

it('SIGTERM in the middle of a firing: it finishes, longer than turns may take, and what it says is sent; 0 (h82161) (gateway 14)', async () => {
  const daemon = await firing(PATIENT, 20);
  daemon.signal('SIGTERM');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(survivor.read('log')).toBe('begun\n');
  writeFileSync(join(survivor.home, 'workspace', 'go'), '');
  expect(await daemon.exited).toEqual({ code: 0, signal: null });
  expect(survivor.read('log')).toBe('begun\nwoke\n');
  expect(survivor.count(/the job is done/)).toBe(1);
  expect(survivor.boots().at(-1)).toMatchObject({ how: 'signal', signal: 'SIGTERM' });
});

it('SIGTERM in the middle of a firing without an end, deaf to SIGTERM itself: its owner is told before the process is gone; 0 (h94759, h82232) (gateway 14)', async () => {
  const daemon = await firing(DEAF, 1);
  daemon.signal('SIGTERM');
  expect(await daemon.exited).toEqual({ code: 0, signal: null });
  expect(survivor.count(/was stopped with hermod before it was done/)).toBe(1);
  expect(survivor.read('log')).toBe('begun\n');
});
