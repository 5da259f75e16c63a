import type { Command } from './command.ts';

export const restart: Command = {
  name: 'restart',
  args: '[now]',
  about: 'Start hermod again',
  admin: true,
  run({ restart: again }) {
    if (!again) return { text: 'Nothing would start me again here. Use npm start or install the service.' };
    return { text: 'Restarting. I go on when I am back.', after: again };
  },
};
