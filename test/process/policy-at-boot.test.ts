import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openReadOnly } from '../../src/store/open.ts';
import { Survivor } from './survivor.ts';

let survivor: Survivor;
afterEach(() => survivor.close());

function rows<T>(sql: string): T[] {
  const db = openReadOnly(join(survivor.home, 'hermod.db'));
  try {
    return db.prepare<[], T>(sql).all();
  } finally {
    db.close();
  }
}

const policies = () =>
  rows<{ body: string }>(`SELECT body FROM approval_event WHERE event = 'policy-changed' ORDER BY seq`).map(
    ({ body }) => JSON.parse(body) as { detail: string; policy: Record<string, unknown> },
  );

it('a boot notes what changed of the policy and where the record ends, and whoever lost access meanwhile loses the rest', async () => {
  survivor = await Survivor.open();
  await survivor.boot();
  survivor.says('run mkdir -p build && echo x > build/a');
  await survivor.until('the folder', () => survivor.read('build/a') === 'x\n');
  survivor.says('delete the folder build');
  await survivor.until('a card', () => survivor.seen().find((message) => message.buttons.length > 0));
  await survivor.kill();
  expect(policies()).toHaveLength(1);
  expect(policies()[0]?.policy).toMatchObject({ cron_mode: 'deny', mode: 'manual' });

  const config = join(survivor.home, 'config.yaml');
  const changed = readFileSync(config, 'utf8').replace('["telegram:1"]', '["telegram:2"]');
  writeFileSync(config, `${changed}approvals:\n  cron_mode: ask\n  words:\n    approve: [ja]\n`);
  await survivor.boot();
  await survivor.hears(/^Not run: who asked may no longer use hermod/);
  await survivor.kill();

  expect(policies().map(({ detail }) => detail.split(' ').sort())).toEqual([expect.any(Array), ['cron_mode', 'words']]);
  expect(rows('SELECT state, reason FROM approvals')).toEqual([{ state: 'cancelled', reason: 'access' }]);
  expect(rows(`SELECT state FROM turns ORDER BY rowid DESC LIMIT 1`)).toEqual([{ state: 'abandoned' }]);
  expect(survivor.read('build/a')).toBe('x\n');
  const heads = rows<{ audit_head: string | null }>('SELECT audit_head FROM boots ORDER BY started_at');
  expect(heads.map(({ audit_head }) => /^\d+:[0-9a-f]{64}$/.test(audit_head ?? ''))).toEqual([true, true]);
});
