import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Checkout, type Launched } from './checkout.ts';

const checkout = new Checkout();
beforeAll(async () => {
  await checkout.launch(['start', 'exit', '0']).ended;
});
afterAll(() => checkout.remove());

describe('what the launcher starts', () => {
  it.each([
    [['start', 'exit', '3'], 'started start --launched exit 3\n', 3],
    [['hermod', 'jobs', 'exit', '4'], 'started jobs exit 4\n', 4],
    [['hermod', 'start', 'exit', '5'], 'started start --launched exit 5\n', 5],
  ])('%j', async (args, out, code) => {
    expect(await checkout.launch(args).ended).toMatchObject({ out, code });
  });

  it('passes a death by signal on', async () => {
    expect(await checkout.launch(['start', 'die', 'SIGKILL']).ended).toMatchObject({ signal: 'SIGKILL' });
    expect(await checkout.launch(['start', 'die', 'SIGTERM']).ended).toMatchObject({ signal: 'SIGTERM' });
  });

  it('names what it knows', async () => {
    expect(await checkout.launch(['strat']).ended).toMatchObject({
      code: 1,
      err: 'launch.mjs knows start, hermod, test, bench; "strat" is none of them.\n',
    });
  });

  it('runs a command of the tool in the folder where the person stands, without a channel', async () => {
    const { out } = await checkout.launch(['hermod', 'show', 'where'], { INIT_CWD: '/' }).ended;
    expect(out).toBe('started show where\n/ false\n');
  });
});

describe('restarts', () => {
  const marks = (test: string) => join(checkout.root, `marks-${test}`);

  it('starts again at once on 75', async () => {
    const { code, out } = await checkout.launch(['start', 'end', marks('twice'), '2']).ended;
    expect(code).toBe(0);
    expect(out.match(/started/g)).toHaveLength(3);
  });

  it('at most 5 times a minute, then ends with 75 and says why', async () => {
    const { code, err } = await checkout.launch(['start', 'end', marks('often'), '100']).ended;
    expect(code).toBe(75);
    expect(readFileSync(marks('often'), 'utf8')).toHaveLength(6);
    expect(err).toContain('asked for a restart 6 times within a minute, so it was not started again');
  });

  it('leaves 75 of a command alone', async () => {
    const { code, out } = await checkout.launch(['hermod', 'jobs', 'exit', '75']).ended;
    expect(code).toBe(75);
    expect(out.match(/started/g)).toHaveLength(1);
  });

  it('installs what a changed lock file asks for before it starts again', async () => {
    const before = checkout.installs.length;
    const lock = join(checkout.root, 'package-lock.json');
    expect(await checkout.launch(['start', 'end', marks('lock'), '1', lock]).ended).toMatchObject({ code: 0 });
    expect(checkout.installs).toHaveLength(before + 1);
  });
});

describe('signals', () => {
  const stay = async (code = '0'): Promise<Launched> => {
    const launched = checkout.launch(['start', 'stay', code]);
    await launched.until(/ready \d+ with a channel/);
    return launched;
  };

  it('passes on SIGHUP, SIGUSR2, SIGINT without a terminal, and SIGTERM', async () => {
    const launched = await stay();
    for (const name of ['SIGHUP', 'SIGUSR2', 'SIGINT', 'SIGTERM'] as const) {
      launched.child.kill(name);
      await launched.until(new RegExp(`got ${name}`));
    }
    expect(await launched.ended).toMatchObject({ code: 0 });
  });

  it('does not start again what a SIGTERM ended with 75', async () => {
    const launched = await stay('75');
    launched.child.kill('SIGTERM');
    const { code, out } = await launched.ended;
    expect(code).toBe(75);
    expect(out.match(/started/g)).toHaveLength(1);
  });

  it('takes the channel with it when it is killed', async () => {
    const launched = await stay();
    launched.child.kill('SIGKILL');
    expect((await launched.ended).out).toContain('lost its channel');
  });

  it('SIGTERM to npm ends hermod in order, and its code comes through', async () => {
    const npm = npmOnPath();
    const launched = checkout.spawn(npm, ['start', '--', 'stay', '7'], {
      ...checkout.env(),
      PATH: process.env['PATH'],
    });
    await launched.until(/ready \d+/);
    launched.child.kill('SIGTERM');
    await launched.until(/got SIGTERM/);
    expect(await launched.ended).toMatchObject({ code: 7 });
  });
});

describe('on a terminal', () => {
  const script = '/usr/bin/script';

  it.skipIf(!existsSync(script))('Ctrl-C reaches hermod once, not once more through the launcher', async () => {
    const command = `'${process.execPath}' scripts/launch.mjs start stay 0`;
    const launched = checkout.spawn(script, ['-qefc', command, '/dev/null'], checkout.env());
    const [, pid] = await launched.until(/ready (\d+)/);
    launched.child.stdin?.write('\x03');
    await launched.until(/got SIGINT/);
    process.kill(Number(pid), 'SIGTERM');
    const { out } = await launched.ended;
    expect(out.match(/got SIGINT/g)).toHaveLength(1);
  });
});

/** The real npm: what a person starts hermod with. */
function npmOnPath(): string {
  return execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
}
