import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import type { Address, OutboundMessage } from '../../../src/contract/message.ts';
import { EditQueue } from '../../../src/platforms/wire/edit-queue.ts';
import { settle } from '../../fakes/fake-clock.ts';

const HERE: Address = { platform: 'telegram', bot: '1', chat: '11' };

/** Edits that wait until they are let through. */
function gated() {
  const calls: { readonly id: string; readonly text: string; pass(error?: Error): void }[] = [];
  const edit = (_: Address, id: string, part: OutboundMessage) =>
    new Promise<void>((resolve, reject) => {
      calls.push({ id, text: part.text, pass: (error) => (error ? reject(error) : resolve()) });
    });
  return { calls, queue: new EditQueue(edit) };
}

describe('edits of one message', () => {
  it('go one at a time, and the latest text wins and settles those before it', async () => {
    const { calls, queue } = gated();
    const all = Promise.all(['a', 'b', 'c', 'd'].map((text) => queue.edit(HERE, '1', { text })));
    expect(calls.map(({ text }) => text)).toEqual(['a']);
    calls[0]?.pass();
    await settle();
    expect(calls.map(({ text }) => text)).toEqual(['a', 'd']);
    calls[1]?.pass();
    await all;
    expect(calls).toHaveLength(2);
  });

  it('are left out when they would change nothing, and repeated after a failure', async () => {
    const { calls, queue } = gated();
    const first = queue.edit(HERE, '1', { text: 'a' });
    calls[0]?.pass();
    await first;
    await queue.edit(HERE, '1', { text: 'a' });
    expect(calls).toHaveLength(1);
    const buttons = [[{ label: 'Once', data: 'o' }]];
    const refused = queue.edit(HERE, '1', { text: 'a', buttons });
    calls[1]?.pass(new Error('no'));
    await expect(refused).rejects.toThrow('no');
    void queue.edit(HERE, '1', { text: 'a', buttons });
    expect(calls).toHaveLength(3);
  });

  it('hold up no other message', () => {
    const { calls, queue } = gated();
    void queue.edit(HERE, '1', { text: 'a' });
    void queue.edit(HERE, '2', { text: 'b' });
    void queue.edit({ ...HERE, chat: '12' }, '1', { text: 'c' });
    expect(calls.map(({ text }) => text)).toEqual(['a', 'b', 'c']);
  });

  it('that are given from different runs each settle in their own', async () => {
    const storage = new AsyncLocalStorage<string>();
    const { calls, queue } = gated();
    const seen = await Promise.all(
      ['one', 'two', 'three'].map((run, i) =>
        storage.run(run, async () => {
          const edit = queue.edit(HERE, '1', { text: `text ${i}` });
          if (i === 2) {
            calls[0]?.pass();
            void settle().then(() => calls[1]?.pass());
          }
          await edit;
          return storage.getStore();
        }),
      ),
    );
    expect(seen).toEqual(['one', 'two', 'three']);
  });
});
