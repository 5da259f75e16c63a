import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { readLastExit } from '../../src/process/last-exit.ts';
import type { Received, Reply } from '../fakes/model-replies.ts';
import { ModelServer } from '../fakes/model-server.ts';
import { modelSettings } from '../fakes/model-settings.ts';
import { Survivor } from './survivor.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const PRELOAD = new URL('./faults.mjs', import.meta.url).href;
const TOTAL_S = 7;

let survivor: Survivor;
let model: ModelServer;
let asked: number;

afterEach(async () => {
  await survivor.close();
  await model.stop();
});

async function open(reply: Reply | ((request: Received) => Reply), more = ''): Promise<void> {
  asked = 0;
  model = await ModelServer.start({
    replies: (request) => {
      asked++;
      return typeof reply === 'function' ? reply(request) : reply;
    },
  });
  survivor =
    await Survivor.open(`${modelSettings(model.url)}stop: { turns_s: 1, flush_s: 1, adapters_s: 1, total_s: ${TOTAL_S} }
cron: { drain_s: 0 }
${more}`);
}

/** A turn whose model never answers. */
async function hanging(more = ''): Promise<void> {
  await open({ silent: 'headers' }, more);
  await survivor.boot();
  survivor.says('work');
  await survivor.until('the model to be asked', () => asked === 1);
}

const daemon = () => survivor.daemon ?? survivor.start();
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const since = (start: number) => (performance.now() - start) / 1000;
const lastBoot = () => survivor.boots().at(-1);

describe('the end of a daemon', () => {
  it('SIGTERM with a turn that does not end: 0, in time, told as a pair, and taken up again', async () => {
    await hanging();
    const start = performance.now();
    daemon().signal('SIGTERM');
    expect(await daemon().exited).toEqual({ code: 0, signal: null });
    expect(since(start)).toBeLessThan(TOTAL_S);
    expect(survivor.count(/^Interrupted by a restart. I go on when I am back.$/)).toBe(1);
    expect(lastBoot()).toMatchObject({ how: 'signal', signal: 'SIGTERM', plan: null });
    await survivor.boot();
    await survivor.hears(/^Resumed after a restart.$/);
    await survivor.until('the turn to be taken up', () => asked === 2);
    expect(survivor.count(/Interrupted/)).toBe(0);
  });

  it('the same signal within a millisecond is one; a second one later: gone at once, with 1 (gateway 15)', async () => {
    await hanging();
    daemon().signal('SIGTERM');
    // Ctrl-C reaches a launched daemon twice: that is one signal.
    daemon().signal('SIGTERM');
    await pause(600);
    daemon().signal('SIGTERM');
    expect(await daemon().exited).toEqual({ code: 1, signal: null });
    expect(lastBoot()).toMatchObject({ how: 'forced', interrupted: 0 });
  });

  it('SIGUSR2: a planned restart that waits for what runs, asked again or not; told to stop meanwhile it stops (gateway 15)', async () => {
    await open({ say: 'done' });
    await survivor.boot();
    daemon().signal('SIGUSR2');
    expect(await daemon().exited).toEqual({ code: 75, signal: null });
    expect(lastBoot()).toMatchObject({ how: 'restarted', plan: 'restart' });
    await survivor.close();
    await model.stop();
    await hanging();
    daemon().signal('SIGUSR2');
    await pause(700);
    daemon().signal('SIGUSR2');
    await pause(800);
    daemon().signal('SIGTERM');
    expect(await daemon().exited).toEqual({ code: 0, signal: null });
    expect(lastBoot()).toMatchObject({ how: 'signal', plan: 'restart', signal: 'SIGTERM' });
  });

  it('out of a tool: hermod restart is refused; SIGUSR2 that then hangs is no plan: it counts, and names the session (gateway 6)', async () => {
    await open(({ body }) => {
      const messages = body.messages as readonly { role: string; content: string }[];
      const last = messages.at(-1);
      if (last?.role === 'tool') return { say: `It said: ${last.content}` };
      const script = last?.content.includes('politely') ? 'restart.sh' : 'again.sh';
      return { calls: [{ name: 'shell', arguments: { command: `sh ${script}` } }] };
    });
    await survivor.boot();
    const plant = (name: string, text: string) => writeFileSync(join(survivor.home, 'workspace', name), text);
    plant('restart.sh', `HERMOD_HOME=${survivor.home} ${process.execPath} ${MAIN} restart --now; echo "code $?"\n`);
    plant('again.sh', 'kill -USR2 $(sed \'s/.*"pid":\\([0-9]*\\).*/\\1/\' ../run/daemon.json)\nsleep 30\n');
    survivor.says('restart politely');
    const { text } = await survivor.hears(/^It said:[\s\S]*code \d/);
    expect(text).toMatch(/Started by the agent; people decide this\.[\s\S]*code 6/);
    survivor.says('restart yourself');
    expect(await daemon().exited).toEqual({ code: 75, signal: null });
    const boot = lastBoot();
    expect(boot).toMatchObject({ how: 'signal', signal: 'SIGUSR2', plan: null });
    expect(JSON.parse(boot?.executing ?? '[]')).toHaveLength(1);
    await survivor.boot();
    await survivor.kill();
    expect(survivor.boots()[0]).toMatchObject({ how: 'signal', interrupted: 1 });
  });

  it('SIGHUP without a terminal reads the configuration again and ends nothing', async () => {
    await open({ say: 'done' });
    await survivor.boot();
    const file = join(survivor.home, 'config.yaml');
    const before = readFileSync(file, 'utf8');
    survivor.says('hello', 2);
    await survivor.hears(/I do not know you yet/, undefined, 2);
    writeFileSync(
      file,
      before.replace('  admins: ["telegram:1"]', '  admins: ["telegram:1"]\n  allow: ["telegram:2"]'),
    );
    daemon().signal('SIGHUP');
    await daemon().says(/the configuration was read again.*/);
    survivor.says('and now?', 2);
    await survivor.hears(/^done$/, undefined, 2);
    daemon().signal('SIGTERM');
    expect(await daemon().exited).toEqual({ code: 0, signal: null });
    expect(lastBoot()).toMatchObject({ how: 'signal', signal: 'SIGTERM' });
  });

  it('the launcher goes away: as SIGTERM', async () => {
    await open({ say: 'done' });
    await survivor.boot({ launched: true });
    daemon().disconnect();
    expect(await daemon().exited).toEqual({ code: 0, signal: null });
    expect(lastBoot()).toMatchObject({ how: 'signal', signal: 'SIGTERM' });
  });

  it.runIf(process.platform === 'linux').each([0, 60, 250, 400])(
    'SIGTERM %i ms after somebody listens, long before anything is loaded: 1, and never ready (gateway 15)',
    async (ms) => {
      await open({ say: 'done' });
      const started = survivor.start();
      await survivor.until('a listener', () => listens(started.pid));
      await pause(ms);
      started.signal('SIGTERM');
      const { code, signal } = await started.exited;
      expect({ signal, code, ready: started.output.includes('Open ') }).toEqual({
        signal: null,
        code: 1,
        ready: false,
      });
    },
  );
});

/** Whether a process has its handlers; Node brings one for SIGTERM, so the last of ours is looked at, SIGUSR2. */
function listens(pid: number): boolean {
  const caught = /^SigCgt:\s*([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${caught}`) & (1n << 11n)) !== 0n;
}

describe('an error nobody caught', () => {
  it('after ready: 1, with its cause in the log, and the next boot knows whose work was cut off', async () => {
    await open({ silent: 'headers' });
    await survivor.boot({ preload: PRELOAD });
    survivor.says('work');
    await survivor.until('the model to be asked', () => asked === 1);
    writeFileSync(join(survivor.home, 'crash'), '');
    expect(await daemon().exited).toEqual({ code: 1, signal: null });
    expect(daemon().output).toMatch(/Error: planted/);
    await survivor.boot();
    await survivor.until('the turn to be taken up', () => asked === 2);
    await survivor.kill();
    expect(survivor.boots()[0]).toMatchObject({ how: 'crash', interrupted: 1 });
  });
});

describe('a frozen event loop', () => {
  it('inside a stop: gone within its bound, and the next boot knows (h66892) (gateway 13)', async () => {
    await open({ silent: 'headers' });
    await survivor.boot({ preload: PRELOAD });
    survivor.says('work');
    await survivor.until('the model to be asked', () => asked === 1);
    writeFileSync(join(survivor.home, 'freeze-in-stop'), '');
    daemon().signal('SIGTERM');
    const start = performance.now();
    expect(await daemon().exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(since(start)).toBeLessThan(TOTAL_S + 1);
    expect(readLastExit(survivor.home)).toMatchObject({ how: 'overrun' });
    await survivor.boot();
    await survivor.kill();
    expect(survivor.boots()[0]).toMatchObject({ how: 'overrun', interrupted: 1 });
  });

  it('in an idle daemon: gone, and the next boot knows (h12438) (gateway 13)', async () => {
    await open({ say: 'done' }, 'health: { loop_stall_s: 5 }\n');
    await survivor.boot({ preload: PRELOAD });
    writeFileSync(join(survivor.home, 'freeze'), '');
    expect(await daemon().exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(readLastExit(survivor.home)).toMatchObject({ how: 'watchdog' });
    await survivor.boot();
    await survivor.kill();
    expect(survivor.boots().map(({ how }) => how)).toEqual(['watchdog', null]);
  });
});
