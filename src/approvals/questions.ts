import type { CallId, TurnId } from '../contract/ids.ts';
import type { ButtonPress, FormAnswer, InboundMessage } from '../contract/message.ts';
import type { ChatRun } from '../contract/run.ts';
import type { ApprovalRow, CardTrace } from '../store/approvals.ts';
import type { BrokerDeps } from './broker-deps.ts';
import { readTyped } from './question-card.ts';
import { type RowWriter, runFacts } from './row-writer.ts';
import type { Settling } from './settling.ts';

/** A question of the agent's; only the requester answers it. */
export interface Question {
  readonly run: ChatRun;
  readonly turn: TurnId;
  readonly call: CallId;
  readonly text: string;
  /** At most four. */
  readonly options: readonly string[];
  readonly multi: boolean;
}

/** Longest typed answer, as a message of a person. */
const LONGEST_ANSWER = 4000;

/** Rows of kind `question`: they share cards, expiry and the rules for a press, make no grant and meet no policy. */
export class Questions {
  readonly #deps: BrokerDeps;
  readonly #writer: RowWriter;
  readonly #settling: Settling;

  constructor(deps: BrokerDeps, writer: RowWriter, settling: Settling) {
    this.#deps = deps;
    this.#writer = writer;
    this.#settling = settling;
  }

  /** The question this call has asked already. */
  find(call: CallId): ApprovalRow | undefined {
    const there = this.#deps.store.approvals.ofCall(call);
    return there?.kind === 'question' ? there : undefined;
  }

  /** The row of this call, written when it is asked for the first time. */
  row({ run, turn, call, text, options, multi }: Question): ApprovalRow {
    const { store, config, wake } = this.#deps;
    const there = this.find(call);
    if (there) return there;
    const row = store.turns.get(turn);
    const place = { address: run.replyTo, direct: row?.direct ?? false };
    const details = {
      ...({
        advised: false,
        people: 1,
        requesterOnly: true,
        votes: [],
        copies: 1,
        grants: [],
        bar: null,
        timedMinutes: 0,
      } as const),
      ...{ options, multi },
      ...(row && row.replyTo !== null ? { replyTo: row.replyTo } : {}),
    };
    const facts = {
      ...({
        kind: 'question',
        turn,
        call,
        ...runFacts(run),
        ...place,
        requester: run.actor,
        guard: 'tool',
        tool: 'clarify',
      } as const),
      ...{ command: text, input: null, cwd: '', backend: '', digest: '', scriptHash: null, findings: [], details },
      timeoutMs: config().timeout_s * 1000,
    };
    const made = store.tx(() => this.#writer.write([place], facts, () => []));
    wake();
    return made;
  }

  /** A button or a form; undefined: the letter means nothing here. */
  pressed(row: ApprovalRow, letter: string, press: ButtonPress | FormAnswer): ApprovalRow | 'late' | undefined {
    const typed = 'text' in press ? press.text.trim() : '';
    const text = letter === 'r' ? readTyped(typed, row) : row.details.options?.[Number(letter)];
    if (text === undefined || text === '') return undefined;
    return this.#answer(row, press.by, 'text' in press ? 'form' : 'button', text) ?? 'late';
  }

  /** A reply to the card; in a direct chat also the next message. False: not an answer. */
  typed(
    message: InboundMessage,
    rows: readonly ApprovalRow[],
    card: CardTrace | undefined,
    shown: (row: ApprovalRow) => boolean,
  ): boolean {
    const row = rows.find(({ id }) => (card ? id === card.approval : message.direct && message.replyTo === undefined));
    const text = message.text.trim();
    if (!row || text === '' || message.command !== undefined || !shown(row)) return false;
    return this.#answer(row, message.by, 'reply', readTyped(text, row)) !== undefined;
  }

  #answer(
    row: ApprovalRow,
    by: ButtonPress['by'],
    surface: 'button' | 'form' | 'reply',
    text: string,
  ): ApprovalRow | undefined {
    return this.#settling.reply(row.id, { by, surface, reason: text.slice(0, LONGEST_ANSWER) });
  }
}
