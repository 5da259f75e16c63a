import type { Clock } from '../contract/clock.ts';
import type { InboxId, SessionId } from '../contract/ids.ts';
import type { Button, ButtonPress, FormAnswer, OutboundMessage } from '../contract/message.ts';
import type { Store } from '../store/store.ts';
import type { AccessVerdict } from './access.ts';
import type { CommandAnswer } from './commands/command.ts';
import { putLine } from './line.ts';
import { sessionKey } from './session-key.ts';
import { age, count } from './words.ts';

export interface InputDeskDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly kick: (session: SessionId) => void;
  readonly sessions: () => { readonly group_per_actor: boolean; readonly thread_per_actor: boolean };
}

const SHAPE = /^h1:in:([a-z2-7]{26}):([as])$/;

/** Asks people whether what they wrote long ago is still to be answered, and obeys. One card a session. */
export class InputDesk {
  readonly #deps: InputDeskDeps;

  constructor(deps: InputDeskDeps) {
    this.#deps = deps;
  }

  /** Puts a row aside and asks about it. Call it inside the transaction that stores it. */
  ask(id: InboxId, session: SessionId): void {
    const { store, clock } = this.#deps;
    const card = store.inbox.askedIn(session)?.card ?? id;
    store.inbox.ask(id, card);
    const rows = store.inbox.askedBy(card);
    const [oldest] = rows;
    if (!oldest) return;
    const { address, direct } = oldest.message;
    const sentAt = Math.min(...rows.map(({ message }) => message.sentAt));
    const message = agedCard(card, rows.length, clock.now() - sentAt);
    putLine(store, `aged:${card}`, { kind: 'card', address, direct, message }, clock.now());
  }

  /** Undefined: no button of such a card. Call it inside the transaction that stores the press. */
  press(event: ButtonPress | FormAnswer, verdict: AccessVerdict): CommandAnswer | undefined {
    const [, card, choice] = SHAPE.exec(event.data) ?? [];
    if (card === undefined) return undefined;
    const rows = this.#deps.store.inbox.askedBy(card as InboxId);
    const [first] = rows;
    if (!first) return { text: 'This is settled already.' };
    const session = this.#deps.store.sessions.get(first.session);
    const theirs = session?.key === sessionKey(event, this.#deps.sessions());
    if (verdict.kind === 'deny' || (!theirs && verdict.role !== 'admin'))
      return { text: 'Only who wrote this can decide it.' };
    return choice === 'a' ? this.#answer(card as InboxId, rows) : this.#skip(card as InboxId, rows);
  }

  #answer(card: InboxId, rows: ReturnType<Store['inbox']['askedBy']>): CommandAnswer {
    const { store, clock, kick } = this.#deps;
    store.inbox.answerAsked(card, clock.now());
    this.#close(card, rows, `Answering ${count(rows.length, 'old message', 'old messages')} now.`);
    const session = rows[0]?.session;
    return { text: 'I answer now.', after: () => session && kick(session) };
  }

  #skip(card: InboxId, rows: ReturnType<Store['inbox']['askedBy']>): CommandAnswer {
    const { store, clock } = this.#deps;
    for (const { id } of rows) store.inbox.finish(id, 'expired', clock.now(), 'skipped by a person');
    this.#close(card, rows, `Skipped ${count(rows.length, 'old message', 'old messages')}.`);
    return { text: 'Skipped.' };
  }

  #close(card: InboxId, rows: ReturnType<Store['inbox']['askedBy']>, text: string): void {
    const { store, clock } = this.#deps;
    const place = rows[0]?.message;
    if (!place) return;
    const { address, direct } = place;
    putLine(store, `aged:${card}`, { kind: 'card', address, direct, message: { text } }, clock.now());
  }
}

function agedCard(card: InboxId, messages: number, ms: number): OutboundMessage {
  const button = (label: string, choice: 'a' | 's'): Button => ({ label, data: `h1:in:${card}:${choice}` });
  const text =
    messages === 1
      ? `You wrote a message ${age(ms)} ago while I was down. Answer it now?`
      : `You wrote ${messages} messages ${age(ms)} ago while I was down. Answer them now?`;
  return { text, buttons: [[button('Answer', 'a'), button('Skip', 's')]] };
}
