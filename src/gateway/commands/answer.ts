import type { Command } from './command.ts';

export const approve: Command = {
  name: 'approve',
  args: '[code] [once|1h|session|always]',
  about: 'Allow what waits for an answer',
  run: ({ broker, args, from, session }) => ({ text: broker.command('approve', args, from, session?.id) }),
};

export const deny: Command = {
  name: 'deny',
  args: '[code] [reason]',
  about: 'Refuse what waits for an answer',
  run: ({ broker, args, from, session }) => ({ text: broker.command('deny', args, from, session?.id) }),
};
