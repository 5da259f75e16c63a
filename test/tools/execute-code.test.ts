import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pause } from '../../src/contract/clock.ts';
import type { ToolResult, ToolUse } from '../../src/contract/tool.ts';
import { createExecuteCode, type ScriptCall } from '../../src/tools/execute-code.ts';
import { chatRun } from '../fakes/runs.ts';
import { processFixture, temporaryFolder, useTool } from './tool-fixture.ts';

const python = spawnSync('/usr/bin/python3', ['-c', '0']).status === 0 ? '/usr/bin/python3' : undefined;

describe('execute_code', () => {
  let work: ReturnType<typeof temporaryFolder>;
  let temporary: ReturnType<typeof temporaryFolder>;
  let processes: ReturnType<typeof processFixture>;
  let calls: (ScriptCall & { use: ToolUse })[];
  let answer: (call: ScriptCall) => Promise<ToolResult>;
  beforeEach(() => {
    work = temporaryFolder();
    temporary = temporaryFolder();
    processes = processFixture({ ...process.env, HERMOD_INTERACTIVE: '1', OPENAI_API_KEY: 'sk-secret' });
    calls = [];
    answer = async ({ tool, input }) => ({ text: `${tool} ${JSON.stringify(input)}`, isError: false });
  });
  afterEach(async () => {
    await processes.groups.killAll();
    expect(readdirSync(temporary.path)).toEqual([]);
    work.remove();
    temporary.remove();
  });

  const tool = () =>
    createExecuteCode({
      ...processes,
      node: process.execPath,
      python,
      workspace: work.path,
      temporary: temporary.path,
      tools: ['read_file', 'shell'],
      call: (use, call) => {
        calls.push({ ...call, use });
        return answer(call);
      },
    });
  const js = (code: string, more: object = {}, options: Parameters<typeof useTool>[2] = {}) =>
    useTool(tool(), { language: 'js', code, ...more }, options);
  const py = (code: string, more: object = {}) => useTool(tool(), { language: 'python', code, ...more });

  it('gives back what is printed', async () => {
    expect(await js('console.log(6 * 7)')).toEqual({ text: '42', isError: false, exit: 0 });
    expect(await js('console.log("a"); console.error("b"); process.exitCode = 3')).toEqual({
      text: 'a\n[stderr]\nb\n[exit 3]',
      isError: true,
      exit: 3,
    });
    expect(await js('throw new Error("no")')).toMatchObject({
      isError: true,
      text: expect.stringContaining('Error: no'),
    });
  });

  it('lets a script call tools, also side by side, and see their errors', async () => {
    answer = async ({ tool: name, input }) =>
      name === 'shell' ? { text: 'Refused by Ann.', isError: true } : { text: JSON.stringify(input), isError: false };
    const code = `const all = await Promise.all([1, 2, 3].map((n) => tools.read_file({ path: 'f' + n })));
      console.log(all.join());
      try { await tools.shell({ command: 'rm -r x' }); } catch (error) { console.log(error.message); }
      console.log(Object.keys(tools).join());`;
    expect(await js(code)).toEqual({
      text: '{"path":"f1"},{"path":"f2"},{"path":"f3"}\nRefused by Ann.\nread_file,shell',
      isError: false,
      exit: 0,
    });
    expect(calls.map((call) => call.tool)).toEqual(['read_file', 'read_file', 'read_file', 'shell']);
  });

  it('says where untrusted text came from that it was given', async () => {
    answer = async ({ tool: name }) => ({
      text: name,
      isError: false,
      ...(name === 'shell' ? { untrusted: 'a' } : {}),
    });
    const clean = await js('console.log(await tools.read_file({}))');
    expect(clean).not.toHaveProperty('untrusted');
    expect(await js('await tools.read_file({}); await tools.shell({})')).toMatchObject({ untrusted: 'a' });
  });

  it('hands every call the use of the call that started the script', async () => {
    const run = chatRun();
    await js(`await tools.shell({})`, {}, { run });
    expect(calls[0]?.use.run).toBe(run);
    expect(calls[0]?.signal.aborted).toBe(true);
  });

  it('reads the work folder, and neither reads nor writes anything else, nor starts anything', async () => {
    writeFileSync(join(work.path, 'a.txt'), 'inside');
    const code = `import fs from 'node:fs'; import os from 'node:os'; import { execSync } from 'node:child_process';
      console.log(fs.readFileSync('a.txt', 'utf8'));
      fs.writeFileSync(os.tmpdir() + '/mine', 'x');
      for (const act of [() => fs.readFileSync('/etc/passwd'), () => fs.writeFileSync('b.txt', ''), () => execSync('true')]) try { act(); console.log('done'); } catch (error) { console.log(error.code); }`;
    expect((await js(code)).text).toBe('inside\nERR_ACCESS_DENIED\nERR_ACCESS_DENIED\nERR_ACCESS_DENIED');
  });

  it('shows no marker and no secret', async () => {
    const { text } = await js('console.log(Object.keys(process.env).join("\\n"))');
    expect(text.split('\n').filter((name) => /^(HERM|OPENAI)/.test(name))).toEqual(['HERMOD_PROC']);
  });

  it('ends at its limit, and the clock stands while a person is asked', async () => {
    expect(await js('for (;;);', { timeout_s: 1 })).toMatchObject({ isError: true, text: '[killed after 1 s]' });
    answer = async ({ asking }) => {
      asking(true);
      await pause(processes.clock, 1500);
      asking(false);
      return { text: 'allowed', isError: false };
    };
    expect(await js('console.log(await tools.shell({}))', { timeout_s: 1 })).toEqual({
      text: 'allowed',
      isError: false,
      exit: 0,
    });
  });

  it('stops at once, and takes its calls along', async () => {
    const abort = new AbortController();
    let begun = () => {};
    const calling = new Promise<void>((resolve) => {
      begun = resolve;
    });
    answer = ({ signal }) =>
      new Promise((resolve) => {
        begun();
        signal.addEventListener('abort', () => resolve({ text: 'stopped', isError: true }));
      });
    const result = js('await tools.shell({})', {}, { signal: abort.signal });
    await calling;
    abort.abort('stop');
    expect(await result).toEqual({ text: '[stopped]', isError: true, exit: null });
    expect(calls[0]?.signal.aborted).toBe(true);
  });

  it('does not let a script take all the memory', async () => {
    const result = await js('const all = []; for (;;) all.push(new Array(1e6).fill(1.5))');
    expect(result.isError).toBe(true);
    expect(result.text).toMatch(/heap|exit/);
  });

  it('tells the gate language and source', () => {
    expect(tool().code?.({ language: 'js', code: 'x' })).toEqual({ language: 'js', source: 'x' });
    expect(tool().effects).toBe('exec');
  });

  describe.runIf(python)('in Python', () => {
    it('prints, calls tools and sees their errors', async () => {
      answer = async ({ tool: name, input }) => ({ text: JSON.stringify(input), isError: name === 'shell' });
      const code =
        'print(tools.read_file(path="ä"))\ntry:\n  tools.shell({"command": "x"})\nexcept RuntimeError as e:\n  print(e)\nprint(__name__)';
      expect(await py(code)).toEqual({ text: '{"path":"ä"}\n{"command":"x"}\n__main__', isError: false, exit: 0 });
    });

    it('names its errors by line, and ends at its memory limit', async () => {
      expect((await py('\nx = 1 / 0')).text).toMatch(/code\.py", line 2[\s\S]*ZeroDivisionError[\s\S]*\[exit 1\]/);
      expect(await py('x = bytearray(10 ** 9)')).toMatchObject({
        isError: true,
        text: expect.stringContaining('MemoryError'),
      });
    });
  });

  it('offers Python only where there is one', () => {
    const none = createExecuteCode({
      ...processes,
      node: 'node',
      python: undefined,
      workspace: '/',
      temporary: '/',
      tools: [],
      call: async () => ({ text: '', isError: false }),
    });
    expect(none.input.safeParse({ language: 'python', code: 'x' }).success).toBe(false);
  });
});
