import type { ApprovalId, SessionId } from '../contract/ids.ts';
import type { ApprovalRow, CancelReason } from '../store/approvals.ts';
import { actorKey } from './actor-key.ts';
import type { ApprovalOutcome, ApprovalRequest } from './approval-request.ts';
import type { BrokerDeps } from './broker-deps.ts';
import type { CardDesk } from './card-desk.ts';
import { type RowWriter, runFacts } from './row-writer.ts';
import type { Settling } from './settling.ts';
import type { WaitingRoom } from './waiting-room.ts';
import { eligible } from './who-may.ts';

/** The asking half of the broker: from a request to a row with a card, and from a decided row back to the call that waits. */
export class Asking {
  readonly #deps: BrokerDeps;
  readonly #desk: CardDesk;
  readonly #writer: RowWriter;
  readonly #settling: Settling;
  readonly #room: WaitingRoom;

  constructor(deps: BrokerDeps, desk: CardDesk, writer: RowWriter, settling: Settling, room: WaitingRoom) {
    this.#deps = deps;
    this.#desk = desk;
    this.#writer = writer;
    this.#settling = settling;
    this.#room = room;
  }

  /** `asked` is called once the row is there. */
  async ask(
    request: ApprovalRequest,
    signal: AbortSignal,
    asked: (row: ApprovalRow) => void,
  ): Promise<ApprovalOutcome> {
    if (signal.aborted && signal.reason !== 'shutdown') return { kind: 'cancelled', by: endOf(signal.reason) };
    const twin = this.#twin(request);
    if (twin) {
      const outcome = await this.#follow(twin, signal);
      return outcome === 'again' ? this.ask(request, signal, asked) : outcome;
    }
    const refused = this.#cannotAsk(request);
    if (refused) return refused;
    const row = this.#deps.store.tx(() => this.#write(request));
    this.#deps.wake();
    asked(row);
    return this.wait(row.id, signal);
  }

  /** Until the row is decided or the run ends; a run that ends by itself takes its row along. */
  async wait(id: ApprovalId, signal: AbortSignal): Promise<ApprovalOutcome> {
    const end = await this.#decided(id, signal);
    if (end !== undefined && end !== 'shutdown') this.#close(id, end);
    return this.#outcome(id, end, false);
  }

  /** The run is over whether or not this can be written; an unwritten row expires. */
  #close(id: ApprovalId, reason: CancelReason): void {
    try {
      this.#settling.end(id, { state: 'cancelled', reason });
    } catch (error) {
      this.#deps.log.error({ approval: id, error: String(error) }, 'an approval of an ended run could not be closed');
    }
  }

  /** The same request, pending in the same session and answered by the same people: one card for both. */
  #twin(request: ApprovalRequest): ApprovalRow | undefined {
    if (request.kind !== 'call') return undefined;
    const { pendingOf } = this.#deps.store.approvals;
    return pendingOf(request.run.session).find((row) => row.call !== request.call && alike(row, request));
  }

  /** A yes that lasts, a no and a timeout count for the follower too; Once was for the first alone. */
  async #follow(twin: ApprovalRow, signal: AbortSignal): Promise<ApprovalOutcome | 'again'> {
    const { store, wake } = this.#deps;
    store.tx(() => {
      const details = { ...twin.details, copies: twin.details.copies + 1 };
      if (store.approvals.amend(twin.id, details)) this.#desk.amend({ ...twin, details }, `x${details.copies}`);
    });
    wake();
    const end = await this.#decided(twin.id, signal);
    const outcome = this.#outcome(twin.id, end, true);
    const once = outcome.kind === 'granted' && outcome.choice === 'once';
    const leaderGone = outcome.kind === 'cancelled' && outcome.by === 'run';
    return once || (leaderGone && end === undefined) ? 'again' : outcome;
  }

  /** Undefined: the row is decided. Otherwise how the run that waits was ended. */
  async #decided(id: ApprovalId, signal: AbortSignal): Promise<CancelReason | 'shutdown' | undefined> {
    while (this.#deps.store.approvals.get(id)?.state === 'pending') {
      const end = await this.#room.wait(id, signal);
      if (end.kind === 'aborted') return end.by === 'shutdown' ? 'shutdown' : endOf(end.by);
    }
    return undefined;
  }

  #outcome(id: ApprovalId, end: CancelReason | 'shutdown' | undefined, follower: boolean): ApprovalOutcome {
    if (end === 'shutdown') return { kind: 'parked', approval: id };
    if (end !== undefined) return { kind: 'cancelled', by: end };
    const row = this.#deps.store.approvals.get(id);
    return row ? outcomeOf(row, follower) : { kind: 'cancelled', by: 'restart' };
  }

  /** Why this session may not ask anything more now. */
  full(session: SessionId): ApprovalOutcome | undefined {
    const { store, config } = this.#deps;
    const waiting = store.approvals.pendingOf(session).filter(({ kind }) => kind !== 'offer').length;
    if (waiting < config().max_pending) return undefined;
    return { kind: 'unasked', rule: 'max_pending', why: `${waiting} requests already wait for an answer` };
  }

  #cannotAsk(request: ApprovalRequest): ApprovalOutcome | undefined {
    const config = this.#deps.config();
    const full = this.full(request.run.session);
    if (full) return full;
    if (request.details.people === 1) return undefined;
    const asked = { ...request, runKind: request.run.kind, details: withVotes(request.details) };
    const { personOf = (actor: string) => actor } = this.#deps;
    const people = new Set(eligible(asked, config).map(personOf));
    if (people.size >= 2) return undefined;
    return { kind: 'unasked', rule: 'two_person', why: `it needs two approvers, only ${people.size} is configured` };
  }

  /** Row and card, in the caller's transaction. */
  #write(request: ApprovalRequest): ApprovalRow {
    const { run, choices, to, details, timeoutMs, input, ...facts } = request;
    return this.#writer.write(
      this.#writer.places(to, details.requesterOnly),
      {
        ...facts,
        ...runFacts(run),
        ...{
          address: to.address,
          direct: to.direct,
          input: JSON.stringify(input),
          details: withVotes(details),
          timeoutMs,
        },
      },
      choices,
    );
  }
}

const withVotes = (details: ApprovalRequest['details']) => ({ ...details, votes: [], copies: 1 });

function endOf(reason: unknown): CancelReason {
  return reason === 'reset' ? 'reset' : 'run';
}

function alike(row: ApprovalRow, request: ApprovalRequest): boolean {
  const rules = (findings: ApprovalRow['findings']) => findings.map(({ rule }) => rule).join(' ');
  return (
    row.kind === request.kind &&
    row.digest === request.digest &&
    rules(row.findings) === rules(request.findings) &&
    row.runKind === request.run.kind &&
    actorKey(row.requester) === actorKey(request.requester) &&
    row.details.people === request.details.people &&
    row.details.requesterOnly === request.details.requesterOnly
  );
}

function outcomeOf(row: ApprovalRow, follower: boolean): ApprovalOutcome {
  const approval = row.id;
  const by = row.decidedBy ?? row.requester;
  switch (row.state) {
    case 'granted':
      if (row.kind === 'question') return { kind: 'answered', approval, by, text: row.reason ?? '' };
      return { kind: 'granted', approval, by, choice: row.choice ?? 'once', follower };
    case 'denied':
      return { kind: 'denied', approval, by, ...(row.reason === null ? {} : { reason: row.reason }) };
    case 'expired':
      return { kind: 'expired', approval, restarted: row.reason === 'restart', decidedAt: row.decidedAt };
    default:
      return { kind: 'cancelled', by: (row.reason ?? 'stop') as CancelReason };
  }
}
