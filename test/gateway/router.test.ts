import { beforeEach, describe, expect, it } from 'vitest';
import { currentRun, withRun } from '../../src/context/run-context.ts';
import type { OutboxId, SessionId, TurnId } from '../../src/contract/ids.ts';
import type { ButtonPress, InboundMessage, StopPress } from '../../src/contract/message.ts';
import type { Health } from '../../src/contract/platform.ts';
import type { RouterConfig } from '../../src/gateway/router.ts';
import { settle } from '../fakes/fake-clock.ts';
import { chatRun, person } from '../fakes/runs.ts';
import { command, inbound } from './inbound.ts';
import type { laneFixture } from './lane-fixture.ts';
import { routerFixture, type StubBroker } from './router-fixture.ts';

const MIN = 60_000;

let fixture: ReturnType<typeof routerFixture>;
let lane: ReturnType<typeof laneFixture>;
let broker: StubBroker;
let log: ReturnType<typeof routerFixture>['log'];
let healths: Health[];
let swept: SessionId[];
let gaveUp: string[];

beforeEach(() => {
  fixture = routerFixture();
  ({ lane, broker, log, healths, swept, gaveUp } = fixture);
});

function events(config: Partial<RouterConfig> = {}) {
  fixture.configure(config);
  return fixture.events;
}

const hears = (message: InboundMessage, config: Partial<RouterConfig> = {}) => events(config).message(message);
/** The last thing that was said, and how many there were. */
const answers = () => fixture.answers();
const everything = () =>
  JSON.stringify(
    ['inbox', 'outbox', 'sessions', 'transcript', 'turns'].map((table) =>
      lane.store.db.prepare(`SELECT * FROM ${table}`).all(),
    ),
  );
type InboxFacts = [kind: string, state: string, reason: string | null];
const rows = () =>
  lane.store.db.prepare('SELECT kind, state, reason FROM inbox ORDER BY seq').raw().all() as InboxFacts[];

describe('a message', () => {
  it('is a row and a turn by the time the promise resolves', async () => {
    await hears(inbound('hello'));
    expect(rows()).toEqual([['message', 'claimed', null]]);
    expect(lane.runner.said).toEqual(['[now]\nhello']);
    expect(lane.store.sessions.current('telegram:dm:b1:c1')).toMatchObject({ owner: 'telegram:ann' });
  });

  it('does not wait for the turn', async () => {
    await hears(inbound('one'));
    await hears(inbound('two'));
    expect(rows()).toEqual([
      ['message', 'claimed', null],
      ['message', 'new', null],
    ]);
  });

  it('redelivered is nothing, also after its turn (gateway 20)', async () => {
    const message = inbound('hello');
    await Promise.all([hears(message), hears(message)]);
    lane.runner.last.reply('Hi.');
    await settle();
    await hears({ ...message, text: 'something else' });
    expect(rows()).toEqual([['message', 'answered', null]]);
    expect(lane.runner.turns).toHaveLength(1);
  });

  it('that waits for its other pieces is claimed with them', async () => {
    const join = { key: 'p', waitMs: 2_000 };
    await hears(inbound('a', { join }));
    await lane.clock.skip(1_500);
    await hears(inbound('b', { join }));
    await lane.clock.skip(1_500);
    expect(lane.runner.said).toEqual([]);
    await lane.clock.skip(500);
    expect(lane.runner.said).toEqual(['[now]\na\nb']);
  });

  it('that answers an approval is no turn', async () => {
    broker.takesWords = true;
    await hears(inbound('yes'));
    await hears(inbound('yes please'));
    expect(rows()).toEqual([
      ['message', 'merged', 'answered an approval'],
      ['message', 'claimed', null],
    ]);
    expect(lane.runner.said).toEqual(['[now]\nyes please']);
  });

  it('in a group is for us when it says so, each person in an own session', async () => {
    await hears(inbound('chatter', { chat: '-5' }));
    await hears(inbound('hello', { chat: '-5', mentionsBot: true }));
    await hears(inbound('me too', { chat: '-5', mentionsBot: true, by: person('bob') }));
    expect(lane.runner.said).toEqual(['[ann]\nhello', '[bob]\nme too']);
    expect(everything()).not.toContain('chatter');
  });

  it('whose row cannot be written leaves nothing, and is refused so that it comes again', async () => {
    const { put } = lane.store.inbox;
    lane.store.inbox.put = () => {
      throw new Error('database or disk is full');
    };
    const message = inbound('hello');
    await expect(hears(message)).rejects.toThrow('database or disk is full');
    expect(lane.store.db.prepare('SELECT count(*) FROM sessions').pluck().get()).toBe(0);
    lane.store.inbox.put = put;
    await hears(message);
    expect(lane.runner.said).toEqual(['[now]\nhello']);
  });

  it('a path is words, not a command (gateway 34)', async () => {
    await hears(command('/etc/hosts is broken', { command: { name: 'etc', args: '/hosts is broken' } }));
    expect(lane.runner.said).toEqual(['[now]\n/etc/hosts is broken']);
  });
});

describe('a stranger', () => {
  const stranger = (text: string, more: Partial<InboundMessage> & { chat?: string } = {}) =>
    inbound(text, { by: { platform: 'telegram', id: '666', name: 'Mallory' }, chat: 'c6', ...more });

  it('is told once in 10 minutes who can let them in; nothing of their words is kept', async () => {
    await hears(stranger('my secret is 42'));
    await hears(stranger('hello?'));
    await lane.clock.skip(10 * MIN - 1);
    await hears(stranger('anybody?'));
    expect(answers()).toEqual([
      'I do not know you yet. The owner can let you in by adding "telegram:666" to access.allow in config.yaml.',
    ]);
    await lane.clock.skip(1);
    await hears(stranger('now?'));
    expect(answers()).toHaveLength(2);
    for (const word of ['secret', 'hello', 'anybody', 'now?', 'Mallory']) expect(everything()).not.toContain(word);
    expect(JSON.stringify(log.lines)).not.toContain('secret');
    expect(lane.store.db.prepare('SELECT count(*) FROM inbox').pluck().get()).toBe(0);
  });

  it('is told by one clock, wherever in it they begin', async () => {
    await lane.clock.skip(9 * MIN + 59_000);
    await hears(stranger('a'));
    await lane.clock.skip(2_000);
    await hears(stranger('b'));
    expect(answers()).toHaveLength(1);
  });

  it('does not silence another one', async () => {
    await hears(stranger('a'));
    await hears(stranger('b', { by: person('777'), chat: 'c7' }));
    expect(answers()).toHaveLength(2);
  });

  it.each<[string, Partial<InboundMessage> & { chat?: string }]>([
    ['in a group', { chat: '-5', mentionsBot: true }],
    ['a bot', { by: { platform: 'telegram', id: '9', name: 'x', bot: true } }],
    ['a stand-in', { by: { platform: 'telegram', id: '9', name: 'x', standIn: true } }],
  ])('%s meets silence', async (_, more) => {
    await hears(stranger('hello', more));
    expect(answers()).toEqual([]);
    expect(rows()).toEqual([]);
  });

  it('has no commands either', async () => {
    await hears({ ...stranger('/stop'), command: { name: 'stop', args: '' } });
    expect(rows()).toEqual([]);
    expect(answers()[0]).toMatch(/^I do not know you yet/);
  });

  it('presses in vain, but truly; of a form only the fact is kept', async () => {
    const { by, address, direct, sentAt } = stranger('');
    await events().form({ eventId: 'f', by, address, direct, sentAt, data: 'h1:ap:x', text: 'my secret' });
    expect(broker.heard).toEqual(['press h1:ap:x by 666']);
    expect(everything()).not.toContain('secret');
  });
});

describe('a command', () => {
  it('is answered beside the running turn', async () => {
    await hears(inbound('work'));
    await hears(command('/help'));
    expect(answers()[0]).toMatch(/^\/start - Say hello\n\/help \[command\]/);
    expect(rows()[1]).toEqual(['command', 'answered', null]);
    expect(lane.runner.turns).toHaveLength(1);
  });

  it('in any case, by its other name too', async () => {
    await hears(command('/STATUS'));
    await hears(command('/reset'));
    expect(answers()).toEqual(['No conversation yet.', 'New session.']);
  });

  it('in a group answers to the message; bare ones only if they are ours', async () => {
    await hears(command('/status', { chat: '-5', messageId: '9' }));
    await hears(command('/xyzzy 2d6', { chat: '-5' }));
    await hears(command('/xyzzy 2d6', { chat: '-5', mentionsBot: true }));
    const messages = lane.store.db
      .prepare("SELECT json_extract(body, '$.replyTo') FROM outbox ORDER BY seq")
      .pluck()
      .all();
    expect(messages).toEqual(['9', expect.any(String)]);
    expect(answers()).toEqual(['No conversation yet.', 'Unknown command /xyzzy. /help lists the commands.']);
  });

  it('unknown is said, with the nearest; no turn', async () => {
    await hears(command('/stats'));
    await hears(command('/xyzzy'));
    expect(answers()).toEqual([
      'Unknown command /stats. Did you mean /status?',
      'Unknown command /xyzzy. /help lists the commands.',
    ]);
    expect(lane.runner.turns).toEqual([]);
  });

  it('redelivered has no second effect', async () => {
    const message = command('/new');
    await hears(message);
    const { id } = lane.store.sessions.current('telegram:dm:b1:c1') ?? {};
    await hears(message);
    expect(lane.store.sessions.current('telegram:dm:b1:c1')?.id).toBe(id);
    expect(answers()).toEqual(['New session.']);
  });

  it('and its answer are one transaction', async () => {
    await hears(inbound('work'));
    const session = lane.store.sessions.current('telegram:dm:b1:c1');
    const { put } = lane.store.outbox;
    lane.store.outbox.put = () => {
      throw new Error('database or disk is full');
    };
    const message = command('/new');
    await expect(hears(message)).rejects.toThrow('full');
    expect(lane.store.sessions.current('telegram:dm:b1:c1')).toEqual(session);
    expect([lane.turns(), rows()]).toEqual([['running'], [['message', 'claimed', null]]]);
    expect(lane.runner.last.run.signal.aborted).toBe(false);
    lane.store.outbox.put = put;
    await hears(message);
    expect(answers()).toEqual(['New session. Ended: 1 running turn.']);
  });

  it.each<[string, boolean]>([
    ['/stop', false],
    ['/new', false],
    ['/approve', false],
    ['/status', true],
    ['/help', true],
    ['/start', true],
  ])('%s that comes late is done: %s', async (text, done) => {
    await hears(command(text, { sentAt: lane.clock.now() - 120_001 }));
    const late = `${text} was sent before I was back; not done.`;
    expect(answers().includes(late)).toBe(!done);
    await hears(command(text, { sentAt: lane.clock.now() - 120_000 }));
    expect(answers()[1]).not.toBe(late);
  });

  it('late has no effect', async () => {
    await hears(inbound('work'));
    await hears(command('/stop', { sentAt: lane.clock.now() - 5 * MIN }));
    expect(lane.turns()).toEqual(['running']);
  });

  it('of admins is for admins (gateway 36)', async () => {
    await hears(command('/restart'));
    expect([answers(), fixture.counts.restarts]).toEqual([['Only an admin may use /restart here (access.admins).'], 0]);
    await hears(command('/help'));
    expect(answers()[1]).not.toContain('/restart');
    await hears(command('/help', { by: person('boss') }));
    expect(answers()[2]).toContain('/restart');
  });
});

describe('/help and /start', () => {
  it('explain one command, and say what is unknown', async () => {
    for (const text of ['/help stop', '/help /STOP', '/help stpo']) await hears(command(text));
    const stop = '/stop [all] - End the running turn; all: also drop waiting messages';
    expect(answers()).toEqual([stop, stop, 'Unknown command /stpo. Did you mean /stop?']);
  });

  it('greet by name', async () => {
    await hears(command('/start', { by: person('ann', 'Ann') }));
    expect(answers()[0]).toMatch(/^Hello Ann\./);
  });
});

describe('/approve and /deny', () => {
  it('are the broker’s, with the session of this place if there is one', async () => {
    await hears(command('/approve k7f2 once'));
    await hears(inbound('work'));
    await hears(command('/deny k7f2 too risky'));
    expect(broker.heard).toEqual(['approve k7f2 once by ann nowhere', 'deny k7f2 too risky by ann']);
    expect(answers()).toEqual(['Allowed once.', 'Allowed once.']);
  });
});

describe('/stop', () => {
  const nothing = 'Nothing is running here.';

  it('ends the turn with its commit, and the next message goes on', async () => {
    await hears(inbound('one'));
    await hears(inbound('two'));
    lane.runner.deaf = true;
    await hears(command('/stop'));
    expect(lane.turns()).toEqual(['stopped stop']);
    expect(lane.runner.last.run.signal.reason).toBe('stop');
    expect(broker.heard).toEqual(['cancel stop']);
    expect(answers()).toEqual(['Stopped. 1 waiting message goes on; /stop all clears yours.']);
    lane.runner.last.end({ kind: 'stopped', by: 'stop', partial: '' });
    await settle();
    expect(lane.runner.said).toEqual(['[now]\none', '[now]\ntwo']);
  });

  it('with nothing to stop says so, and cancels nothing of others', async () => {
    await hears(command('/stop'));
    await hears(inbound('work', { by: person('bob'), chat: 'c2' }));
    await hears(command('/stop'));
    expect(answers()).toEqual([nothing, nothing]);
    expect(swept).toEqual([]);
    expect(lane.turns()).toEqual(['running']);
  });

  it('ends a parked turn, a held one, and one that was not dispatched yet (gateway 10)', async () => {
    for (const state of ['parked', 'held', 'running'] as const) {
      fixture = routerFixture();
      ({ lane } = fixture);
      const session = lane.store.sessions.open('telegram:dm:b1:c1', person('ann'), inbound('').address, true, 1).id;
      const turn = { session, actor: person('ann'), address: inbound('').address, direct: true, replyTo: null };
      const { id } = lane.store.turns.create(turn, 1);
      lane.store.turns.setState(id, state, 'rule');
      await hears(inbound('next'));
      await hears(command('/stop'));
      await settle();
      expect(lane.store.turns.get(id)?.state).toBe(state === 'held' ? 'superseded' : 'stopped');
      expect(lane.runner.said).toEqual(['[now]\nnext']);
    }
  });

  it('all drops the caller’s waiting messages, in a shared session only theirs', async () => {
    const shared = { sessions: { group_per_actor: false, thread_per_actor: false } };
    const here = { chat: '-5', mentionsBot: true };
    await hears(inbound('a1', here), shared);
    await hears(inbound('a2', here), shared);
    await hears(inbound('b1', { ...here, by: person('bob') }), shared);
    await hears(command('/stop ALL', here), shared);
    await settle();
    expect(answers()).toEqual([
      'Stopped. 1 waiting message dropped. 1 waiting message goes on; /stop all clears yours.',
    ]);
    expect(rows()).toEqual([
      ['message', 'answered', 'stop'],
      ['message', 'refused', '/stop all'],
      ['message', 'claimed', null],
      ['command', 'answered', null],
    ]);
    expect(lane.runner.said.at(-1)).toBe('[bob]\nb1');
  });

  it('all with only waiting messages is worth saying', async () => {
    await lane.lanes.drain(0);
    await hears(inbound('a'));
    await hears(command('/stop all'));
    expect(answers()).toEqual(['Stopped. 1 waiting message dropped.']);
  });
});

describe('/new', () => {
  it('ends everything of the conversation and says what', async () => {
    broker.pending = [{ code: 'k7f2', expiresAt: 1 }];
    await hears(inbound('one'));
    await hears(inbound('two'));
    await hears(inbound('three'));
    const old = lane.store.sessions.current('telegram:dm:b1:c1');
    await hears(command('/new Holiday plans'));
    await settle();
    expect(answers()).toEqual(['New session. Ended: 1 running turn, 2 waiting messages, 1 pending approval.']);
    expect(lane.runner.last.run.signal.reason).toBe('reset');
    expect(swept).toEqual([old?.id]);
    expect(lane.turns()).toEqual(['stopped reset']);
    expect(rows().map(([, state, reason]) => [state, reason])).toEqual([
      ['answered', 'reset'],
      ['refused', '/new'],
      ['refused', '/new'],
      ['answered', null],
    ]);
    const fresh = lane.store.sessions.current('telegram:dm:b1:c1');
    expect(fresh?.id).not.toBe(old?.id);
    expect(fresh).toMatchObject({ title: 'Holiday plans' });
    await hears(inbound('hello again'));
    expect(lane.runner.last).toMatchObject({ words: '[now]\nhello again', turn: { session: fresh?.id } });
  });

  it('where nothing was is a new session all the same', async () => {
    await hears(command('/new'));
    expect(answers()).toEqual(['New session.']);
    expect(lane.store.sessions.current('telegram:dm:b1:c1')).toBeDefined();
  });

  it.each([
    ['while its turn runs', false],
    ['after its turn', true],
  ])(
    'a conversation that ends behind the back of the gateway, %s: the next message is answered in a new one (h99106, h61993, h66255) (gateway 18)',
    async (_, over) => {
      const key = 'telegram:dm:b1:c1';
      await hears(inbound('one'));
      if (over) {
        lane.runner.last.reply('ok');
        await settle();
      }
      const old = lane.store.sessions.end(key, lane.clock.now());
      await hears(inbound('two'));
      await settle();
      const { turn, words } = lane.runner.last;
      expect(words).toBe('[now]\ntwo');
      expect(turn.session).not.toBe(old?.id);
      expect(turn.session).toBe(lane.store.sessions.current(key)?.id);
      lane.runner.last.reply('two it is');
      await settle();
      expect(lane.outbox()).toContain('final pending: two it is');
      expect(lane.store.sessions.get(old?.id as never)?.endedAt).not.toBeNull();
    },
  );

  it('keeps a title short', async () => {
    await hears(command(`/new ${'x'.repeat(500)}`));
    expect(lane.store.sessions.current('telegram:dm:b1:c1')?.title).toHaveLength(100);
  });
});

describe('/status', () => {
  it('tells of this session', async () => {
    await hears(inbound('one'));
    await hears(inbound('two'));
    await lane.clock.skip(3 * MIN);
    const now = lane.clock.now();
    broker.pending = [
      { code: 'k7f2', expiresAt: now + 2 * MIN },
      { code: 'old1', expiresAt: now },
    ];
    lane.store.sessions.setYolo(lane.runner.last.turn.session, now + 30 * MIN);
    await hears(command('/status', { sentAt: now }));
    expect(answers()[0]?.split('\n')).toEqual([
      'A turn has been running for 3 min.',
      '1 message waits.',
      'Approval k7f2 waits for an answer, 2 min left: /approve k7f2 or /deny k7f2.',
      'Not asking before dangerous commands for 30 min more (/yolo).',
    ]);
  });

  it('counts no command that asks', async () => {
    const counts: number[] = [];
    const { events, lane: its } = routerFixture({ asked: () => void counts.push(its.store.inbox.open()) });
    await events.message(command('/status', { by: person('boss') }));
    await events.message(inbound('one'));
    await events.message(command('/status', { by: person('boss') }));
    expect(counts).toEqual([0, 1]);
  });

  it('tells of a held turn and its rule', async () => {
    const session = lane.store.sessions.open('telegram:dm:b1:c1', person('ann'), inbound('').address, true, 1).id;
    const turn = { session, actor: person('ann'), address: inbound('').address, direct: true, replyTo: null };
    lane.store.turns.setState(lane.store.turns.create(turn, 1).id, 'held', 'stale');
    await hears(command('/status'));
    expect(answers()[0]).toContain('An interrupted turn is held (stale)');
  });

  it('tells admins of the daemon, and nobody else; with or without a conversation', async () => {
    await hears(command('/status', { by: person('boss') }));
    await hears(command('/status'));
    expect(answers()[0]?.split('\n')).toEqual([
      'No conversation yet.',
      '',
      'hermod 9.9, ready, up 2 h',
      'telegram: connected',
      'turns: 1 running, 2 unfinished; messages without an answer: 3; undelivered: 4',
      'breaker: clear',
    ]);
    expect(answers()[1]).toBe('No conversation yet.');
  });
});

describe('/status undelivered', () => {
  const lost = (key: string, person: string, text: string) => {
    const { store, clock } = lane;
    const { address } = inbound('');
    const row = { key, kind: 'final', address, direct: true, person, message: { text } } as const;
    store.outbox.close(store.outbox.put(row, clock.now())?.id as OutboxId, 'dead', 'the bot was blocked');
  };

  it('lists what did not reach this person, newest first; everything to an admin (gateway 30)', async () => {
    lost('a', 'telegram:ann', 'first *words*');
    lost('b', 'telegram:bob', 'of bob');
    lost('c', 'telegram:ann', 'second');
    await hears(command('/status undelivered'));
    const own = [
      '12:00, to telegram c1: the bot was blocked\n> second',
      '12:00, to telegram c1: the bot was blocked\n> first \\*words\\*',
    ];
    expect(answers().at(-1)).toBe(own.join('\n'));
    await hears(command('/status undelivered', { by: person('boss') }));
    expect(answers().at(-1)).toContain('of bob');
    await hears(command('/status undelivered', { by: person('bob'), chat: 'c2' }));
    expect(answers().at(-1)).not.toContain('words');
  });

  it('says so when there is nothing', async () => {
    await hears(command('/status undelivered'));
    expect(answers().at(-1)).toBe('Everything was delivered.');
  });
});

describe('an edited message', () => {
  const NOTICE = 'I had already read that message before you changed it. Send the change as a new message.';
  const edit = (message: InboundMessage) => events().edited({ ...message, eventId: `${message.eventId}-edit` });

  it('that still waits is read as it is now', async () => {
    await hears(inbound('first'));
    const message = inbound('old', { messageId: '7' });
    await hears(message);
    await edit({ ...message, text: 'new' });
    lane.runner.last.reply('ok');
    await settle();
    expect(lane.runner.said).toEqual(['[now]\nfirst', '[now]\nnew']);
    expect(answers()).toEqual(['ok']);
  });

  it('that was read is one notice, however often it changes', async () => {
    const message = inbound('old', { messageId: '7' });
    await hears(message);
    await edit({ ...message, text: 'new' });
    await edit({ ...message, text: 'newer' });
    expect(answers()).toEqual([NOTICE]);
    expect(lane.runner.turns).toHaveLength(1);
  });

  it('whose text is the same is nothing', async () => {
    const message = inbound('old', { messageId: '7' });
    await hears(message);
    await edit(message);
    expect(answers()).toEqual([]);
  });

  it('never runs a command, nor is one told of (gateway 32)', async () => {
    await hears(inbound('work'));
    const message = command('/help', { messageId: '7' });
    await hears(message);
    await edit({ ...message, text: '/stop', command: { name: 'stop', args: '' } });
    expect(lane.turns()).toEqual(['running']);
    expect(answers()).toHaveLength(1);
  });

  it('that never was a row, or is a stranger’s, is nothing', async () => {
    await edit(inbound('unknown'));
    await edit(inbound('unknown', { by: person('666') }));
    expect([answers(), rows()]).toEqual([[], []]);
  });
});

describe('a press', () => {
  const press = (data: string, eventId = data): ButtonPress => {
    const { by, address, direct, sentAt } = inbound('');
    return { eventId, by, address, direct, sentAt, data };
  };

  it('of a hold goes to its desk, not to the broker', async () => {
    const { by, address, direct, sentAt } = inbound('');
    const press = { eventId: 'p9', by, address, direct, sentAt, data: 'h1:ho:x' };
    expect(await events().press(press)).toEqual({ text: 'held' });
    expect(broker.heard).toEqual([]);
    expect(rows()).toEqual([['press', 'answered', null]]);
  });

  it('is a row, and its answer is for the presser', async () => {
    expect(await events().press(press('h1:ap:x'))).toEqual({ text: 'pressed h1:ap:x' });
    expect(rows()).toEqual([['press', 'answered', null]]);
  });

  it('counts once', async () => {
    await events().press(press('h1:ap:x'));
    expect(await events().press(press('h1:ap:x'))).toBeUndefined();
    expect(broker.heard).toHaveLength(1);
  });

  it('that fails leaves nothing, so that it comes again', async () => {
    broker.onPress = () => {
      lane.session('written by the broker');
      throw new Error('in the middle');
    };
    await expect(events().press(press('h1:ap:x'))).rejects.toThrow('in the middle');
    expect([rows(), lane.store.sessions.current('written by the broker')]).toEqual([[], undefined]);
    broker.onPress = () => {};
    expect(await events().press(press('h1:ap:x'))).toEqual({ text: 'pressed h1:ap:x' });
  });

  it('a form carries its words', async () => {
    await events().form({ ...press('h1:ap:x:r'), text: 'too risky' });
    expect(everything()).toContain('too risky');
    expect(rows()).toEqual([['form', 'answered', null]]);
  });
});

describe('a stop button', () => {
  const stopOf = (turn: TurnId, more: Partial<StopPress> = {}): StopPress => {
    const { eventId, by, address, direct, sentAt } = inbound('');
    return { eventId, by, address, direct, sentAt, turn, ...more };
  };

  it('is as /stop for its turn', async () => {
    await hears(inbound('one'));
    await hears(inbound('two'));
    await events().stopped(stopOf(lane.runner.last.turn.id));
    await settle();
    expect(lane.turns()).toEqual(['stopped stop', 'running']);
    expect(broker.heard).toEqual(['cancel stop']);
    expect(rows()[2]).toEqual(['stopped', 'answered', null]);
    expect(swept).toEqual([lane.runner.last.turn.session]);
  });

  it('pressed twice, late or redelivered touches no later turn', async () => {
    await hears(inbound('one'));
    await hears(inbound('two'));
    const { id } = lane.runner.last.turn;
    const stop = stopOf(id);
    await events().stopped(stop);
    await settle();
    await events().stopped(stop);
    await events().stopped(stopOf(id));
    await settle();
    expect(lane.turns()).toEqual(['stopped stop', 'running']);
    expect(broker.heard).toEqual(['cancel stop']);
  });

  it.each<[string, Partial<StopPress>]>([
    ['elsewhere', { address: inbound('', { chat: 'c2' }).address }],
    ['by a stranger', { by: person('666') }],
    ['of an unknown turn', { turn: 'nothing' as TurnId }],
  ])('%s does nothing', async (_, more) => {
    await hears(inbound('one'));
    await events().stopped(stopOf(lane.runner.last.turn.id, more));
    expect([lane.turns(), broker.heard]).toEqual([['running'], []]);
  });
});

describe('the rest', () => {
  it('health goes on to whoever wants it', () => {
    const health: Health = { state: 'connected', reason: '', proofAt: 1 };
    events().health(health);
    expect(healths).toEqual([health]);
  });

  const unreadable = { platform: 'telegram', bot: 'b1', reason: 'no sender', raw: '{"text":"swordfish"}' };
  const from = (id: string) => ({ by: person(id), address: inbound('').address, direct: true });

  it('what cannot be read is kept as it came, and told at home, once an hour', async () => {
    fixture.homes['telegram'] = 'telegram:home';
    for (const eventId of ['e1', 'e2', 'e2']) await events().refused?.({ ...unreadable, eventId, from: from('ann') });
    expect(rows()).toEqual([
      ['message', 'refused', 'no sender'],
      ['message', 'refused', 'no sender'],
    ]);
    expect(everything()).toContain('swordfish');
    expect(answers()).toEqual([
      'Somebody sent me something on telegram that I could not read: no sender. The log knows more.',
    ]);
  });

  it('of strangers, and of nobody knows whom, only that there was something', async () => {
    fixture.homes['telegram'] = 'telegram:home';
    await events().refused?.({ ...unreadable, eventId: 'e1', from: from('666') });
    await events().refused?.({ ...unreadable, eventId: 'e2' });
    expect(rows()).toHaveLength(2);
    expect(everything()).not.toContain('swordfish');
    expect(answers()).toEqual([]);
  });

  it('a reaction disturbs nothing', async () => {
    await events().reaction({ ...inbound(''), emoji: '👍' });
    expect(rows()).toEqual([]);
  });

  it('a chat that lets us in no more loses what waits for it, until somebody writes there or it says so', async () => {
    const { address } = inbound('');
    const { store, clock } = lane;
    const waits = (key: string) =>
      store.outbox.put({ key, kind: 'notice', address, direct: true, message: { text: key } }, clock.now());
    waits('one');
    await events().reach(address, false);
    expect([gaveUp, store.outbox.get('one')?.state, store.reach.isGone(address)]).toEqual([['one'], 'dead', true]);
    await hears(inbound('hello'));
    expect(store.reach.isGone(address)).toBe(false);
    await events().reach(address, false);
    await events().reach(address, true);
    expect([gaveUp, store.reach.isGone(address)]).toEqual([['one'], false]);
    await events().reach({ ...address, thread: '7' }, false);
    expect(store.reach.isGone(address)).toBe(false);
  });

  it('a chat with a new id keeps its conversation', async () => {
    await hears(inbound('hello'));
    const { address } = inbound('');
    await events().moved(address, { ...address, chat: 'c9' });
    await hears(inbound('two', { chat: 'c9' }));
    expect(lane.store.inbox.waitingCount(lane.runner.last.turn.session)).toBe(1);
    expect(lane.store.db.prepare('SELECT key FROM sessions').pluck().all()).toEqual(['telegram:dm:b1:c9']);
  });

  it('nothing an event causes belongs to the run it came in', async () => {
    const seen: unknown[] = [];
    broker.onPress = () => void seen.push(currentRun());
    broker.onWord = broker.onPress;
    const { run } = lane.runner;
    lane.runner.run = (order, sink) => {
      seen.push(order.run === currentRun());
      return run.call(lane.runner, order, sink);
    };
    await withRun(chatRun(), async () => {
      const { by, address, direct, sentAt } = inbound('');
      await events().press({ eventId: 'p', by, address, direct, sentAt, data: 'h1:ap:x' });
      await hears(inbound('hello'));
    });
    expect(seen).toEqual([undefined, undefined, true]);
  });
});
