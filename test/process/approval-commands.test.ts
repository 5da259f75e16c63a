import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { hermod } from './command.ts';
import { newHome } from './daemon-process.ts';
import { Survivor } from './survivor.ts';

const APPROVER = 'approvals:\n  approvers: ["cli:operator"]\n';

let survivor: Survivor | undefined;
afterEach(async () => {
  await survivor?.close();
  survivor = undefined;
});

/** Anna is asked whether the folder `build` may go. */
async function asked(config = APPROVER) {
  survivor = await Survivor.open(config);
  await survivor.boot();
  survivor.says('run mkdir -p build && echo x > build/a');
  await survivor.until('the folder', () => survivor?.read('build/a') === 'x\n');
  survivor.says('delete the folder build');
  await survivor.until('a card', () => survivor?.seen().find((message) => message.buttons.length > 0));
  const { home } = survivor;
  return { survivor, home, run: (...args: string[]) => hermod(home, args) };
}

describe('hermod approvals', () => {
  it('lists and shows what waits, and its yes runs it: the card in the chat says who it was', async () => {
    const { survivor, run } = await asked();
    const [line] = (await run('approvals')).out.split('\n');
    expect(line).toMatch(/^[a-z2-7]{4} {2}expires in \d+ min {2}fs\.\w+ {2}Anna: {2}rm -r -- 'build'$/);
    const code = line?.slice(0, 4) as string;
    const shown = (await run('approvals', 'show', code)).out;
    expect(shown).toMatch(/Asked by Anna \(telegram:1\), chat, in telegram:1/);
    expect(shown).toMatch(/Answers: once, timed, session, always, deny/);
    const json = JSON.parse((await run('approvals', 'list', '--json')).out);
    expect(json).toMatchObject({ v: 1, approvals: [{ code, state: 'pending', requester: { id: 'telegram:1' } }] });
    expect(await run('approvals', 'approve', code, 'session')).toMatchObject({
      code: 0,
      out: 'Allowed for this session.\n',
    });
    await survivor.until('the folder to go', () => survivor.read('build/a') === '');
    await survivor.hears(/^Allowed for this session by the operator/);
    const late = await run('approvals', 'deny', json.approvals[0].id, 'no');
    expect(late).toMatchObject({ code: 1, err: expect.stringContaining('Already decided by the operator') });

    expect((await run('grants')).out).toMatch(/^\w{8} {2}session {2}rm -r -- build {2}in /);
    const grant = JSON.parse((await run('grants', 'list', '--json')).out).grants[0].id;
    expect(await run('grants', 'set', grant, '--jobs', 'on')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Only an Always'),
    });
    expect(await run('grants', 'revoke', grant.slice(0, 10))).toMatchObject({
      code: 0,
      out: 'Revoked rm -r -- build.\n',
    });
    expect(await run('grants')).toMatchObject({ out: '', err: expect.stringContaining('Nothing is allowed') });
    expect(await run('grants', 'revoke', grant)).toMatchObject({ code: 4 });
  });

  it('says no with a reason that the model reads', async () => {
    const { survivor, run } = await asked();
    const [view] = JSON.parse((await run('approvals', 'list', '--json')).out).approvals;
    expect(await run('approvals', 'deny', view.id, 'keep', 'it')).toMatchObject({ code: 0, out: 'Denied.\n' });
    await survivor.hears(/Refused by the operator: .*keep it/);
    expect(survivor.read('build/a')).toBe('x\n');
  });

  it('decides nothing for an operator who is no approver, nor for the agent', async () => {
    const { survivor, run, home } = await asked('');
    const code = (await run('approvals')).out.slice(0, 4);
    expect(await run('approvals', 'approve', code)).toMatchObject({
      code: 6,
      err: expect.stringMatching(/Only Anna or an approver.*cli:operator to approvals\.approvers/),
    });
    for (const args of [
      ['approvals', 'approve', code],
      ['approvals', 'deny', code],
      ['grants', 'revoke', 'abcdef'],
      ['grants', 'set', 'abcdef', '--jobs', 'on'],
    ]) {
      const byAgent = await hermod(home, args, { HERMOD_PROC: 'x' });
      expect(byAgent).toMatchObject({ code: 6, err: 'Started by the agent; people decide this.\n' });
    }
    expect(survivor.read('build/a')).toBe('x\n');
  });

  it('reads the file of a daemon that is down, and changes nothing then, not a byte (h30636) (gateway 27)', async () => {
    const { survivor, run, home } = await asked();
    await survivor.kill();
    const bytes = () => ['hermod.db', 'hermod.db-wal'].map((name) => readFileSync(join(home, name)).toString('base64'));
    const before = bytes();
    const code = (await run('approvals', 'list')).out.slice(0, 4);
    expect((await run('approvals', 'show', code)).out).toContain("rm -r -- 'build'");
    await Promise.all([run('grants'), run('audit', 'list'), run('jobs', 'list'), run('pair', 'list')]);
    expect(bytes()).toEqual(before);
    expect(await run('approvals', 'approve', code)).toMatchObject({
      code: 1,
      err: 'hermod is not running; start it to answer requests.\n',
    });
    expect(await run('grants', 'revoke', 'abcdef')).toMatchObject({
      code: 1,
      err: 'hermod is not running; start it to change grants.\n',
    });
  });

  it.each([
    [['approvals', 'allow']],
    [['approvals', 'show']],
    [['approvals', 'approve']],
    [['approvals', 'list', '--some']],
    [['grants', 'set', 'x']],
    [['grants', 'set', 'x', '--jobs', 'maybe']],
    [['grants', 'drop', 'x']],
  ])('%j is wrong usage', async (args) => {
    expect((await hermod(newHome(), args)).code).toBe(64);
  });

  it('explains a command as `approvals test`', async () => {
    expect((await hermod(newHome(), ['approvals', 'test', 'rm -rf /'])).code).toBe(3);
  });
});
