import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MessageRef } from '../../fakes/discord-person.ts';
import { passes, socketsMove } from '../../fakes/passing.ts';
import { WarpClock } from '../../fakes/warp-clock.ts';
import { Rig, type RigOptions } from './rig.ts';

let rig: Rig;
let clock: WarpClock;
let card: MessageRef;

async function started(options: RigOptions = {}): Promise<void> {
  await rig?.stop();
  clock = new WarpClock();
  rig = await Rig.started({ clock, ...options });
  card = await cardWith('h1:ap:x:y:o');
}

async function cardWith(data: string): Promise<MessageRef> {
  const to = rig.address(rig.server.person(1, 'Ada').dm.wire.id);
  const [sent] = await rig.say(to, { text: 'Run this?', buttons: [[{ label: 'Once', data }]] });
  return { channel: to.chat, id: sent?.messageId ?? '' };
}

beforeEach(() => started());
afterEach(() => rig.stop());

const ada = () => rig.server.person(1, 'Ada');

describe('a press', () => {
  it('is acknowledged before anything is told, and answered when its event, which hung, is done', async () => {
    let release = () => {};
    const order: string[] = [];
    rig.told.decide = () => {
      order.push(`told after response ${press.response}`);
      return new Promise((resolve) => {
        release = () => resolve({ text: 'Allowed once.' });
      });
    };
    const press = ada().presses(card, 'Once');
    await rig.until(() => order.length === 1);
    expect(order).toEqual(['told after response 6']);
    release();
    await rig.until(() => press.answer === 'Allowed once.');
  });

  it('delivered twice is one event and one answer', async () => {
    rig.server.gateway.doubles = true;
    rig.told.decide = () => ({ text: 'Allowed once.' });
    const press = ada().presses(card, 'Once');
    await rig.until(() => press.answer !== undefined);
    rig.server.gateway.doubles = false;
    const second = ada().presses(card, 'Once');
    await rig.until(() => second.answer !== undefined);
    expect(rig.told.presses).toHaveLength(2);
    expect(new Set(rig.told.presses.map(({ eventId }) => eventId)).size).toBe(2);
    expect(press.privately).toEqual(['Allowed once.']);
  });

  it('of an unknown version is answered at once and told to nobody', async () => {
    const old = await cardWith('h0:ap:x:y:o');
    const press = ada().presses(old, 'Once');
    await rig.until(() => press.answer !== undefined);
    expect(press).toMatchObject({ response: 4, answer: 'I do not know this request; nothing changed.' });
    expect(rig.told.presses).toEqual([]);
  });

  it('counts although its acknowledgement is refused or lost', async () => {
    rig.server.fault(/callback$/, { kind: 'refuse', status: 404, code: 10062 });
    ada().presses(card, 'Once');
    await rig.until(() => rig.told.presses.length === 1);
    rig.server.fault(/callback$/, { kind: 'reset-after' });
    ada().presses(card, 'Once');
    await rig.until(() => rig.told.presses.length === 2);
  });

  it('is told again until it is stored, and says so when it never is', async () => {
    let failures = 2;
    rig.told.decide = () => {
      if (failures-- > 0) throw new Error('the disk is full');
      return { text: 'Allowed once.' };
    };
    const press = ada().presses(card, 'Once');
    await passes(clock, () => press.answer !== undefined);
    expect(press.answer).toBe('Allowed once.');
    expect(new Set(rig.told.presses.map(({ eventId }) => eventId)).size).toBe(1);
  });

  it('names the presser with the roles of its guild, the thread and the message', async () => {
    const guild = rig.server.guild();
    const channel = rig.server.channel('ops');
    const thread = rig.server.thread(channel, 'builds');
    const to = rig.address(channel.wire.id, thread.wire.id);
    const [sent] = await rig.say(to, { text: 'Run this?', buttons: [[{ label: 'Once', data: 'h1:ap:x:y:o' }]] });
    ada().joins(guild.id, '300000000000000001');
    ada().presses({ channel: thread.wire.id, id: sent?.messageId ?? '' }, 'Once');
    await rig.until(() => rig.told.presses.length === 1);
    expect(rig.told.presses[0]).toMatchObject({
      address: to,
      direct: false,
      messageId: sent?.messageId,
      by: { id: ada().id, name: 'Ada', roles: [`${guild.id}/300000000000000001`] },
    });
  });

  it('is answered although REST is limited everywhere', async () => {
    rig.server.fault(/^POST \/channels/, { kind: 'global-limit', retryAfter: 600 });
    await rig.say(rig.address(card.channel), { text: 'x' }).catch(() => undefined);
    rig.told.decide = () => ({ text: 'Allowed once.' });
    const press = ada().presses(card, 'Once');
    await rig.until(() => press.answer !== undefined);
  });

  it('a quarter of an hour later nobody can be answered alone, and nothing breaks', async () => {
    let release = () => {};
    rig.told.decide = () =>
      new Promise((resolve) => {
        release = () => resolve({ text: 'late' });
      });
    const press = ada().presses(card, 'Once');
    await rig.until(() => rig.told.presses.length === 1);
    await clock.skip(16 * 60_000);
    release();
    await rig.adapter.edit?.(rig.address(card.channel), card.id, { text: 'Allowed once.' });
    expect(press.answer).toBeUndefined();
    expect(rig.server.said(card.channel)).toMatchObject([{ text: 'Allowed once.' }]);
  });
});

describe('a form', () => {
  it('that is refused says so to its sender alone', async () => {
    const other = await cardWith('h1:qu:x:y:r');
    rig.told.decide = () => ({ text: 'Only Ada or an approver can answer this.' });
    const press = rig.server.person(5, 'Eve').presses(other, 'Once');
    await rig.until(() => press.modal !== undefined);
    expect(press.modal?.title).toBe('Once');
    const sent = rig.server.person(5).submits(other, press, 'let me in');
    await rig.until(() => sent.answer !== undefined);
    expect(sent).toMatchObject({ response: 6, answer: 'Only Ada or an approver can answer this.' });
  });
});

describe('a slash command', () => {
  it('without an answer of its own gets a short note', async () => {
    const gesture = ada().commands('dm', 'stop');
    await rig.until(() => gesture.answer !== undefined);
    expect(gesture.answer).toMatch(/follows as a message/);
  });

  it('in a thread comes from there, and nothing replies to it', async () => {
    const channel = rig.server.channel('ops');
    const thread = rig.server.thread(channel, 'builds');
    ada().commands(thread.wire.id, 'status');
    await rig.until(() => rig.told.commands.length === 1);
    const [command] = rig.told.commands;
    expect(command).toMatchObject({
      address: rig.address(channel.wire.id, thread.wire.id),
      text: '/status',
      mentionsBot: true,
    });
    await rig.say(rig.address(channel.wire.id, thread.wire.id), { text: 'here', replyTo: command?.messageId ?? '' });
    expect(rig.server.said(thread.wire.id)[0]?.replyTo).toBeUndefined();
  });
});

describe('the list of commands', () => {
  const commands = [
    { name: 'help', description: 'What I can do', args: '[command]' },
    { name: 'Wrong Name', description: 'left out' },
    { name: 'stop', description: 'x'.repeat(300) },
  ];
  const puts = () => rig.server.callsTo(/^PUT \/applications/);

  it('is set once for equal lists, over three starts', async () => {
    await started({ deps: { commands } });
    await rig.until(() => rig.server.bot.commands.has('global'));
    expect(rig.server.bot.commands.get('global')).toMatchObject([
      { name: 'help', options: [{ name: 'text', description: '[command]', required: false }] },
      { name: 'stop' },
    ]);
    for (let i = 0; i < 3; i++) {
      const next = await rig.next();
      const starting = next.start();
      await clock.skip(5_000);
      await starting;
      ada().says('dm', `life ${i}`);
      await next.until(() => next.told.messages.length === 1);
      await next.adapter.stop();
    }
    expect(puts()).toHaveLength(1);
  });

  it('moves to another scope and empties the old one', async () => {
    await started({ deps: { commands } });
    await rig.until(() => rig.server.bot.commands.has('global'));
    await rig.adapter.stop();
    const guild = rig.server.guild().id;
    const next = await rig.next({ config: { commandScope: `guild:${guild}` } });
    const starting = next.start();
    await clock.skip(5_000);
    await starting;
    await next.until(() => rig.server.bot.commands.get('global')?.length === 0);
    expect(rig.server.bot.commands.get(guild)).toHaveLength(2);
    await next.adapter.stop();
  });

  it('a limit of the day delays nothing, and is waited out', async () => {
    await rig.stop();
    clock = new WarpClock();
    rig = await Rig.open({ clock, deps: { commands } });
    rig.server.bot.creations = 200;
    await rig.start();
    ada().says('dm', 'hello');
    await rig.until(() => rig.told.messages.length === 1);
    await rig.until(() => puts().length === 1 && puts()[0]?.status === 429);
    await socketsMove();
    rig.server.bot.creations = 0;
    await clock.skip(3_601_000);
    await rig.until(() => rig.server.bot.commands.has('global'));
    expect(puts()).toHaveLength(2);
  });
});
