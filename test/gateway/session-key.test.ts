import { describe, expect, it } from 'vitest';
import type { Address } from '../../src/contract/message.ts';
import { sessionKey } from '../../src/gateway/session-key.ts';

interface Place extends Partial<Address> {
  readonly by?: string;
  readonly direct?: boolean;
  readonly shared?: boolean;
  readonly perThread?: boolean;
}

function key({ by = '1', direct = false, shared = false, perThread = false, ...address }: Place): string {
  const at = { platform: 'telegram', bot: 'b', chat: '-7', ...address };
  const config = { group_per_actor: !shared, thread_per_actor: perThread };
  return sessionKey({ by: { platform: 'telegram', id: by, name: 'x' }, address: at, direct }, config);
}

describe('sessionKey', () => {
  it.each<[string, Place]>([
    ['telegram:dm:b:5', { direct: true, chat: '5' }],
    ['telegram:dm:b:5:t9', { direct: true, chat: '5', thread: '9' }],
    ['telegram:dm:b:5:vbiz', { direct: true, chat: '5', via: 'biz' }],
    ['telegram:dm:b:5:vbiz:t9', { direct: true, chat: '5', via: 'biz', thread: '9' }],
    ['telegram:group:b:-7:u1', {}],
    ['telegram:group:b:-7', { shared: true }],
    ['telegram:group:b:-7:t9', { thread: '9' }],
    ['telegram:group:b:-7:t9:u1', { thread: '9', perThread: true }],
    ['telegram:group:b:-7:t9', { thread: '9', shared: true }],
  ])('%s', (wanted, place) => {
    expect(key(place)).toBe(wanted);
  });

  it('keeps places apart whose ids hold the separator', () => {
    const pairs: [Place, Place][] = [
      [
        { chat: '5:t9', direct: true },
        { chat: '5', thread: '9', direct: true },
      ],
      [
        { chat: '5', via: 'x:t9', direct: true },
        { chat: '5', via: 'x', thread: '9', direct: true },
      ],
      [
        { chat: '!a:host', by: '1' },
        { chat: '!a', by: 'host:u1' },
      ],
      [
        { chat: 'a%3Ab', direct: true },
        { chat: 'a:b', direct: true },
      ],
    ];
    for (const [one, other] of pairs) expect(key(one)).not.toBe(key(other));
  });

  it('two people in one group have two sessions, two bots too', () => {
    expect(key({ by: '1' })).not.toBe(key({ by: '2' }));
    expect(key({ bot: 'b' })).not.toBe(key({ bot: 'b2' }));
  });
});
