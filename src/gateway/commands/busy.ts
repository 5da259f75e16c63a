import type { BusyMode, Progress } from '../../store/chat-settings.ts';
import type { Command } from './command.ts';

/** With words they are messages and never come here: see `words`. */
export const queue: Command = {
  name: 'queue',
  args: 'TEXT',
  about: 'Say something that is answered after what runs',
  words: 'queue',
  late: true,
  run: () => ({ text: 'Write what you want behind it: /queue and your words.' }),
};

export const steer: Command = {
  name: 'steer',
  args: 'TEXT',
  about: 'Say something to the turn that runs, at its next step',
  words: 'steer',
  late: true,
  run: () => ({ text: 'Write what you want behind it: /steer and your words.' }),
};

const PROGRESS: readonly string[] = ['off', 'tools', 'all'] satisfies readonly Progress[];
const MODES: readonly string[] = ['queue', 'steer', 'interrupt'] satisfies readonly BusyMode[];
const USAGE = 'Write /verbose off, tools or all, or /verbose busy queue, steer or interrupt.';

export const verbose: Command = {
  name: 'verbose',
  args: '[off|tools|all | busy queue|steer|interrupt]',
  about: 'What this chat shows of the work, and what a message does meanwhile',
  run({ store, from, args, defaults }) {
    const [word = '', mode = ''] = args.trim().toLowerCase().split(/\s+/);
    const { address } = from;
    if (word === '') {
      const { progress, busy } = store.chatSettings.of(address);
      return { text: `Progress: ${progress ?? defaults.progress}. While a turn runs: ${busy ?? defaults.busy}.` };
    }
    if (PROGRESS.includes(word)) {
      store.chatSettings.setProgress(address, word as Progress);
      return { text: `Progress here: ${word}.` };
    }
    if (word !== 'busy' || !MODES.includes(mode)) return { text: USAGE };
    store.chatSettings.setBusy(address, mode as BusyMode);
    return { text: `A message while a turn runs here: ${mode}.` };
  },
};
