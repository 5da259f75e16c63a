import { outsideRun } from '../context/run-context.ts';
import type { ApprovalId, RunId, SessionId } from '../contract/ids.ts';
import type { ButtonPress, FormAnswer, Inbound, InboundMessage, PrivateReply } from '../contract/message.ts';
import type { Finding } from '../contract/tool.ts';
import type { ApprovalRow, CancelReason, CardTrace, Choice } from '../store/approvals.ts';
import { actorKey } from './actor-key.ts';
import { Answering, type AnswerResult } from './answering.ts';
import type { ApprovalOutcome, ApprovalRequest } from './approval-request.ts';
import { Asking } from './asking.ts';
import { rowFacts } from './audit-trail.ts';
import type { BrokerDeps } from './broker-deps.ts';
import { CardDesk } from './card-desk.ts';
import { type JobLabel, Offers, type Refusal } from './offers.ts';
import { lapsedText } from './outcome-text.ts';
import { type Question, Questions } from './questions.ts';
import { RowWriter } from './row-writer.ts';
import { type Answer, Settling } from './settling.ts';
import { WaitingRoom } from './waiting-room.ts';

/** Asks people, and settles what they answer. A row is the question; a press settles the row; promises only carry the news. */
export interface Broker {
  /** Writes the row and its card in one transaction, then waits. Rejects only where that cannot be written. */
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalOutcome>;
  /** Waits again for a row that an earlier process asked. */
  rejoin(approval: ApprovalId, signal: AbortSignal): Promise<ApprovalOutcome>;
  /** Asks the requester something; a second time for the same call it waits for the first question. */
  question(question: Question, signal: AbortSignal): Promise<ApprovalOutcome>;
  /** What a job was refused, offered to its owner for later firings. Returns how many cards were made. */
  offer(refusals: readonly Refusal[], job: JobLabel): number;
  /** Settles or explains. */
  press(press: ButtonPress | FormAnswer): PrivateReply;
  /** `/approve` and `/deny`; returns what the person reads. */
  command(verb: 'approve' | 'deny', args: string, from: Inbound, session: SessionId | undefined): string;
  /** A message that answers the one card of a session by a word, or a card by a reply. False: ordinary input. */
  word(message: InboundMessage, session: SessionId): boolean;
  /** The page and the CLI settle by the same rules. */
  answer(id: ApprovalId, answer: Answer): AnswerResult;
  /** Settles all that waits in a session, its workers' included. `reset` also drops its grants and yolo. Returns how many. */
  cancelSession(session: SessionId, by: 'stop' | 'reset'): number;
  /** Somebody (`platform:id`) lost access: what they asked is over, their grants end. Returns how many requests. */
  cancelRequester(actor: string): number;
  /** A card row was given up: its text form follows; when that too is dead, nobody can answer and the request is over. */
  undeliverable(outboxKey: string): void;
  /** A surface that can say yes for one run; it goes with the run. Returns how to take it away. */
  register(run: RunId, callback: AskCallback): () => void;
  callbackOf(run: RunId): AskCallback | undefined;
  pendingOf(session: SessionId): readonly ApprovalRow[];
  /** A yes too old to act on after a restart: expired, and every copy of the card says so. */
  lapse(approval: ApprovalId): void;
  /** At boot, outside any run: ends what cannot be answered any more and arms expiry. */
  recover(): void;
  /** A row was settled and nobody in this process waits for it. Called after the commit, outside any run. */
  onParkedSettled: (approval: ApprovalRow) => void;
  stop(): void;
}

export interface AskView {
  /** Exact; draw it with care. */
  readonly command: string;
  readonly findings: readonly Finding[];
  readonly choices: readonly Choice[];
}

/** Answers a choice; of a worker only `once` counts, all else is a no. */
export type AskCallback = (question: AskView, signal: AbortSignal) => Promise<unknown>;

export function createBroker(deps: BrokerDeps): Broker {
  return new ApprovalBroker(deps);
}

/** Node's timers hold 24.8 days; looking once a day is enough. */
const LONGEST_TIMER_MS = 86_400_000;
const RETRY_MS = 5000;

class ApprovalBroker implements Broker {
  onParkedSettled: (approval: ApprovalRow) => void = () => {};
  readonly #deps: BrokerDeps;
  readonly #room = new WaitingRoom();
  readonly #desk: CardDesk;
  readonly #settling: Settling;
  readonly #questions: Questions;
  readonly #offers: Offers;
  readonly #asking: Asking;
  readonly #answering: Answering;
  readonly #callbacks = new Map<RunId, AskCallback>();
  #cancelExpiry: () => void = () => {};

  constructor(deps: BrokerDeps) {
    this.#deps = deps;
    this.#desk = new CardDesk(deps);
    this.#settling = new Settling(deps, this.#desk, (row) => this.#announce(row));
    const writer = new RowWriter(deps, this.#desk);
    this.#questions = new Questions(deps, writer, this.#settling);
    this.#offers = new Offers(deps, writer);
    this.#asking = new Asking(deps, this.#desk, writer, this.#settling, this.#room);
    this.#answering = new Answering(deps, this.#settling, this.#questions);
  }

  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalOutcome> {
    return this.#asking.ask(request, signal, (row) => {
      this.#armExpiry();
      void this.#prompt(row, signal);
    });
  }

  question(question: Question, signal: AbortSignal): Promise<ApprovalOutcome> {
    const full = this.#questions.find(question.call) ? undefined : this.#asking.full(question.run.session);
    if (full) return Promise.resolve(full);
    const row = this.#questions.row(question);
    this.#armExpiry();
    return this.#asking.wait(row.id, signal);
  }

  offer(refusals: readonly Refusal[], job: JobLabel): number {
    const { store, wake } = this.#deps;
    const made = store.tx(() => refusals.filter((refusal) => this.#offers.make(refusal, job)).length);
    if (made > 0) this.#armExpiry();
    wake();
    return made;
  }

  /** A run with a surface of its own is asked there too; what it says settles the row like a press. */
  async #prompt(row: ApprovalRow, signal: AbortSignal): Promise<void> {
    const callback = row.runKind === 'cli' ? this.#callbacks.get(row.run) : undefined;
    if (!callback || row.command === null) return;
    const question = { command: row.command, findings: row.findings, choices: row.choices };
    const said = await callback(question, signal).catch(() => 'deny');
    const choice = row.choices.find((one) => one === said) ?? 'deny';
    this.#answering.answer(row.id, { choice, by: row.requester, surface: 'terminal' });
  }

  register(run: RunId, callback: AskCallback): () => void {
    this.#callbacks.set(run, callback);
    return () => void (this.#callbacks.get(run) === callback && this.#callbacks.delete(run));
  }

  callbackOf(run: RunId): AskCallback | undefined {
    return this.#callbacks.get(run);
  }

  rejoin(id: ApprovalId, signal: AbortSignal): Promise<ApprovalOutcome> {
    return this.#asking.wait(id, signal);
  }

  press(press: ButtonPress | FormAnswer): PrivateReply {
    return { text: this.#answering.press(press).text };
  }

  command(verb: 'approve' | 'deny', args: string, from: Inbound, session: SessionId | undefined): string {
    return this.#answering.command(verb, args, from, session);
  }

  word(message: InboundMessage, session: SessionId): boolean {
    return this.#answering.word(message, session);
  }

  answer(id: ApprovalId, answer: Answer): AnswerResult {
    return this.#answering.answer(id, answer);
  }

  cancelSession(session: SessionId, by: 'stop' | 'reset'): number {
    const { store } = this.#deps;
    return store.tx(() => {
      if (by === 'reset') {
        this.#revoked(store.grants.revokeSession(session, this.#deps.clock.now()), by, session);
        store.sessions.setYolo(session, null);
      }
      return this.#cancel(this.pendingOf(session), by);
    });
  }

  cancelRequester(actor: string): number {
    const { store, clock } = this.#deps;
    return store.tx(() => {
      this.#revoked(store.grants.revokeActor(actor, clock.now()), 'access', actor);
      const theirs = store.approvals.pending().filter((row) => actorKey(row.requester) === actor);
      return this.#cancel(theirs, 'access');
    });
  }

  #revoked(count: number, reason: string, detail: string): void {
    const { trail, clock } = this.#deps;
    if (count > 0) trail.write('grant-revoked', { reason, detail: `${count} of ${detail}` }, clock.now());
  }

  #cancel(rows: readonly ApprovalRow[], reason: CancelReason): number {
    for (const row of rows) this.#settling.end(row.id, { state: 'cancelled', reason });
    return rows.length;
  }

  undeliverable(outboxKey: string): void {
    const { store, wake } = this.#deps;
    const asText = outboxKey.startsWith('card-text:');
    const copy = store.approvals.cardOf(asText ? outboxKey.replace('card-text:', 'card:') : outboxKey);
    const row = copy && store.approvals.get(copy.approval);
    if (!copy || row?.state !== 'pending') return;
    store.tx(() => (asText ? this.#unseen(row, copy) : this.#desk.asText(row, copy)));
    wake();
  }

  /** Over, unless another copy is there or on its way. */
  #unseen(row: ApprovalRow, dead: CardTrace): void {
    const { approvals } = this.#deps.store;
    const others = approvals.cards(row.id).filter(({ nonce }) => nonce !== dead.nonce);
    if (others.some((copy) => this.#onItsWay(copy))) return;
    this.#settling.end(row.id, { state: 'cancelled', reason: 'undeliverable' });
  }

  #onItsWay({ outboxKey }: CardTrace): boolean {
    const { outbox } = this.#deps.store;
    const states = [outboxKey, outboxKey.replace('card:', 'card-text:')].map((key) => outbox.get(key)?.state);
    return states.some((state) => state !== undefined && state !== 'dead');
  }

  pendingOf(session: SessionId): readonly ApprovalRow[] {
    return this.#deps.store.approvals.pendingOf(session).filter(({ kind }) => kind !== 'offer');
  }

  recover(): void {
    const { store, clock, wake } = this.#deps;
    store.tx(() => {
      const decided = store.approvals.unfinished();
      for (const row of store.approvals.pending()) {
        if (row.expiresAt <= clock.now()) this.#settling.end(row.id, { state: 'expired' });
        else if (!this.#rebuildable(row)) this.#settling.end(row.id, { state: 'cancelled', reason: 'restart' });
      }
      for (const row of decided) this.#resettle(row);
    });
    this.#armExpiry();
    wake();
  }

  /** Decided before the process ended: too old a yes lapses, and a parked turn is told. */
  #resettle(row: ApprovalRow): void {
    if (row.state === 'granted' && row.expiresAt <= this.#deps.clock.now()) this.lapse(row.id);
    if (row.turn !== null && this.#deps.store.turns.get(row.turn)?.state === 'parked') this.#announce(row);
  }

  /** Of a yes that has begun, and of anything else, nothing. */
  lapse(id: ApprovalId): void {
    const { store, time, trail, clock } = this.#deps;
    store.tx(() => {
      const row = store.approvals.lapse(id);
      if (!row) return;
      this.#desk.close(row, lapsedText(row, time), ':restart');
      trail.write('expired', { ...rowFacts(row), reason: 'restart' }, clock.now());
    });
  }

  /** Only a chat's own turn is built again from rows. */
  #rebuildable(row: ApprovalRow): boolean {
    if (row.kind === 'offer') return true;
    const { turns, transcript } = this.#deps.store;
    if (row.runKind !== 'chat' || row.depth > 0 || row.turn === null || row.call === null) return false;
    const state = transcript.call(row.call)?.state;
    return turns.get(row.turn)?.endedAt === null && (state === 'asked' || state === 'planned');
  }

  /** After the commit: waiters read the row again, so a transaction that failed after all wakes nobody for nothing. */
  #announce({ id }: ApprovalRow): void {
    queueMicrotask(() => {
      const row = this.#deps.store.approvals.get(id);
      if (!row || row.state === 'pending') return;
      // The microtask runs as whoever pressed; what follows is nobody's.
      if (!this.#room.decided(id) && row.kind !== 'offer') outsideRun(() => this.onParkedSettled(row));
    });
  }

  #armExpiry(): void {
    this.#cancelExpiry();
    const { store, clock } = this.#deps;
    const next = Math.min(...store.approvals.pending().map(({ expiresAt }) => expiresAt));
    if (next === Number.POSITIVE_INFINITY) return;
    const ms = Math.min(Math.max(0, next - clock.now()), LONGEST_TIMER_MS);
    this.#cancelExpiry = clock.after(ms, () => this.#expireDue());
  }

  #expireDue(): void {
    const { store, clock, log } = this.#deps;
    try {
      store.tx(() => {
        const due = store.approvals.pending().filter(({ expiresAt }) => expiresAt <= clock.now());
        for (const row of due) this.#settling.end(row.id, { state: 'expired' });
      });
      this.#armExpiry();
    } catch (error) {
      log.error({ error: String(error) }, 'approvals could not be expired; trying again');
      this.#cancelExpiry = clock.after(RETRY_MS, () => this.#expireDue());
    }
  }

  stop(): void {
    this.#cancelExpiry();
  }
}
