import { describe, expect, it } from 'vitest';
import { isContainerMain } from '../../src/process/container.ts';

describe('what a container was started for', () => {
  it.each<[boolean, string, number, number, readonly string[]]>([
    [true, 'the first process', 1, 0, []],
    [true, 'below an init, in Docker', 7, 1, ['/.dockerenv']],
    [true, 'below an init, in Podman', 7, 1, ['/run/.containerenv']],
    [false, 'below the init of a machine', 700, 1, []],
    [false, 'started by somebody in a container', 70, 7, ['/.dockerenv']],
  ])('%s: %s', (main, _, pid, parentPid, marks) => {
    expect(isContainerMain({ pid, parentPid }, (path) => marks.includes(path))).toBe(main);
  });
});
