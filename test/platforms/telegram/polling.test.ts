import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SendError } from '../../../src/contract/errors.ts';
import { createTelegram } from '../../../src/platforms/telegram/adapter.ts';
import { TELEGRAM_DEFAULTS } from '../../../src/platforms/telegram/config.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { passes } from '../../fakes/passing.ts';
import { WarpClock } from '../../fakes/warp-clock.ts';
import { Rig, Told } from './rig.ts';

const ADA = 11;
const DAY = 24 * 60 * 60 * 1000;

let clock: WarpClock;
let rig: Rig;

beforeEach(async () => {
  clock = new WarpClock();
  rig = await Rig.open({ clock });
});

afterEach(() => rig.stop());

const polls = () => rig.server.callsOf('getUpdates');

describe('the offset', () => {
  it('is not sent at the first poll, and confirms only what is stored', async () => {
    const ada = rig.server.person(ADA);
    let blocked = true;
    rig.told.storing = ({ text }) => {
      if (text === 'two' && blocked) throw new Error('the disk is full');
    };
    for (const text of ['one', 'two', 'three']) ada.says('dm', text);
    await rig.start();
    expect(rig.told.texts).toEqual(['one', 'three']);
    expect(polls()[0]?.payload).not.toHaveProperty('offset');
    await passes(clock, () => polls().length >= 3);
    expect(rig.server.world.waiting.length).toBe(2);
    expect(rig.told.texts).toEqual(['one', 'three']);
    blocked = false;
    await passes(clock, () => rig.told.texts.includes('two'));
    await passes(clock, () => rig.server.world.waiting.length === 0);
    expect(rig.told.texts).toEqual(['one', 'three', 'two']);
  });

  it('is forgotten after six quiet days, for ids may go on lower (gateway 20)', async () => {
    const still = new FakeClock();
    const quiet = await Rig.open({ clock: still });
    const { server, told } = quiet;
    const ada = server.person(ADA);
    ada.says('dm', 'before');
    await quiet.start();
    await still.skip(0);
    await server.until(() => server.polls.polling && server.world.waiting.length === 0);
    still.jump(7 * DAY);
    const forgot = () => server.polls.polling && server.callsOf('getUpdates').at(-1)?.payload['offset'] === undefined;
    await passes(still, forgot, { steps: 50 });
    server.world.nextUpdateId = 17;
    ada.says('dm', 'after');
    await server.until(() => server.world.waiting.length === 0);
    expect(told.messages.map(({ eventId }) => eventId)).toEqual(['u:100001', 'u:17']);
    await quiet.stop();
  });

  it('is not known to a new process: lower ids are heard (gateway 20)', async () => {
    rig.server.person(ADA).says('dm', 'before');
    await rig.start();
    await passes(clock, () => rig.server.world.waiting.length === 0);
    await rig.adapter.stop();
    await rig.server.until(() => !rig.server.polls.polling);
    rig.server.world.nextUpdateId = 17;
    rig.server.person(ADA).says('dm', 'after');
    const told = new Told();
    const next = rig.build();
    await next.start(told, new AbortController().signal);
    expect(told.texts).toEqual(['after']);
    await next.stop();
  });

  it('passes an update that fails for ever once it is kept as refused', async () => {
    rig.told.storing = ({ text }) => {
      if (text === 'poison') throw new Error('this very row cannot be stored');
    };
    rig.server.person(ADA).says('dm', 'poison');
    rig.server.person(ADA).says('dm', 'fine');
    await rig.start();
    await passes(clock, () => rig.told.refusals.length === 1, { stepMs: 15_000 });
    await passes(clock, () => rig.server.world.waiting.length === 0);
    expect(rig.told.refusals[0]).toMatchObject({ eventId: 'u:100001', platform: 'telegram' });
    expect(JSON.parse(rig.told.refusals[0]?.raw ?? '')).toMatchObject({ message: { text: 'poison' } });
  });

  it('passes an update that cannot be read at once', async () => {
    rig.server.person(ADA).says('dm', 'unsigned', { raw: { from: undefined } });
    rig.server.person(ADA).says('dm', 'signed');
    await rig.start();
    expect(rig.told.refusals).toMatchObject([{ eventId: 'u:100001' }]);
    expect(rig.told.texts).toEqual(['signed']);
  });
});

describe('every poll', () => {
  it('names all kinds of updates, so that what an earlier program narrowed is wide again', async () => {
    rig.server.world.allowed = ['message'];
    await rig.start();
    const ada = rig.server.person(ADA);
    ada.says('dm', 'hi');
    const [sent] = await rig.say(rig.address(ADA), { text: 'Run?', buttons: [[{ label: 'Once', data: 'o' }]] });
    ada.presses({ chat: ADA, id: Number(sent?.messageId) }, 'Once');
    await rig.server.until(() => rig.told.presses.length === 1);
    for (const { payload } of polls()) {
      expect(payload['allowed_updates']).toEqual([
        'message',
        'edited_message',
        'callback_query',
        'my_chat_member',
        'stopped_message_generation',
      ]);
    }
  });

  it('is alone, whoever asks for a second one', async () => {
    await Promise.all([rig.start(), rig.start()]);
    rig.server.person(ADA).says('dm', 'hi');
    await rig.server.until(() => rig.told.messages.length === 1);
    await rig.start();
    await passes(clock, () => polls().length >= 4, { stepMs: 25_000 });
    expect(rig.server.polls.most).toBe(1);
  });
});

describe('trouble', () => {
  const health = () => rig.told.healths.at(-1);

  it('another program on the same token: waits 2, 4, 8 s and says so', async () => {
    await rig.start();
    rig.server.fault('getUpdates', {
      kind: 'refuse',
      status: 409,
      description: 'Conflict: terminated by other getUpdates request',
      times: 3,
    });
    rig.server.person(ADA).says('dm', 'hi');
    await passes(clock, () => rig.told.texts.includes('hi'), { stepMs: 500 });
    expect(
      rig.told.healths.some(
        ({ state, reason }) => state === 'degraded' && reason.includes('another program polls this token'),
      ),
    ).toBe(true);
    expect(health()?.state).toBe('connected');
    const times = polls().map(({ at }) => at);
    const gaps = times.slice(1).map((at, i) => at - (times[i] as number));
    expect(gaps.filter((gap) => gap >= 2_000).length).toBeGreaterThanOrEqual(2);
  });

  it('a webhook in the way is removed, and what waits there is kept', async () => {
    rig.server.setWebhook('https://old.example.org/hook');
    rig.server.person(ADA).says('dm', 'kept');
    await rig.start();
    await passes(clock, () => rig.told.texts.includes('kept'));
    expect(rig.server.callsOf('deleteWebhook').map(({ payload }) => payload)).toEqual([
      { drop_pending_updates: false },
    ]);
    expect(rig.log.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', facts: { platform: 'telegram', host: 'old.example.org' } }),
    );
  });

  it('pages of a proxy and cut connections pass', async () => {
    await rig.start();
    rig.server.fault('getUpdates', { kind: 'html', status: 502, times: 3 });
    rig.server.fault('getUpdates', { kind: 'garbage', after: 3 });
    rig.server.fault('getUpdates', { kind: 'reset-before', after: 4 });
    rig.server.person(ADA).says('dm', 'through');
    await passes(clock, () => rig.told.texts.includes('through'));
    expect(rig.told.texts).toEqual(['through']);
  });

  it('a token that is refused is fatal, and the poll ends', async () => {
    await rig.start();
    rig.server.fault('getUpdates', { kind: 'refuse', status: 401, description: 'Unauthorized', times: 99 });
    rig.server.person(ADA).says('dm', 'unheard');
    await passes(clock, () => health()?.state === 'fatal');
    const before = polls().length;
    await clock.skip(600_000);
    expect(polls().length).toBe(before);
    expect(health()?.reason).toBe('token refused; put a new one from @BotFather into .env and restart');
  });

  it('a start that reaches nobody rejects, and a later one works', async () => {
    await rig.server.close();
    const error = await rig.start().catch((reason: unknown) => reason);
    expect((error as SendError).failure).toEqual({ kind: 'unreached' });
    await rig.server.listen();
    await rig.start();
    rig.server.person(ADA).says('dm', 'hi');
    await rig.server.until(() => rig.told.messages.length === 1);
  });

  it.each([
    ['a wrong token', '700000001:AAWrongWrongWrongWrongWrongWrong', 401],
    ['what is no token at all', '700000001', 404],
  ])('%s is told with the way out', async (_, token, status) => {
    if (status === 404) rig.server.fault('getMe', { kind: 'refuse', status: 404, description: 'Not Found' });
    const deps = { log: rig.log, clock, state: rig.state, token };
    const adapter = createTelegram({ ...TELEGRAM_DEFAULTS, apiRoot: rig.server.url }, deps);
    const error = await adapter.start(rig.told, new AbortController().signal).catch((reason: unknown) => reason);
    expect((error as SendError).failure).toEqual({ kind: 'auth' });
    expect((error as SendError).message).toContain('@BotFather');
    expect(health()?.state).toBe('fatal');
  });

  it('a limit on polling is waited out as told', async () => {
    await rig.start();
    rig.server.fault('getUpdates', { kind: 'limit', retryAfter: 7 });
    rig.server.person(ADA).says('dm', 'hi');
    await passes(clock, () => rig.told.texts.includes('hi'), { stepMs: 500 });
    const times = polls().map(({ at }) => at);
    expect(times.slice(1).some((at, i) => at - (times[i] as number) >= 7_000)).toBe(true);
  });

  it('a failing store shows as degraded, keeps everything at Telegram and recovers', async () => {
    let broken = true;
    rig.told.storing = () => {
      if (broken) throw new Error('the disk is full');
    };
    for (let i = 0; i < 5; i++) rig.server.person(ADA).says('dm', `message ${i}`);
    await rig.start();
    await passes(clock, () => health()?.state === 'degraded');
    await clock.skip(10_000);
    expect(rig.server.world.waiting.length).toBe(5);
    broken = false;
    await passes(clock, () => rig.told.messages.length === 5);
    expect(rig.told.texts).toEqual([0, 1, 2, 3, 4].map((i) => `message ${i}`));
    await passes(clock, () => health()?.state === 'connected');
  });
});

describe('stopping', () => {
  it('resolves within two seconds although an event is still being stored, and tells nothing more', async () => {
    let release = () => {};
    rig.told.storing = () => new Promise<void>((resolve) => (release = resolve));
    await rig.start();
    rig.server.person(ADA).says('dm', 'slow');
    await rig.server.until(() => polls().length >= 3);
    const stopping = rig.adapter.stop();
    await clock.skip(2_000);
    await stopping;
    const told = rig.told.healths.length;
    rig.server.person(ADA).says('dm', 'late');
    release();
    await clock.skip(60_000);
    expect(rig.told.texts).toEqual(['slow']);
    expect(rig.told.healths.length).toBe(told);
  });

  it('by the signal that start was given does the same', async () => {
    const abort = new AbortController();
    await rig.adapter.start(rig.told, abort.signal);
    abort.abort();
    await rig.server.until(() => !rig.server.polls.polling);
    rig.server.person(ADA).says('dm', 'late');
    await clock.skip(60_000);
    expect(rig.told.messages).toEqual([]);
  });
});
