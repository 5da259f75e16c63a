import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pause } from '../../src/contract/clock.ts';
import type { RunContext } from '../../src/contract/run.ts';
import { KeptResults } from '../../src/tools/kept-results.ts';
import { hasProcTable, readProc } from '../../src/tools/proc-table.ts';
import { createShell } from '../../src/tools/shell.ts';
import { chatRun } from '../fakes/runs.ts';
import { processFixture, temporaryFolder, useTool } from './tool-fixture.ts';

describe('shell', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let processes: ReturnType<typeof processFixture>;
  let where: string;
  beforeEach(() => {
    folder = temporaryFolder();
    where = folder.path;
    processes = processFixture({
      ...process.env,
      HERMOD_CRON_SESSION: '1',
      HERMES_INTERACTIVE: '1',
      OPENAI_API_KEY: 'sk-secret',
    });
  });
  afterEach(async () => {
    await processes.groups.killAll();
    folder.remove();
  });

  const shell = (results?: KeptResults) =>
    createShell({
      ...processes,
      ...(results && { results }),
      shell: '/bin/bash',
      workspace: folder.path,
      folder: {
        of: () => where,
        follow: (_run: RunContext, path: string) => {
          where = path;
        },
      },
      timeoutS: () => 60,
    });
  const sh = (command: string, more: object = {}, options: Parameters<typeof useTool>[2] = {}, results?: KeptResults) =>
    useTool(shell(results), { command, ...more }, options);
  /** Waits until none of these processes lives; a test that hangs here has found one that was left. */
  const gone = async (pids: readonly number[]) => {
    while (pids.some((pid) => readProc(pid))) await pause(processes.clock, 20);
  };

  it('merges both streams in order and says the exit code', async () => {
    expect(await sh('echo a; echo b >&2; echo c')).toEqual({ text: 'a\nb\nc', isError: false, exit: 0 });
    expect(await sh('echo no >&2; exit 3')).toEqual({ text: 'no\n[exit 3]', isError: true, exit: 3 });
  });

  it('runs the command as the whole script', async () => {
    expect((await sh('echo "[$1][$#][$@]"')).text).toBe('[][0][]');
    expect((await sh("cat <<'END'\n$HOME `x`\nEND")).text).toBe('$HOME `x`');
    expect((await sh('env | grep __command; true')).text).toBe('');
    expect((await sh('echo (')).text).toMatch(/line 1.*syntax error/s);
  });

  it('has no input and no terminal', async () => {
    expect((await sh('cat; tty; test -t 1 || echo none')).text).toBe('not a tty\nnone');
  });

  it('strips escape sequences', async () => {
    expect((await sh(`printf '\\033[31mred\\033[0m \\033]0;title\\007x'`)).text).toBe('red x');
  });

  it('gives hints for the codes that need one, and none where 1 is an answer', async () => {
    expect((await sh('nosuchprogram')).text).toContain('[exit 127: the command was not found]');
    expect(await sh('echo x | grep y')).toEqual({ text: '[exit 1]', isError: false, exit: 1 });
    expect(await sh('kill -9 $$')).toMatchObject({ text: expect.stringContaining('[exit 137'), isError: true });
  });

  it('follows cd into the next call, also out of a failing command, but not exports', async () => {
    mkdirSync(join(folder.path, 'a b'));
    await sh('cd "a b"; export X=1; false');
    expect((await sh('pwd; echo "[$X]"')).text).toBe(`${join(folder.path, 'a b')}\n[]`);
    expect((await sh('pwd', { cwd: '..' })).text).toBe(folder.path);
    expect(shell().cwd?.({ command: 'x', cwd: 'sub' }, chatRun())).toBe(join(where, 'sub'));
  });

  it('refuses a folder that is not there, and never runs in another than the one that was judged', async () => {
    expect(await sh('pwd', { cwd: 'nowhere' })).toEqual({
      isError: true,
      text: `Not run: ${join(folder.path, 'nowhere')} is no folder. Give another cwd.`,
    });
    const gonePath = join(folder.path, 'gone');
    mkdirSync(gonePath);
    await sh('cd gone');
    rmdirSync(gonePath);
    expect(await sh('pwd')).toEqual({
      isError: true,
      text: `Not run: ${gonePath} is gone. The next command starts in ${folder.path}.`,
    });
    expect((await sh('pwd')).text).toBe(folder.path);
  });

  it('keeps the whole of long output where it can be read', async () => {
    const results = new KeptResults({ folder: join(folder.path, 'results'), clock: processes.clock });
    const text = (await sh('seq 1 200000', {}, { call: 'c1' }, results)).text;
    expect(text).toMatch(
      /^1\n2\n[\s\S]*bytes left out; the whole is result:c1, read it with read_file\][\s\S]*\n200000$/,
    );
    const all = results.read('s1' as never, 'c1') as string;
    expect(all).toBe(`${Array.from({ length: 200_000 }, (_, i) => i + 1).join('\n')}\n`);
    await sh('seq 1 10', {}, { call: 'c2' }, results);
    expect(results.read('s1' as never, 'c2')).toBeUndefined();
  });

  it('shows no marker and no secret to a child', async () => {
    const names = (await sh('env')).text.split('\n').map((line) => line.split('=')[0]);
    expect(names.filter((name) => /^(HERMOD|HERMES)/.test(name as string))).toEqual(['HERMOD_PROC']);
    expect((await sh('env')).text).not.toContain('sk-secret');
  });

  it('kills the tree at the limit; a killed shell changes no folder', async () => {
    mkdirSync(join(folder.path, 'sub'));
    const result = await sh('cd sub; sleep 300 & echo $!; sleep 300', { timeout_s: 1 });
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('[killed after 1 s') });
    await gone([Number.parseInt(result.text, 10)]);
    expect(where).toBe(folder.path);
  });

  it('ends a tree that ignores SIGTERM', async () => {
    const abort = new AbortController();
    const result = sh(`trap '' TERM; echo up; while :; do sleep 0.1; done`, {}, { signal: abort.signal });
    while (processes.groups.list().length === 0) await pause(processes.clock, 10);
    const [group] = processes.groups.list();
    await pause(processes.clock, 200);
    abort.abort('stop');
    await result;
    await processes.groups.end(group!);
    await gone([group!.pid]);
  });

  it.runIf(hasProcTable).each([
    ['&', 'sleep 300 & echo $!'],
    ['nohup', 'nohup sleep 300 >/dev/null 2>&1 & echo $!'],
    ['setsid', 'setsid sleep 300 & echo $!'],
    ['a double fork', '(setsid sh -c "sleep 300; true" & echo $!)'],
    ['a child without its environment', 'setsid sh -c "env -i sleep 300; true" & echo $!'],
  ])('answers when the shell is done, and leaves nothing after a stop: %s', async (_name, command) => {
    const abort = new AbortController();
    const result = await sh(`${command}; echo done`, {}, { signal: abort.signal });
    expect(result).toMatchObject({
      isError: false,
      text: expect.stringMatching(/done\n\[still running in the background: pid \d+/),
    });
    const [group] = processes.groups.list();
    const pids = processes.groups.pidsOf(group!.session);
    expect(pids.length).toBeGreaterThan(0);
    abort.abort('stop');
    await processes.groups.end(group!);
    expect(pids.filter((pid) => readProc(pid))).toEqual([]);
    expect(processes.groups.list()).toEqual([]);
  });

  it.runIf(hasProcTable)('ends everything at shutdown, and finds leftovers again by their record', async () => {
    await sh('sleep 300 & setsid sleep 300 & true');
    await sh('sleep 300 & true', {}, { run: chatRun({ session: 's2' }) });
    const records = JSON.parse(JSON.stringify(processes.groups.list()));
    const pids = [...processes.groups.pidsOf('s1' as never), ...processes.groups.pidsOf('s2' as never)];
    expect(pids).toHaveLength(3);
    const later = processFixture().groups;
    expect(await later.endLeftovers(records)).toBe(2);
    await gone(pids);
    expect(await later.endLeftovers(records)).toBe(0);
    await processes.groups.killAll();
    expect(processes.groups.list()).toEqual([]);
  });

  it.runIf(hasProcTable)('kills everything now, for a process that must end', async () => {
    await sh(`(trap '' TERM; sleep 300) & setsid sleep 300 & true`);
    const pids = processes.groups.pidsOf('s1' as never);
    expect(pids.length).toBeGreaterThan(1);
    processes.groups.killNow();
    await gone(pids);
  });

  it('stops at once when the signal aborts', async () => {
    const abort = new AbortController();
    const result = sh('echo before; sleep 300', {}, { signal: abort.signal });
    while (processes.groups.list().length === 0) await pause(processes.clock, 5);
    abort.abort('stop');
    expect(await result).toMatchObject({ isError: true, text: expect.stringContaining('[stopped]') });
  });

  it('keeps head and tail of much output, in little memory, and kills a flood (gateway 26)', async () => {
    const some = await sh('seq 1 200000');
    expect(some.text).toMatch(/^1\n2\n[\s\S]*bytes not kept[\s\S]*\n200000$/);
    expect(some.text.length).toBeLessThan(270_000);
    const before = held();
    const flood = await sh('head -c 300000000 /dev/zero | tr "\\0" x; echo end');
    const after = held();
    expect(flood).toMatchObject({ isError: true, text: expect.stringContaining('more than 200 MB') });
    expect(after - before).toBeLessThan(20_000_000);
  });
});

/** Bytes in use once what nobody holds is gone. */
function held(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
