import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DaemonProcess, newHome } from './daemon-process.ts';
import { Survivor } from './survivor.ts';

let survivor: Survivor;
afterEach(() => survivor.close());

describe('one daemon a home', () => {
  it('a second one is refused in words and with 78; the first goes on (h98625, h13655) (gateway 11)', async () => {
    survivor = await Survivor.open();
    const first = await survivor.boot();
    const second = new DaemonProcess(survivor.home);
    expect(await second.exited).toEqual({ code: 78, signal: null });
    expect(second.output).toMatch(
      new RegExp(
        `^hermod is already running for ${survivor.home} \\(pid ${first.pid}, since \\d\\d:\\d\\d\\). hermod stop ends it.$`,
        'm',
      ),
    );
    survivor.says('say still here');
    await survivor.hears(/still here/);
    first.signal('SIGTERM');
    expect(await first.exited).toEqual({ code: 0, signal: null });
    expect(survivor.boots()).toHaveLength(1);
  });

  it('after SIGKILL whatever it left is no obstacle, and whoever has its pid now is left alone (h14203, h28561) (gateway 11)', async () => {
    survivor = await Survivor.open();
    await survivor.boot();
    await survivor.kill();
    const stranger = spawn('sleep', ['60'], { detached: true });
    try {
      const pid = stranger.pid ?? 0;
      const left = { pid, boot: 'old', url: 'http://127.0.0.1:1/', token: 'x', startedAt: 1 };
      const group = { pid, start: '12345', tag: 'old', session: 's', root: 'r' };
      mkdirSync(join(survivor.home, 'run'), { recursive: true });
      writeFileSync(join(survivor.home, 'run', 'daemon.json'), JSON.stringify(left));
      writeFileSync(join(survivor.home, 'run', 'processes.json'), JSON.stringify([group]));
      writeFileSync(
        join(survivor.home, 'run', 'last-exit.json'),
        JSON.stringify({ boot: 'old', how: 'watchdog', at: 1, pid }),
      );
      await survivor.boot();
      survivor.says('say up again');
      await survivor.hears(/up again/);
      expect(stranger.exitCode).toBeNull();
      expect(stranger.signalCode).toBeNull();
      await survivor.kill();
      expect(survivor.boots().map(({ how }) => how)).toEqual(['vanished', null]);
    } finally {
      stranger.kill('SIGKILL');
    }
  });
});

describe('what no restart can cure', () => {
  it('a wrong configuration: every problem at once, no stack, 78 (gateway 36)', async () => {
    survivor = await Survivor.open();
    const home = newHome(
      'aproval: 1\nstop: { total_s: 3 }\naccess:\n  allow: [123]\nbreaker: { session_limit: 9, global_limit: 2 }\n',
    );
    const daemon = new DaemonProcess(home);
    expect(await daemon.exited).toEqual({ code: 78, signal: null });
    expect(daemon.output.trim().split('\n')).toEqual([
      expect.stringMatching(/^config.yaml:1 unknown key "aproval"; did you mean "approvals"\?/),
      expect.stringMatching(/^config.yaml:2 stop.total_s is 3; cron.drain_s 30 needs at least 42/),
      expect.stringMatching(/^config.yaml:4 access.allow\[0\] is a number; write "telegram:123"/),
      expect.stringMatching(/^config.yaml:5 breaker.session_limit is 9/),
    ]);
  });
});
