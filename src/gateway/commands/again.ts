import { batchText } from '../batch.ts';
import type { Command } from './command.ts';
import { endTurns } from './stop.ts';

export const retry: Command = {
  name: 'retry',
  about: 'Ask the last message again',
  idle: true,
  run({ store, lanes, clock, session, from }) {
    const turn = session && store.inbox.lastTurn(session.id);
    if (!session || !turn) return { text: 'There is nothing here to try again.' };
    const messages = store.inbox.ofTurn(turn).map((row) => row.message);
    const { by, sentAt, address, direct, messageId } = from;
    const event = {
      eventId: `${from.eventId}:retry`,
      ...{ by, sentAt, address, direct, messageId, mentionsBot: true },
      text: batchText(messages.map(({ attachments: _, ...message }) => ({ ...message, attachments: [] }))),
      attachments: messages.flatMap((message) => message.attachments),
    };
    store.inbox.put({ kind: 'message', event, session: session.id }, clock.now());
    return { text: 'Trying again.', after: () => lanes.kick(session.id) };
  },
};

const MOST = 50;

export const undo: Command = {
  name: 'undo',
  args: '[n]',
  about: 'Forget the last exchanges; what they did stays',
  idle: true,
  run(context) {
    const { store, session, args } = context;
    const wanted = args.trim() === '' ? 1 : Number(args.trim());
    if (!Number.isInteger(wanted) || wanted < 1 || wanted > MOST)
      return { text: `Write /undo and a number, 1 to ${MOST}.` };
    const hidden = session ? store.transcript.undo(session.id, wanted) : 0;
    if (!session || hidden === 0) return { text: 'There is nothing to forget here.' };
    // One that was interrupted is the last of them: without its words it cannot go on.
    endTurns(context, session.id, 'stop');
    const what = hidden === 1 ? 'the last exchange' : `the last ${hidden} exchanges`;
    return { text: `I have forgotten ${what}. What was done stays done: files, commands and messages.` };
  },
};
