import { systemClock } from '../context/system-clock.ts';
import { pause } from '../contract/clock.ts';
import { type Status, statusText } from '../gateway/status.ts';
import type { Host } from '../host.ts';
import { readRunFile } from '../process/single-instance.ts';
import { type DaemonClient, findDaemon, homeOf } from './daemon-client.ts';
import { byPeople } from './people-only.ts';

const NOT_RUNNING = 'hermod is not running; npm start starts it.\n';

/** `hermod open`: prints a fresh link that signs a browser in once, as the person who can press every button there. */
export const open = (host: Host): Promise<number> =>
  byPeople(host, () =>
    withDaemon(host, async (daemon) => {
      const { url } = (await daemon.post('api/v1/logins')) as { url: string };
      host.out.write(`${url}\n`);
      return 0;
    }),
  );

/** `hermod status`: 0 ready, 3 not ready, 1 not running. */
export function status(host: Host, args: readonly string[]): Promise<number> {
  return withDaemon(host, async (daemon) => {
    const now = (await daemon.get('api/v1/status')) as Status;
    const text = args.includes('--json')
      ? JSON.stringify({ v: 1, ...now })
      : statusText(now, systemClock.now()).join('\n');
    host.out.write(`${text}\n`);
    return now.ready ? 0 : 3;
  });
}

export const stop = (host: Host): Promise<number> =>
  byPeople(host, () => withDaemon(host, (daemon) => end(host, daemon, 'stop')));

/** `hermod restart [--now]` */
export const restart = (host: Host, args: readonly string[]): Promise<number> =>
  byPeople(host, () => withDaemon(host, (daemon) => end(host, daemon, 'restart', args.includes('--now'))));

type ReloadAnswer =
  | { readonly ok: true; readonly applied: readonly string[]; readonly waiting: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** `hermod reload`: 0 read, 78 not usable. */
export const reload = (host: Host): Promise<number> =>
  byPeople(host, () =>
    withDaemon(host, async (daemon) => {
      const answer = (await daemon.post('api/v1/reload')) as ReloadAnswer;
      if (!answer.ok) {
        for (const problem of answer.problems) host.err.write(`${problem}\n`);
        host.err.write('Nothing was changed; the last good configuration counts.\n');
        return 78;
      }
      host.out.write(reloadText(answer));
      return 0;
    }),
  );

function reloadText({ applied, waiting }: Extract<ReloadAnswer, { ok: true }>): string {
  if (applied.length + waiting.length === 0) return 'Nothing has changed.\n';
  const counts = applied.length > 0 ? `Counts now: ${applied.join(', ')}\n` : '';
  return waiting.length > 0 ? `${counts}Waits for a restart: ${waiting.join(', ')}\n` : counts;
}

interface Accepted {
  readonly accepted: boolean;
  readonly waitsFor?: number;
  readonly waitMs?: number;
}

async function end(host: Host, daemon: DaemonClient, how: 'stop' | 'restart', now = false): Promise<number> {
  const answer = (await daemon.post(`api/v1/${how}`, { now })) as Accepted;
  if (!answer.accepted) {
    host.err.write('Nothing would start me again here. Use npm start or install the service.\n');
    return 1;
  }
  host.err.write(waitText(daemon.file.pid, answer));
  while (await stillThere(host, daemon)) await pause(systemClock, 200);
  host.out.write(how === 'stop' ? 'hermod has stopped.\n' : 'hermod is starting again.\n');
  return 0;
}

function waitText(pid: number, { waitsFor = 0, waitMs = 0 }: Accepted): string {
  if (waitsFor === 0) return `Waiting for the daemon (pid ${pid}) to end...\n`;
  const what = waitsFor === 1 ? '1 running turn ends' : `${waitsFor} running turns end`;
  return `Restarting when ${what} (${waitMs / 1000} s at most). hermod restart --now does not wait.\n`;
}

async function stillThere(host: Host, { file }: DaemonClient): Promise<boolean> {
  const home = homeOf(host);
  return [home, `${home}/practice`].some((place) => readRunFile(place)?.boot === file.boot);
}

async function withDaemon(host: Host, use: (daemon: DaemonClient) => Promise<number>): Promise<number> {
  const daemon = await findDaemon(host);
  if (daemon) return use(daemon);
  host.err.write(NOT_RUNNING);
  return 1;
}
