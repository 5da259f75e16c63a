import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Rig } from './rig.ts';

const ADA = 11;

describe('a conversation', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await Rig.open();
  });

  afterEach(() => rig.stop());

  it('hears what was said before the start and what is said after it', async () => {
    const ada = rig.server.person(ADA, 'Ada');
    ada.says('dm', 'first');
    await rig.start();
    expect(rig.told.texts).toEqual(['first']);
    ada.says('dm', 'second');
    await rig.server.until(() => rig.told.messages.length === 2);
    expect(rig.told.messages[1]).toMatchObject({
      by: { platform: 'telegram', id: '11', name: 'Ada' },
      address: rig.address(ADA),
      direct: true,
      text: 'second',
    });
    expect(rig.told.messages[0]?.eventId).not.toBe(rig.told.messages[1]?.eventId);
  });

  it('says text with entities and no parse mode', async () => {
    rig.server.person(ADA, 'Ada').says('dm', 'hi');
    await rig.start();
    const [sent] = await rig.say(rig.address(ADA), { text: 'It is **done**:\n```sh\nls\n```' });
    const shown = rig.server.said(ADA);
    expect(shown).toMatchObject([
      {
        text: 'It is done:\n\nls',
        entities: [
          { type: 'bold', offset: 6, length: 4 },
          { type: 'pre', offset: 13, length: 2, language: 'sh' },
        ],
      },
    ]);
    expect(sent).toEqual({ messageId: String(shown[0]?.id), at: rig.address(ADA) });
    expect(rig.server.callsOf('sendMessage')[0]?.payload).not.toHaveProperty('parse_mode');
  });

  it('shows buttons, names the presser and answers the press with the decision', async () => {
    const ada = rig.server.person(ADA, 'Ada');
    ada.says('dm', 'hi');
    await rig.start();
    const buttons = [
      [{ label: 'Once', data: 'h1:ap:x:y:o', style: 'success' as const }],
      [{ label: 'Deny', data: 'h1:ap:x:y:d' }],
    ];
    await rig.say(rig.address(ADA), { text: 'Run this?', buttons });
    rig.told.decide = () => ({ text: 'Allowed once.' });
    const card = await rig.server.shows(ADA, /Run this/);
    expect(card).toMatchObject({ buttons: [['Once'], ['Deny']], styles: ['success', undefined] });
    const press = ada.presses(card, 'Once');
    await rig.server.until(() => press.answer !== undefined);
    expect(press.answer).toBe('Allowed once.');
    expect(rig.told.presses).toMatchObject([
      { by: { id: '11' }, address: rig.address(ADA), data: 'h1:ap:x:y:o', messageId: String(card.id) },
    ]);
  });

  it('edits a message in place and drops its buttons', async () => {
    rig.server.person(ADA, 'Ada').says('dm', 'hi');
    await rig.start();
    const [sent] = await rig.say(rig.address(ADA), { text: 'Run this?', buttons: [[{ label: 'Once', data: 'o' }]] });
    await rig.adapter.edit?.(rig.address(ADA), sent?.messageId ?? '', { text: 'Allowed **once**.' });
    expect(rig.server.said(ADA)).toMatchObject([{ text: 'Allowed once.', buttons: [], edited: true }]);
  });

  it('sends text files as documents and keeps buttons last', async () => {
    rig.server.person(ADA, 'Ada').says('dm', 'hi');
    await rig.start();
    const message = {
      text: 'Run this?',
      files: [{ name: 'command.txt', text: 'rm -rf build' }],
      buttons: [[{ label: 'Once', data: 'o' }]],
    };
    await rig.say(rig.address(ADA), message);
    const [file, card] = rig.server.said(ADA);
    expect(file?.files.map(({ name, bytes }) => [name, bytes.toString()])).toEqual([['command.txt', 'rm -rf build']]);
    expect(card).toMatchObject({ text: 'Run this?', buttons: [['Once']] });
  });
});
