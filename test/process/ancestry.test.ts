import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type ProcessView, startedByAgent } from '../../src/process/ancestry.ts';

const PARENTS: Record<number, number> = { 40: 30, 30: 20, 20: 1 };
const view: ProcessView = {
  parentOf: (pid) => PARENTS[pid],
  marked: () => false,
  serviceOf: () => undefined,
};
const by = (daemons: readonly number[], env = {}, more: Partial<ProcessView> = {}) =>
  startedByAgent(env, 40, daemons, { ...view, ...more });

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
    expect(by([99], {}, { parentOf: (pid) => (pid === 40 ? 41 : 40) })).toBe(false);
  });

  it('an ancestor that was marked tells, though the mark was taken off below it', () => {
    expect(by([99], {}, { marked: (pid) => pid === 20 })).toBe(true);
    expect(by([99], {}, { marked: (pid) => pid === 40 })).toBe(false);
  });

  it('a process that left its parents stays in the service of the daemon', () => {
    const services: Record<number, string> = { 40: '/system.slice/hermod.service', 99: '/system.slice/hermod.service' };
    const alone = { parentOf: () => 1, serviceOf: (pid: number) => services[pid] };
    expect(by([99], {}, alone)).toBe(true);
    expect(by([98], {}, alone)).toBe(false);
    expect(by([98], {}, { parentOf: () => 1 })).toBe(false);
  });

  it('a mark is read from the machine, though the process itself has none', () => {
    const entry = new URL('../../src/process/ancestry.ts', import.meta.url);
    const script = `import { type ProcessView, startedByAgent } from '${entry}'; console.log(startedByAgent({}, process.pid, []))`;
    const node = `${process.execPath} --input-type=module-typescript -e "$0"`;
    const shell = `env -u HERMOD_PROC ${node}; true`;
    const env = { ...process.env, HERMOD_PROC: 'x' };
    expect(execFileSync('/bin/sh', ['-c', shell, script], { encoding: 'utf8', env }).trim()).toBe('true');
  });

  it('is read from the machine', () => {
    const { pid, ppid } = process;
    expect(startedByAgent({}, pid, [ppid])).toBe(true);
    const entry = new URL('../../src/process/ancestry.ts', import.meta.url);
    const script = `import { type ProcessView, startedByAgent } from '${entry}'; console.log(startedByAgent({}, process.pid, [${pid}, 0]))`;
    const said = execFileSync(process.execPath, ['--input-type=module-typescript', '-e', script], { encoding: 'utf8' });
    expect(said.trim()).toBe('true');
  });
});
