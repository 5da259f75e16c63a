import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openReadOnly } from '../../src/store/open.ts';
import { openStore } from '../../src/store/store.ts';
import { plainJob } from '../schedule/plain-job.ts';
import { begin } from './command.ts';
import { Survivor } from './survivor.ts';

const ANNA = { platform: 'telegram', id: '1', name: 'Anna' };

let survivor: Survivor;
afterEach(() => survivor.close());

const runJob = (name: string, env: Record<string, string> = {}) => begin(survivor.home, ['run-job', name], env);

/** Jobs of Anna's that are not due for long. */
function seed(jobs: Readonly<Record<string, string>>): void {
  const store = openStore(join(survivor.home, 'hermod.db'));
  const now = Date.now();
  const schedule = { kind: 'every', period: 'PT9H', anchorAt: now, tz: 'UTC' } as const;
  const origin = { platform: 'telegram', bot: survivor.telegram.token.split(':')[0] as string, chat: '1' };
  for (const [name, prompt] of Object.entries(jobs)) {
    const approvalMode = name.startsWith('approved') ? ('approve' as const) : null;
    const more = { owner: ANNA, origin, direct: true, name, prompt, approvalMode };
    store.jobs.insert(plainJob(store.jobs.newId(), schedule, now, now + 9 * 3_600_000, more));
  }
  store.close();
}

function rows<T>(sql: string): readonly T[] {
  const db = openReadOnly(join(survivor.home, 'hermod.db'));
  try {
    return db.prepare<[], T>(sql).pluck().all();
  } finally {
    db.close();
  }
}

const build = () => {
  mkdirSync(join(survivor.home, 'workspace', 'build'), { recursive: true });
  writeFileSync(join(survivor.home, 'workspace', 'build', 'a'), 'x');
};
const hasBuild = () => existsSync(join(survivor.home, 'workspace', 'build'));

it('hermod run-job without a daemon runs one firing as a job and sends what it says, and is no life of the daemon', async () => {
  survivor = await Survivor.open();
  // A chat that nobody has opened takes no messages.
  survivor.says('hello');
  seed({
    hello: 'say hello from the job',
    refused: 'run rm -rf build then run env then say still here',
    'approved to clean': 'run rm -rf build',
  });
  build();
  expect(await runJob('hello').said).toEqual({ code: 0, out: 'hello from the job\n', err: '' });
  expect(survivor.count(/^hello from the job$/)).toBe(1);
  expect(rows('SELECT trigger || state FROM firings')).toEqual(['manualok']);

  const refused = await runJob('refused', { MY_OWN: 'kept' }).said;
  expect(refused).toMatchObject({ code: 0, out: expect.stringMatching(/Refused: [\s\S]*still here/) as string });
  expect(refused.out).not.toMatch(/HERMOD_CRON_SESSION|HERMES_CRON_SESSION/);
  expect(hasBuild()).toBe(true);
  expect(survivor.seen().some(({ buttons }) => buttons.flat().includes('Allow for this job'))).toBe(true);
  expect(await runJob('approved to clean').said).toMatchObject({ code: 0 });
  expect(hasBuild()).toBe(false);
  const decided =
    "SELECT json_extract(body, '$.authority') || ' ' || json_extract(body, '$.label') FROM approval_event";
  expect(rows(`${decided} WHERE event = 'decided' ORDER BY seq`)).toEqual(['cron block:cron', 'cron allow:cron']);

  expect(await runJob('nothing').said).toMatchObject({ code: 4, err: 'I know no job "nothing". /jobs lists them.\n' });
  expect(rows('SELECT id FROM boots')).toEqual([]);
  expect(rows('SELECT boot_id FROM schedule_owner')).toEqual([]);
  expect(survivor.telegram.calls.filter(({ method }) => method === 'getUpdates')).toEqual([]);
}, 120_000);

it('a second run-job meets the lock; one that was killed leaves an unknown outcome and a breaker that knows nothing of it', async () => {
  survivor = await Survivor.open();
  // A chat that nobody has opened takes no messages.
  survivor.says('hello');
  seed({ long: 'run touch began.txt; sleep 60', hello: 'say hello' });
  const { child, said } = runJob('long');
  await survivor.until('the firing', () => existsSync(join(survivor.home, 'workspace', 'began.txt')));
  expect(await runJob('hello').said).toMatchObject({
    code: 75,
    err: expect.stringMatching(/already running/) as string,
  });
  child.kill('SIGKILL');
  await said;
  await survivor.boot();
  await survivor.hears(/Their outcome is unknown and they were not repeated:\s+• "long"/);
  expect(rows('SELECT state FROM firings')).toEqual(['unknown']);
  expect(rows('SELECT interrupted FROM boots')).toEqual([0]);
}, 120_000);
