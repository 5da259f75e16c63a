import { codeBlock } from '../../approvals/markdown.ts';
import type { Command } from './command.ts';

const MOST = 4_000;

export const explain: Command = {
  name: 'explain',
  args: 'COMMAND',
  about: 'What would happen to a command, and why; runs nothing',
  run({ explain: lines, args, session }) {
    if (args.trim() === '') return { text: 'Write /explain and a shell command. It is not run.' };
    if (args.length > MOST)
      return { text: `That is longer than ${MOST} characters; hermod explain reads longer ones.` };
    return { text: codeBlock(lines(args, session?.cwd ?? null).join('\n')) };
  },
};
