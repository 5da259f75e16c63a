import type { Address } from '../contract/message.ts';
import type { RestartNotice } from '../store/restart-notices.ts';
import type { Store } from '../store/store.ts';
import type { TurnRow } from '../store/turns.ts';

/** One pair a chat in this time, over all boots. */
const QUIET_MS = 600_000;

type Tells = Pick<Store, 'outbox' | 'restartNotices'>;

export interface Place {
  readonly address: Address;
  readonly direct: boolean;
}

/** What is true of one chat after a boot. */
export interface BackNews extends Place {
  /** A turn of it goes on. */
  readonly resumed: boolean;
  /** Sentences about calls whose outcome nobody knows. */
  readonly unknown: readonly string[];
}

/**
 * Tells a chat that hermod goes down; it will be told that hermod is back. `edits`: the message of ours that becomes this one.
 * False: it was told of a restart not long ago, and nothing more is said. Call it inside a transaction, as the next.
 */
export function tellDown(store: Tells, { address, direct }: Place, text: string, now: number, edits?: string): boolean {
  if (isRecent(store.restartNotices.of(address), now)) return false;
  const key = keyOf(address, now);
  const message = { text };
  store.outbox.put({ key, kind: 'notice', address, direct, message, ...(edits === undefined ? {} : { edits }) }, now);
  store.restartNotices.put({ address, direct, key, down: true, toldAt: now });
  return true;
}

/** Tells whoever waits for a turn that the end of this process cuts it off, in the message that showed its progress. */
export function tellCutOff(store: Tells, turn: TurnRow, leaving: boolean, now: number): void {
  const progress = store.outbox.get(`progress:${turn.id}`);
  const text = leaving
    ? 'I was stopped in the middle of this. I go on when I am started again.'
    : 'Interrupted by a restart. I go on when I am back.';
  tellDown(store, turn, text, now, progress?.state === 'sent' ? progress.key : undefined);
}

/**
 * Whoever was told "going down" is told "back", once, in the same message. Other chats hear of a boot only when a call of theirs
 * has an outcome that nobody knows.
 */
export function tellBack(store: Tells, news: readonly BackNews[], now: number): void {
  const told = new Set<string>();
  for (const notice of store.restartNotices.down()) {
    const own = news.filter(({ address }) => chatOf(address) === chatOf(notice.address));
    const first = own.some(({ resumed }) => resumed) ? 'Resumed after a restart.' : 'Back after a restart.';
    say(store, notice, [first, ...own.flatMap(({ unknown }) => unknown)], now);
    told.add(chatOf(notice.address));
  }
  for (const [chat, own] of Map.groupBy(news, ({ address }) => chatOf(address))) {
    const lines = own.flatMap(({ unknown }) => unknown);
    if (!told.has(chat) && lines.length > 0) sayUnknown(store, own[0] as BackNews, lines, now);
  }
}

function sayUnknown(store: Tells, { address, direct }: Place, lines: readonly string[], now: number): void {
  const notice = store.restartNotices.of(address);
  // An edit wakes nobody, and a "back" may stand far above by now: only the last news of this kind is replaced.
  if (notice?.key.startsWith(OUTCOME) && isRecent(notice, now)) {
    say(store, notice, lines, now);
    return;
  }
  const key = `${OUTCOME}${chatOf(address)}:${now}`;
  store.outbox.put({ key, kind: 'notice', address, direct, message: { text: lines.join('\n') } }, now);
  store.restartNotices.put({ address, direct, key, down: false, toldAt: now });
}

/** In the message that is there: a chat that restarts often has one line about it, with the latest news. */
function say(store: Tells, notice: RestartNotice, lines: readonly string[], now: number): void {
  const { address, direct, key } = notice;
  const message = { text: lines.join('\n') };
  store.outbox.put({ key: `${key}:${now}`, kind: 'notice', address, direct, message, edits: key }, now);
  store.restartNotices.put({ ...notice, down: false });
}

function isRecent(notice: RestartNotice | undefined, now: number): boolean {
  return notice !== undefined && now >= notice.toldAt && now - notice.toldAt < QUIET_MS;
}

const OUTCOME = 'outcome:';
const chatOf = ({ platform, bot, chat }: Address) => JSON.stringify([platform, bot, chat]);
const keyOf = (address: Address, now: number) => `restart:${chatOf(address)}:${now}`;
