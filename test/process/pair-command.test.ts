import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { newHome, processEnv } from './daemon-process.ts';
import { Survivor } from './survivor.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

let survivor: Survivor | undefined;
afterEach(async () => {
  await survivor?.close();
  survivor = undefined;
});

function hermod(home: string, args: readonly string[], more: Record<string, string> = {}) {
  const env = { ...processEnv(home), ...more };
  const child = spawn(process.execPath, [MAIN, 'pair', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (err += text));
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, out, err }));
  });
}

describe('hermod pair', () => {
  it('lets in who has the code and takes them out again; five wrong codes lock it', async () => {
    survivor = await Survivor.open();
    await survivor.boot();
    const { home, telegram } = survivor;
    const pair = (...args: string[]) => hermod(home, args);
    expect(await pair()).toMatchObject({ code: 0, out: '', err: expect.stringMatching(/^Nobody was let in/) });
    const eve = telegram.person(66, 'Eve');
    eve.says('dm', 'let me in');
    const told = await survivor.until('a code', () => telegram.said(66)[0]?.text);
    const code = /[A-Z2-9]{4}-[A-Z2-9]{4}/.exec(told)?.[0] as string;
    expect((await pair('list')).out).toMatch(
      /^telegram:66 {2}waits for a yes, \d+ min left {2}Eve\n$|^telegram:66 {2}waits for a yes, 1 h left {2}Eve\n$/,
    );
    expect(await pair('approve', 'K7MP-2QRT')).toMatchObject({ code: 4, err: expect.stringMatching(/^Nobody waits/) });
    expect(await pair('approve', code.toLowerCase())).toMatchObject({
      code: 0,
      out: 'Eve (telegram:66) may talk to me now.\n',
    });
    expect(JSON.parse((await pair('list', '--json')).out)).toMatchObject({
      v: 1,
      people: [{ person: 'telegram:66', role: 'member' }],
      pending: [],
    });
    eve.says('dm', 'say hello');
    await survivor.until('an answer', () => telegram.said(66).some(({ text }) => text.endsWith('hello')));
    expect(await pair('revoke', 'telegram:66')).toMatchObject({ code: 0 });
    expect(await pair('revoke', 'telegram:66')).toMatchObject({ code: 4 });
    for (let i = 0; i < 5; i++) await pair('approve', 'wrong');
    expect(await pair('approve', 'wrong')).toMatchObject({ code: 75, err: expect.stringMatching(/locked until/) });
  });

  it('says what is wrong, and does nothing for the agent', async () => {
    const home = newHome();
    expect(await hermod(home, ['list'])).toMatchObject({ code: 1, err: expect.stringMatching(/not running/) });
    for (const args of [['approve'], ['revoke'], ['list', 'x'], ['dance'], ['list', '--all']])
      expect(await hermod(home, args)).toMatchObject({ code: 64, err: expect.stringMatching(/^hermod pair takes/) });
    expect(await hermod(home, ['approve', 'K7MP-2QRT'], { HERMOD_PROC: 'x' })).toMatchObject({ code: 6 });
  });
});
