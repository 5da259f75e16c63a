import type { Actor, Address } from '../contract/message.ts';
import type { Place } from '../store/homes.ts';
import type { JobRow, JobTarget } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import { ownerKey } from './job-rules.ts';

export interface PlacesDeps {
  readonly store: Pick<Store, 'homes' | 'moves' | 'reach'>;
  /** Where notices of each platform go; those of `first` come first. */
  readonly homes: (first?: string) => readonly Place[];
  /** Whether somebody may talk in a chat now: then what they scheduled may, too. */
  readonly mayTalk: (by: Actor, place: Place) => boolean;
  readonly isAdmin: (by: Actor) => boolean;
}

/** A terminal has no chat: what is made there is told elsewhere. */
const NO_CHAT = ['cli'];
const MOST_TARGETS = 5;

/** Where the words of jobs go. */
export class Places {
  readonly #deps: PlacesDeps;

  constructor(deps: PlacesDeps) {
    this.#deps = deps;
  }

  /** The chats a firing's answer goes to now: at most 5, each once, those its owner may talk in. */
  targets(job: JobRow): readonly Place[] {
    const found = job.deliver.flatMap((target) => this.#resolve(job, target));
    const allowed = found.filter((place) => this.#mayPost(job, place));
    return [...new Map(allowed.map((place) => [keyOf(place), place])).values()].slice(0, MOST_TARGETS);
  }

  /** Targets that are no place its owner may post in now. */
  refused(job: JobRow): readonly JobTarget[] {
    return job.deliver.filter((target) => {
      const found = this.#resolve(job, target);
      return found.length > 0 && !found.some((place) => this.#mayPost(job, place));
    });
  }

  /** Homes of platforms that have none now. */
  homeless(job: JobRow): readonly JobTarget[] {
    return job.deliver.filter(
      (target) => typeof target === 'string' && target.startsWith('home:') && this.#resolve(job, target).length === 0,
    );
  }

  /** A private chat of somebody else is no place for anybody's words but an admin's. */
  #mayPost(job: JobRow, place: Place): boolean {
    const { store, mayTalk, isAdmin } = this.#deps;
    if (!mayTalk(job.owner, place)) return false;
    if (!place.direct || isAdmin(job.owner)) return true;
    const own = [...this.#origin(job), ...store.homes.directOf(ownerKey(job.owner))];
    return own.some(({ address }) => chatOf(address) === chatOf(place.address));
  }

  /** Where its owner is told something of a job: where it was made, else their own chat, else a home. */
  forOwner(job: JobRow): Place | undefined {
    const { store, homes } = this.#deps;
    const own = store.homes.directOf(ownerKey(job.owner));
    const known = [...this.#origin(job), ...own, ...homes(job.owner.platform)];
    return known.find(({ address }) => !store.reach.isGone(address)) ?? known[0];
  }

  /** Every chat it goes to has refused us. */
  unreachable(job: JobRow): boolean {
    const places = this.targets(job);
    return places.length > 0 && places.every(({ address }) => this.#deps.store.reach.isGone(address));
  }

  #resolve(job: JobRow, target: JobTarget): readonly Place[] {
    const { homes } = this.#deps;
    if (typeof target !== 'string') return [{ address: this.#latest(target), direct: false }];
    if (target === 'origin') return this.#origin(job);
    if (target === 'local') return [];
    if (target === 'all') return homes();
    const platform = target.slice('home:'.length);
    return homes().filter(({ address }) => address.platform === platform);
  }

  #origin({ origin, direct }: JobRow): readonly Place[] {
    return NO_CHAT.includes(origin.platform) ? [] : [{ address: this.#latest(origin), direct }];
  }

  /** A chat that got a new id is still the same chat; of a thread that was lost the chat around it is left. */
  #latest(address: Address): Address {
    const { moves, reach } = this.#deps.store;
    const now = { ...address, chat: moves.latest(address.platform, address.chat) };
    if (!reach.isLost(now)) return now;
    const { thread: _, ...around } = now;
    return around;
  }
}

/** Whether a chat can be told anything. */
export const hasChat = ({ platform }: Address): boolean => !NO_CHAT.includes(platform);

function chatOf({ platform, chat }: Address): string {
  return `${platform}:${chat}`;
}

function keyOf({ address: { platform, bot, chat, thread = '' } }: Place): string {
  return JSON.stringify([platform, bot, chat, thread]);
}
