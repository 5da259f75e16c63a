import type { Command } from './command.ts';

export const reasoning: Command = {
  name: 'reasoning',
  args: '[on | off]',
  about: 'Whether the model thinks before it answers, from the next turn on',
  run({ store, session, key, from, clock, args }) {
    const wanted = args.trim().toLowerCase();
    if (wanted === '') return { text: `Thinking first: ${session?.reasoning ?? 'as configured'}.` };
    if (wanted.startsWith('--global'))
      return { text: 'For everybody it is set in config.yaml: model.reasoning. Then restart hermod.' };
    if (wanted !== 'on' && wanted !== 'off') return { text: 'Write /reasoning on or /reasoning off.' };
    const { id } = session ?? store.sessions.open(key, from.by, from.address, from.direct, clock.now());
    store.sessions.setReasoning(id, wanted);
    return { text: `Thinking first: ${wanted}, from the next turn on.` };
  },
};
