import { describe, expect, it } from 'vitest';
import { menuList } from '../../../src/platforms/telegram/menu.ts';
import { until } from '../../conformance/witness.ts';
import { passes } from '../../fakes/passing.ts';
import { WarpClock } from '../../fakes/warp-clock.ts';
import { memoryState, Rig } from './rig.ts';

const COMMANDS = [
  { name: 'help', description: 'What I can do' },
  { name: 'stop', description: 'End what runs here' },
];

describe('the menu', () => {
  it('takes only names and descriptions Telegram would take', () => {
    const long = { name: 'long', description: 'x'.repeat(300) };
    const list = menuList([
      ...COMMANDS,
      { name: 'Bad-Name', description: 'no' },
      { name: 'empty', description: ' ' },
      long,
    ]);
    expect(list.map(({ command }) => command)).toEqual(['help', 'stop', 'long']);
    expect(list.at(-1)?.description).toHaveLength(256);
    expect(menuList(Array(150).fill(COMMANDS[0]))).toHaveLength(100);
  });

  it('is set once for a hundred boots with one list, and again when the list changed', async () => {
    const state = memoryState();
    const rig = await Rig.open({ state, commands: COMMANDS });
    const synced = () => rig.server.callsOf('setMyCommands').length;
    for (let boot = 0; boot < 100; boot++) {
      rig.adapter = rig.build();
      await rig.start();
      await until(() => state.get('menu') !== undefined, 'the menu is set');
      await rig.server.until(() => rig.server.polls.polling);
      await rig.adapter.stop();
    }
    expect(synced()).toBe(2);
    expect([...rig.server.bot.commands.keys()]).toEqual(['default', 'all_group_chats']);
    const changed = await Rig.started({ state, server: rig.server, commands: COMMANDS.slice(1) });
    await changed.server.until(() => synced() === 4);
    expect(rig.server.bot.commands.get('default')).toEqual([{ command: 'stop', description: 'End what runs here' }]);
    await changed.stop();
  });

  it('waits alone for a limit of eight minutes: nothing else is delayed', async () => {
    const clock = new WarpClock();
    const rig = await Rig.open({ clock, commands: COMMANDS });
    const limit = rig.server.fault('setMyCommands', { kind: 'limit', retryAfter: 491 });
    const ada = rig.server.person(11);
    ada.says('dm', 'before');
    await rig.start();
    await rig.server.until(() => limit.hits === 1);
    ada.says('dm', 'meanwhile');
    await rig.server.until(() => rig.told.texts.includes('meanwhile'));
    await rig.say(rig.address(11), { text: 'answer' });
    expect(rig.server.said(11)).toHaveLength(1);
    await passes(clock, () => rig.server.bot.commands.size >= 2, { stepMs: 10_000 });
    expect(rig.server.bot.commands.size).toBe(2);
    await rig.stop();
  });

  it('is left alone if it is not wanted', async () => {
    const rig = await Rig.started({ commands: COMMANDS, config: { menu: false } });
    rig.server.person(11).says('dm', 'hi');
    await rig.server.until(() => rig.told.messages.length === 1);
    expect(rig.server.callsOf('setMyCommands')).toEqual([]);
    await rig.stop();
  });
});
