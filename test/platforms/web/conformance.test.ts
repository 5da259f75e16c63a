import { createWeb } from '../../../src/platforms/web/adapter.ts';
import { conversationAddress } from '../../../src/platforms/web/conversation.ts';
import { MAX_FILE_BYTES } from '../../../src/platforms/web/limits.ts';
import type { WebMessages } from '../../../src/platforms/web/messages.ts';
import type { WebSurface } from '../../../src/platforms/web/surface.ts';
import { openStore } from '../../../src/store/store.ts';
import type { ConformanceHarness } from '../../conformance/harness.ts';
import { conformance } from '../../conformance/suite.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';

/** The page has one person; a direct chat "of person n" is one of the operator's conversations. What can break is the table. */
async function open(): Promise<ConformanceHarness> {
  const store = openStore(':memory:');
  const clock = new FakeClock();
  const broken = { in: 0, out: 0 };
  let sends = 0;
  let posts = 0;
  let typed = new Map<string, number>();
  let surface: WebSurface | undefined;

  const guard = <T>(side: 'in' | 'out', write: () => T): T => {
    if (broken[side] > 0) {
      broken[side]--;
      throw new Error('the disk is full');
    }
    return write();
  };
  const messages: WebMessages = {
    ...store.webMessages,
    add(message, now) {
      if (message.side === 'person') return store.webMessages.add(message, now);
      sends++;
      return guard('out', () => store.webMessages.add(message, now));
    },
    edit(id, content, now) {
      sends++;
      return guard('out', () => store.webMessages.edit(id, content, now));
    },
    taken: (id, now) => guard('in', () => store.webMessages.taken(id, now)),
  };

  return {
    clock,
    build(log) {
      const web = createWeb({ messages, clock, log });
      surface = web.surface;
      typed = new Map();
      surface.subscribe((event) => {
        if (event.type === 'typing') typed.set(event.conversation, (typed.get(event.conversation) ?? 0) + 1);
      });
      return web.adapter;
    },
    direct: (person) => conversationAddress(`chat-${person}`),
    says: (_person, where, text) => void surface?.say(where.chat, text, `client-${posts++}`),
    presses(_person, where, messageId, label) {
      const button = surface
        ?.message(messageId)
        ?.buttons.flat()
        .find((offered) => offered.label === label);
      let answer: string | undefined;
      const press = { conversation: where.chat, messageId, data: button?.data ?? '', clientId: `press-${posts++}` };
      void surface?.press(press).then((reply) => {
        answer = reply?.text;
      });
      return { answer: () => answer };
    },
    seen: (where) =>
      messages
        .page(where.chat, 1_000)
        .filter((message) => message.side === 'hermod')
        .map(({ id, text, buttons, files }) => ({
          id,
          text,
          files,
          buttons: buttons.flat().map(({ label }) => label),
        })),
    typed: (where) => typed.get(where.chat) ?? 0,
    faults: { in: ['broken'], out: ['broken'] },
    fault(_name, side, times) {
      broken[side] = times;
    },
    heal() {
      broken.in = 0;
      broken.out = 0;
    },
    sends: () => sends,
    streams: () => (surface ? 1 : 0),
    maxFileBytes: MAX_FILE_BYTES,
    close: async () => store.close(),
  };
}

conformance('web', open);
