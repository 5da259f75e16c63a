import type { Clock } from '../contract/clock.ts';
import { type ApprovalId, randomCode } from '../contract/ids.ts';
import type { Address, OutboundMessage } from '../contract/message.ts';
import type { PlatformLimits } from '../contract/platform.ts';
import type { ApprovalRow, CardTrace } from '../store/approvals.ts';
import type { Store } from '../store/store.ts';
import { NONCE_LENGTH } from './answer-data.ts';
import { type Card, type CardRow, type CardView, card, closedCard } from './card.ts';
import { plain } from './markdown.ts';
import { questionCard } from './question-card.ts';
import type { Redactor } from './redact.ts';

export interface CardDeskDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly limitsOf: (platform: string) => PlatformLimits | undefined;
  readonly redactor: () => Redactor;
  readonly time: (at: number) => string;
  readonly folder: (path: string) => string;
}

export interface CardPlace {
  readonly address: Address;
  readonly direct: boolean;
}

/** A platform that is not there now still gets a card that any platform can show. */
const MODEST = { maxText: 1500, buttons: false, forms: false };

/** Puts cards and what becomes of them into the outbox. Every method belongs in the caller's transaction. */
export class CardDesk {
  readonly #deps: CardDeskDeps;

  constructor(deps: CardDeskDeps) {
    this.#deps = deps;
  }

  /** Whether the whole command stands on every copy. */
  whole(row: CardRow, places: readonly CardPlace[]): boolean {
    return places.every(({ address }) => this.#draw(row, '', this.#view(address)).whole);
  }

  /** One copy a place, each with a nonce of its own. */
  send(row: ApprovalRow, places: readonly CardPlace[]): void {
    places.forEach((place, n) => {
      const nonce = randomCode(NONCE_LENGTH);
      const outboxKey = `card:${row.id}:${n}`;
      this.#deps.store.approvals.addCard({ approval: row.id, nonce, address: place.address, outboxKey });
      const { message } = this.#draw(row, nonce, this.#view(place.address));
      const inReply = n === 0 ? message : withoutReply(message);
      this.#put(outboxKey, place, inReply, row, { expiresAt: row.expiresAt });
    });
  }

  /** The card says something more; its buttons stay. `mark` tells this change from others. */
  amend(row: ApprovalRow, mark: string): void {
    for (const copy of this.#copies(row.id)) {
      const { message } = this.#draw(row, copy.nonce, this.#view(copy.address));
      const key = copy.outboxKey.replace('card:', `card-${mark}:`);
      this.#put(key, this.#place(copy, row), withoutReply(message), row, {
        edits: copy.outboxKey,
        expiresAt: row.expiresAt,
      });
    }
  }

  /** Every copy says how it ended and loses its buttons; what was not sent yet never shows live ones. `line` is Markdown. */
  close(row: ApprovalRow, line: string, suffix = ''): void {
    for (const copy of this.#copies(row.id)) {
      this.#withdraw(copy.outboxKey);
      const key = copy.outboxKey.replace('card:', 'card-closed:') + suffix;
      this.#put(key, this.#place(copy, row), this.#closed(row, line, this.#view(copy.address)), row, {
        edits: copy.outboxKey,
      });
    }
  }

  /** The same question without buttons, for a card the platform refused for good; without its file only a no is possible. */
  asText(row: ApprovalRow, copy: CardTrace): void {
    const { approvals } = this.#deps.store;
    const view = this.#view(copy.address);
    const modest = { ...view, limits: { ...view.limits, buttons: false, forms: false } };
    const { whole } = this.#draw(row, copy.nonce, modest);
    const choices = whole ? row.choices : (['deny'] as const);
    if (!whole) approvals.restrict(row.id, choices);
    const { text } = this.#draw({ ...row, choices }, copy.nonce, modest).message;
    const key = copy.outboxKey.replace('card:', 'card-text:');
    this.#put(key, this.#place(copy, row), { text }, row, { edits: copy.outboxKey, expiresAt: row.expiresAt });
  }

  #closed(row: ApprovalRow, line: string, view: CardView): OutboundMessage {
    if (row.kind !== 'question') return closedCard(row, line, view);
    return { text: `**${plain(row.command ?? '', 300)}**\n${line}` };
  }

  #draw(row: CardRow, nonce: string, view: CardView): Card {
    if (row.kind === 'question') return { message: questionCard(row, nonce, view), whole: true };
    return card(row, nonce, view);
  }

  #put(
    key: string,
    { address, direct }: CardPlace,
    message: OutboundMessage,
    row: ApprovalRow,
    more: { edits?: string; expiresAt?: number },
  ): void {
    const turn = row.turn === null ? {} : { turn: row.turn };
    this.#deps.store.outbox.put(
      { key, kind: 'card', address, direct, message, ...turn, ...more },
      this.#deps.clock.now(),
    );
  }

  /** A card, its parts and its changes that have not left yet. */
  #withdraw(key: string): void {
    const { outbox, approvals } = this.#deps.store;
    for (const id of approvals.unsentOf(key)) outbox.close(id, 'superseded');
  }

  #copies(id: ApprovalId): readonly CardTrace[] {
    return this.#deps.store.approvals.cards(id);
  }

  #place(copy: CardTrace, row: ApprovalRow): CardPlace {
    const direct = this.#deps.store.outbox.get(copy.outboxKey)?.direct ?? row.direct;
    return { address: copy.address, direct };
  }

  #view({ platform }: Address): CardView {
    const { limitsOf, redactor, time, folder } = this.#deps;
    const { spans } = redactor();
    return { limits: limitsOf(platform) ?? MODEST, secrets: spans, time, folder };
  }
}

function withoutReply({ replyTo: _, ...message }: OutboundMessage): OutboundMessage {
  return message;
}
