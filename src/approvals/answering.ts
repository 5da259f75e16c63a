import type { ApprovalId, SessionId } from '../contract/ids.ts';
import type { Actor, ButtonPress, FormAnswer, Inbound, InboundMessage } from '../contract/message.ts';
import type { ApprovalRow, CardTrace, Surface } from '../store/approvals.ts';
import { actorKey } from './actor-key.ts';
import { sameChat } from './address.ts';
import { type AnswerCommand, LONGEST_REASON, readApprove, readDeny } from './answer-command.ts';
import { choiceOf, readAnswer } from './answer-data.ts';
import { rowFacts } from './audit-trail.ts';
import type { BrokerDeps } from './broker-deps.ts';
import { plain } from './markdown.ts';
import {
  DOES_NOT_FIT,
  FIRST_OF_TWO,
  lateText,
  notYoursText,
  SAME_PERSON,
  STRANGER,
  UNKNOWN,
  wonText,
} from './outcome-text.ts';
import { readDenial, readWord } from './plain-words.ts';
import type { Questions } from './questions.ts';
import type { Answer, Settling } from './settling.ts';
import { mayAnswer } from './who-may.ts';

export type AnswerKind = 'won' | 'first-of-two' | 'late' | 'not-yours' | 'does-not-fit' | 'unknown';
export interface AnswerResult {
  readonly kind: AnswerKind;
  /** What the person reads. No Markdown. */
  readonly text: string;
}

const NOTHING_WAITS = 'Nothing is waiting for an answer here.';

/** The answering half of the broker: buttons, forms, commands and words meet the same three tests, then one settlement. */
export class Answering {
  readonly #deps: BrokerDeps;
  readonly #settling: Settling;
  readonly #questions: Questions;

  constructor(deps: BrokerDeps, settling: Settling, questions: Questions) {
    this.#deps = deps;
    this.#questions = questions;
    this.#settling = settling;
  }

  press(press: ButtonPress | FormAnswer): AnswerResult {
    const data = readAnswer(press.data);
    const row = data && this.#deps.store.approvals.get(data.approval);
    if (!data || !row) return { kind: 'unknown', text: UNKNOWN };
    const surface = 'text' in press ? 'form' : 'button';
    const fitting = this.#fits(row, data.nonce, press) && (data.kind === 'qu') === (row.kind === 'question');
    if (row.kind === 'question') return this.#pressedQuestion(row, data.letter, press, fitting);
    const reason = 'text' in press ? press.text.trim().slice(0, LONGEST_REASON) : '';
    const choice = choiceOf(data.letter);
    const fits = choice !== undefined && fitting;
    const answer = { choice: choice ?? 'deny', by: press.by, surface, ...(reason === '' ? {} : { reason }) } as const;
    return this.#judge(row, press, fits, answer);
  }

  #pressedQuestion(row: ApprovalRow, letter: string, press: ButtonPress | FormAnswer, fits: boolean): AnswerResult {
    const who = { by: press.by, surface: 'text' in press ? 'form' : 'button' } as const;
    if (!this.#may(row, press)) return this.#refuse(row, who, 'not-yours', this.#notYours(row, press));
    if (!fits) return this.#refuse(row, who, 'does-not-fit', DOES_NOT_FIT);
    if (row.state !== 'pending') return this.#late(row);
    const answered = this.#questions.pressed(row, letter, press);
    if (answered === undefined) return this.#refuse(row, who, 'does-not-fit', DOES_NOT_FIT);
    return answered === 'late' ? this.#late(row) : { kind: 'won', text: wonText(answered) };
  }

  /** The page and the command line: no card, the same people and choices. */
  answer(id: ApprovalId, answer: Answer): AnswerResult {
    const row = this.#deps.store.approvals.get(id);
    if (!row) return { kind: 'unknown', text: UNKNOWN };
    return this.#judge(row, { by: answer.by, address: row.address, direct: true }, true, answer);
  }

  /** Markdown. */
  command(verb: 'approve' | 'deny', args: string, from: Inbound, session: SessionId | undefined): string {
    const here = this.#answerable(from, session);
    const isTarget = (word: string) => here.some((row) => row.code === word || row.id === word);
    const read = verb === 'approve' ? readApprove(args, isTarget) : readDeny(args, isTarget);
    if (typeof read === 'string') return read;
    if (read.target === 'all') return this.#all(here, read, from);
    if (read.target !== undefined) return this.#byCode(here, read.target, read, from);
    const [only, ...more] = here;
    if (!only) return NOTHING_WAITS;
    return more.length > 0 ? this.#listed(here, verb) : this.#byCommand(only, read, from);
  }

  word(message: InboundMessage, session: SessionId): boolean {
    const card = message.replyTo && this.#deps.store.approvals.cardAt(message.address, message.replyTo.messageId);
    const denial = card && this.#denial(message, card);
    const answered = denial ?? this.#plainWord(message, session, card);
    if (answered?.kind === 'won' || answered?.kind === 'first-of-two') return true;
    const asked = this.#deps.store.approvals
      .pendingOf(session)
      .filter((row) => row.kind === 'question' && this.#may(row, message));
    return this.#questions.typed(message, asked, card, (row) => this.#shownAt(row, message, message.sentAt));
  }

  /** Who, then which card, then which choice: the order of approvals.md section 6. */
  #judge(
    row: ApprovalRow,
    event: Pick<Inbound, 'by' | 'address' | 'direct'>,
    fits: boolean,
    answer: Answer,
  ): AnswerResult {
    if (!this.#may(row, event)) return this.#refuse(row, answer, 'not-yours', this.#notYours(row, event));
    if (!fits) return this.#refuse(row, answer, 'does-not-fit', DOES_NOT_FIT);
    return this.#settle(row, answer);
  }

  #may(row: ApprovalRow, event: Pick<Inbound, 'by' | 'address' | 'direct'>): boolean {
    return mayAnswer(event.by, row, this.#deps.config()) && this.#deps.mayTalk(event).allowed;
  }

  /** Whoever may not talk here learns no names. */
  #notYours(row: ApprovalRow, event: Pick<Inbound, 'by' | 'address' | 'direct'>): string {
    return this.#deps.mayTalk(event).allowed ? notYoursText(row) : STRANGER;
  }

  /** The card this button belongs to: its nonce, its chat, and its message where that is known. */
  #fits(row: ApprovalRow, nonce: string, press: ButtonPress | FormAnswer): boolean {
    const copy = this.#deps.store.approvals.cards(row.id).find((one) => one.nonce === nonce);
    if (!copy) return false;
    const there = [copy.address, ...copy.sent.map(({ at }) => at)].some((at) => sameChat(at, press.address));
    const anywhere = press.messageId === undefined || copy.unsure || copy.sent.length === 0;
    return there && (anywhere || copy.sent.some(({ messageId }) => messageId === press.messageId));
  }

  #settle(row: ApprovalRow, answer: Answer): AnswerResult {
    if (row.state !== 'pending') return this.#late(row);
    if (row.expiresAt <= this.#deps.clock.now()) {
      this.#settling.end(row.id, { state: 'expired' });
      return this.#late(row);
    }
    if (!row.choices.includes(answer.choice)) return this.#refuse(row, answer, 'does-not-fit', DOES_NOT_FIT);
    const waiting = row.details.people === 2 && answer.choice !== 'deny' ? this.#vote(row, answer) : undefined;
    if (waiting) return waiting;
    const settled = this.#settling.answer(row, answer);
    return settled ? { kind: 'won', text: wonText(settled) } : this.#late(row);
  }

  #late({ id, ...row }: ApprovalRow): AnswerResult {
    const now = this.#deps.store.approvals.get(id) ?? { id, ...row };
    return { kind: 'late', text: lateText(now, this.#deps.time) };
  }

  #refuse(
    row: ApprovalRow,
    { by, surface }: { by: Actor; surface: Surface },
    kind: AnswerKind,
    text: string,
  ): AnswerResult {
    const { trail, clock } = this.#deps;
    trail.write('press-refused', { ...rowFacts(row), actor: by, surface, reason: kind }, clock.now());
    return { kind, text };
  }

  /** The first yes of two is kept in the row; undefined: this one is the second. */
  #vote(row: ApprovalRow, answer: Answer): AnswerResult | undefined {
    const [first] = row.details.votes;
    if (first === undefined) {
      this.#settling.vote(row, answer.by, answer.surface);
      return { kind: 'first-of-two', text: FIRST_OF_TWO };
    }
    const { personOf = (actor: string) => actor } = this.#deps;
    const same = personOf(actorKey(first.actor)) === personOf(actorKey(answer.by));
    return same ? this.#refuse(row, answer, 'does-not-fit', SAME_PERSON) : undefined;
  }

  /** What waits in this chat, or in this session wherever its card went; what this person may answer first of all. */
  #answerable(from: Inbound, session: SessionId | undefined): readonly ApprovalRow[] {
    const { approvals } = this.#deps.store;
    const here = approvals.pendingAt(from.address);
    const ids = new Set(here.map(({ id }) => id));
    const own = session === undefined ? [] : approvals.pendingOf(session).filter(({ id }) => !ids.has(id));
    const all = [...here, ...own].filter(({ kind }) => kind === 'call');
    const mine = all.filter((row) => mayAnswer(from.by, row, this.#deps.config()));
    return mine.length > 0 ? mine : all;
  }

  #byCode(here: readonly ApprovalRow[], target: string, read: AnswerCommand, from: Inbound): string {
    const { approvals } = this.#deps.store;
    const named = [...here, ...approvals.pendingAt(from.address)].find(({ code }) => code === target);
    const row = named ?? approvals.get(target as ApprovalId);
    return row && row.kind !== 'question' ? this.#byCommand(row, read, from) : UNKNOWN;
  }

  #listed(rows: readonly ApprovalRow[], verb: string): string {
    const { time } = this.#deps;
    const lines = rows.map((row) => `${row.code}: ${row.findings[0]?.rule ?? row.tool}, until ${time(row.expiresAt)}`);
    return [`${rows.length} requests wait here. Write /${verb} and the code:`, ...lines].join('\n');
  }

  #byCommand(row: ApprovalRow, { choice, minutes, reason }: AnswerCommand, from: Inbound): string {
    const more = { ...(minutes === undefined ? {} : { minutes }), ...(reason === undefined ? {} : { reason }) };
    // The yes to an offer is its one choice.
    const meant = row.kind === 'offer' && choice === 'once' ? 'job' : choice;
    return plain(this.#judge(row, from, true, { choice: meant, by: from.by, surface: 'command', ...more }).text);
  }

  /** Each of those whose card is to be seen here. */
  #all(rows: readonly ApprovalRow[], read: AnswerCommand, from: Inbound): string {
    const choice = read.choice === 'deny' ? 'deny' : 'once';
    const seen = rows.filter((row) => this.#shownAt(row, from));
    if (seen.length === 0) return NOTHING_WAITS;
    return seen.map((row) => `${row.code}: ${this.#byCommand(row, { ...read, choice }, from)}`).join('\n');
  }

  #shownAt({ id }: ApprovalRow, { address }: Inbound, by = Number.POSITIVE_INFINITY): boolean {
    const cards = this.#deps.store.approvals.cards(id).flatMap(({ sent }) => sent);
    return cards.some(({ at, sentAt }) => sameChat(at, address) && sentAt <= by);
  }

  /** `no, use the other folder`, as a reply to a card. */
  #denial(message: InboundMessage, card: CardTrace): AnswerResult | undefined {
    const row = this.#deps.store.approvals.get(card.approval);
    const reason = readDenial(message.text, this.#deps.config().words)?.slice(0, LONGEST_REASON);
    if (reason === undefined || row?.kind !== 'call' || row.state !== 'pending' || !this.#may(row, message))
      return undefined;
    return this.#settle(row, { choice: 'deny', by: message.by, surface: 'reply', reason });
  }

  /**
   * A word counts only for the one request of the session, from somebody who may, written after its card could be read, and in
   * a group only as a reply to it.
   */
  #plainWord(message: InboundMessage, session: SessionId, card: CardTrace | undefined): AnswerResult | undefined {
    const { plain_words, words } = this.#deps.config();
    const choice = plain_words ? readWord(message.text, words) : undefined;
    const [row, ...more] = this.#deps.store.approvals.pendingOf(session).filter(({ kind }) => kind === 'call');
    if (choice === undefined || !row || more.length > 0 || !row.choices.includes(choice)) return undefined;
    const meant = card ? card.approval === row.id : message.direct;
    if (!meant || !this.#shownAt(row, message, message.sentAt) || !this.#may(row, message)) return undefined;
    return this.#settle(row, { choice, by: message.by, surface: card ? 'reply' : 'word' });
  }
}
