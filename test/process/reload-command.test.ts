import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { hermod } from './command.ts';
import { DaemonProcess, newHome } from './daemon-process.ts';

let daemon: DaemonProcess | undefined;
afterEach(async () => {
  await daemon?.kill();
  daemon = undefined;
});

it('hermod reload says what counts now, what waits, and what is wrong, in sentences; the daemon goes on with what it had (gateway 36)', async () => {
  const home = newHome('inbox:\n  max_waiting: 20\nlog:\n  level: info\n');
  const file = join(home, 'config.yaml');
  const change = (from: string, to: string) => writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
  const reload = () => hermod(home, ['reload']);
  expect(await reload()).toEqual({ code: 1, out: '', err: 'hermod is not running; npm start starts it.\n' });
  daemon = new DaemonProcess(home);
  await daemon.ready();
  expect(await reload()).toEqual({ code: 0, out: 'Nothing has changed.\n', err: '' });
  change('max_waiting: 20', 'max_waiting: 7');
  change('level: info', 'level: debug');
  expect(await reload()).toEqual({
    code: 0,
    out: 'Counts now: inbox.max_waiting\nWaits for a restart: log.level\n',
    err: '',
  });
  change('max_waiting: 7', 'max_waiting: many\n  max_wating: 3');
  expect(await reload()).toEqual({
    code: 78,
    out: '',
    err: [
      'config.yaml:2 inbox.max_waiting is "many"; use a whole number from 1 to 1000',
      'config.yaml:3 unknown key "inbox.max_wating"; did you mean "inbox.max_waiting"?',
      'Nothing was changed; the last good configuration counts.\n',
    ].join('\n'),
  });
  const status = await hermod(home, ['status']);
  expect(status).toMatchObject({ code: 0, out: expect.stringMatching(/config: not usable, the last good one counts/) });
  expect(await hermod(home, ['reload'], { HERMOD_PROC: 'x' })).toEqual({
    code: 6,
    out: '',
    err: 'Started by the agent; people decide this.\n',
  });
}, 60_000);
