import { describe, expect, it } from 'vitest';
import { matchesDaemon, matchesRuntime } from '../../../src/approvals/rules/daemon-names.ts';

const daemon = (pattern: string) => matchesDaemon(pattern, { installation: '/opt/hermod' });

describe('an expression that finds programs', () => {
  it.each([
    ['her\\wod'],
    ['\\bhermo'],
    ['\\<hermo'],
    ['he{1}rmo'],
    ['h{0}ermes'],
    ['her.{3}'],
    ['her[a-z]*d'],
    ['herx*mod'],
    ['her.+'],
    ['(her|x)mod'],
    ['her(x)?mod'],
    ['[h]ermo'],
    ['[]h]ermo'],
    ['mes$'],
    ['^hermes$'],
    ['node\\s/opt/her'],
    ['a|hermo'],
    ['HERMO'],
    ['/opt/her'],
  ])('finds hermod: %s', (pattern) => expect(daemon(pattern)).toBe(true));

  it.each([
    ['her\\smod'],
    ['herm\\.d'],
    ['xhe{1}rmo'],
    ['e{2}rmo'],
    ['her.{30}'],
    ['her[xyz]*d'],
    ['herx+mod'],
    ['herm+d'],
    ['her.?d'],
    ['her(x|y)mod'],
    ['ab[hermo'],
    ['^mes'],
    ['her$'],
    ['main.ts'],
    ['abc|def'],
    ['a|b|h'],
    ['/opt/app'],
  ])('finds others: %s', (pattern) => expect(daemon(pattern)).toBe(false));

  it('finds hermod by the folder it lies in', () => {
    expect(matchesDaemon('/srv/gat', { installation: '/srv/gate' })).toBe(true);
    expect(matchesDaemon('/opt/herm', { installation: '/srv/gate' })).toBe(false);
    expect(matchesDaemon('opt/herm', {})).toBe(true);
  });

  it('counts as finding it where there is too much to judge', () => {
    expect(daemon(`x{1}${'(a|b)'.repeat(6)}`)).toBe(true);
    expect(daemon(`x{1}${'(a|b)'.repeat(3)}`)).toBe(false);
    expect(daemon(`${'x'.repeat(200)}*`)).toBe(true);
    expect(daemon('x'.repeat(200))).toBe(false);
  });

  it('may find whatever node runs', () => {
    for (const pattern of ['node', '^nod', 'n+ode', 'ode$', 'node|x'])
      expect(matchesRuntime(pattern, false)).toBe(true);
    for (const pattern of ['nod$', 'node ', 'x', 'o.', 'nodemon']) expect(matchesRuntime(pattern, false)).toBe(false);
    expect(matchesRuntime('node ', true)).toBe(true);
    expect(matchesRuntime('node$', true)).toBe(false);
    expect(matchesRuntime('(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)', false)).toBe(true);
  });
});
