import type { Command } from './command.ts';

export const jobs: Command = {
  name: 'jobs',
  args: '[add|show|next|edit|mode|pause|resume|run|cancel|delete|undo|history|zone ...]',
  about: 'What is scheduled; make and change jobs',
  run({ jobs: verbs, args, from, admin }) {
    const { by, address, direct } = from;
    const { text, buttons } = verbs.answer(args, { by, address, direct, admin });
    return { text, buttons };
  },
};
