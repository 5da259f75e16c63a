import { describe, expect, it } from 'vitest';
import { currentRun, isLive, withRun } from '../../src/context/run-context.ts';
import type { ApprovalId } from '../../src/contract/ids.ts';
import type { TurnRow } from '../../src/store/turns.ts';
import { settle } from '../fakes/fake-clock.ts';
import { chatRun, person } from '../fakes/runs.ts';
import { laneFixture, shownLane } from './lane-fixture.ts';
import { door } from './recording-adapter.ts';

const paste = { join: { key: 'p', waitMs: 2_000 } };
const failure = { kind: 'rate', detail: '429' } as const;

function started(...args: Parameters<typeof laneFixture>) {
  const lane = laneFixture(...args);
  lane.lanes.start();
  return lane;
}

describe('a message', () => {
  it('becomes a turn, its attempt a row, before the runner hears of it', async () => {
    const lane = started();
    const session = lane.say('hello', { messageId: '77' });
    const { turn, run, words } = lane.runner.last;
    expect(words).toBe('[now]\nhello');
    expect(turn).toMatchObject({ session, actor: person('ann'), replyTo: '77', direct: true, state: 'running' });
    expect(run).toMatchObject({
      kind: 'chat',
      session,
      depth: 0,
      actor: person('ann'),
      replyTo: turn.address,
      resumed: false,
    });
    expect([lane.inbox(), lane.attempts()]).toEqual([['claimed'], ['first open']]);
    expect(lane.lanes.running(session)).toMatchObject({ turn, startedAt: lane.clock.now() });
  });

  it('is answered: reply, transcript, inbox and attempt end together', async () => {
    const lane = started();
    const session = lane.say('hello');
    lane.runner.last.reply('Hi.');
    await settle();
    expect([lane.inbox(), lane.attempts(), lane.turns()]).toEqual([['answered'], ['first ended'], ['answered']]);
    expect(lane.outbox()).toEqual(['final pending: Hi.']);
    expect(lane.store.transcript.read(session).map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'user: [now]\nhello',
      'assistant: Hi.',
    ]);
    expect([lane.lanes.count, lane.lanes.running(session), lane.wakes()]).toEqual([0, undefined, 1]);
  });

  it('in a group names who spoke, and the answer is a reply', async () => {
    const lane = started();
    lane.say('hello', { chat: '-5', messageId: '9', by: person('7', 'Bo') });
    expect(lane.runner.last.words).toBe('[Bo]\nhello');
    lane.runner.last.reply('Hi.');
    await settle();
    const row = lane.store.outbox.get(`final:${lane.runner.last.turn.id}`);
    expect(row).toMatchObject({ message: { text: 'Hi.', replyTo: '9' }, direct: false });
  });

  it('with several steps is answered with all its words', async () => {
    const lane = started();
    const session = lane.say('hello');
    const { turn } = lane.runner.last;
    const { transcript } = lane.store;
    transcript.append({ session, turn: turn.id, step: 1, role: 'assistant', content: 'Looking.' }, 1);
    transcript.append({ session, turn: turn.id, step: 2, role: 'assistant', content: '' }, 1);
    lane.runner.last.reply('Found.');
    await settle();
    expect(lane.outbox()).toEqual(['final pending: Looking.\n\nFound.']);
  });

  it('whose answer is recorded already is not recorded twice', async () => {
    const lane = started();
    const session = lane.say('hello');
    const turn = lane.runner.last.turn.id;
    lane.store.transcript.append({ session, turn, step: 1, role: 'assistant', content: 'Hi.' }, 1);
    lane.runner.last.end({ kind: 'replied', text: 'Hi.', message: undefined });
    await settle();
    expect(lane.outbox()).toEqual(['final pending: Hi.']);
    expect(lane.store.transcript.read(session)).toHaveLength(2);
  });

  it('whose turn failed is told so, after what was said', async () => {
    const lane = started();
    const session = lane.say('hello');
    const turn = lane.runner.last.turn.id;
    lane.store.transcript.append({ session, turn, step: 1, role: 'assistant', content: 'Looking.' }, 1);
    lane.runner.last.end({ kind: 'failed', failure, text: 'The model is overloaded.' });
    await settle();
    expect(lane.outbox()).toEqual(['final pending: Looking.\n\nThe model is overloaded.']);
    expect([lane.inbox(), lane.attempts(), lane.turns()]).toEqual([['answered'], ['first ended'], ['failed']]);
  });
});

describe('a lane', () => {
  it('has one turn at a time, in order; other lanes do not wait', async () => {
    const lane = started();
    const first = lane.say('a1');
    lane.say('a2');
    lane.say('a3');
    lane.say('b1', { chat: 'c2' });
    expect(lane.runner.said).toEqual(['[now]\na1', '[now]\nb1']);
    for (const n of [1, 2]) {
      lane.runner.turns.find(({ turn }) => turn.id === lane.lanes.running(first)?.turn.id)?.reply(`${n}`);
      await settle();
    }
    expect(lane.runner.said.slice(2)).toEqual(['[now]\na2', '[now]\na3']);
    expect(lane.lanes.count).toBe(2);
  });

  it('waits for the pieces of a paste and takes them as one', async () => {
    const lane = started();
    lane.say('a', paste);
    await lane.clock.skip(1_500);
    lane.say('b', paste);
    await lane.clock.skip(1_999);
    expect(lane.runner.said).toEqual([]);
    await lane.clock.skip(1);
    expect(lane.runner.said).toEqual(['[now]\na\nb']);
    expect(lane.inbox()).toEqual(['claimed', 'claimed']);
    lane.runner.last.reply('ok');
    await settle();
    expect(lane.inbox()).toEqual(['answered', 'answered']);
  });

  it('does not wait longer than 10 s for them', async () => {
    const lane = started();
    for (let i = 0; i < 8; i++) {
      lane.say(`${i}`, paste);
      await lane.clock.skip(1_500);
    }
    expect(lane.runner.said).toEqual(['[now]\n0\n1\n2\n3\n4\n5\n6']);
  });

  it('lets nothing pass the oldest message, also one that is ready at once', async () => {
    const lane = started();
    lane.say('photo', paste);
    lane.say('quick');
    expect(lane.runner.said).toEqual([]);
    await lane.clock.skip(2_000);
    lane.runner.last.reply('ok');
    await settle();
    expect(lane.runner.said).toEqual(['[now]\nphoto', '[now]\nquick']);
  });

  it('two people in one session have a turn each (gateway 29)', async () => {
    const lane = started();
    lane.say('a', { ...paste, chat: '-5' });
    lane.say('b', { ...paste, chat: '-5', by: person('bob') });
    await lane.clock.skip(2_000);
    expect(lane.runner.said).toEqual(['[ann]\na']);
    expect(lane.inbox()).toEqual(['claimed', 'new']);
  });

  it('takes nothing before the start, then everything', () => {
    const lane = laneFixture();
    lane.say('a');
    lane.say('b', { chat: 'c2' });
    expect(lane.runner.turns).toEqual([]);
    lane.lanes.start();
    expect(lane.runner.said).toEqual(['[now]\na', '[now]\nb']);
  });
});

describe('the cap', () => {
  it('bounds what runs; those who met it go next, the longest waiting first', async () => {
    const lane = started({ maxTurns: () => 1 });
    for (const text of ['a1', 'a2']) lane.say(text, { chat: 'a' });
    for (const text of ['b1', 'b2']) lane.say(text, { chat: 'b' });
    lane.say('c1', { chat: 'c' });
    for (let i = 0; i < 4; i++) {
      expect(lane.lanes.count).toBe(1);
      lane.runner.last.reply('ok');
      await settle();
    }
    expect(lane.runner.said.map((words) => words.slice(6))).toEqual(['a1', 'b1', 'c1', 'a2', 'b2']);
  });

  it('that was raised is used up at the next end', async () => {
    let max = 1;
    const lane = started({ maxTurns: () => max });
    for (const chat of ['a', 'b', 'c']) lane.say(chat, { chat });
    max = 2;
    lane.runner.last.reply('ok');
    await settle();
    expect(lane.lanes.count).toBe(2);
  });

  it('does not keep back a turn that a person just answered', async () => {
    const lane = started({ maxTurns: () => 1 });
    lane.say('a', { chat: 'a' });
    const turn = parked(lane, 'b');
    lane.lanes.resume(turn, 'approval');
    expect(lane.lanes.count).toBe(2);
  });
});

describe('stop', () => {
  it('tells the turn why, writes its end and lets the next one go', async () => {
    const lane = started();
    const session = lane.say('a');
    lane.say('b');
    expect(lane.lanes.stop(session, 'stop')).toBe(true);
    await settle();
    expect(lane.runner.turns[0]?.run.signal.reason).toBe('stop');
    expect(lane.turns()).toEqual(['stopped', 'running']);
    expect(lane.attempts()).toEqual(['first ended', 'first open']);
    expect(lane.inbox()).toEqual(['answered', 'claimed']);
    expect(lane.outbox()).toEqual([]);
  });

  it('with nothing to stop says so', () => {
    const lane = started();
    expect(lane.lanes.stop(lane.session(), 'stop')).toBe(false);
  });

  it('a turn that was ended in the store says nothing more, even when it had its answer already', async () => {
    const lane = started();
    const session = lane.say('a');
    const { turn, reply } = lane.runner.last;
    reply('Too late.');
    lane.store.turns.end(turn.id, 'stopped', lane.clock.now(), 'stop');
    lane.lanes.stop(session, 'stop');
    await settle();
    expect([lane.turns(), lane.attempts(), lane.outbox()]).toEqual([['stopped stop'], ['first ended'], []]);
    expect(lane.store.transcript.read(session)).toHaveLength(1);
  });

  it('what it had planned is skipped', async () => {
    const lane = started();
    const session = lane.say('a');
    const turn = lane.runner.last.turn.id;
    const calls = [{ providerId: 'p', name: 'shell', raw: '{}' }];
    lane.store.transcript.append({ session, turn, step: 1, role: 'assistant', content: '', calls }, 1);
    lane.lanes.stop(session, 'stop');
    await settle();
    expect(lane.store.transcript.ofTurn(turn)[1]?.calls[0]?.state).toBe('skipped');
  });
});

type Lane = ReturnType<typeof laneFixture>;

/** An unfinished turn of an earlier boot, waiting for a person. */
function parked(lane: Lane, chat = 'c1'): TurnRow {
  const { store, clock } = lane;
  const session = lane.session(chat);
  const address = { platform: 'telegram', bot: 'b1', chat };
  const turn = store.turns.create({ session, actor: person('ann'), address, direct: true, replyTo: null }, clock.now());
  const attempt = store.turns.begin(turn, 'first', lane.boot, clock.now());
  store.turns.endAttempt(attempt, 'parked', clock.now());
  store.turns.setState(turn.id, 'parked', 'awaiting_person');
  return turn;
}

describe('drain', () => {
  it('starts nothing new and waits for what runs', async () => {
    const lane = started();
    lane.say('a');
    const drained = lane.lanes.drain(10_000);
    lane.say('b');
    lane.say('c', { chat: 'c2' });
    await lane.clock.skip(9_000);
    lane.runner.last.reply('ok');
    await drained;
    expect(lane.turns()).toEqual(['answered']);
    expect(lane.inbox()).toEqual(['answered', 'new', 'new']);
    expect(lane.clock.armed).toBe(0);
  });

  it('with nothing running is over', async () => {
    const lane = started();
    await lane.lanes.drain(10_000);
    expect(lane.clock.armed).toBe(0);
  });

  it('cuts off the rest: the attempt stays open, the turn and its messages as they are', async () => {
    const lane = started();
    lane.say('a');
    const drained = lane.lanes.drain(10_000);
    await lane.clock.skip(9_999);
    expect(lane.runner.last.run.signal.aborted).toBe(false);
    await lane.clock.skip(1);
    await drained;
    expect(lane.runner.last.run.signal.reason).toBe('shutdown');
    expect([lane.turns(), lane.attempts(), lane.inbox(), lane.outbox()]).toEqual([
      ['running'],
      ['first open'],
      ['claimed'],
      [],
    ]);
  });

  it('parks at once what waits for a person, and what comes to wait', async () => {
    const lane = started();
    lane.runner.deaf = true;
    lane.say('a', { chat: 'a' });
    lane.say('b', { chat: 'b' });
    const [a, b] = lane.runner.turns;
    a?.sink.waiting(true);
    const drained = lane.lanes.drain(10_000);
    expect([a, b].map((turn) => turn?.run.signal.aborted)).toEqual([true, false]);
    b?.sink.waiting(true);
    expect(b?.run.signal.reason).toBe('shutdown');
    for (const turn of [a, b]) turn?.end({ kind: 'parked', approval: 'ap' as ApprovalId });
    await drained;
    expect(lane.turns()).toEqual(['parked awaiting_person', 'parked awaiting_person']);
    expect(lane.attempts()).toEqual(['first parked', 'first parked']);
  });

  it('a turn whose question was answered is not parked', async () => {
    const lane = started();
    lane.say('a');
    lane.runner.last.sink.waiting(true);
    lane.runner.last.sink.waiting(false);
    const drained = lane.lanes.drain(10_000);
    expect(lane.runner.last.run.signal.aborted).toBe(false);
    lane.runner.last.reply('ok');
    await drained;
  });

  it('waits also for a turn that does not listen', async () => {
    const lane = started();
    lane.runner.deaf = true;
    lane.say('a');
    let drained = false;
    void lane.lanes.drain(1_000).then(() => {
      drained = true;
    });
    await lane.clock.skip(60_000);
    expect(drained).toBe(false);
    lane.runner.last.reply('at last');
    await settle();
    expect([drained, lane.turns()]).toEqual([true, ['answered']]);
  });
});

describe('resume', () => {
  it('runs the same turn again, as a new attempt', async () => {
    const lane = started();
    const turn = parked(lane);
    lane.lanes.resume(turn, 'approval');
    expect(lane.attempts()).toEqual(['first parked', 'approval open']);
    expect(lane.runner.last).toMatchObject({ turn: { id: turn.id, state: 'parked' }, run: { resumed: false } });
    expect(lane.turns()).toEqual(['running']);
    lane.runner.last.reply('Done.');
    await settle();
    expect([lane.turns(), lane.attempts()]).toEqual([['answered'], ['first parked', 'approval ended']]);
  });

  it('after a boot the run knows of it', () => {
    const lane = started();
    lane.lanes.resume(parked(lane), 'resume');
    expect(lane.runner.last.run).toMatchObject({ resumed: true });
  });

  it('twice is once', () => {
    const lane = started();
    const turn = parked(lane);
    lane.lanes.resume(turn, 'approval');
    lane.lanes.resume(turn, 'approval');
    expect(lane.runner.turns).toHaveLength(1);
    expect(lane.attempts()).toEqual(['first parked', 'approval open']);
  });

  it('a turn that ended meanwhile stays ended, whatever the caller still holds', () => {
    const lane = started();
    const turn = parked(lane);
    lane.store.turns.end(turn.id, 'stopped', lane.clock.now(), 'stop');
    lane.lanes.resume(turn, 'resume');
    expect([lane.runner.turns, lane.attempts(), lane.turns()]).toEqual([[], ['first parked'], ['stopped stop']]);
  });

  it('while draining waits for the next boot', async () => {
    const lane = started();
    const turn = parked(lane);
    await lane.lanes.drain(1);
    lane.lanes.resume(turn, 'approval');
    expect(lane.runner.turns).toEqual([]);
  });

  it('messages wait behind a parked turn and follow it', async () => {
    const lane = started();
    const turn = parked(lane);
    lane.say('b');
    await lane.clock.skip(60_000);
    expect(lane.runner.turns).toEqual([]);
    lane.lanes.resume(turn, 'approval');
    lane.runner.last.reply('ok');
    await settle();
    expect(lane.runner.said).toEqual(['', '[now]\nb']);
  });

  it('a held turn makes way for new words', async () => {
    const lane = started();
    const turn = parked(lane);
    lane.store.turns.setState(turn.id, 'held', 'stale');
    const calls = [{ providerId: 'p', name: 'shell', raw: '{}' }];
    lane.store.transcript.append(
      { session: turn.session, turn: turn.id, step: 1, role: 'assistant', content: '', calls },
      1,
    );
    const { address, direct } = turn;
    const message = { text: 'old' };
    lane.store.outbox.put({ key: 'preview:x', kind: 'preview', address, direct, message, turn: turn.id }, 1);
    lane.say('new words');
    expect(lane.turns()).toEqual(['superseded newer_input', 'running']);
    expect(lane.store.transcript.ofTurn(turn.id)[0]?.calls[0]?.state).toBe('skipped');
    expect(lane.outbox()).toEqual(['preview cancelled: old']);
    lane.lanes.resume(turn, 'continue');
    expect(lane.runner.turns).toHaveLength(1);
  });
});

describe('trouble', () => {
  it('a runner that throws: the person is told, the log knows, the lane goes on', async () => {
    const lane = started();
    lane.say('a');
    lane.say('b');
    lane.runner.last.throws(new Error('boom'));
    await settle();
    expect(lane.outbox()[0]).toMatch(/^final pending: Something broke inside hermod/);
    expect(lane.turns()).toEqual(['failed', 'running']);
    expect(lane.log).toMatchObject([{ level: 'error', facts: { error: { message: 'boom' } } }]);
  });

  it('a view that cannot be made: the same', async () => {
    const view = () => {
      throw new Error('no such platform');
    };
    const lane = started({ view });
    lane.say('a');
    await settle();
    expect(lane.turns()).toEqual(['failed']);
    expect(lane.runner.turns).toEqual([]);
  });

  it('a store that fails in the middle of the end leaves nothing half, and the end is written when it can be', async () => {
    const lane = started();
    const session = lane.say('a');
    lane.say('b');
    const { finishTurn } = lane.store.inbox;
    lane.store.inbox.finishTurn = () => {
      throw new Error('database or disk is full');
    };
    lane.runner.last.reply('Hi.');
    await settle();
    expect([lane.turns(), lane.attempts(), lane.outbox()]).toEqual([['running'], ['first open'], []]);
    expect(lane.store.transcript.read(session)).toHaveLength(1);
    await lane.clock.skip(1_000);
    expect(lane.outbox()).toEqual([]);
    lane.store.inbox.finishTurn = finishTurn;
    await lane.clock.skip(2_000);
    expect(lane.outbox()).toEqual(['final pending: Hi.']);
    expect(lane.turns()).toEqual(['answered', 'running']);
    expect(lane.runner.turns).toHaveLength(2);
  });

  it('a store that never recovers does not hold up the stop; the turn counts as interrupted', async () => {
    const lane = started();
    lane.say('a');
    lane.store.outbox.put = () => {
      throw new Error('database or disk is full');
    };
    lane.runner.last.reply('Hi.');
    await settle();
    await lane.lanes.drain(10_000);
    expect([lane.turns(), lane.attempts()]).toEqual([['running'], ['first open']]);
  });

  it('a claim that fails leaves the message waiting, and is made again', async () => {
    const lane = started();
    const { append } = lane.store.transcript;
    lane.store.transcript.append = () => {
      throw new Error('database or disk is full');
    };
    expect(() => lane.say('a')).not.toThrow();
    expect([lane.inbox(), lane.turns(), lane.attempts()]).toEqual([['new'], [], []]);
    lane.store.transcript.append = append;
    await lane.clock.skip(1_000);
    expect(lane.runner.said).toEqual(['[now]\na']);
  });
});

describe('the run', () => {
  it('is the turn’s own, whatever run the message came in', async () => {
    const seen: unknown[] = [];
    const lane = laneFixture({ head: () => String(currentRun()) });
    const { run } = lane.runner;
    lane.runner.run = (order, sink) => {
      seen.push(currentRun() === order.run, isLive(order.run));
      return run.call(lane.runner, order, sink);
    };
    const stranger = chatRun({ session: 'foreign' });
    await withRun(stranger, async () => {
      lane.lanes.start();
      lane.say('a');
      lane.say('b', paste);
      lane.lanes.resume(parked(lane, 'c9'), 'approval');
      lane.say('c', { chat: 'c9' });
    });
    expect(lane.runner.said).toEqual(['undefined\na', '']);
    await withRun(stranger, async () => {
      for (const turn of [...lane.runner.turns]) turn.reply('ok');
      await settle();
      await lane.clock.skip(2_000);
    });
    expect(lane.runner.said).toEqual(['undefined\na', '', 'undefined\nc', 'undefined\nb']);
    expect(new Set(seen)).toEqual(new Set([true]));
    expect(lane.runner.turns.map(({ run }) => run.session)).not.toContain('foreign');
  });

  it('is over with the turn', async () => {
    const lane = started();
    lane.say('a');
    const { run, reply } = lane.runner.last;
    reply('ok');
    await settle();
    expect(isLive(run)).toBe(false);
  });

  it('cannot be changed, and is another for each attempt', async () => {
    const lane = started();
    const turn = parked(lane);
    lane.lanes.resume(turn, 'approval');
    const { run } = lane.runner.last;
    expect(Object.isFrozen(run) && 'actor' in run && Object.isFrozen(run.actor)).toBe(true);
    expect(run.runId).toBe(run.rootId);
  });
});

describe('with a view', () => {
  it('the answer grows, and the final is an edit of it', async () => {
    const lane = shownLane();
    lane.say('hello');
    lane.runner.last.sink.text('Hel');
    await lane.clock.skip(400);
    lane.runner.last.sink.text('lo');
    lane.runner.last.reply('Hello.');
    await lane.clock.skip(0);
    expect(lane.telegram.log).toEqual(['send Hel', 'edit Hello.']);
  });

  it('the end is written while an edit is still in flight, and edits after it', async () => {
    const lane = shownLane();
    lane.say('hello');
    lane.runner.last.sink.text('Hel');
    await lane.clock.skip(400);
    const slow = door();
    lane.telegram.answer = () => slow.wait;
    lane.runner.last.sink.text('lo');
    await lane.clock.skip(1_000);
    lane.runner.last.reply('Hello.');
    await lane.clock.skip(0);
    expect(lane.turns()).toEqual(['answered']);
    expect(lane.telegram.log).toEqual(['send Hel', 'edit Hello']);
    slow.open();
    await lane.clock.skip(0);
    expect(lane.telegram.shown('c1')).toEqual(['Hello.']);
  });

  it('no progress comes after the answer', async () => {
    const lane = shownLane();
    lane.telegram.answer = async () => {};
    lane.say('hello');
    lane.runner.last.sink.tool('shell: ls');
    lane.runner.last.reply('Done.');
    await lane.clock.skip(60_000);
    expect(lane.telegram.log).toEqual(['send Done.']);
  });

  it('of a stopped turn nothing more is shown, though it has not ended yet', async () => {
    const lane = shownLane();
    lane.runner.deaf = true;
    const session = lane.say('hello');
    const { sink } = lane.runner.last;
    sink.text('Hel');
    await lane.clock.skip(400);
    lane.lanes.stop(session, 'stop');
    sink.text('lo');
    sink.tool('shell: ls');
    sink.notice('still here');
    await lane.clock.skip(60_000);
    expect(lane.telegram.log).toEqual(['send Hel']);
  });

  it('a turn that is cut off leaves its message for the next boot', async () => {
    const lane = shownLane();
    lane.say('hello');
    lane.runner.last.sink.text('Hel');
    await lane.clock.skip(400);
    const drained = lane.lanes.drain(0);
    await lane.clock.skip(0);
    await drained;
    expect(lane.outbox()).toEqual(['preview sent: Hel']);
    expect(lane.telegram.log).toEqual(['send Hel']);
  });
});
