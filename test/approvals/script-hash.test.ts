import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { analyze } from '../../src/approvals/analyze.ts';
import { scriptHash } from '../../src/approvals/script-hash.ts';
import { FACTS } from './facts.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'script-hash-'));

function hashOf(command: string): Promise<string | null> {
  const analysis = analyze(command, { ...FACTS, cwd: FOLDER });
  return scriptHash({ analysis, guard: 'shell' });
}

describe('the hash of what a command runs', () => {
  it.each([
    'python3 run.py',
    'python3 -W ignore run.py',
    'python3 -X dev -u run.py --fast',
    'sudo python3 -W ignore run.py',
    'bash -o pipefail run.py',
    './run.py data',
  ])('%s changes with the script', async (command) => {
    writeFileSync(join(FOLDER, 'run.py'), 'print(1)');
    const before = await hashOf(command);
    expect(before).not.toBeNull();
    expect(await hashOf(command)).toBe(before);
    writeFileSync(join(FOLDER, 'run.py'), 'print(2)');
    expect(await hashOf(command)).not.toBe(before);
  });

  it('is none where no file is run', async () => {
    expect(await hashOf('ls run.py')).toBeNull();
    expect(await hashOf('python3 -c "print(1)"')).toBeNull();
  });
});
