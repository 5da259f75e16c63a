import type { Update } from 'grammy/types';
import { describe, expect, it } from 'vitest';
import { senderOf } from '../../../src/platforms/telegram/unreadable.ts';

const from = (by: string, chat: string) => ({
  from: {
    by: { platform: 'telegram', id: by, name: '' },
    address: { platform: 'telegram', bot: '7', chat },
    direct: by === chat,
  },
});
const read = (update: object) => senderOf({ update_id: 1, ...update } as Update, '7');

describe('senderOf', () => {
  it.each([
    ['a message', { message: { from: { id: 5 }, chat: { id: 5 } } }, from('5', '5')],
    ['a message in a group', { edited_message: { from: { id: 5 }, chat: { id: -9 } } }, from('5', '-9')],
    ['a press', { callback_query: { from: { id: 5 }, message: { chat: { id: 5 } } } }, from('5', '5')],
    ['something new', { telepathy: { from: { id: 5 }, chat: { id: 5 } } }, from('5', '5')],
    ['a post of nobody', { channel_post: { chat: { id: -9 } } }, {}],
    ['a chat nobody knows', { message: { from: { id: 5 } } }, {}],
    ['ids that are none', { message: { from: { id: '5' }, chat: { id: {} } } }, {}],
    ['nothing', {}, {}],
    ['nonsense', { message: null, x: 'y', z: [] }, {}],
  ])('of %s', (_, update, sender) => {
    expect(read(update)).toEqual(sender);
  });
});
