import { describe, expect, it } from 'vitest';
import { approvalView, grantView } from '../../src/approvals/approval-view.ts';
import { createRedactor } from '../../src/approvals/redact.ts';
import { approvalCard, approvalLine, grantLine } from '../../src/cli/approval-lines.ts';
import { exitOf, oneOf } from '../../src/cli/one-of.ts';
import { ApprovalWorld, BOB } from '../fakes/approval-world.ts';

const redactor = createRedactor();

async function asked(command = 'rm -rf build', config = {}) {
  const world = new ApprovalWorld({ config });
  const { passage, session } = world.asks(command);
  await world.deliver();
  const now = world.clock.now() + 60_000;
  const view = () => approvalView(world.store.approvals.recent(1)[0]!, redactor);
  const end = async () => {
    world.broker.cancelSession(session, 'stop');
    await passage;
  };
  return { world, view, now, passage, end };
}

describe('a request in a terminal', () => {
  it('is one line in a list', async () => {
    const { view, now, end } = await asked();
    expect(approvalLine(view(), now)).toBe(`${view().code}  expires in 29 min  fs.delete  Ann:  rm -rf build`);
    await end();
    expect(approvalLine(view(), now)).toBe(`${view().code}  cancelled  fs.delete  Ann:  rm -rf build`);
  });

  it('that is long stays on its line', async () => {
    const { view, now, end } = await asked(`rm -rf ${'x'.repeat(100)}\n`);
    const [, command] = approvalLine(view(), now).split('Ann:  ');
    expect([command?.length, command?.at(-1)]).toEqual([72, '…']);
    await end();
  });

  it('shows everything the card shows', async () => {
    const { view, now, end, world } = await asked('rm -rf build && rm -rf dist', {
      two_person: ['fs.delete'],
      approvers: ['telegram:bob'],
    });
    expect(approvalCard(view(), now).slice(1)).toEqual([
      '  rm -rf build && rm -rf dist',
      'Flagged: deletes a directory tree (fs.delete, dangerous)',
      'Flagged: deletes a directory tree (fs.delete, dangerous)',
      'Where: local, /proj',
      'Asked by Ann (telegram:ann), chat, in telegram:c1',
      'Needs two people; yes so far: nobody',
      'Answers: once, deny',
      'Nothing lasting: it has several commands',
    ]);
    world.press(world.pending[0]!, 'Once', BOB);
    expect(approvalCard(view(), now)).toContain('Needs two people; yes so far: Bob');
    world.press(world.pending[0]!, 'Deny');
    expect(approvalCard(view(), now)[0]).toContain('denied by Ann (deny)');
    await end();
  });

  it('says what a person said, and when its text is gone', async () => {
    const { view, now, world, passage } = await asked();
    world.commands('deny', 'use the other folder', world.pending[0]?.session);
    await passage;
    expect(approvalCard(view(), now)).toContain('Said: use the other folder');
    world.store.approvals.forgetText(world.store.approvals.recent(1)[0]!.id);
    expect(approvalCard(view(), now)[1]).toMatch(/its text is gone/);
  });
});

describe('a grant in a terminal', () => {
  it.each([
    ['Session', /^\w{8} {2}session {2}rm -rf build {2}in \/proj, for 12 h more, used 0 times, by telegram:ann$/],
    ['Always', /^\w{8} {2}always {2}rm -rf build {2}in \/proj, used 0 times, by telegram:ann$/],
  ])('%s', async (label, line) => {
    const { world, passage } = await asked();
    world.press(world.pending[0]!, label);
    await passage;
    const [grant] = world.store.grants.list(0);
    expect(grantLine(grantView(grant!, redactor), world.clock.now())).toMatch(line);
    const open = grantLine(grantView({ ...grant!, jobs: true }, redactor), 0);
    expect(open.includes('(jobs too)')).toBe(label === 'Always');
    expect(grantLine(grantView({ ...grant!, digest: 'x' }, redactor), 0)).toContain('one fs.delete');
  });
});

describe('one of several', () => {
  const rows = [
    { id: 'abcdef', code: 'k7f2' },
    { id: 'abcxyz', code: 'm3m3' },
    { id: 'k7f2zz', code: 'abcd' },
  ];
  const find = (word: string) => {
    const said: string[] = [];
    const found = oneOf({ err: { write: (text: string) => said.push(text) > 0 } }, 'request', word, rows);
    return [typeof found === 'number' ? found : found.id, said.join('')];
  };
  it.each([
    ['k7f2', ['abcdef', '']],
    ['M3M3', ['abcxyz', '']],
    ['abcx', ['abcxyz', '']],
    ['abc', [4, 'There is no request "abc".\n']],
    ['zzzz', [4, 'There is no request "zzzz".\n']],
  ])('%s', (word, expected) => expect(find(word)).toEqual(expected));

  it('a beginning of two ids is ambiguous, and both are named', () => {
    const same = [{ id: 'abcde1' }, { id: 'abcde2' }];
    const said: string[] = [];
    expect(oneOf({ err: { write: (text: string) => said.push(text) > 0 } }, 'grant', 'abcde', same)).toBe(64);
    expect(said).toEqual(['Several begin like this: abcde1, abcde2\n']);
  });

  it.each([
    [404, 4],
    [403, 6],
    [409, 1],
    [422, 1],
  ])('what the daemon answers with %i exits with %i', (status, code) => expect(exitOf({ status })).toBe(code));
});
