import type { Call } from '../call.ts';
import { SHELLS } from '../program-names.ts';
import { finderPeels } from './finders.ts';
import { identityPeels } from './identity.ts';
import type { Inner, Peel } from './inner.ts';
import { launcherPeels } from './launchers.ts';
import { managedPeels } from './managed.ts';
import { plainPeels } from './plain.ts';
import { remotePeels } from './remote.ts';
import { runnerPeels } from './runners.ts';
import { envSplit, shellPeel, shellPeels } from './shells.ts';
import { starterPeels } from './starters.ts';
import { itemPeels } from './xargs.ts';

const peels: ReadonlyMap<string, Peel> = new Map([
  ...Object.entries(plainPeels),
  ...Object.entries(identityPeels),
  ...Object.entries(runnerPeels),
  ...Object.entries(shellPeels),
  ...Object.entries(itemPeels),
  ...Object.entries(finderPeels),
  ...Object.entries(remotePeels),
  ...Object.entries(starterPeels),
  ...Object.entries(managedPeels),
  ...Object.entries(launcherPeels),
]);

const NOTHING: readonly Inner[] = [];

/** What the call runs in turn: nothing for an ordinary program. */
export function peel(call: Call): readonly Inner[] {
  if (SHELLS.has(call.program)) return shellPeel(call);
  const split = call.program === 'env' ? envSplit(call) : NOTHING;
  return split.length > 0 ? split : (peels.get(call.program)?.(call) ?? NOTHING);
}

export function wrapperNames(): Iterable<string> {
  return peels.keys();
}
