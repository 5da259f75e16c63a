import type { FiringId, JobId, RunId, SessionId } from '../../src/contract/ids.ts';
import type { Actor, Address } from '../../src/contract/message.ts';
import type { ChatRun, CliRun, CronMode, CronRun, UnattendedRun } from '../../src/contract/run.ts';

let count = 0;
const base = (session: string, signal: AbortSignal) => {
  const runId = `run-${++count}` as RunId;
  return { runId, rootId: runId, session: session as SessionId, depth: 0, signal };
};

export const person = (id: string, name = id): Actor => ({ platform: 'telegram', id, name });
export const chatAddress = (chat: string, platform = 'telegram'): Address => ({ platform, bot: 'b1', chat });

/** What a test says about a run; all else is plausible. */
export interface RunOptions {
  readonly session?: string;
  readonly actor?: Actor;
  readonly chat?: string;
  readonly platform?: string;
  readonly signal?: AbortSignal;
}

const quiet = new AbortController().signal;

export function chatRun(options: RunOptions = {}): ChatRun {
  return {
    kind: 'chat',
    ...base(options.session ?? 's1', options.signal ?? quiet),
    actor: options.actor ?? person('ann'),
    replyTo: chatAddress(options.chat ?? 'c1', options.platform),
    resumed: false,
  };
}

export function cronRun(options: RunOptions & { job?: string; mode?: CronMode; noChat?: boolean } = {}): CronRun {
  return {
    kind: 'cron',
    ...base(options.session ?? 'job-session', options.signal ?? quiet),
    jobId: (options.job ?? 'job-1') as JobId,
    firingId: `firing-${++count}` as FiringId,
    owner: options.actor ?? person('ann'),
    deliverTo: options.noChat ? [] : [chatAddress(options.chat ?? 'c1')],
    approvalMode: options.mode,
    trigger: 'schedule',
  };
}

export function cliRun(options: RunOptions = {}): CliRun {
  return { kind: 'cli', ...base(options.session ?? 'cli', options.signal ?? quiet), terminal: '/dev/pts/1' };
}

export function unattendedRun(options: RunOptions = {}): UnattendedRun {
  return {
    kind: 'unattended',
    ...base(options.session ?? 'hook', options.signal ?? quiet),
    source: 'webhook:ci',
    principal: 'webhook:ci',
  };
}
