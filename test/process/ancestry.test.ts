import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { startedByAgent } from '../../src/process/ancestry.ts';

const PARENTS: Record<number, number> = { 40: 30, 30: 20, 20: 1 };
const by = (daemons: readonly number[], env = {}) => startedByAgent(env, 40, daemons, (pid) => PARENTS[pid]);

describe('who started a command line', () => {
  it.each<[string, readonly number[], Record<string, string>, boolean]>([
    ['a person beside a daemon', [99], {}, false],
    ['no daemon at all', [], {}, false],
    ['the daemon, through a shell', [20], {}, true],
    ['the daemon itself', [30], {}, true],
    ['one of two daemons', [99, 20], {}, true],
    ['a tool, by its mark, wherever it went', [99], { HERMOD_PROC: 'x' }, true],
    ['init is no daemon', [1], {}, false],
  ])('%s', (_, daemons, env, agent) => {
    expect(by(daemons, env)).toBe(agent);
  });

  it('a circle of parents ends', () => {
    expect(startedByAgent({}, 40, [99], (pid) => (pid === 40 ? 41 : 40))).toBe(false);
  });

  it('is read from the machine', () => {
    const { pid, ppid } = process;
    expect(startedByAgent({}, pid, [ppid])).toBe(true);
    const entry = new URL('../../src/process/ancestry.ts', import.meta.url);
    const script = `import { startedByAgent } from '${entry}'; console.log(startedByAgent({}, process.pid, [${pid}, 0]))`;
    const said = execFileSync(process.execPath, ['--input-type=module-typescript', '-e', script], { encoding: 'utf8' });
    expect(said.trim()).toBe('true');
  });
});
