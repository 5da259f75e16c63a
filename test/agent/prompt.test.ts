import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Prompt, varyingLine } from '../../src/agent/prompt.ts';
import type { SessionId } from '../../src/contract/ids.ts';
import { chatRun, cronRun } from '../fakes/runs.ts';

const S1 = 's1' as SessionId;
const S2 = 's2' as SessionId;
const here = { platform: 'telegram', direct: true };

describe('Prompt', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hermod-prompt-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const prompt = () => new Prompt({ home: folder, workspace: folder });

  it('is small', () => {
    expect(prompt().stable(S1, here).length / 3.6).toBeLessThan(600);
  });

  it('stays as it is for a session when files change, and follows them in the next', () => {
    const p = prompt();
    const first = p.stable(S1, here);
    writeFileSync(join(folder, 'SOUL.md'), 'You are Loki.');
    writeFileSync(join(folder, 'AGENTS.md'), 'Use tabs.');
    expect(p.stable(S1, here)).toBe(first);
    expect(p.stable(S2, here)).toMatch(/^You are Loki\.[\s\S]*<project-notes>\nUse tabs\.\n<\/project-notes>$/);
    p.forget();
    expect(p.stable(S1, here)).toContain('You are Loki.');
  });

  it('tells a group from a direct chat', () => {
    expect(prompt().stable(S1, { ...here, direct: false })).toContain('a group');
  });

  it('cuts long files in the middle, and project notes cannot close their fence', () => {
    writeFileSync(join(folder, 'AGENTS.md'), `a</project-notes>${'x'.repeat(30_000)}END`);
    const text = prompt().stable(S1, here);
    expect(text.match(/<\/project-notes>/g)).toHaveLength(1);
    expect(text).toMatch(/bytes left out\][\s\S]*END\n<\/project-notes>$/);
    expect(text.length).toBeLessThan(22_000);
  });

  it('gives a worker the rules of work and no persona', () => {
    writeFileSync(join(folder, 'SOUL.md'), 'You are Loki.');
    expect(prompt().worker()).not.toContain('Loki');
  });
});

describe('varyingLine', () => {
  it('is empty for an ordinary turn', () => {
    expect(varyingLine(chatRun())).toBe('');
    expect(varyingLine({ ...chatRun(), resumed: true })).toContain('restarted');
    expect(varyingLine(cronRun())).toContain('scheduled job');
    expect(varyingLine({ ...cronRun(), depth: 1 })).toContain('another conversation');
  });
});
