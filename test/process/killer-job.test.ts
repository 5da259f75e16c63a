import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openReadOnly } from '../../src/store/open.ts';
import { openStore } from '../../src/store/store.ts';
import { plainJob } from '../schedule/plain-job.ts';
import { DaemonProcess, newHome } from './daemon-process.ts';

let daemon: DaemonProcess | undefined;
afterEach(async () => {
  await daemon?.kill();
});

/** A script that notes its run and kills whoever started it. */
function killer(home: string, name: string) {
  const path = join(home, 'scripts', name);
  mkdirSync(join(home, 'scripts'), { recursive: true });
  const text = `#!/bin/sh\necho ran >> "${home}/${name}.txt"\nkill -9 $PPID\n`;
  writeFileSync(path, text);
  chmodSync(path, 0o700);
  return { script: realpathSync(path), scriptSha256: createHash('sha256').update(text).digest('hex'), agent: false };
}

const runs = (home: string, name: string) =>
  existsSync(join(home, `${name}.txt`))
    ? readFileSync(join(home, `${name}.txt`), 'utf8')
        .trim()
        .split('\n').length
    : 0;

it('a job whose script kills hermod: a one-time job has run once, after five restarts, too; one that comes again is paused after two (schedule 9)', async () => {
  const home = newHome('cron:\n  max_parallel: 1\nbreaker:\n  global_limit: 0\n');
  const store = openStore(join(home, 'hermod.db'));
  const now = Date.now();
  const owner = { platform: 'cli', id: 'operator', name: 'the operator' };
  const origin = { platform: 'cli', bot: 'local', chat: 'operator' };
  const base = { owner, origin, deliver: ['local'] } as const;
  const once = { kind: 'at', at: now - 5000, tz: 'UTC' } as const;
  const often = { kind: 'every', period: 'PT1M', anchorAt: now - 61_000, tz: 'UTC' } as const;
  const rows = [
    plainJob(store.jobs.newId(), once, now - 70_000, once.at, { ...base, ...killer(home, 'once') }),
    plainJob(store.jobs.newId(), often, now - 61_000, now - 1000, { ...base, ...killer(home, 'often') }),
  ];
  for (const row of rows) store.jobs.insert(row);
  store.close();
  const [oneTime, recurring] = rows.map(({ id }) => id);

  const look = () => {
    const db = openReadOnly(join(home, 'hermod.db'));
    const read = <T>(sql: string) => db.prepare<[], T>(sql).all();
    const seen = {
      jobs: read<{ id: string; state: string; paused_reason: string | null }>(
        'SELECT id, state, paused_reason FROM jobs',
      ),
      firings: read<{ job: string; state: string }>('SELECT job, state FROM firings ORDER BY rowid'),
    };
    db.close();
    return seen;
  };
  const isPaused = () => look().jobs.some(({ id, state }) => id === recurring && state === 'paused');
  let deaths = 0;
  for (let boot = 1; boot <= 5; boot++) {
    const again = openStore(join(home, 'hermod.db'));
    // A minute goes by.
    again.db
      .prepare(`UPDATE jobs SET next_run_at = ? WHERE id = ? AND state = 'scheduled'`)
      .run(Date.now() - 1000, recurring);
    again.close();
    daemon = new DaemonProcess(home);
    const died = await Promise.race([daemon.exited.then(() => true), daemon.ready().then(calm, () => true)]);
    deaths += died ? 1 : 0;
    await daemon.kill();
  }
  /** Ready, and nothing that could kill it is left. */
  async function calm(): Promise<boolean> {
    if (isPaused()) return false;
    return (await daemon?.exited) !== undefined;
  }
  expect([deaths, runs(home, 'once'), runs(home, 'often')]).toEqual([3, 1, 2]);
  const { jobs, firings } = look();
  expect(firings.filter(({ job }) => job === oneTime)).toEqual([{ job: oneTime, state: 'unknown' }]);
  expect(firings.filter(({ job }) => job === recurring).map(({ state }) => state)).toEqual(['unknown', 'unknown']);
  expect(jobs.find(({ id }) => id === recurring)).toMatchObject({ state: 'paused', paused_reason: 'interrupted' });
}, 120_000);
