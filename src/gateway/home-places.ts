import type { Place } from '../store/homes.ts';
import type { Store } from '../store/store.ts';

/**
 * Where notices of a platform go: what `/sethome` chose, else `home.<platform>` of the configuration, an id such as
 * `telegram:123`. A chat nobody has talked in yet is taken for a group: the slower pace is never wrong.
 */
export function homeOf(
  store: Store,
  platform: string,
  configured: Readonly<Record<string, string>>,
): Place | undefined {
  const chosen = store.homes.get(platform);
  if (chosen) return chosen;
  const id = configured[platform];
  if (id === undefined) return undefined;
  const chat = store.moves.latest(platform, id.slice(platform.length + 1));
  return store.homes.known(platform, chat) ?? { address: { platform, bot: '', chat }, direct: false };
}

/** All homes; those of `first` come first. */
export function homes(store: Store, configured: Readonly<Record<string, string>>, first?: string): readonly Place[] {
  const names = [...new Set([...store.homes.platforms(), ...Object.keys(configured)])];
  const ordered = names.sort((a, b) => Number(b === first) - Number(a === first));
  return ordered.flatMap((name) => homeOf(store, name, configured) ?? []);
}
