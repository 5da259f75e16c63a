import { afterEach, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/version.ts';
import { hermod } from './command.ts';
import { DaemonProcess, newHome } from './daemon-process.ts';

let daemon: DaemonProcess | undefined;
afterEach(async () => {
  await daemon?.kill();
  daemon = undefined;
});

describe('the command line', () => {
  it('names its version and its commands; an unknown one is 64 (gateway 36)', async () => {
    const home = newHome();
    expect(await hermod(home, ['version'])).toMatchObject({ code: 0, out: `hermod ${VERSION}\n` });
    expect((await hermod(home, ['help'])).out).toMatch(/start .*\n[\s\S]*audit/);
    expect(await hermod(home, ['strat'])).toMatchObject({
      code: 64,
      err: expect.stringContaining('Unknown command "strat"'),
    });
    expect((await hermod(home, ['start', '--fast'])).code).toBe(64);
  });

  it('talks to the running daemon: status, a fresh link, an orderly stop', async () => {
    const home = newHome();
    expect(await hermod(home, ['status'])).toMatchObject({
      code: 1,
      err: 'hermod is not running; npm start starts it.\n',
    });
    daemon = new DaemonProcess(home);
    const first = await daemon.ready();
    expect(await hermod(home, ['status'])).toMatchObject({ code: 0, out: expect.stringContaining('ready') });
    expect(JSON.parse((await hermod(home, ['status', '--json'])).out)).toMatchObject({
      v: 1,
      ready: true,
      version: VERSION,
    });
    const link = (await hermod(home, ['open'])).out.trim();
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#t=/);
    expect(link).not.toBe(first);
    expect((await hermod(home, ['audit', 'verify'])).out).toMatch(/^ok, \d+ events/);
    expect(await hermod(home, ['restart'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('Nothing would start me again here'),
    });
    expect(await hermod(home, ['stop'])).toMatchObject({ code: 0, out: 'hermod has stopped.\n' });
    expect(await daemon.exited).toEqual({ code: 0, signal: null });
  });

  it('says at once all that is wrong with a configuration, and exits 78 (gateway 36)', async () => {
    const home = newHome('aproval: {}\nhttp:\n  port: many\naccess:\n  allow: [123]\n');
    const { code, err } = await hermod(home, ['start']);
    expect(code).toBe(78);
    expect(err.trim().split('\n')).toHaveLength(3);
    expect(err).toContain('config.yaml:1 unknown key "aproval"; did you mean "approvals"?');
  });

  it('refuses a second daemon on one home, naming the first', async () => {
    const home = newHome();
    daemon = new DaemonProcess(home);
    await daemon.ready();
    const second = await hermod(home, ['start', '--set', 'http.port=0']);
    expect(second).toMatchObject({ code: 78, err: expect.stringContaining(`(pid ${daemon.pid}, since`) });
    await daemon.kill();
    daemon = new DaemonProcess(home);
    await daemon.ready();
  });

  it('explains a command without a daemon: 0 allow, 2 ask, 3 block', async () => {
    const home = newHome();
    expect((await hermod(home, ['explain', 'ls -la'])).code).toBe(0);
    const asked = await hermod(home, ['explain', 'rm -rf build']);
    expect(asked).toMatchObject({ code: 2, out: expect.stringContaining('fs.delete') });
    expect((await hermod(home, ['explain', 'rm -rf /'])).code).toBe(3);
  });
});
