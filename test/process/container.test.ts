import { rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { start } from '../../src/daemon.ts';
import type { Host, SignalName } from '../../src/host.ts';
import { isContainerMain } from '../../src/process/container.ts';
import { FakeClock, settle } from '../fakes/fake-clock.ts';
import { newHome } from './daemon-process.ts';

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

describe('a configuration that no restart can cure', () => {
  let home: string;
  afterEach(() => rmSync(home, { recursive: true }));

  /** A start with a typing error in its configuration, as process `pid`. */
  function refused(pid: number) {
    home = newHome('aproval: 1\n');
    const clock = new FakeClock();
    const said: string[] = [];
    let signal: (name: SignalName) => void = () => {};
    let code: number | undefined;
    const host = {
      env: { HERMOD_HOME: home },
      args: ['start'],
      pid,
      parentPid: 7,
      stdin: {},
      err: { write: (text: string) => said.push(text) > 0 },
      onSignal: (listener: (name: SignalName) => void) => {
        signal = listener;
      },
      onCrash: () => {},
    } as unknown as Host;
    void start(host, [], clock).then((ended) => {
      code = ended;
    });
    return { clock, said, code: () => code, signal: (name: SignalName) => signal(name) };
  }

  it('is told at once and ends a container only half a minute later: two such starts a minute at most (o25595) (gateway 15)', async () => {
    const { clock, said, code } = refused(1);
    await clock.skip(29_999);
    expect(said).toEqual([expect.stringMatching(/^config\.yaml:1 unknown key "aproval"/)]);
    expect(code()).toBeUndefined();
    await clock.skip(1);
    expect(code()).toBe(78);
  });

  it('a container that is stopped meanwhile ends at once', async () => {
    const { code, signal } = refused(1);
    signal('SIGTERM');
    await settle();
    expect(code()).toBe(78);
  });

  it('anywhere else nobody waits', async () => {
    const { code } = refused(700);
    await settle();
    expect(code()).toBe(78);
  });
});
