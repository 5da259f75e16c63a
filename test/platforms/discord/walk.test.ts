import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Rig } from './rig.ts';

describe('a conversation', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await Rig.started();
  });

  afterEach(() => rig.stop());

  it('hears a direct message and answers it', async () => {
    const ada = rig.server.person(1, 'Ada');
    ada.says('dm', 'hello');
    await rig.until(() => rig.told.messages.length === 1);
    expect(rig.told.messages[0]).toMatchObject({
      by: { platform: 'discord', id: ada.id, name: 'Ada' },
      address: rig.address(ada.dm.wire.id),
      direct: true,
      text: 'hello',
      mentionsBot: true,
    });
    const [sent] = await rig.say(rig.address(ada.dm.wire.id), { text: 'It is **done**.' });
    expect(rig.server.said(ada.dm.wire.id)).toMatchObject([{ text: 'It is **done**.', id: sent?.messageId, flags: 4 }]);
  });

  it('hears a call in a guild channel and in a thread of it, and what follows in that thread', async () => {
    const ada = rig.server.person(1, 'Ada');
    const channel = rig.server.channel('ops');
    const thread = rig.server.thread(channel, 'builds');
    ada.says(channel.wire.id, 'nobody in particular');
    ada.calls(channel.wire.id, 'status?');
    ada.calls(thread.wire.id, 'and here?');
    ada.says(thread.wire.id, 'more of it');
    await rig.until(() => rig.told.messages.length === 4);
    const inside = rig.address(channel.wire.id, thread.wire.id);
    expect(rig.told.messages.filter(({ address }) => address.thread === undefined)).toMatchObject([
      { text: 'nobody in particular', mentionsBot: false, direct: false, address: rig.address(channel.wire.id) },
      { text: 'status?', mentionsBot: true },
    ]);
    expect(rig.told.messages.filter(({ address }) => address.thread !== undefined)).toMatchObject([
      { text: 'and here?', mentionsBot: true, address: inside },
      { text: 'more of it', mentionsBot: true, address: inside },
    ]);
    await rig.say(inside, { text: 'in here' });
    expect(rig.server.said(thread.wire.id)).toMatchObject([{ text: 'in here' }]);
  });

  it('shows buttons, acknowledges a press at once and answers the presser alone', async () => {
    const ada = rig.server.person(1, 'Ada');
    const to = rig.address(ada.dm.wire.id);
    const buttons = [
      [{ label: 'Once', data: 'h1:ap:x:y:o', style: 'success' as const }],
      [{ label: 'Deny', data: 'h1:ap:x:y:d', style: 'danger' as const }],
    ];
    const [card] = await rig.say(to, { text: 'Run this?', buttons });
    rig.told.decide = () => ({ text: 'Allowed once.' });
    expect(rig.server.said(to.chat)).toMatchObject([{ buttons: [['Once'], ['Deny']], styles: [3, 4] }]);
    const press = ada.presses({ channel: to.chat, id: card?.messageId ?? '' }, 'Once');
    await rig.until(() => press.answer !== undefined);
    expect(press).toMatchObject({ response: 6, answer: 'Allowed once.' });
    expect(rig.told.presses).toMatchObject([
      { by: { id: ada.id }, address: to, data: 'h1:ap:x:y:o', messageId: card?.messageId },
    ]);
  });

  it('opens a form for a reason, and passes the words on', async () => {
    const ada = rig.server.person(1, 'Ada');
    const to = rig.address(ada.dm.wire.id);
    const data = 'h1:ap:x:y:r';
    const [card] = await rig.say(to, { text: 'Run this?', buttons: [[{ label: 'Deny with reason', data }]] });
    const ref = { channel: to.chat, id: card?.messageId ?? '' };
    const press = ada.presses(ref, 'Deny with reason');
    await rig.until(() => press.modal !== undefined);
    expect(press.modal).toMatchObject({
      custom_id: data,
      title: 'Deny with reason',
      inputs: [{ max_length: 500, style: 2 }],
    });
    expect(rig.told.presses).toEqual([]);
    const sent = ada.submits(ref, press, 'use the other folder');
    await rig.until(() => rig.told.forms.length === 1);
    expect(sent.response).toBe(6);
    expect(rig.told.forms).toMatchObject([
      { data, text: 'use the other folder', by: { id: ada.id }, messageId: ref.id },
    ]);
  });

  it('edits a message in place and drops its buttons', async () => {
    const ada = rig.server.person(1, 'Ada');
    const to = rig.address(ada.dm.wire.id);
    const [sent] = await rig.say(to, { text: 'Run this?', buttons: [[{ label: 'Once', data: 'o' }]] });
    await rig.adapter.edit?.(to, sent?.messageId ?? '', { text: 'Allowed **once**.' });
    expect(rig.server.said(to.chat)).toMatchObject([{ text: 'Allowed **once**.', buttons: [], edits: 1 }]);
  });

  it('sends files with the words, and before a card', async () => {
    const ada = rig.server.person(1, 'Ada');
    const to = rig.address(ada.dm.wire.id);
    await rig.say(to, { text: 'Here.', files: [{ name: 'note.txt', text: 'words' }] });
    await rig.say(to, {
      text: 'Run this?',
      files: [{ name: 'command.txt', text: 'ls' }],
      buttons: [[{ label: 'Once', data: 'o' }]],
    });
    const said = rig.server
      .said(to.chat)
      .map(({ text, files, buttons }) => [text, files.map(({ name }) => name), buttons.flat()]);
    expect(said).toEqual([
      ['Here.', ['note.txt'], []],
      ['', ['command.txt'], []],
      ['Run this?', [], ['Once']],
    ]);
  });

  it('takes slash commands, answers their sender alone', async () => {
    const ada = rig.server.person(1, 'Ada');
    rig.told.answer = ({ command }) => ({ text: `**${command?.name}** with ${command?.args}` });
    const gesture = ada.commands('dm', 'deny', 'k7f2 not now');
    await rig.until(() => gesture.answer !== undefined);
    expect(gesture).toMatchObject({ response: 5, answer: '**deny** with k7f2 not now' });
    expect(rig.told.commands).toMatchObject([
      { text: '/deny k7f2 not now', command: { name: 'deny', args: 'k7f2 not now' } },
    ]);
  });
});
