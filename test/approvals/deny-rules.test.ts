import { describe, expect, it } from 'vitest';
import type { Analysis, ResolvedCommand } from '../../src/approvals/analysis.ts';
import { denyRule, denyTexts } from '../../src/approvals/deny-rules.ts';

const command = (argv: ResolvedCommand['argv'], wrappers: readonly string[] = []): ResolvedCommand => ({
  argv,
  program: argv[0]?.split('/').at(-1) ?? null,
  wrappers: wrappers.map((program) => ({ program })),
  cwd: '/w',
  assignments: [],
  span: [0, 1],
});
const analysis = (commands: readonly ResolvedCommand[], more: Partial<Analysis> = {}): Analysis => {
  return { grade: 'safe', findings: [], commands, readable: true, sudoStdin: false, grantBar: null, code: [], ...more };
};
const denied = (rule: string, ...commands: readonly ResolvedCommand[]) =>
  denyRule([rule], denyTexts('raw text', analysis(commands))) !== undefined;

describe('deny rules', () => {
  it.each([
    ['git push *', ['git', 'push', 'origin', 'main'], true],
    ['git push *', ['git', 'push'], true],
    ['GIT Push *', ['git', 'push', 'origin'], true],
    ['git push *', ['git', 'pushall'], false],
    ['git push *', ['echo', 'git push x'], false],
    ['git * --force', ['/usr/bin/git', 'push', '--force'], true],
    ['/usr/bin/git *', ['/usr/bin/git', 'push'], true],
    ['*prod*', ['kubectl', '-n', 'prod', 'get', 'pods'], true],
    ['rm -rf', ['rm', '-rf', 'x'], false],
    ['rm *', ['rm', null], true],
    ['rm -rf /data', ['rm', '-rf', null], false],
    ['a*b*c', ['axxbxx', 'c'], true],
    ['*', ['ls'], true],
  ])('%s on %j: %s', (rule, argv, expected) => {
    expect(denied(rule, command(argv))).toBe(expected);
  });

  it('see through wrappers, and see the wrappers', () => {
    expect(denied('rm *', command(['rm', 'x'], ['sudo', 'nice']))).toBe(true);
    expect(denied('sudo *', command(['rm', 'x'], ['sudo', 'nice']))).toBe(true);
    expect(denied('nice rm *', command(['rm', 'x'], ['sudo', 'nice']))).toBe(true);
  });

  it('hold for every command, every line of code, and the raw text where it cannot be read', () => {
    expect(denied('rm *', command(['ls']), command(['rm', 'x']))).toBe(true);
    expect(denyRule(['*os.remove*'], denyTexts('x', analysis([], { code: ['import os\nos.remove("a")'] })))).toBe(
      '*os.remove*',
    );
    expect(denyRule(['*secret*'], denyTexts('cat $(secret', analysis([], { readable: false })))).toBe('*secret*');
    expect(denyRule(['*secret*'], denyTexts('echo secret', analysis([command(['echo', 'x'])])))).toBeUndefined();
    expect(denyRule(['drop *'], denyTexts('select 1;\n  drop table x', undefined))).toBe('drop *');
  });

  it('names the first rule that fits', () => {
    expect(denyRule(['no', 'rm *', '*'], ['rm x'])).toBe('rm *');
    expect(denyRule([], ['rm x'])).toBeUndefined();
  });

  it('stay fast on texts made to be slow', () => {
    expect(denyRule([`${'a*'.repeat(30)}b`], ['a'.repeat(65_536)])).toBeUndefined();
  });
});
