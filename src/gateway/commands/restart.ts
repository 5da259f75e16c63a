import { actorKey } from '../../approvals/actor-key.ts';
import { tellDown } from '../../process/restart-notices.ts';
import { age } from '../words.ts';
import type { Command, Restart } from './command.ts';

export const restart: Command = {
  name: 'restart',
  args: '[now]',
  about: 'Start hermod again',
  admin: true,
  run({ store, clock, from, args, restart: again }) {
    if (!again) return { text: NOBODY_STARTS };
    const now = args.trim().toLowerCase() === 'now';
    const text = restartText(again, now);
    const after = () => again.begin(actorKey(from.by), now);
    // Who asked is told when hermod is back, in this very message; asked again soon after, they get an answer of its own.
    return tellDown(store, from, text, clock.now()) ? { text: '', after } : { text, after };
  },
};

export const NOBODY_STARTS = 'Nothing would start me again here. Use npm start or install the service.';

export function restartText({ busy, waitMs }: Pick<Restart, 'busy' | 'waitMs'>, now: boolean): string {
  const running = now || waitMs === 0 ? 0 : busy();
  if (running === 0) return 'Restarting. I go on when I am back.';
  const what = running === 1 ? '1 running turn ends' : `${running} running turns end`;
  return `Restarting when ${what} (${age(waitMs)} at most). /restart now does not wait.`;
}
