import type { Clock } from '../contract/clock.ts';
import type { SessionId } from '../contract/ids.ts';
import type { Health } from '../contract/platform.ts';
import { heldBy } from '../process/holds.ts';
import { type LifeStatus, lifeText } from '../process/life-status.ts';
import { plainText } from '../schedule/plain-text.ts';
import type { JobsStatus } from '../schedule/scheduler.ts';
import { instantText } from '../schedule/time-words.ts';
import type { Store } from '../store/store.ts';
import { age } from './words.ts';

export interface PlatformStatus extends Health {
  readonly name: string;
}

/** The one truth about the daemon: `/status`, the page, `/readyz` and the CLI all say this. */
export interface Status {
  readonly version: string;
  readonly boot: string;
  readonly startedAt: number;
  readonly ready: boolean;
  /** Why it is not ready, in words; empty when it is. */
  readonly reasons: readonly string[];
  readonly platforms: readonly PlatformStatus[];
  readonly turns: { readonly running: number; readonly unfinished: number };
  readonly inboxOpen: number;
  readonly outbox: Readonly<Record<string, number>>;
  readonly jobs?: JobsStatus;
  readonly life: LifeStatus;
  /** Of a configuration that was read again: keys that wait for a restart, and what is wrong with it. */
  readonly config?: { readonly waiting: readonly string[]; readonly problems: readonly string[] };
}

/** Sentences for a chat: this session first, then, for an admin, the daemon. */
export function statusLines(
  status: Status,
  session: SessionFacts | undefined,
  now: number,
  admin = session?.admin ?? false,
): readonly string[] {
  const lines = session ? sessionLines(session, now) : ['No conversation yet.'];
  if (!admin) return lines;
  return [...lines, '', ...statusText(status, now)];
}

/** Sentences about the daemon, for a chat of an admin and for the command line. */
export function statusText(status: Status, now: number): readonly string[] {
  const { version, ready, reasons, startedAt, platforms, turns, inboxOpen, outbox, life } = status;
  return [
    `hermod ${version}, ${ready ? 'ready' : `not ready: ${reasons.join(', ')}`}, up ${age(now - startedAt)}`,
    ...platforms.map((p) => `${p.name}: ${p.state}${p.reason === '' ? '' : `, ${p.reason}`}`),
    `turns: ${turns.running} running, ${turns.unfinished} unfinished; messages without an answer: ${inboxOpen}; undelivered: ${outbox['dead'] ?? 0}`,
    ...(status.jobs ? [jobsText(status.jobs, now)] : []),
    ...lifeText(life),
    ...configText(status.config),
  ];
}

/** `jobs: 7 on, 1 running, 2 waiting; next "backup" Mon 30 Nov 2026 09:00 (+01:00), in 14 h`. */
function jobsText({ on, running, waiting, next }: JobsStatus, now: number): string {
  const line = `jobs: ${on} on, ${running} running, ${waiting} waiting`;
  if (!next) return line;
  const when = next.at > now ? `, in ${age(next.at - now)}` : ', due now';
  return `${line}; next "${plainText(next.name, 60)}" ${instantText(next.tz, next.at)}${when}`;
}

function configText(config: Status['config']): readonly string[] {
  if (!config) return [];
  const [problem, ...more] = config.problems;
  if (problem !== undefined)
    return [
      `config: not usable, the last good one counts: ${problem}${more.length > 0 ? ` and ${more.length} more` : ''}`,
    ];
  const { waiting } = config;
  return waiting.length === 0 ? [] : [`config: waits for a restart: ${waiting.join(', ')}`];
}

export interface SessionFacts {
  readonly id: SessionId;
  readonly admin: boolean;
  readonly runningSince: number | undefined;
  readonly waiting: number;
  readonly approvals: readonly { readonly code: string; readonly expiresAt: number }[];
  readonly held: readonly string[];
  readonly yoloUntil: number | null;
}

function sessionLines(session: SessionFacts, now: number): readonly string[] {
  const turn =
    session.runningSince === undefined
      ? 'Nothing is running.'
      : `A turn has been running for ${age(now - session.runningSince)}.`;
  const lines = [turn];
  if (session.waiting > 0)
    lines.push(`${session.waiting} ${session.waiting === 1 ? 'message waits' : 'messages wait'}.`);
  for (const { code, expiresAt } of session.approvals) {
    lines.push(
      `Approval ${code} waits for an answer, ${age(expiresAt - now)} left: /approve ${code} or /deny ${code}.`,
    );
  }
  for (const rule of session.held)
    lines.push(
      `An interrupted turn is held (${rule}): press a button of its card, or write anything to go on without it.`,
    );
  if (session.yoloUntil !== null && session.yoloUntil > now)
    lines.push(`Not asking before dangerous commands for ${age(session.yoloUntil - now)} more (/yolo).`);
  return lines;
}

/** Facts of one session, read from the rows. */
export function sessionFacts(
  store: Store,
  id: SessionId,
  live: {
    readonly admin: boolean;
    readonly runningSince: number | undefined;
    readonly approvals: SessionFacts['approvals'];
  },
  clock: Clock,
): SessionFacts {
  const held = store.turns.unfinishedOf(id).filter((turn) => heldBy(turn) !== null);
  return {
    id,
    ...live,
    waiting: store.inbox.waitingCount(id),
    approvals: live.approvals.filter((approval) => approval.expiresAt > clock.now()),
    held: held.map((turn) => turn.rule ?? 'held'),
    yoloUntil: store.sessions.get(id)?.yoloUntil ?? null,
  };
}
