import type { TurnId } from '../contract/ids.ts';
import type { Actor, Address } from '../contract/message.ts';
import type { RunContext } from '../contract/run.ts';
import type { ApprovalRequest } from './approval-request.ts';
import { choices } from './choices.ts';
import type { Decision } from './decide.ts';
import { effectOf } from './effect.ts';
import type { GateCall, GateDeps } from './gate-deps.ts';
import { scriptHash } from './script-hash.ts';
import type { Subject } from './subject.ts';

/** Turns a decision to ask into the request the broker writes down, or into why nobody can be asked. */
export async function questionFor(
  deps: GateDeps,
  call: GateCall,
  subject: Subject,
  decision: Decision,
  run: RunContext,
): Promise<ApprovalRequest | string> {
  const config = deps.config();
  const asked = whoIsAsked(deps, run, call.turn);
  if (typeof asked === 'string') return asked;
  const { command, input, cwd, backend, digest, findings, guard, shape, tool } = subject;
  const { bar } = shape;
  const [hash, effect] = [await scriptHash(subject), await effectOn(deps, subject)];
  return {
    ...{
      kind: 'call',
      run,
      turn: call.turn,
      call: call.call,
      guard,
      tool: tool.name,
      command,
      input,
      cwd,
      backend,
      digest,
    },
    ...{ scriptHash: hash, findings, requester: asked.requester, to: asked.to },
    choices: (whole) => choices({ guard, runKind: run.kind, decision, bar, whole, config }),
    details: {
      ...labels(deps, run, subject),
      ...(asked.replyTo === null ? {} : { replyTo: asked.replyTo }),
      ...(effect === undefined ? {} : { effect }),
      advised: decision.advised,
      people: decision.people,
      requesterOnly: findings.some(({ rule }) => rule === 'untrusted.change'),
      grants: shape.templates,
      bar,
      timedMinutes: config.timed_grant_minutes,
    },
    timeoutMs: (run.kind === 'cron' ? config.cron_ask_timeout_s : config.timeout_s) * 1000,
  };
}

interface Asked {
  readonly requester: Actor;
  readonly to: { readonly address: Address; readonly direct: boolean };
  readonly replyTo: string | null;
}

function whoIsAsked({ store, allowed, broker }: GateDeps, run: RunContext, turn: TurnId | null): Asked | string {
  const direct = store.sessions.get(run.session)?.direct ?? false;
  switch (run.kind) {
    case 'chat': {
      const row = turn === null ? undefined : store.turns.get(turn);
      const to = { address: run.replyTo, direct: row?.direct ?? direct };
      return { requester: run.actor, to, replyTo: row?.replyTo ?? null };
    }
    case 'cron': {
      const [address] = run.deliverTo;
      if (!address) return 'the job has no chat to ask in';
      if (!allowed(run.owner, { address, direct })) return "the job's owner may no longer use hermod";
      return { requester: run.owner, to: { address, direct }, replyTo: null };
    }
    case 'cli': {
      if (!broker.callbackOf(run.runId)) return 'nobody is at the terminal';
      const to = { address: { platform: 'cli', bot: 'local', chat: run.terminal }, direct: true };
      return { requester: { platform: 'cli', id: 'operator', name: 'the operator' }, to, replyTo: null };
    }
    case 'unattended':
      return 'nobody is there to ask';
  }
}

function labels({ jobName, goal }: GateDeps, run: RunContext, { language, shape, title }: Subject) {
  const user = shape.templates[0]?.wrappers.map((one) => one.split(':')[1]).findLast(Boolean);
  return {
    ...(run.kind === 'cron' ? { job: { id: run.jobId, name: jobName?.(run.jobId) ?? run.jobId } } : {}),
    ...(run.depth > 0 ? { worker: goal?.(run) ?? 'no goal given' } : {}),
    ...(language === undefined ? {} : { language }),
    ...(user === undefined ? {} : { user }),
    ...(title === undefined ? {} : { title }),
  };
}

/** On the host only, and never in the way of the card. */
async function effectOn({ config, clock, effect = (one) => effectOf(one, clock) }: GateDeps, subject: Subject) {
  if (!config().preview || subject.guard !== 'shell' || subject.backend !== 'local') return undefined;
  return effect(subject).catch(() => undefined);
}
