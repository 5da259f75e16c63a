import { actorKey } from '../../approvals/actor-key.ts';
import { code, plain } from '../../approvals/markdown.ts';
import type { Command, CommandContext } from './command.ts';

const MOST = 100;

export const title: Command = {
  name: 'title',
  args: 'TEXT',
  about: 'Name this conversation',
  run(context) {
    const text = context.args.trim();
    if (text === '') return { text: 'Write /title and the name.' };
    const { store, key, from, clock } = context;
    const session = context.session ?? store.sessions.open(key, from.by, from.address, from.direct, clock.now());
    const problem = setTitle(context, session.id, session.owner, text);
    return { text: problem ?? `This conversation is "${plain(text, MOST)}" now.` };
  },
};

/** Undefined: done. Else why not. */
export function setTitle(
  { store }: Pick<CommandContext, 'store'>,
  id: NonNullable<CommandContext['session']>['id'],
  owner: string,
  text: string,
): string | undefined {
  const short = [...text.replace(/\s+/g, ' ')].slice(0, MOST).join('');
  if (store.sessions.titled(owner, short, id))
    return `Another conversation is called "${plain(short, MOST)}"; take another name.`;
  store.sessions.setTitle(id, short);
  return undefined;
}

export const whoami: Command = {
  name: 'whoami',
  about: 'Your id, your role, and what you may use',
  late: true,
  run({ from, admin, key, session, usable, time }) {
    const { address } = from;
    const named = session?.title ? `"${plain(session.title, MOST)}"` : 'without a title';
    const thread = address.thread === undefined ? '' : `, thread ${code(address.thread)}`;
    return {
      text: [
        `You are ${code(actorKey(from.by))}, ${admin ? 'an admin' : 'a member'}.`,
        `This chat is ${code(`${address.platform}:${address.chat}`)}${thread}.`,
        session
          ? `The conversation ${code(key)}, ${named}, began at ${time(session.createdAt)}.`
          : `The conversation ${code(key)} has not begun.`,
        `You may use ${usable.map(({ name }) => `/${name}`).join(', ')}.`,
      ].join('\n'),
    };
  },
};

export const sethome: Command = {
  name: 'sethome',
  about: 'Send notices of this platform here',
  admin: true,
  run({ store, from, clock }) {
    const { address, direct } = from;
    store.homes.set({ address, direct }, actorKey(from.by), clock.now());
    return { text: `Notices of ${address.platform} come here from now on.` };
  },
};
