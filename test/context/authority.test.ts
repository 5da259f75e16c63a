import { describe, expect, it } from 'vitest';
import { type Authority, authority, type EnvMarkers, readMarkers } from '../../src/context/authority.ts';
import { childRun } from '../../src/context/run-context.ts';
import type { RunId } from '../../src/contract/ids.ts';
import type { RunContext } from '../../src/contract/run.ts';
import { chatRun, cliRun, cronRun, person, unattendedRun } from '../fakes/runs.ts';

const MARKERS: readonly EnvMarkers[] = Array.from({ length: 16 }, (_, bits) => ({
  cron: (bits & 1) !== 0,
  gateway: (bits & 2) !== 0,
  ask: (bits & 4) !== 0,
  interactive: (bits & 8) !== 0,
}));

const down = (run: RunContext, depth: number): RunContext =>
  depth === 0 ? run : childRun(down(run, depth - 1), `w${depth}` as RunId);

const KINDS: readonly [string, RunContext, (depth: number) => Authority][] = [
  ['chat', chatRun(), (depth) => ({ who: 'person', actor: person('ann'), depth })],
  ['cli', cliRun(), (depth) => ({ who: 'person', actor: 'terminal', depth })],
  ['cron', cronRun(), () => ({ who: 'cron', mode: undefined })],
  ['cron with a mode of its own', cronRun({ mode: 'ask' }), () => ({ who: 'cron', mode: 'ask' })],
  ['unattended', unattendedRun(), () => ({ who: 'unattended' })],
];

describe('authority', () => {
  for (const [name, run, expected] of KINDS) {
    it.each([0, 1, 2])(`of ${name} at depth %i is the same under all 16 markers`, (depth) => {
      for (const markers of MARKERS) expect(authority(down(run, depth), markers)).toEqual(expected(depth));
    });
  }

  it('without a run is cron where the cron marker is set, whatever else is, and nobody otherwise', () => {
    for (const markers of MARKERS) {
      const expected = markers.cron ? { who: 'cron', mode: undefined } : { who: 'nobody' };
      expect(authority(undefined, markers)).toEqual(expected);
    }
  });
});

describe('readMarkers', () => {
  const cases: readonly [Record<string, string>, Partial<EnvMarkers>][] = [
    [{}, {}],
    [{ HERMOD_CRON_SESSION: '1' }, { cron: true }],
    [
      { HERMOD_CRON_SESSION: 'YES', HERMOD_EXEC_ASK: 'On' },
      { cron: true, ask: true },
    ],
    [{ HERMES_CRON_SESSION: 'true' }, { cron: true }],
    [{ HERMOD_CRON_SESSION: '0', HERMES_CRON_SESSION: '1' }, {}],
    [{ HERMOD_CRON_SESSION: '2' }, {}],
    [
      { HERMOD_GATEWAY_SESSION: ' 1 ', HERMES_INTERACTIVE: 'true' },
      { gateway: true, interactive: true },
    ],
    [{ HERMOD_CRON: '1', CRON_SESSION: '1', HERMOD_YOLO_MODE: '1' }, {}],
  ];
  it.each(cases)('%j', (env, expected) => {
    expect(readMarkers(env)).toEqual({ cron: false, gateway: false, ask: false, interactive: false, ...expected });
  });
});
