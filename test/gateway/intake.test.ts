import { beforeEach, describe, expect, it } from 'vitest';
import type { ButtonPress, InboundMessage } from '../../src/contract/message.ts';
import type { BusyMode } from '../../src/store/chat-settings.ts';
import { settle } from '../fakes/fake-clock.ts';
import { person } from '../fakes/runs.ts';
import { command, inbound } from './inbound.ts';
import { CONFIG, routerFixture } from './router-fixture.ts';

const HOUR = 3_600_000;

let fixture: ReturnType<typeof routerFixture>;

beforeEach(() => {
  fixture = routerFixture();
});

const now = () => fixture.lane.clock.now();
const hears = (text: string, said: Parameters<typeof inbound>[1] = {}) =>
  fixture.hears(inbound(text, { sentAt: now(), ...said }));
const orders = (text: string, said: Parameters<typeof inbound>[1] = {}) =>
  fixture.hears(command(text, { sentAt: now(), ...said }));
const waits = (key: string, waitMs = 0, glue?: '' | '\n') => ({
  join: { key, waitMs, ...(glue === undefined ? {} : { glue }) },
});
const texts = () => fixture.lane.outbox().map((line) => line.replace(/^\w+ \w+: /, ''));
const { inbox } = CONFIG;

/** Ends the running turn with `ok`. */
async function reply(text = 'ok'): Promise<void> {
  fixture.lane.runner.last.reply(text);
  await settle();
}

describe('a message while a turn runs', () => {
  it('is acknowledged with its place, in one line that is edited', async () => {
    await hears('one');
    await hears('two');
    await hears('three');
    await hears('four');
    expect(fixture.lane.outbox()).toEqual(['notice pending: Queued, 3 before it.']);
    for (let i = 0; i < 4; i++) await reply();
    expect(fixture.lane.runner.said).toEqual(['one', 'two', 'three', 'four'].map((text) => `[now]\n${text}`));
    expect(fixture.lane.inbox()).toEqual(['answered', 'answered', 'answered', 'answered']);
  });

  it('edits the line once that was sent', async () => {
    const { store, clock } = fixture.lane;
    await hears('one');
    await hears('two');
    const line = store.outbox.heads('telegram')[0];
    store.outbox.split(line as NonNullable<typeof line>, [{ text: 'x' }]);
    store.outbox.claim(line?.id as NonNullable<typeof line>['id']);
    const at = inbound('').address;
    store.outbox.sent(line?.id as NonNullable<typeof line>['id'], { messageId: 'm1', at }, clock.now());
    await hears('three');
    expect(store.outbox.heads('telegram')[0]).toMatchObject({
      edits: line?.key,
      message: { text: 'Queued, 2 before it.' },
    });
  });

  it('that waits in a turn parked by an approval is acknowledged, too', async () => {
    await hears('one');
    fixture.lane.runner.last.end({ kind: 'parked', approval: 'a' as never });
    await settle();
    await hears('two');
    expect(texts()).toEqual(['Queued, 1 before it.']);
  });

  it('out of a backlog is not', async () => {
    await hears('one');
    await hears('two', { sentAt: now() - 5 * 60_000 });
    expect(texts()).toEqual([]);
  });

  it('beyond the limit is refused, one line a minute with a count; acknowledgements and refusals equal the rows (h113233, h135679) (gateway 17)', async () => {
    fixture.configure({ inbox: { ...inbox, max_waiting: 2 } });
    await hears('running');
    for (const text of ['a', 'b', 'c', 'd']) await hears(text);
    expect(fixture.lane.inbox()).toEqual(['claimed', 'new', 'new', 'refused', 'refused']);
    expect(texts()).toEqual([
      'Queued, 2 before it.',
      '2 messages not queued: 2 messages already wait here. /status shows them, /stop all clears yours.',
    ]);
    await fixture.lane.clock.skip(61_000);
    await hears('e');
    expect(texts()[2]).toMatch(/^Not queued: 2 messages/);
    await reply();
    await hears('f');
    expect(fixture.lane.inbox().at(-1)).toBe('new');
  });

  it('33 of them: none is dropped in silence; each is acknowledged and answered, in order, or refused in words (gateway 17)', async () => {
    const { lane } = fixture;
    const words = Array.from({ length: 33 }, (_, i) => `follow-up ${i + 1}`);
    await hears('running');
    for (const text of words) await hears(text);
    const { max_waiting } = inbox;
    const refused = words.length - max_waiting;
    expect(lane.inbox()).toEqual(['claimed', ...Array(max_waiting).fill('new'), ...Array(refused).fill('refused')]);
    expect(texts()).toEqual([
      `Queued, ${max_waiting} before it.`,
      `${refused} messages not queued: ${max_waiting} messages already wait here. /status shows them, /stop all clears yours.`,
    ]);
    for (let i = 0; i <= max_waiting; i++) await reply();
    expect(lane.runner.said).toEqual(['running', ...words.slice(0, max_waiting)].map((text) => `[now]\n${text}`));
    expect(lane.inbox()).toEqual([...Array(max_waiting + 1).fill('answered'), ...Array(refused).fill('refused')]);
  });

  it('is counted in bytes as well', async () => {
    fixture.configure({ inbox: { ...inbox, max_waiting_kb: 1 } });
    await hears('running');
    await hears('a'.repeat(2_000));
    expect(fixture.lane.inbox()).toEqual(['claimed', 'refused']);
  });

  it('the pieces of a paste count as one', async () => {
    fixture.configure({ inbox: { ...inbox, max_waiting: 1 } });
    await hears('running');
    for (let i = 0; i < 5; i++) await hears(`p${i}`, waits('p'));
    expect(fixture.lane.inbox().slice(1)).toEqual(['new', 'new', 'new', 'new', 'new']);
    expect(texts()).toEqual(['Queued, 1 before it.']);
  });
});

describe('a late piece', () => {
  it('joins the turn that has shown nothing, and the model begins again (h6888, h74752) (gateway 29)', async () => {
    await hears('a'.repeat(5), waits('p', 1_000, ''));
    await fixture.lane.clock.skip(1_000);
    const { turn } = fixture.lane.runner.last;
    let again = 0;
    fixture.lane.runner.last.input?.changed(() => void again++);
    await fixture.lane.clock.skip(900);
    await hears('b'.repeat(5), waits('p', 0, ''));
    const rows = fixture.lane.store.transcript.read(turn.session);
    expect(rows.map((row) => row.content)).toEqual(['[now]\naaaaabbbbb']);
    expect([fixture.lane.inbox(), again]).toEqual([['claimed', 'claimed'], 1]);
    await reply();
    expect([fixture.lane.inbox(), fixture.lane.runner.turns.length]).toEqual([['answered', 'answered'], 1]);
  });

  it.each<[string, Parameters<typeof inbound>[1], () => void | Promise<void>]>([
    ['after visible text', waits('p'), () => fixture.lane.runner.last.sink.text('So')],
    ['after a call', waits('p'), () => fixture.lane.runner.last.sink.step()],
    ['too late', waits('p'), () => fixture.lane.clock.skip(2_001)],
    ['of another paste', waits('q'), () => {}],
    ['of nothing', {}, () => {}],
    ['of somebody else', { ...waits('p'), by: person('bob') }, () => {}],
  ])('%s it is a turn of its own', async (_, more, before) => {
    fixture.configure({ sessions: { group_per_actor: false, thread_per_actor: false } });
    const here = { chat: '-1', mentionsBot: true };
    await hears('one', { ...here, ...waits('p') });
    await before();
    await hears('two', { ...here, ...more });
    await reply();
    expect(fixture.lane.runner.turns).toHaveLength(2);
  });
});

describe('busy modes', () => {
  const mode = (busy: BusyMode) => fixture.configure({ busy: { mode: busy } });

  it('steer: taken at the next step as the person’s words', async () => {
    mode('steer');
    await hears('one');
    const { turn, input } = fixture.lane.runner.last;
    expect(input?.waits()).toBe(false);
    await hears('the other folder');
    await hears('please');
    expect([input?.waits(), texts()]).toEqual([true, []]);
    input?.take();
    expect(input?.waits()).toBe(false);
    const rows = fixture.lane.store.transcript.read(turn.session);
    expect(rows.map(({ role, content }) => `${role} ${content}`)).toEqual([
      'user [now]\none',
      'user [now]\nthe other folder\nplease',
    ]);
    await reply();
    expect(fixture.lane.inbox()).toEqual(['answered', 'answered', 'answered']);
  });

  it('steer that comes too late is the next turn, once (h108616) (gateway 32)', async () => {
    mode('steer');
    await hears('one');
    await hears('two');
    await reply();
    expect(fixture.lane.runner.said).toEqual(['[now]\none', '[now]\ntwo']);
    fixture.lane.runner.last.input?.take();
    await reply();
    expect([fixture.lane.inbox(), fixture.lane.runner.turns.length]).toEqual([['answered', 'answered'], 2]);
  });

  it('steer that brings a file waits and says so; a voice message does not', async () => {
    mode('steer');
    await hears('one');
    await hears('look', { attachments: [{ kind: 'image', name: 'a.png', ref: 'r' }] });
    expect(texts()).toEqual(['Queued, 1 before it: a running turn takes words, not files.']);
    await hears('', { attachments: [{ kind: 'audio', name: 'v.ogg', ref: 'r' }] });
    expect(fixture.lane.runner.last.input?.waits()).toBe(true);
  });

  it('nobody steers what somebody else asked', async () => {
    fixture.configure({ busy: { mode: 'steer' }, sessions: { group_per_actor: false, thread_per_actor: false } });
    await hears('one', { chat: '-1', mentionsBot: true });
    await hears('two', { chat: '-1', mentionsBot: true, by: person('bob') });
    expect(fixture.lane.runner.last.input?.waits()).toBe(false);
    expect(texts()).toEqual(['Queued, 1 before it: only who asked can steer what runs.']);
  });

  it('interrupt: the turn ends and says so, and the message is the next one', async () => {
    mode('interrupt');
    await hears('one');
    const { run } = fixture.lane.runner.last;
    await hears('two');
    await settle();
    expect(run.signal.reason).toBe('interrupt');
    expect(fixture.lane.outbox()).toEqual(['final pending: Interrupted; your new message comes next.']);
    expect(fixture.lane.runner.said).toEqual(['[now]\none', '[now]\ntwo']);
    expect(fixture.lane.turns()).toEqual(['stopped', 'running']);
  });

  it('interrupt while workers are at work waits and says so (h35708) (gateway 32)', async () => {
    mode('interrupt');
    await hears('one');
    const { turn } = fixture.lane.runner.last;
    const { store, boot, clock } = fixture.lane;
    const made = { providerId: 'p', name: 'delegate', raw: '{}' };
    const message = { session: turn.session, turn: turn.id, step: 1, role: 'assistant', content: '' } as const;
    const { calls } = store.transcript.append({ ...message, calls: [made] }, clock.now());
    store.transcript.begin((calls[0] as NonNullable<(typeof calls)[0]>).id, boot, clock.now());
    await hears('two');
    expect(texts()).toEqual(['Queued, 1 before it: workers are at work and are not interrupted; /stop ends them.']);
  });

  it('/queue and /steer say it for one message', async () => {
    mode('interrupt');
    await hears('one');
    await orders('/queue after that');
    await orders('/steer not there');
    expect(fixture.lane.turns()).toEqual(['running']);
    fixture.lane.runner.last.input?.take();
    await reply();
    expect(fixture.lane.store.transcript.read(fixture.lane.runner.last.turn.session).map((row) => row.content)).toEqual(
      ['[now]\none', '[now]\nnot there', 'ok', '[now]\nafter that'],
    );
  });

  it('a long /steer is one, however its pieces arrive', async () => {
    await hears('one');
    await orders('/steer first half', waits('p', 2_000, ''));
    await hears('second half', waits('p', 0, ''));
    const { input, turn } = fixture.lane.runner.last;
    expect(input?.waits()).toBe(true);
    input?.take();
    expect(fixture.lane.store.transcript.read(turn.session).at(-1)?.content).toBe('[now]\nfirst halfsecond half');
  });

  it('without words they explain themselves', async () => {
    await orders('/queue');
    expect(texts()).toEqual(['Write what you want behind it: /queue and your words.']);
    expect(fixture.lane.runner.turns).toEqual([]);
  });

  it('/verbose sets them for a chat, over the configuration', async () => {
    await orders('/verbose');
    await orders('/verbose busy INTERRUPT');
    await orders('/verbose all');
    await orders('/verbose');
    await orders('/verbose busy never');
    expect(texts()).toEqual([
      'Progress: tools. While a turn runs: queue.',
      'A message while a turn runs here: interrupt.',
      'Progress here: all.',
      'Progress: all. While a turn runs: interrupt.',
      'Write /verbose off, tools or all, or /verbose busy queue, steer or interrupt.',
    ]);
    await hears('one');
    await hears('two');
    await settle();
    expect(fixture.lane.turns()).toEqual(['stopped', 'running']);
    await hears('one', { chat: 'c2' });
    await hears('two', { chat: 'c2' });
    expect(texts().at(-1)).toBe('Queued, 1 before it.');
  });
});

describe('age', () => {
  it('older words reach the model with their age (h22899) (gateway 33)', async () => {
    await hears('one', { sentAt: now() - 5 * 60_000 });
    expect(fixture.lane.runner.said).toEqual(['[now, written 5 min ago]\none']);
  });

  it('also when they became old while they waited (gateway 33)', async () => {
    await hears('one');
    await hears('two');
    await fixture.lane.clock.skip(3 * 60_000);
    await reply();
    expect(fixture.lane.runner.said[1]).toBe('[now, written 3 min ago]\ntwo');
  });

  it('pieces of a paste keep together', async () => {
    const old = { sentAt: now() - 5 * 60_000 };
    await hears('aa', { ...old, ...waits('p', 1_000, '') });
    await hears('bb', { ...old, ...waits('p', 0, '') });
    expect(fixture.lane.runner.said).toEqual(['[now, written 5 min ago]\naabb']);
  });
});

describe('what was written hours ago', () => {
  const old = () => ({ sentAt: now() - 9 * HOUR });
  const card = () => fixture.lane.outbox().findLast((line) => line.startsWith('card'));
  async function press(choice: 'a' | 's', by: Partial<ButtonPress> = {}) {
    const id = fixture.lane.store.db
      .prepare<[], string>('SELECT asked FROM inbox WHERE asked IS NOT NULL')
      .pluck()
      .get();
    const { address, direct } = inbound('');
    const event = { eventId: `p${Math.random()}`, by: person('ann'), address, direct, sentAt: now(), ...by };
    const answer = await fixture.events.press({ ...event, data: `h1:in:${id ?? last}:${choice}` });
    last = id ?? last;
    await settle();
    return answer?.text;
  }
  let last = '';

  it('is asked about, in one card (h87040) (gateway 19)', async () => {
    for (const text of ['a', 'b', 'c']) await hears(text, old());
    expect(fixture.lane.outbox()).toEqual([
      'card pending: You wrote 3 messages 9 h ago while I was down. Answer them now?',
    ]);
    expect([fixture.lane.inbox(), fixture.lane.runner.turns]).toEqual([['new', 'new', 'new'], []]);
  });

  it('new words do not wait for it', async () => {
    await hears('a', old());
    await hears('fresh');
    expect(fixture.lane.runner.said).toEqual(['[now]\nfresh']);
    expect(card()).toBe('card pending: You wrote a message 9 h ago while I was down. Answer it now?');
  });

  it('Answer: it is answered, with its age, in order; a second press changes nothing', async () => {
    for (const text of ['a', 'b']) await hears(text, old());
    expect(await press('a')).toBe('I answer now.');
    await reply();
    await reply();
    expect(fixture.lane.runner.said).toEqual(['[now, written 9 h ago]\na', '[now, written 9 h ago]\nb']);
    expect(card()).toBe('card pending: Answering 2 old messages now.');
    expect(await press('s')).toBe('This is settled already.');
    expect(fixture.lane.inbox().slice(0, 2)).toEqual(['answered', 'answered']);
  });

  it('Skip: it is over', async () => {
    await hears('a', old());
    expect(await press('s')).toBe('Skipped.');
    expect([fixture.lane.inbox()[0], fixture.lane.runner.turns]).toEqual(['expired', []]);
    expect(card()).toBe('card pending: Skipped 1 old message.');
  });

  it('a stranger and another member decide nothing, an admin may', async () => {
    await hears('a', old());
    for (const id of ['bob', '666']) {
      expect(await press('a', { by: person(id), address: { ...inbound('').address, chat: 'c2' } })).toBe(
        'Only who wrote this can decide it.',
      );
    }
    expect(fixture.lane.inbox()[0]).toBe('new');
    expect(await press('s', { by: person('boss'), address: { ...inbound('').address, chat: 'c3' } })).toBe('Skipped.');
  });

  it('is kept over a boot, and is still one card', async () => {
    await hears('a', old());
    const { store, clock } = fixture.lane;
    fixture = routerFixture({ lane: (await import('./lane-fixture.ts')).laneFixture({}, store, clock) });
    await hears('b', old());
    expect(card()).toBe('card pending: You wrote 2 messages 9 h ago while I was down. Answer them now?');
    expect(fixture.lane.runner.turns).toEqual([]);
  });

  it('/stop all ends it as well', async () => {
    await hears('a', old());
    await orders('/stop all');
    expect(fixture.lane.inbox()[0]).toBe('refused');
    expect(card()).toBe('card pending: Not answered.');
    expect(await press('a')).toBe('This is settled already.');
  });
});

describe('what hermod wrote itself', () => {
  it('is marked as not the person’s words, once (h52694, h15276, h96070) (gateway 33)', async () => {
    const { store, clock, lanes, session } = fixture.lane;
    const id = session();
    const event: InboundMessage = inbound('The build has ended.', { sentAt: clock.now() });
    store.inbox.put({ kind: 'internal', event, session: id }, clock.now());
    lanes.kick(id);
    await reply();
    lanes.kick(id);
    expect(store.transcript.read(id).map(({ mark, content }) => [mark, content])).toEqual([
      ['daemon', '[now]\nThe build has ended.'],
      [null, 'ok'],
    ]);
  });
});

describe('the end of a turn that does not come to one', () => {
  it('says that it still works, and ends in words (h72016) (gateway 32)', async () => {
    await hears('one');
    const { turn, run } = fixture.lane.runner.last;
    await fixture.lane.clock.skip(10 * 60_000);
    expect(run.signal.reason).toBe('idle');
    expect(fixture.lane.outbox().at(-1)).toBe(
      'final pending: I stopped: nothing had moved for 10 min. /retry tries again.',
    );
    expect(fixture.lane.store.turns.get(turn.id)?.state).toBe('stopped');
  });
});
