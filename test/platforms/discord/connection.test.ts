import { afterEach, describe, expect, it } from 'vitest';
import type { SendError } from '../../../src/contract/errors.ts';
import { passes, socketsMove } from '../../fakes/passing.ts';
import { WarpClock } from '../../fakes/warp-clock.ts';
import { Rig, type RigOptions } from './rig.ts';

let rig: Rig;
let clock: WarpClock;

afterEach(() => rig.stop());

async function started(options: RigOptions = {}): Promise<Rig> {
  clock = new WarpClock();
  rig = await Rig.started({ clock, heartbeatMs: 200, ...options });
  return rig;
}

/** Whatever still waits to dial has done so. */
async function dialled(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await clock.skip(10_000);
    await socketsMove();
  }
}

const connected = () => rig.told.state === 'connected' && rig.server.gateway.connected === 1;

/** Ada writes before and during the trouble; both are told once, in order. */
async function survives(trouble: () => void | Promise<void>): Promise<void> {
  const ada = rig.server.person(1, 'Ada');
  ada.says('dm', 'before');
  await rig.until(() => rig.told.messages.length === 1, 'the first message arrives');
  await trouble();
  ada.says('dm', 'meanwhile');
  await passes(clock, () => connected() && rig.told.messages.length >= 2, {
    what: 'it is connected and has heard everything',
  });
  ada.says('dm', 'after');
  await passes(clock, () => rig.told.messages.length >= 3, { what: 'it hears again' });
  expect(rig.told.texts).toEqual(['before', 'meanwhile', 'after']);
}

describe('a connection that breaks', () => {
  it('resumes after a dropped socket: nothing lost, nothing twice, no new session', async () => {
    await started();
    await survives(() => rig.server.gateway.drop());
    expect(rig.server.gateway.counts).toMatchObject({ identifies: 1, resumes: 1 });
  });

  it('resumes when asked to reconnect (op 7)', async () => {
    await started();
    await survives(() => rig.server.gateway.askToReconnect());
    expect(rig.server.gateway.counts).toMatchObject({ identifies: 1, resumes: 1 });
  });

  it('resumes on the same line after op 9 with true', async () => {
    await started();
    await survives(() => rig.server.gateway.invalidate(true));
    expect(rig.server.gateway.counts).toMatchObject({ identifies: 1, resumes: 1, dials: 1 });
  });

  it.each([
    ['op 9 with false', () => rig.server.gateway.invalidate(false)],
    ['close 1000', () => rig.server.gateway.closeWith(1000)],
    ['close 4003', () => rig.server.gateway.closeWith(4003)],
    ['close 4005', () => rig.server.gateway.closeWith(4005)],
    ['close 4007', () => rig.server.gateway.closeWith(4007)],
    ['close 4008', () => rig.server.gateway.closeWith(4008)],
  ])('identifies anew after %s and catches up', async (_, trouble) => {
    await started();
    await survives(trouble);
    expect(rig.server.gateway.counts.identifies).toBe(2);
  });

  it.each([4000, 4001, 4002, 4009])('resumes after close %i', async (code) => {
    await started();
    await survives(() => rig.server.gateway.closeWith(code));
    expect(rig.server.gateway.counts).toMatchObject({ identifies: 1, resumes: 1 });
  });

  it('catches up after the port was closed for a while', async () => {
    await started();
    await survives(async () => {
      await rig.server.gateway.close();
      clock.after(900, () => void rig.server.gateway.listen());
    });
    // By a new session when it dialled a closed port; one that dials only once the port is open again resumes.
    const { identifies, resumes } = rig.server.gateway.counts;
    expect(identifies + resumes).toBe(2);
  });

  it('comes back after upgrades were refused', async () => {
    await started();
    await survives(() => {
      rig.server.gateway.refusals = 2;
      rig.server.gateway.drop();
    });
  });

  it('is never called connected without a heartbeat answered, and is rebuilt within 90 s (gateway 24)', async () => {
    await started();
    await survives(async () => {
      rig.server.gateway.fallSilent();
      const since = clock.now();
      await passes(clock, () => rig.told.state === 'degraded', { what: 'the silence is noticed', stepMs: 5_000 });
      expect(clock.now() - since).toBeLessThanOrEqual(90_000);
      rig.server.gateway.speak();
    });
    expect(rig.told.healths.filter(({ state }) => state === 'connected').every(({ proofAt }) => proofAt !== null)).toBe(
      true,
    );
  });
});

describe('a connection that is refused for good', () => {
  it.each([
    [4004, 'token refused'],
    [4010, 'the shard was refused'],
    [4011, 'too many guilds'],
    [4012, 'this version of the gateway is gone'],
    [4013, 'intents are not valid'],
    [4014, 'the Message Content intent is not enabled; switch it on in the portal'],
  ])('close %i is fatal, says why, and nobody dials again', async (code, reason) => {
    await started();
    rig.server.gateway.closeWith(code);
    await rig.until(() => rig.told.state === 'fatal');
    expect(rig.told.healths.at(-1)?.reason).toContain(reason);
    const { dials } = rig.server.gateway.counts;
    await clock.skip(600_000);
    await dialled();
    expect(rig.server.gateway.counts.dials).toBe(dials);
    expect(rig.told.healths.filter(({ state }) => state === 'fatal')).toHaveLength(1);
  });

  it('4014 at login rejects the start with the sentence', async () => {
    clock = new WarpClock();
    rig = await Rig.open({ clock });
    rig.server.gateway.contentAllowed = false;
    const error = (await rig.start().catch((reason: unknown) => reason)) as SendError;
    expect(error.failure.kind).toBe('auth');
    expect(error.message).toContain('Message Content intent');
    expect(rig.told.state).toBe('fatal');
    await dialled();
    expect(rig.server.gateway.counts.dials).toBe(1);
  });

  it('a token that is refused at the start is fatal, without a dial', async () => {
    clock = new WarpClock();
    rig = await Rig.open({ clock });
    rig.server.revoked = true;
    const error = (await rig.start().catch((reason: unknown) => reason)) as SendError;
    expect(error.failure).toEqual({ kind: 'auth' });
    expect(rig.told.healths.at(-1)).toMatchObject({
      state: 'fatal',
      reason: 'token refused; put a new one into .env and restart',
    });
    expect(rig.server.gateway.counts.dials).toBe(0);
  });

  it('an upgrade that is refused at the start rejects it, and leaves no ghost that dials on', async () => {
    clock = new WarpClock();
    rig = await Rig.open({ clock });
    rig.server.gateway.refusals = 1;
    expect(await rig.start().catch((reason: unknown) => reason)).toMatchObject({ failure: { kind: 'unreached' } });
    await dialled();
    expect(rig.server.gateway.counts).toMatchObject({ dials: 1, identifies: 0 });
    await rig.start();
    expect(rig.told.state).toBe('connected');
  });

  it('a withdrawn token is fatal at the next call, and every send says so', async () => {
    await started();
    const to = rig.address(rig.server.person(1).dm.wire.id);
    rig.server.revoked = true;
    const error = (await rig.say(to, { text: 'hello' }).catch((reason: unknown) => reason)) as SendError;
    expect(error.failure).toEqual({ kind: 'auth' });
    await rig.until(() => rig.told.state === 'fatal');
    expect(rig.told.healths.at(-1)?.reason).toBe('token refused; put a new one into .env and restart');
  });

  it('one 401 is not the end: the call is repeated and arrives', async () => {
    await started();
    const to = rig.address(rig.server.person(1).dm.wire.id);
    rig.server.fault(/^POST \/channels\/\d+\/messages/, { kind: 'refuse', status: 401 });
    await rig.say(to, { text: 'hello' });
    await rig.say(to, { text: 'again' });
    expect(rig.server.said(to.chat).map(({ text }) => text)).toEqual(['hello', 'again']);
    expect(rig.told.state).toBe('connected');
  });

  it('waits when hardly any connection is left today', async () => {
    clock = new WarpClock();
    rig = await Rig.open({ clock });
    rig.server.gateway.limit.remaining = 12;
    const error = (await rig.start().catch((reason: unknown) => reason)) as SendError;
    expect(error.failure.kind).toBe('unreached');
    expect(error.message).toContain('only 12 connections are left today');
    expect(rig.server.gateway.counts).toMatchObject({ dials: 0, identifies: 0 });
  });
});

describe('the end', () => {
  it.each([0, 100, 450])('stopped %i ms after a drop it never dials again', async (ms) => {
    await started();
    rig.server.gateway.drop();
    await clock.skip(ms);
    await rig.adapter.stop();
    const before = { ...rig.server.gateway.counts };
    const healths = rig.told.healths.length;
    rig.server.person(1).says('dm', 'too late');
    await dialled();
    expect(rig.server.gateway.counts).toMatchObject({ dials: before.dials, identifies: before.identifies });
    expect(rig.told.messages).toEqual([]);
    expect(rig.told.healths).toHaveLength(healths);
  });

  it('stopped during a login that never connects it rejects the start and dials no more', async () => {
    clock = new WarpClock();
    rig = await Rig.open({ clock });
    await rig.server.gateway.close();
    const starting = rig.start().catch((reason: unknown) => reason);
    await clock.skip(100);
    await rig.adapter.stop();
    expect(await starting).toMatchObject({ failure: { kind: 'unreached' } });
    await rig.server.gateway.listen();
    await dialled();
    expect(rig.server.gateway.counts.dials).toBe(0);
  });

  it('stopped before the peer has said hello it leaves no socket behind', async () => {
    clock = new WarpClock();
    rig = await Rig.open({ clock });
    rig.server.gateway.fallSilent();
    const starting = rig.start().catch((reason: unknown) => reason);
    await rig.until(() => rig.server.gateway.counts.dials === 1);
    const stopping = rig.adapter.stop();
    await clock.skip(2_000);
    await stopping;
    await rig.until(() => rig.server.gateway.open === 0, 'the socket is gone');
    expect(await starting).toMatchObject({ failure: { kind: 'unreached' } });
  });

  it('starts again in the same process: every message once', async () => {
    await started();
    const ada = rig.server.person(1, 'Ada');
    for (let i = 0; i < 5; i++) ada.says('dm', `first ${i}`);
    await rig.until(() => rig.told.messages.length === 5);
    await rig.adapter.stop();
    for (let i = 0; i < 5; i++) ada.says('dm', `between ${i}`);
    const starting = rig.start();
    // Discord takes one IDENTIFY in 5 s.
    await clock.skip(5_000);
    await starting;
    for (let i = 0; i < 5; i++) ada.says('dm', `second ${i}`);
    await passes(clock, () => rig.told.messages.length >= 15, { what: 'everything is heard' });
    expect(rig.told.texts).toEqual(
      ['first', 'between', 'second'].flatMap((when) => [0, 1, 2, 3, 4].map((i) => `${when} ${i}`)),
    );
  });
});
