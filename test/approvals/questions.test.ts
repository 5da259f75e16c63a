import { describe, expect, it } from 'vitest';
import { readTyped } from '../../src/approvals/question-card.ts';
import type { Question } from '../../src/approvals/questions.ts';
import type { ButtonPress, FormAnswer } from '../../src/contract/message.ts';
import type { ApprovalDetails } from '../../src/store/approvals.ts';
import { ANN, ApprovalWorld, BOB } from '../fakes/approval-world.ts';

const config = { approvers: ['telegram:bob'] };
const asked = async (
  more: Partial<Question> = {},
  options: ConstructorParameters<typeof ApprovalWorld>[0] = {},
  direct = true,
) => {
  const world = new ApprovalWorld({ config, ...options });
  const stop = new AbortController();
  const made = world.turn({ direct });
  const question = {
    run: made.run,
    turn: made.turn,
    call: made.calls[0]!,
    text: 'Which colour?',
    options: ['red', 'green'],
    multi: false,
    ...more,
  };
  const answer = world.broker.question(question, stop.signal);
  await world.deliver();
  return { world, stop, answer, question, row: world.pending[0]!, ...made };
};
const press = (world: ApprovalWorld, data: string, by = ANN) =>
  world.broker.press(world.event({ by, data }) as ButtonPress).text;

describe('a question', () => {
  it('is answered by a button, by the requester alone, once', async () => {
    const { world, row, answer, calls } = await asked();
    expect(world.shown(row.id).text).toBe('**Which colour?**\nWrite your answer. Until 12:30.');
    expect(world.buttons(row.id).map(({ label, data }) => [label, data.slice(-2), data.slice(0, 6)])).toEqual([
      ['red', ':0', 'h1:qu:'],
      ['green', ':1', 'h1:qu:'],
    ]);
    expect(world.store.transcript.call(calls[0]!)?.state).toBe('asked');
    const [red, green] = world.buttons(row.id).map(({ data }) => data);
    expect(press(world, green!, BOB)).toBe('Only Ann can answer this.');
    expect(press(world, `${red!.slice(0, -1)}3`)).toMatch(/does not fit/);
    expect(press(world, red!.replace('h1:qu', 'h1:ap').replace(/0$/, 'o'))).toMatch(/does not fit/);
    expect(press(world, green!)).toBe('Answered.');
    expect(await answer).toMatchObject({ kind: 'answered', text: 'green', by: ANN });
    expect(press(world, red!)).toBe('Already answered by Ann.');
    await world.deliver();
    expect(world.shown(row.id).text).toBe('**Which colour?**\nAnswered by Ann, 12:00: green');
  });

  it('takes a reply to its card, in a direct chat also the next message', async () => {
    for (const reply of [true, false]) {
      const { world, answer, session, row } = await asked();
      const { messageId } = world.store.approvals.cards(row.id)[0]!.sent[0]!;
      expect(world.says('blue', session, { by: BOB })).toBe(false);
      expect(world.says('', session)).toBe(false);
      expect(world.says('blue', session, { command: { name: 'x', args: '' } })).toBe(false);
      expect(world.says('blue', session, reply ? { replyTo: { messageId, quoted: '' } } : {})).toBe(true);
      expect(await answer).toMatchObject({ kind: 'answered', text: 'blue' });
      expect(world.says('blue', session)).toBe(false);
    }
  });

  it('in a group takes only a reply; before its card arrived, nothing', async () => {
    const { world, answer, session, row } = await asked({}, {}, false);
    const { messageId } = world.store.approvals.cards(row.id)[0]!.sent[0]!;
    expect(world.says('blue', session, { direct: false })).toBe(false);
    expect(world.says('blue', session, { direct: false, replyTo: { messageId, quoted: '' }, sentAt: 0 })).toBe(false);
    expect(world.says('blue', session, { direct: false, replyTo: { messageId, quoted: '' } })).toBe(true);
    expect((await answer).kind).toBe('answered');
  });

  it('leaves a yes to the approval that waits beside it', async () => {
    const { world, session, answer } = await asked();
    const call = world.asks('rm -rf build');
    await world.deliver();
    expect(world.says('yes', session)).toBe(true);
    expect((await call.passage).kind).toBe('pass');
    expect(world.says('yes', session)).toBe(true);
    expect(await answer).toMatchObject({ text: 'yes' });
  });

  it('with forms offers words of one own', async () => {
    const { world, row, answer } = await asked({}, { limits: { forms: true } });
    const other = world.buttons(row.id).find(({ label }) => label === 'Other')!;
    expect(other.data.endsWith(':r')).toBe(true);
    expect(world.broker.press(world.event({ by: ANN, data: other.data, text: '' }) as FormAnswer).text).toMatch(
      /does not fit/,
    );
    expect(world.broker.press(world.event({ by: ANN, data: other.data, text: ' blue ' }) as FormAnswer).text).toBe(
      'Answered.',
    );
    expect(await answer).toMatchObject({ text: 'blue' });
  });

  it('without buttons, or for several answers, lists numbers', async () => {
    const plain = await asked({}, { limits: { buttons: false } });
    expect(plain.world.shown(plain.row.id).text).toBe(
      '**Which colour?**\n1\\. red\n2\\. green\nWrite your answer, or the number. Until 12:30.',
    );
    expect(plain.world.says('2', plain.session)).toBe(true);
    expect(await plain.answer).toMatchObject({ text: 'green' });
    const several = await asked({ multi: true });
    expect(several.world.buttons(several.row.id)).toEqual([]);
    several.world.says('1, 2', several.session);
    expect(await several.answer).toMatchObject({ text: 'red, green' });
  });

  it('expires, is stopped, and parks like an approval; after a restart it is the same question', async () => {
    const late = await asked();
    await late.world.clock.skip(1_800_000);
    expect((await late.answer).kind).toBe('expired');
    await late.world.deliver();
    expect(late.world.shown(late.row.id).text).toBe('**Which colour?**\nExpired 12:30. No answer.');
    const stopped = await asked();
    expect(stopped.world.broker.cancelSession(stopped.session, 'stop')).toBe(1);
    expect(await stopped.answer).toEqual({ kind: 'cancelled', by: 'stop' });
    const parked = await asked();
    parked.stop.abort('shutdown');
    expect(await parked.answer).toEqual({ kind: 'parked', approval: parked.row.id });
    parked.world.broker.recover();
    const again = parked.world.broker.question(parked.question, new AbortController().signal);
    expect(parked.world.pending).toHaveLength(1);
    press(parked.world, parked.world.buttons(parked.row.id)[0]!.data);
    expect(await again).toMatchObject({ kind: 'answered', text: 'red' });
  });

  it('is no approval: /approve does not know it, and it makes no grant', async () => {
    const { world, session, row } = await asked();
    expect(world.commands('approve', '', session)).toBe('Nothing is waiting for an answer here.');
    expect(world.commands('approve', row.code, session)).toMatch(/I do not know this request/);
    expect(world.store.grants.list(0)).toEqual([]);
  });
});

describe('readTyped', () => {
  const row = (options: readonly string[], multi = false) => ({
    details: { options, multi } as unknown as ApprovalDetails,
  });
  it.each([
    ['2', ['a', 'b'], false, 'b'],
    ['3', ['a', 'b'], false, '3'],
    ['0', ['a', 'b'], false, '0'],
    ['1 2', ['a', 'b'], false, '1 2'],
    ['1, 2, 1', ['a', 'b'], true, 'a, b'],
    ['2 of them', ['a', 'b'], false, '2 of them'],
    ['7', [], false, '7'],
  ] as const)('%j of %j', (text, options, multi, expected) => {
    expect(readTyped(text, row(options, multi))).toBe(expected);
  });
});
