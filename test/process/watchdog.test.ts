import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLastExit } from '../../src/process/last-exit.ts';

const src = (path: string) => new URL(`../../src/${path}`, import.meta.url).href;
/** A process with a watchdog. */
const program = (home: string, stallMs: number, then: string) => `
import { startWatchdog } from '${src('process/watchdog.ts')}';
import { systemClock } from '${src('context/system-clock.ts')}';
const watchdog = startWatchdog({ home: '${home}', boot: 'b', pid: process.pid, clock: systemClock, stallMs: ${stallMs}, tell: (line) => console.log(line) });
const ticks = setInterval(() => {}, 1000);
const freeze = () => { for (;;); };
${then}
`;

let home: string;
let child: ChildProcess;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hermod-watch-'));
});
afterEach(() => {
  child.kill('SIGKILL');
  rmSync(home, { recursive: true });
});

function run(then: string, stallMs = 1_000) {
  child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program(home, stallMs, then)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  return new Promise<{ code: number | null; signal: string | null; output: string }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, output }));
  });
}

describe('the watchdog of a process', () => {
  it('ends one that is frozen, and leaves word', async () => {
    expect(await run('setTimeout(freeze, 300);')).toMatchObject({ signal: 'SIGKILL' });
    expect(readLastExit(home)).toMatchObject({ boot: 'b', how: 'watchdog' });
  });

  it('ends a stop that takes too long, though the loop turns', async () => {
    expect(await run('watchdog.armStop(500);')).toMatchObject({ signal: 'SIGKILL' });
    expect(readLastExit(home)).toMatchObject({ how: 'overrun' });
  });

  it('ends a stop that freezes, as one that took too long', async () => {
    expect(await run('watchdog.armStop(300); freeze();')).toMatchObject({ signal: 'SIGKILL' });
    expect(readLastExit(home)).toMatchObject({ how: 'overrun' });
  });

  it('lets one go that ends in time; the first bound stands', async () => {
    const then = 'watchdog.armStop(60_000); watchdog.armStop(1); setTimeout(() => process.exit(3), 1500);';
    expect(await run(then, 60_000)).toMatchObject({ code: 3 });
    expect(readLastExit(home)).toBeUndefined();
  });

  it('takes no suspended process for a frozen one', async () => {
    const ended = run(
      `setTimeout(() => { console.log(watchdog.alive()); process.exit(0); }, 2500); console.log('up');`,
    );
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    child.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    child.kill('SIGCONT');
    expect(await ended).toMatchObject({ code: 0, output: 'up\ntrue\n' });
  });

  it('says how late the loop was', async () => {
    const then = `setTimeout(() => { const end = performance.now() + 700; while (performance.now() < end); }, 100);
      setTimeout(() => { console.log(watchdog.lagMs() >= 200); process.exit(0); }, 1500);`;
    expect(await run(then, 60_000)).toMatchObject({ code: 0, output: 'true\n' });
  });

  it('closed, it watches nothing and keeps nobody from ending', async () => {
    const then = `watchdog.close(); watchdog.close(); clearInterval(ticks);
      const end = performance.now() + 2000; while (performance.now() < end);`;
    expect(await run(then)).toMatchObject({ code: 0 });
    expect(readLastExit(home)).toBeUndefined();
  });
});
