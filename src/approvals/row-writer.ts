import { type ApprovalId, newId, randomCode } from '../contract/ids.ts';
import type { RunContext } from '../contract/run.ts';
import type { ApprovalRow, Choice, NewApproval } from '../store/approvals.ts';
import { sameChat } from './address.ts';
import { rowFacts } from './audit-trail.ts';
import type { BrokerDeps } from './broker-deps.ts';
import type { CardDesk, CardPlace } from './card-desk.ts';

/** What a caller says of a row; the rest of it follows. */
export type RowFacts = Omit<NewApproval, 'id' | 'code' | 'choices' | 'boot' | 'createdAt' | 'expiresAt'> & {
  readonly timeoutMs: number;
};

/** What a row keeps of the run that asks. */
export function runFacts(run: RunContext) {
  return { run: run.runId, rootRun: run.rootId, runKind: run.kind, depth: run.depth, session: run.session };
}

/** Writes a row with its cards, its event and the mark on its call, in the caller's transaction. */
export class RowWriter {
  readonly #deps: BrokerDeps;
  readonly #desk: CardDesk;

  constructor(deps: BrokerDeps, desk: CardDesk) {
    this.#deps = deps;
    this.#desk = desk;
  }

  /** What is offered depends on whether the whole command stands on every copy. */
  write(
    places: readonly CardPlace[],
    { timeoutMs, ...facts }: RowFacts,
    choices: (whole: boolean) => readonly Choice[],
  ): ApprovalRow {
    const { store, clock, trail, boot } = this.#deps;
    const now = clock.now();
    const times = { boot, createdAt: now, expiresAt: now + timeoutMs };
    const base = { ...facts, ...times, id: newId<ApprovalId>(), code: this.#freshCode(places) };
    const whole = this.#desk.whole({ ...base, choices: choices(true) }, places);
    const row = store.approvals.insert({ ...base, choices: choices(whole) });
    this.#desk.send(row, places);
    if (row.call !== null) store.transcript.asked(row.call);
    trail.write('asked', { ...rowFacts(row), actor: row.requester }, now);
    return row;
  }

  /** Where copies go: the requester's chat, and by `card_to` the approvers' direct chats. */
  places(to: CardPlace, alone: boolean): readonly CardPlace[] {
    const { card_to, approvers } = this.#deps.config();
    // A terminal draws its own question.
    if (to.address.platform === 'cli') return [];
    if (card_to === 'origin' || alone) return [to];
    const known = approvers.flatMap((actor) => this.#deps.directOf?.(actor) ?? []);
    const direct = known.map((address) => ({ address, direct: true }));
    const elsewhere = direct.filter(({ address }) => !sameChat(address, to.address));
    return card_to === 'direct' && direct.length > 0 ? direct : [to, ...elsewhere];
  }

  #freshCode(places: readonly CardPlace[]): string {
    const there = places.flatMap(({ address }) => this.#deps.store.approvals.pendingAt(address));
    const taken = new Set(there.map(({ code }) => code));
    for (;;) {
      const code = randomCode(4);
      if (!taken.has(code)) return code;
    }
  }
}
