import { beforeEach, describe, expect, it } from 'vitest';
import type { SessionId } from '../../src/contract/ids.ts';
import { COMMANDS } from '../../src/gateway/commands/table.ts';
import { settle } from '../fakes/fake-clock.ts';
import { chatRun, cronRun, person } from '../fakes/runs.ts';
import { command, inbound } from './inbound.ts';
import { routerFixture } from './router-fixture.ts';

let fixture: ReturnType<typeof routerFixture>;

beforeEach(() => {
  fixture = routerFixture();
});

type Said = Parameters<typeof inbound>[1];
const now = () => fixture.lane.clock.now();
const hears = (text: string, said: Said = {}) => fixture.hears(inbound(text, { sentAt: now(), ...said }));
const lastAnswer = () => fixture.answers().at(-1) ?? '';
async function orders(text: string, said: Said = {}): Promise<string> {
  await fixture.hears(command(text, { sentAt: now(), ...said }));
  await settle();
  return lastAnswer();
}
/** Says something and gets an answer. */
async function talk(text: string, said: Said = {}): Promise<SessionId> {
  await hears(text, said);
  fixture.lane.runner.last.reply(`re: ${text}`);
  await settle();
  await fixture.lane.clock.skip(1_000);
  return fixture.lane.runner.last.turn.session;
}
const conversation = (session: SessionId) =>
  fixture.lane.store.transcript.read(session).map(({ content }) => content.replace('[now]\n', ''));

const BOSS = { by: person('boss') };
const BOB = { by: person('bob'), chat: 'c2' };
const IN_GROUP = { chat: '-1', mentionsBot: true };

describe('every command', () => {
  it.each(COMMANDS.map(({ name }) => name))('/%s answers members and admins only (gateway 34)', async (name) => {
    await orders(`/${name}`, { by: person('666'), chat: 'c9' });
    expect(fixture.lane.store.db.prepare(`SELECT count(*) FROM inbox WHERE kind = 'command'`).pluck().get()).toBe(0);
    for (const who of [{}, BOSS]) {
      const said = await orders(`/${name}`, who);
      expect(said).not.toMatch(/Unknown command/);
      const admin = COMMANDS.find((one) => one.name === name)?.admin === true;
      expect(/Only an admin/.test(said)).toBe(admin && who !== BOSS);
    }
  });

  it.each(COMMANDS.filter(({ late }) => !late).map(({ name }) => name))(
    '/%s that comes late does nothing (gateway 34)',
    async (name) => {
      expect(await orders(`/${name}`, { ...BOSS, sentAt: now() - 121_000 })).toBe(
        `/${name} was sent before I was back; not done.`,
      );
    },
  );

  it.each(COMMANDS.filter(({ idle }) => idle).map(({ name }) => name))(
    '/%s waits for no turn (gateway 34)',
    async (name) => {
      await talk('before');
      await hears('work');
      expect(await orders(`/${name}`)).toBe('A turn is running; /stop ends it.');
    },
  );

  it('repeats what others wrote as words: no link, no format, no end', async () => {
    const link = '[free](http://evil.example)';
    for (const said of [
      await orders('/start', { by: { ...person('ann'), name: link } }),
      await orders(`/help ${link}`),
    ])
      expect(said).toMatch(/\\\[free\\\]/);
    expect((await orders(`/help ${'x'.repeat(4_000)}`)).length).toBeLessThan(200);
  });

  it('may be a path', async () => {
    await hears('/etc/hosts is broken');
    expect(fixture.lane.runner.said).toEqual(['[now]\n/etc/hosts is broken']);
  });
});

describe('/retry', () => {
  it('asks the last message again, as a new turn, with its files', async () => {
    const files = [{ kind: 'image', name: 'a.png', ref: 'r' }] as const;
    await talk('first');
    const session = await talk('draw this', { attachments: files });
    await orders('/retry');
    const said = fixture.lane.runner.said;
    expect(said[2]).toBe(said[1]);
    expect(fixture.lane.store.inbox.ofTurn(fixture.lane.runner.last.turn.id)[0]?.message.attachments).toEqual(files);
    expect(fixture.lane.runner.last.turn.session).toBe(session);
    fixture.lane.runner.last.reply('again');
    await settle();
    await orders('/retry');
    expect(fixture.lane.runner.turns).toHaveLength(4);
  });

  it('asks the whole of a paste', async () => {
    const piece = { join: { key: 'p', waitMs: 1_000, glue: '' } as const };
    await hears('aa', piece);
    await hears('bb', piece);
    await fixture.lane.clock.skip(1_000);
    fixture.lane.runner.last.end({ kind: 'failed', failure: { kind: 'auth', detail: '' }, text: 'no' });
    await settle();
    await orders('/retry');
    expect(fixture.lane.runner.said).toEqual(['[now]\naabb', '[now]\naabb']);
  });

  it('redelivered it is asked once; without anything to ask it says so', async () => {
    expect(await orders('/retry')).toBe('There is nothing here to try again.');
    await talk('first');
    const again = command('/retry', { sentAt: now() });
    await fixture.hears(again);
    fixture.lane.runner.last.reply('ok');
    await settle();
    await fixture.hears(again);
    await settle();
    expect(fixture.lane.runner.turns).toHaveLength(2);
  });
});

describe('/undo', () => {
  it('hides the last exchanges, deletes nothing, and says that effects stay', async () => {
    await talk('one');
    await talk('two');
    const session = await talk('three');
    expect(await orders('/undo 2')).toBe(
      'I have forgotten the last 2 exchanges. What was done stays done: files, commands and messages.',
    );
    expect(conversation(session)).toEqual(['one', 're: one']);
    expect(fixture.lane.store.db.prepare('SELECT count(*) FROM transcript').pluck().get()).toBe(6);
    expect(await orders('/undo')).toMatch(/^I have forgotten the last exchange\./);
    expect(await orders('/undo')).toBe('There is nothing to forget here.');
    await talk('four');
    expect(conversation(session)).toEqual(['four', 're: four']);
  });

  it('ends an interrupted turn that it hides: nothing goes on without its words', async () => {
    await talk('one');
    await hears('two');
    const { turn } = fixture.lane.runner.last;
    const { store } = fixture.lane;
    fixture.lane.runner.last.end({ kind: 'stopped', by: 'shutdown', partial: '' });
    await settle();
    store.turns.setState(turn.id, 'held', 'session_loop');
    store.outbox.put(
      {
        key: `held:${turn.id}:1`,
        kind: 'card',
        address: turn.address,
        direct: true,
        message: { text: 'I was interrupted' },
      },
      now(),
    );
    expect(await orders('/undo 0')).toMatch(/^Write \/undo/);
    expect(store.turns.get(turn.id)?.state).toBe('held');
    expect(await orders('/undo')).toMatch(/^I have forgotten the last exchange\./);
    expect(store.turns.get(turn.id)?.state).toBe('stopped');
    expect(fixture.answers()).toContain('Stopped; not taken up again.');
    expect(fixture.lane.lanes.prepare(turn, 'continue')).toBeUndefined();
    expect(conversation(turn.session)).toEqual(['one', 're: one']);
  });

  it('what is forgotten is not what /retry asks again', async () => {
    await talk('one');
    const session = await talk('two');
    await orders('/undo');
    await orders('/retry');
    expect(conversation(session)).toEqual(['one', 're: one', 'one']);
    fixture.lane.runner.last.reply('again');
    await settle();
    await orders('/undo 2');
    expect(await orders('/retry')).toBe('There is nothing here to try again.');
  });

  it.each(['0', '51', '-1', 'all', '1.5'])('refuses %s', async (n) => {
    await talk('one');
    expect(await orders(`/undo ${n}`)).toBe('Write /undo and a number, 1 to 50.');
  });
});

describe('/title, /new and /resume', () => {
  it('a title is one line of at most 100 characters, and one person’s only one', async () => {
    await talk('one');
    expect(await orders('/title  Holiday\nplans ')).toBe('This conversation is "Holiday plans" now.');
    expect(await orders('/new HOLIDAY plans')).toBe(
      'New session. Another conversation is called "HOLIDAY plans"; take another name.',
    );
    expect(await orders(`/title ${'x'.repeat(200)}`)).toHaveLength(`This conversation is "" now.`.length + 100);
    expect(await orders('/title Holiday plans', BOB)).toBe('This conversation is "Holiday plans" now.');
  });

  it('lists own earlier conversations, and goes on with one by number, title or words', async () => {
    const first = await talk('flights to Rome');
    await orders('/title Rome');
    await orders('/new');
    const second = await talk('it is C++ or foo-bar?');
    await orders('/new');
    await talk('now');
    expect(await orders('/resume')).toBe(
      '1. "it is C++ or foo-bar?", 2 s ago\n2. "Rome", 3 s ago'.replace(/_/g, '\\_'),
    );
    expect(await orders('/resume rome')).toBe('Going on with "Rome" (3 s ago).');
    expect(await talk('and back')).toBe(first);
    expect(conversation(first)).toEqual(['flights to Rome', 're: flights to Rome', 'and back', 're: and back']);
    expect(await orders('/resume C++ foo-bar')).toMatch(/^Going on with "it is C\+\+ or foo-bar\?"/);
    expect(await talk('more')).toBe(second);
    expect(await orders('/resume 9')).toBe('I know no earlier conversation "9". /resume lists them.');
    expect(await orders(`/resume "it's" (`)).toMatch(/^I know no earlier conversation/);
  });

  it('/new after a restart stays new; what it ended comes back by its owner’s /resume only (h54878, h52804) (gateway 18)', async () => {
    const first = await talk('one');
    await orders('/new');
    const { store, clock } = fixture.lane;
    fixture = routerFixture({ lane: (await import('./lane-fixture.ts')).laneFixture({}, store, clock) });
    const second = await talk('two');
    expect(second).not.toBe(first);
    expect(store.sessions.get(first)?.endedAt).not.toBeNull();
  });

  it('shows nothing of other people, of groups in private, nor of private chats in groups (h29149, h87779) (gateway 30)', async () => {
    await talk('private of ann');
    await orders('/new');
    await talk('group of ann', IN_GROUP);
    await orders('/new', IN_GROUP);
    await talk('other group of ann', { ...IN_GROUP, chat: '-2' });
    await orders('/new', { ...IN_GROUP, chat: '-2' });
    await talk('private of bob', BOB);
    await orders('/new', BOB);
    expect(await orders('/resume')).toMatch(/^1\. "private of ann", \d s ago$/);
    expect(await orders('/resume', IN_GROUP)).toMatch(/^1\. "group of ann", \d s ago$/);
    expect(await orders('/resume private', IN_GROUP)).toMatch(/^I know no earlier conversation/);
    expect(await orders('/resume of', BOB)).toMatch(/^Going on with "private of bob"/);
    expect(await orders('/resume', { ...IN_GROUP, by: person('bob') })).toBe(
      'There are no earlier conversations here.',
    );
  });

  it('a shared session is its people’s', async () => {
    fixture.configure({ sessions: { group_per_actor: false, thread_per_actor: false } });
    await talk('ours', IN_GROUP);
    await orders('/new', IN_GROUP);
    expect(await orders('/resume', { ...IN_GROUP, by: person('bob') })).toMatch(/^1\. "ours"/);
    expect(await orders('/resume')).toBe('There are no earlier conversations here.');
  });

  it('--all is for admins, and is audited (gateway 30)', async () => {
    await talk('private of bob', BOB);
    await orders('/new', BOB);
    expect(await orders('/resume --all')).toBe('Only an admin may list all conversations.');
    expect(fixture.audit).toEqual([]);
    expect(await orders('/resume --all', { ...BOSS, chat: 'c3' })).toMatch(/^telegram:bob: "private of bob", /);
    expect(fixture.audit).toEqual(['listed {"platform":"telegram","id":"boss","name":"boss"}']);
  });

  it('ends what it leaves, and says what that was', async () => {
    await talk('one');
    await orders('/model small');
    await orders('/new');
    const second = await talk('two');
    const waits = inbound('three', { sentAt: now(), join: { key: 'p', waitMs: 2_000 } });
    await fixture.hears(waits);
    fixture.lane.store.sessions.setYolo(second, now() + 60_000);
    expect(await orders('/resume 1')).toMatch(/^Going on with "one" \(.*\)\. Ended: 1 waiting message\.$/);
    expect(await orders('/model')).toMatch(/asks `test:big`, the default/);
    expect(fixture.lane.store.sessions.get(second)?.endedAt).not.toBeNull();
    expect(fixture.broker.heard).toContain('cancel reset');
    expect(fixture.swept).toContain(second);
  });
});

describe('/whoami and /sethome', () => {
  it('say who somebody is, where, and what they may use', async () => {
    await talk('hi');
    const said = await orders('/whoami');
    expect(said).toContain('You are `telegram:ann`, a member.');
    expect(said).toContain('This chat is `telegram:c1`.');
    expect(said).toContain('The conversation `telegram:dm:b1:c1`, without a title, began at 12:00.');
    expect(said).not.toContain('/restart');
    expect(await orders('/whoami', { ...BOSS, chat: 'c3' })).toMatch(/an admin[\s\S]*has not begun[\s\S]*\/restart/);
  });

  it('a home is where the admin says it', async () => {
    await orders('/sethome', { ...BOSS, chat: '-7', mentionsBot: true });
    expect(fixture.lane.store.homes.get('telegram')).toMatchObject({ address: { chat: '-7' }, direct: false });
    await orders('/sethome', BOSS);
    expect(fixture.lane.store.homes.get('telegram')).toMatchObject({ address: { chat: 'c1' }, direct: true });
  });
});

describe('/model', () => {
  it('is of this conversation, from its next turn on, until /new or default', async () => {
    const session = await talk('hi');
    const chosen = () => fixture.lane.store.sessions.get(session)?.model;
    expect(await orders('/model')).toBe(
      'This conversation asks `test:big`, the default. Configured: `test:big`, `test:small`, `other:big`.',
    );
    expect(await orders('/model small')).toBe('This conversation asks `test:small` from its next turn on.');
    expect(await orders('/model')).toMatch(/^This conversation asks `test:small`; the default is `test:big`\./);
    expect(chosen()).toBe('test:small');
    // Two are called so: the whole name has to be written.
    expect(await orders('/model big')).toBe('"big" names no model.');
    expect(chosen()).toBe('test:small');
    await orders('/model default');
    expect(chosen()).toBeNull();
    await orders('/model other:big');
    await orders('/new');
    expect(fixture.lane.store.sessions.current('telegram:dm:b1:c1')?.model).toBeNull();
  });

  it('works before the first word', async () => {
    await orders('/model small');
    expect(fixture.lane.store.sessions.current('telegram:dm:b1:c1')?.model).toBe('test:small');
  });
});

describe('/reasoning', () => {
  it('is of this conversation, from its next turn on, until /new', async () => {
    const chosen = () => fixture.lane.store.sessions.current('telegram:dm:b1:c1')?.reasoning;
    expect(await orders('/reasoning')).toBe('Thinking first: as configured.');
    expect(await orders('/reasoning ON')).toBe('Thinking first: on, from the next turn on.');
    expect([await orders('/reasoning'), chosen()]).toEqual(['Thinking first: on.', 'on']);
    expect(await orders('/reasoning maybe')).toBe('Write /reasoning on or /reasoning off.');
    expect(await orders('/reasoning --global off')).toMatch(/model\.reasoning/);
    await orders('/reasoning off');
    expect(chosen()).toBe('off');
    await orders('/new');
    expect(chosen() ?? null).toBeNull();
  });
});

describe('/usage', () => {
  const report = (input: number, output: number, more: object = {}) => ({
    choice: { provider: 'test', model: 'big' },
    attempt: 1,
    reason: 'stop' as const,
    usage: { input, output, ...more },
    firstOutputMs: 1,
    totalMs: 2,
    outputChars: 4,
  });

  it('adds up tokens and cost of the conversation and of today, with what is not known', async () => {
    const session = await talk('hi');
    const { usage } = fixture.lane.store;
    const run = chatRun({ session });
    const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
    usage.add(run, report(1_000_000, 1_000, { cacheRead: 500_000 }), price, now());
    usage.add(run, report(10, 5), undefined, now());
    usage.add(run, { ...report(0, 0), usage: null, outputChars: 10 }, price, now());
    usage.add(run, { ...report(0, 0), usage: null, outputChars: 0 }, price, now());
    usage.add(cronRun({ actor: person('ann') }), report(7, 0, { cost: 0.5 }), price, now());
    usage.add(chatRun({ actor: person('bob') }), report(1, 1, { cost: 9 }), undefined, now());
    usage.add(run, report(5, 5, { cost: 1 }), undefined, now() - 86_400_000);
    const [here, today] = (await orders('/usage')).split('\n');
    expect(here).toBe(
      'This conversation: 4 requests, 1,000,015 tokens read (500,000 of them cached), 1,013 written, 2.67 USD, the cost of 1 unknown, 1 estimated.',
    );
    expect(today).toMatch(/^You today: 4 requests, 1,000,017 tokens read .*, 2\.17 USD/);
    expect(await orders('/usage day', { ...BOSS, chat: 'c3' })).toBe(
      'You today: nothing yet.\nEverybody today: 5 requests, 1,000,018 tokens read (500,000 of them cached), 1,009 written, 11.17 USD, the cost of 1 unknown, 1 estimated.',
    );
    expect(await orders('/usage week')).toBe('Write /usage, /usage day or /usage session.');
  });

  it('of nothing is nothing; unknown is not free', async () => {
    expect(await orders('/usage session')).toBe('This conversation: nothing yet.');
    const session = await talk('hi');
    fixture.lane.store.usage.add(chatRun({ session }), report(10, 5), undefined, now());
    expect(await orders('/usage session')).toBe(
      'This conversation: 1 request, 10 tokens read, 5 written, cost unknown.',
    );
  });
});

describe('/explain', () => {
  it('shows what would be decided, in the folder of the session, and runs nothing', async () => {
    const session = await talk('hi');
    fixture.lane.store.sessions.setCwd(session, '/srv/app');
    expect(await orders('/explain rm -rf ```')).toBe('````\ngrade rm -rf ```\nin /srv/app\n````');
    expect(await orders('/explain')).toBe('Write /explain and a shell command. It is not run.');
    expect(await orders(`/explain ${'x'.repeat(4_001)}`)).toMatch(/longer than 4000/);
  });
});
