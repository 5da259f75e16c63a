import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { hermod } from './command.ts';
import { DaemonProcess, newHome } from './daemon-process.ts';

let daemon: DaemonProcess | undefined;
afterEach(async () => {
  await daemon?.kill();
  daemon = undefined;
});

describe('hermod jobs', () => {
  it('makes, shows, runs, pauses and removes jobs through the daemon, and reads them without it', async () => {
    const home = newHome('cron:\n  timezone: Europe/Berlin\n');
    expect(await hermod(home, ['jobs', 'add', 'in 2h', 'say hi'])).toMatchObject({
      code: 1,
      err: 'hermod is not running; start it to change jobs.\n',
    });
    daemon = new DaemonProcess(home);
    await daemon.ready();
    const added = await hermod(home, [
      'jobs',
      'add',
      'every weekday at 9am',
      'say hello from the job',
      '--name',
      'Hello',
      '--json',
    ]);
    expect(added.code).toBe(0);
    const { job } = JSON.parse(added.out) as { job: string };
    expect(await hermod(home, ['jobs', 'add', '30m', 'say hi'])).toMatchObject({
      code: 1,
      err: 'I cannot use "30m" as a time. Once or again and again? Say "in 30m" or "every 30m".\n',
    });
    const list = await hermod(home, ['jobs', 'list']);
    expect(list.out).toContain(`${job.slice(0, 4)} Hello: every weekday at 09:00, Europe/Berlin; next `);
    expect(await hermod(home, ['run-job', job.slice(0, 4)])).toMatchObject({ code: 0, out: 'hello from the job\n' });
    expect((await hermod(home, ['jobs', 'remind', 'every day at 9', 'stretch'])).code).toBe(0);
    expect(await hermod(home, ['run-job', 'stretch'])).toMatchObject({ code: 0, out: 'stretch\n' });
    expect((await hermod(home, ['jobs', 'edit', 'stretch', '--prompt', 'say rest', '--agent'])).code).toBe(0);
    expect(await hermod(home, ['run-job', 'stretch'])).toMatchObject({ code: 0, out: 'rest\n' });
    expect((await hermod(home, ['jobs', 'history', 'Hello'])).out).toMatch(/by hand; ok; practice:practice/);
    expect((await hermod(home, ['jobs', 'pause', 'Hello'])).out).toBe(`Paused: ${job.slice(0, 4)} Hello.\n`);
    expect((await hermod(home, ['jobs', 'show', 'Hello'])).out).toContain('It is paused.');
    expect((await hermod(home, ['jobs', 'edit', 'Hello', '--when', 'every day at 10', '--rev', '1'])).err).toMatch(
      /^Somebody changed this job meanwhile/,
    );
    expect((await hermod(home, ['jobs', 'edit', 'Hello', '--when', 'every day at 10'])).out).toContain(
      'every day at 10:00',
    );
    expect((await hermod(home, ['jobs', 'resume', 'Hello'])).code).toBe(0);
    expect(await hermod(home, ['jobs', 'doctor'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^ok, 2 jobs/) as string,
    });
    expect(await hermod(home, ['jobs', 'show', 'nothing'])).toMatchObject({ code: 4 });
    daemon.signal('SIGTERM');
    await daemon.exited;
    const before = readFileSync(join(home, 'hermod.db'));
    expect((await hermod(home, ['jobs', 'list'])).out).toContain('Hello');
    expect((await hermod(home, ['jobs', 'next', 'Hello', '--json'])).out).toMatch(/"next":\["\d{4}-/);
    expect(readFileSync(join(home, 'hermod.db')).equals(before)).toBe(true);
    expect(await hermod(home, ['jobs', 'remove', 'Hello'])).toMatchObject({ code: 1 });
  }, 60_000);

  it('is no way for the agent to change jobs', async () => {
    const home = newHome();
    daemon = new DaemonProcess(home);
    await daemon.ready();
    expect(
      await hermod(home, ['jobs', 'add', 'every 5m', 'say hi', '--tz', 'UTC'], { HERMOD_PROC: 'x' }),
    ).toMatchObject({
      code: 6,
      err: 'Started by the agent; people decide this.\n',
    });
  }, 30_000);

  it('runs a script of the home by its hash, and stops when it changed', async () => {
    const home = newHome('cron:\n  timezone: UTC\n');
    const script = join(home, 'scripts', 'disk.sh');
    mkdirSync(join(home, 'scripts'));
    writeFileSync(script, '#!/bin/sh\necho "disk is fine, $HERMOD_SECRET_KEY"\n');
    chmodSync(script, 0o700);
    daemon = new DaemonProcess(home);
    await daemon.ready();
    expect((await hermod(home, ['jobs', 'add', 'every 6h', 'the disk', '--script', '../config.yaml'])).err).toMatch(
      /is no executable file|does not lie in/,
    );
    const added = await hermod(home, [
      'jobs',
      'add',
      'every 6h',
      'the disk',
      '--script',
      'disk.sh',
      '--no-agent',
      '--name',
      'disk',
    ]);
    expect(added.code).toBe(0);
    expect(await hermod(home, ['run-job', 'disk'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^disk is fine,\s*$/) as string,
    });
    writeFileSync(script, '#!/bin/sh\necho changed\n');
    expect(await hermod(home, ['run-job', 'disk'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('script_changed') as string,
    });
  }, 60_000);
});
