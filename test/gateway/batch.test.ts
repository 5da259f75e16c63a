import { describe, expect, it } from 'vitest';
import type { InboxId } from '../../src/contract/ids.ts';
import type { InboundMessage } from '../../src/contract/message.ts';
import { batchText, nextBatch } from '../../src/gateway/batch.ts';
import type { WaitingMessage } from '../../src/store/inbox.ts';
import { person } from '../fakes/runs.ts';
import { inbound } from './inbound.ts';

const paste = (glue?: '\n' | '') => ({ join: { key: 'p', waitMs: 2_000, ...(glue === undefined ? {} : { glue }) } });

function rows(...messages: readonly (InboundMessage | [InboundMessage, 'internal'])[]): readonly WaitingMessage[] {
  return messages.map((entry, i) => {
    const [message, kind] = Array.isArray(entry) ? entry : [entry, 'message' as const];
    return { id: `r${i}` as InboxId, seq: i, kind, message, receivedAt: 0, steer: false };
  });
}

const ids = (batch: readonly WaitingMessage[]) => batch.map((row) => row.id).join(' ');

describe('nextBatch', () => {
  const album = { join: { key: 'album', waitMs: 1_000 } };
  const bob = { by: person('bob') };

  it.each<[string, string, readonly WaitingMessage[]]>([
    ['nothing of nothing', '', rows()],
    ['one message of two', 'r0', rows(inbound('a'), inbound('b'))],
    ['all pieces of a paste', 'r0 r1 r2', rows(inbound('a', paste()), inbound('b', paste()), inbound('c', paste()))],
    [
      'the pieces, also around something else',
      'r0 r2',
      rows(inbound('a', paste()), inbound('b'), inbound('c', paste())),
    ],
    ['only the key of the first', 'r0 r2', rows(inbound('a', paste()), inbound('', album), inbound('c', paste()))],
    ['no piece of another person', 'r0', rows(inbound('a', paste()), inbound('b', { ...paste(), ...bob }))],
    ['no words of hermod', 'r0', rows(inbound('a', paste()), [inbound('b', paste()), 'internal'])],
    ['a message without a hint stays alone', 'r0', rows(inbound('a'), inbound('b', paste()), inbound('c', paste()))],
  ])('takes %s', (_, wanted, waiting) => {
    expect(ids(nextBatch(waiting))).toBe(wanted);
  });

  it('takes at most 20 pieces', () => {
    const many = rows(...Array.from({ length: 25 }, (_, i) => inbound(`${i}`, paste())));
    expect(nextBatch(many)).toHaveLength(20);
  });

  it('takes at most 256 KB of text, and never nothing', () => {
    const big = (kb: number) => inbound('é'.repeat(kb * 512), paste());
    expect(ids(nextBatch(rows(big(100), big(100), big(56), big(1))))).toBe('r0 r1 r2');
    expect(ids(nextBatch(rows(big(300), big(1))))).toBe('r0');
  });
});

describe('batchText', () => {
  it.each<[string, string, readonly InboundMessage[]]>([
    ['one message as it is', 'a\n b', [inbound('a\n b')]],
    ['pieces on lines of their own', 'a\nb', [inbound('a', paste()), inbound('b', paste())]],
    ['a text cut in two as one', 'half-way', [inbound('half', paste('')), inbound('-way', paste(''))]],
    [
      'a reply with what it answers',
      '[in reply to: "old"]\nyes',
      [inbound('yes', { replyTo: { messageId: '1', quoted: 'old' } })],
    ],
    ['a reply to a picture as words alone', 'yes', [inbound('yes', { replyTo: { messageId: '1', quoted: '' } })]],
    ['a forward with its origin', '[forwarded from Bob]\nhi', [inbound('hi', { forwardedFrom: 'Bob' })]],
    [
      'an attachment without text',
      '[attached image: cat.jpg]',
      [inbound('', { attachments: [{ kind: 'image', name: 'cat.jpg', ref: 'f1' }] })],
    ],
    [
      'a text after an attachment',
      '[attached file: a.pdf]\nsum it up',
      [
        inbound('', { ...paste(), attachments: [{ kind: 'file', name: 'a.pdf', ref: 'f1' }] }),
        inbound('sum it up', paste()),
      ],
    ],
    ['nothing for an empty piece', 'a\nb', [inbound('a', paste()), inbound('', paste()), inbound('b', paste())]],
    ['nothing for nothing', '', [inbound('')]],
  ])('gives %s', (_, text, messages) => {
    expect(batchText(messages)).toBe(text);
  });
});
