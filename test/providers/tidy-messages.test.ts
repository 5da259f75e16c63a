import { describe, expect, it } from 'vitest';
import type { CallId } from '../../src/contract/ids.ts';
import type { ChatMessage } from '../../src/contract/model.ts';
import { tidyMessages } from '../../src/providers/tidy-messages.ts';
import { said, user } from '../fakes/model-requests.ts';

function calls(...ids: readonly string[]): ChatMessage {
  return { role: 'assistant', content: '', calls: ids.map((id) => ({ id: id as CallId, name: `t${id}`, raw: '{}' })) };
}

function result(id: string, content = `r${id}`): ChatMessage {
  return { role: 'tool', callId: id as CallId, name: `t${id}`, content, isError: false };
}

/** One word a message. */
function brief(messages: readonly ChatMessage[]): readonly string[] {
  return messages.map((m) => `${m.role}:${m.content}`);
}

describe('tidyMessages', () => {
  it.each([
    ['joins person messages', [user('a'), user('b'), user(' ')], ['user:a\n\nb']],
    ['drops empty answers, so that people around them join', [user('a'), said(' '), user('b')], ['user:a\n\nb']],
    ['keeps an answer that only calls', [calls('1'), result('1')], ['assistant:', 'tool:r1']],
    [
      'puts results in the order of the calls',
      [calls('1', '2'), result('2'), result('1')],
      ['assistant:', 'tool:r1', 'tool:r2'],
    ],
    [
      'moves a person who came between behind the results',
      [calls('1', '2'), result('1'), user('stop'), result('2')],
      ['assistant:', 'tool:r1', 'tool:r2', 'user:stop'],
    ],
    [
      'gives a call without a result one',
      [calls('1'), said('b')],
      ['assistant:', 'tool:There is no result of this call.', 'assistant:b'],
    ],
    ['drops a result without its call', [result('9'), user('a'), result('9')], ['user:a']],
    [
      'takes no result from behind the next answer',
      [calls('1'), said('b'), result('1')],
      ['assistant:', 'tool:There is no result of this call.', 'assistant:b'],
    ],
    [
      'makes Unicode well-formed',
      [user('a\ud800'), said('\udc00b'), calls('1'), result('1', 'c\ud800')],
      ['user:a\ufffd', 'assistant:\ufffdb', 'assistant:', 'tool:c\ufffd'],
    ],
  ] as const)('%s', (_, messages, expected) => {
    expect(brief(tidyMessages(messages))).toEqual(expected);
  });

  it('marks a made-up result as an error', () => {
    expect(tidyMessages([calls('1')])[1]).toMatchObject({ role: 'tool', isError: true, callId: '1' });
  });

  it('changes nothing that is tidy', () => {
    const messages = [user('a'), calls('1'), result('1'), said('b'), user('c')];
    expect(tidyMessages(messages)).toEqual(messages);
  });
});
