import type { RunContext } from '../contract/run.ts';
import type { Store } from '../store/store.ts';
import type { AskedAt } from './gate-deps.ts';

/** The chat a run belongs to: where its person talks, or where its job delivers. */
export function placeOf(run: RunContext | undefined, store: Pick<Store, 'sessions'>): AskedAt {
  const address = run?.kind === 'chat' ? run.replyTo : run?.kind === 'cron' ? run.deliverTo[0] : undefined;
  if (!run || !address) return undefined;
  return { address, direct: store.sessions.get(run.session)?.direct ?? false };
}
