import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { chatAddress, person } from '../fakes/runs.ts';

const ANN = { kind: 'direct', owner: 'telegram:ann' } as const;

function talk(...words: string[]) {
  const store = openStore(':memory:');
  const { id } = store.sessions.open('k', person('ann'), chatAddress('k'), true, 1);
  const place = { session: id, actor: person('ann'), address: chatAddress('k'), direct: true, replyTo: null };
  const turn = store.turns.create(place, 1).id;
  words.forEach((content, i) => {
    store.transcript.append({ session: id, turn, step: i, role: 'user', content }, i);
  });
  const find = (text: string) => store.search.find(text, ANN, 10).map((hit) => hit.content);
  return { store, id, turn, find };
}

describe('search', () => {
  it.each([
    ['C++', 'we use C++ here'],
    [`it's`, `it's late`],
    ['foo-bar', 'run foo-bar now'],
    ['über', 'ÜBER alles'],
    ['cafe', 'at the Café'],
    ['say "hi"', 'they say "hi" to us'],
  ])('finds %s', (words, content) => {
    expect(talk('something else', content).find(words)).toEqual([content]);
  });

  it.each([
    '"',
    '""',
    '*',
    'AND',
    'OR NOT',
    'NEAR(',
    '^x',
    'a:b',
    '-',
    '++',
    '(',
    ')',
    '{x}',
    "'",
    ';--',
    '\0',
    ' \n ',
  ])('never fails on %j', (words) => {
    expect(() => talk('AND or not').find(words)).not.toThrow();
  });

  it('never fails on random text', () => {
    const { find } = talk('one two three');
    const letters = `ab "'*^(){}:;+-_.,\\/~\0\n%&|ANDORNTE\u00e9\ud83d\ude00`;
    for (let seed = 1, i = 0; i < 500; i++) {
      let words = '';
      for (let n = 0; n < 12; n++) {
        seed = (seed * 48_271) % 2_147_483_647;
        words += letters[seed % letters.length];
      }
      expect(() => find(words)).not.toThrow();
    }
  });

  it('finds what /undo hid, not what a worker said', () => {
    const { store, id, turn, find } = talk('hidden later');
    store.transcript.undo(id, 1);
    store.transcript.append({ session: id, turn, step: 9, role: 'user', content: 'hidden always', hidden: true }, 9);
    expect(find('hidden')).toEqual(['hidden later']);
  });

  it('sees only what its scope allows (gateway 30)', () => {
    const { store } = talk('secret');
    for (const scope of [
      { kind: 'direct', owner: 'telegram:bob' },
      { kind: 'chat', owner: 'telegram:ann', chat: 'k' },
      { kind: 'shared', key: 'other' },
    ] as const) {
      expect(store.search.find('secret', scope, 10)).toEqual([]);
    }
    expect(store.search.find('secret', { kind: 'shared', key: 'k' }, 10)).toHaveLength(1);
  });
});
