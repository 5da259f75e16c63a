import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configSchema } from '../../src/config/schema.ts';

const root = join(import.meta.dirname, '../..');
const template = readFileSync(join(root, 'config/hermod.service'), 'utf8');

/** What systemd says about a unit; it ends with 0 on keys it does not know, so only silence counts. */
function complaints(unit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'hermod-unit-'));
  const file = join(folder, 'hermod.service');
  writeFileSync(file, unit.replaceAll('@NODE@', process.execPath).replaceAll('@CHECKOUT@', root));
  const env = { ...process.env, XDG_RUNTIME_DIR: folder };
  const { stdout, stderr } = spawnSync('systemd-analyze', ['--user', 'verify', file], { env, encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return stdout + stderr;
}

describe('the systemd unit', () => {
  it.skipIf(!existsSync('/usr/bin/systemd-analyze'))('holds nothing systemd does not know', () => {
    expect(complaints(template)).toBe('');
    expect(complaints(template.replace('OOMPolicy', 'OMPolicy'))).toContain('OMPolicy');
  });

  it('gives a stop 15 seconds more than hermod itself does', () => {
    const { stop } = configSchema.parse({});
    expect(template).toContain(`TimeoutStopSec=${stop.total_s + 15}\n`);
  });
});
