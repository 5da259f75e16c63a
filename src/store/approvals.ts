import type { ApprovalId, BootId, CallId, JobId, OutboxId, RunId, SessionId, TurnId } from '../contract/ids.ts';
import type { Actor, Address } from '../contract/message.ts';
import type { RunContext } from '../contract/run.ts';
import type { Finding } from '../contract/tool.ts';
import type { GrantKind, GrantTemplate } from './grants.ts';
import type { Db } from './open.ts';

export type ApprovalKind = 'call' | 'question' | 'offer';
export type ApprovalState = 'pending' | 'granted' | 'denied' | 'expired' | 'cancelled';
export type ApprovalEnd = Exclude<ApprovalState, 'pending'>;
export type Choice = 'once' | GrantKind | 'deny';
export type Guard = 'shell' | 'code' | 'tool';
/** Where an answer was given. */
export type Surface = 'button' | 'form' | 'command' | 'word' | 'reply' | 'page' | 'cli' | 'terminal';
/** `run`: the run that asked ended by itself. */
export type CancelReason = 'stop' | 'reset' | 'restart' | 'access' | 'undeliverable' | 'run';

/** One person's yes to a request that needs two. */
export interface Vote {
  readonly actor: Actor;
  readonly at: number;
}

/** What the card says and the yes needs beside the columns. */
export interface ApprovalDetails {
  /** First line of the card; absent: by run kind and guard. */
  readonly title?: string;
  readonly job?: { readonly id: JobId; readonly name: string; readonly slot?: string };
  /** Goal of the worker that asks. */
  readonly worker?: string;
  /** Language of a script. */
  readonly language?: string;
  /** Account it runs as, where that is not hermod's own. */
  readonly user?: string;
  readonly effect?: string;
  readonly advised: boolean;
  readonly people: 1 | 2;
  /** Nobody but the requester may answer. */
  readonly requesterOnly: boolean;
  readonly votes: readonly Vote[];
  /** Identical requests this card stands for. */
  readonly copies: number;
  /** What a lasting yes would store, one a finding. */
  readonly grants: readonly GrantTemplate[];
  /** Why no lasting yes is possible. */
  readonly bar: string | null;
  readonly timedMinutes: number;
  /** The platform's id of the message that led here. */
  readonly replyTo?: string;
  /** Answers of a question, in the order of its letters. */
  readonly options?: readonly string[];
  /** Several of them may be named. */
  readonly multi?: boolean;
}

export interface ApprovalRow {
  readonly id: ApprovalId;
  /** Four characters, unique among what waits in its chat. */
  readonly code: string;
  readonly kind: ApprovalKind;
  readonly run: RunId;
  readonly rootRun: RunId;
  readonly runKind: RunContext['kind'];
  readonly depth: number;
  readonly turn: TurnId | null;
  readonly call: CallId | null;
  readonly session: SessionId;
  readonly address: Address;
  readonly direct: boolean;
  readonly requester: Actor;
  readonly guard: Guard;
  readonly tool: string;
  /** The exact text, and `input` as JSON what runs; both null once the call has a stored result. */
  readonly command: string | null;
  readonly input: string | null;
  readonly cwd: string;
  readonly backend: string;
  /** SHA-256, hex. */
  readonly digest: string;
  readonly scriptHash: string | null;
  readonly findings: readonly Finding[];
  readonly choices: readonly Choice[];
  readonly details: ApprovalDetails;
  readonly state: ApprovalState;
  readonly choice: Choice | null;
  readonly decidedBy: Actor | null;
  readonly surface: Surface | null;
  /** Denied: the person's words. Cancelled: a CancelReason. Question: the answer. */
  readonly reason: string | null;
  readonly boot: BootId;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly decidedAt: number | null;
  readonly begunAt: number | null;
}

export type NewApproval = Omit<
  ApprovalRow,
  'state' | 'choice' | 'decidedBy' | 'surface' | 'reason' | 'decidedAt' | 'begunAt'
>;

export interface ApprovalCard {
  readonly approval: ApprovalId;
  readonly nonce: string;
  readonly address: Address;
  readonly outboxKey: string;
}

/** What is known of a card's journey. */
export interface CardTrace extends ApprovalCard {
  /** Every message it was sent as, and where. */
  readonly sent: readonly { readonly messageId: string; readonly at: Address; readonly sentAt: number }[];
  /** It may stand in further messages: an attempt to send it brought no id (a crash, a broken line). */
  readonly unsure: boolean;
}

export interface Settlement {
  readonly state: ApprovalEnd;
  readonly choice?: Choice;
  readonly by?: Actor;
  readonly surface?: Surface;
  readonly reason?: string;
}

/** Questions to people. `pending` is left exactly once, by one conditional UPDATE. */
export interface Approvals {
  insert(row: NewApproval): ApprovalRow;
  get(id: ApprovalId): ApprovalRow | undefined;
  /** The newest row that asked for a call. */
  ofCall(call: CallId): ApprovalRow | undefined;
  /** Oldest first. */
  pending(): readonly ApprovalRow[];
  pendingOf(session: SessionId): readonly ApprovalRow[];
  /** Of any state, newest first. */
  recent(limit: number): readonly ApprovalRow[];
  /** The row after the change, or undefined: it was decided before, or `now` is past its end. */
  settle(id: ApprovalId, settlement: Settlement, now: number): ApprovalRow | undefined;
  /** As `settle`, whatever the hour: for ends that are nobody's yes. */
  close(id: ApprovalId, settlement: Settlement, now: number): ApprovalRow | undefined;
  /** Changes what a pending row says. False: it is not pending. */
  amend(id: ApprovalId, details: ApprovalDetails): boolean;
  /** Takes choices away from a pending row. */
  restrict(id: ApprovalId, choices: readonly Choice[]): void;
  /** One yes, one start: false when it is not granted or has begun. */
  begin(id: ApprovalId, now: number): boolean;
  /** A yes that came before the restart and is too old now. */
  lapse(id: ApprovalId): ApprovalRow | undefined;
  /** Granted and not begun, or decided while its turn was parked. */
  unfinished(): readonly ApprovalRow[];
  forgetText(id: ApprovalId): void;
  addCard(card: ApprovalCard): void;
  cards(id: ApprovalId): readonly CardTrace[];
  /** The card that was sent as this message. */
  cardAt(address: Address, messageId: string): CardTrace | undefined;
  cardOf(outboxKey: string): CardTrace | undefined;
  /** Outbox rows of a card and its changes that nobody has seen for certain. */
  unsentOf(outboxKey: string): readonly OutboxId[];
  /** Pending rows with a card in this chat. */
  pendingAt(address: Address): readonly ApprovalRow[];
  /** A flagged call of this turn with this tool and digest whose outcome nobody knows. */
  repeats(turn: TurnId, tool: string, digest: string): boolean;
}

interface Row {
  id: string;
  code: string;
  kind: ApprovalKind;
  run: string;
  root_run: string;
  run_kind: RunContext['kind'];
  depth: number;
  turn: string | null;
  call: string | null;
  session: string;
  address: string;
  direct: number;
  requester: string;
  guard: Guard;
  tool: string;
  command: string | null;
  input: string | null;
  cwd: string;
  backend: string;
  digest: string;
  script_hash: string | null;
  findings: string;
  choices: string;
  details: string;
  state: ApprovalState;
  choice: Choice | null;
  decided_by: string | null;
  surface: Surface | null;
  reason: string | null;
  boot: string;
  created_at: number;
  expires_at: number;
  decided_at: number | null;
  begun_at: number | null;
}

interface CardRow {
  approval: string;
  nonce: string;
  address: string;
  outbox_key: string;
}

interface SentRow {
  message_id: string;
  sent_to: string;
  sent_at: number;
}

function read(row: Row): ApprovalRow {
  return {
    id: row.id as ApprovalId,
    code: row.code,
    kind: row.kind,
    run: row.run as RunId,
    rootRun: row.root_run as RunId,
    runKind: row.run_kind,
    depth: row.depth,
    turn: row.turn as TurnId | null,
    call: row.call as CallId | null,
    session: row.session as SessionId,
    address: JSON.parse(row.address) as Address,
    direct: row.direct === 1,
    requester: JSON.parse(row.requester) as Actor,
    guard: row.guard,
    tool: row.tool,
    command: row.command,
    input: row.input,
    cwd: row.cwd,
    backend: row.backend,
    digest: row.digest,
    scriptHash: row.script_hash,
    findings: JSON.parse(row.findings) as Finding[],
    choices: JSON.parse(row.choices) as Choice[],
    details: JSON.parse(row.details) as ApprovalDetails,
    state: row.state,
    choice: row.choice,
    decidedBy: row.decided_by === null ? null : (JSON.parse(row.decided_by) as Actor),
    surface: row.surface,
    reason: row.reason,
    boot: row.boot as BootId,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    decidedAt: row.decided_at,
    begunAt: row.begun_at,
  };
}

const write = (row: NewApproval) => ({
  ...row,
  direct: row.direct ? 1 : 0,
  address: JSON.stringify(row.address),
  requester: JSON.stringify(row.requester),
  findings: JSON.stringify(row.findings),
  choices: JSON.stringify(row.choices),
  details: JSON.stringify(row.details),
});

const SETTLE = `
  UPDATE approvals SET state = @state, choice = @choice, decided_by = @by, surface = @surface, reason = @reason, decided_at = @now
  WHERE id = @id AND state = 'pending'`;

// A card, its parts (`key#1` ...) and what replaced it. `$` comes right after `#`.
const OF_CARD = `(key = ? OR edits = ? OR (key >= ? || '#' AND key < ? || '$'))`;
const fourTimes = (key: string): [string, string, string, string] => [key, key, key, key];

export function createApprovals(db: Db): Approvals {
  const insert = db.prepare<[object], Row>(`
    INSERT INTO approvals (id, code, kind, run, root_run, run_kind, depth, turn, call, session, address, direct, requester, guard,
      tool, command, input, cwd, backend, digest, script_hash, findings, choices, details, state, boot, created_at, expires_at)
    VALUES (@id, @code, @kind, @run, @rootRun, @runKind, @depth, @turn, @call, @session, @address, @direct, @requester, @guard,
      @tool, @command, @input, @cwd, @backend, @digest, @scriptHash, @findings, @choices, @details, 'pending', @boot, @createdAt,
      @expiresAt) RETURNING *`);
  const byId = db.prepare<[string], Row>('SELECT * FROM approvals WHERE id = ?');
  const byCall = db.prepare<[string], Row>(
    'SELECT * FROM approvals WHERE call = ? ORDER BY created_at DESC, rowid DESC LIMIT 1',
  );
  const pending = db.prepare<[], Row>(`SELECT * FROM approvals WHERE state = 'pending' ORDER BY created_at, rowid`);
  const recent = db.prepare<[number], Row>('SELECT * FROM approvals ORDER BY rowid DESC LIMIT ?');
  const ofSession = db.prepare<[string], Row>(
    `SELECT * FROM approvals WHERE session = ? AND state = 'pending' ORDER BY created_at, rowid`,
  );
  const settle = db.prepare<[object], Row>(`${SETTLE} AND expires_at > @now RETURNING *`);
  const close = db.prepare<[object], Row>(`${SETTLE} RETURNING *`);
  const amend = db.prepare(`UPDATE approvals SET details = ? WHERE id = ? AND state = 'pending'`);
  const restrict = db.prepare(`UPDATE approvals SET choices = ? WHERE id = ? AND state = 'pending'`);
  const begin = db.prepare(`UPDATE approvals SET begun_at = ? WHERE id = ? AND state = 'granted' AND begun_at IS NULL`);
  const lapse = db.prepare<[string], Row>(
    `UPDATE approvals SET state = 'expired', reason = 'restart' WHERE id = ? AND state = 'granted' AND begun_at IS NULL RETURNING *`,
  );
  const unfinished = db.prepare<[], Row>(`
    SELECT * FROM approvals WHERE state <> 'pending' AND begun_at IS NULL AND kind <> 'offer'
      AND call IN (SELECT id FROM calls WHERE ended_at IS NULL) ORDER BY created_at, rowid`);
  const forget = db.prepare('UPDATE approvals SET command = NULL, input = NULL WHERE id = ?');
  const addCard = db.prepare('INSERT INTO approval_cards (approval, nonce, address, outbox_key) VALUES (?, ?, ?, ?)');
  const cards = db.prepare<[string], CardRow>('SELECT * FROM approval_cards WHERE approval = ? ORDER BY rowid');
  const cardByKey = db.prepare<[string], CardRow>('SELECT * FROM approval_cards WHERE outbox_key = ?');
  const sent = db.prepare<[string, string, string, string], SentRow>(
    `SELECT message_id, sent_to, sent_at FROM outbox WHERE ${OF_CARD} AND message_id IS NOT NULL ORDER BY sent_at, seq`,
  );
  const unsure = db
    .prepare<[string, string, string, string], number>(
      `SELECT EXISTS (SELECT 1 FROM outbox WHERE ${OF_CARD} AND edits IS NULL AND attempts > (message_id IS NOT NULL))`,
    )
    .pluck();
  const unsent = db.prepare<[string, string, string, string], { id: string }>(
    `SELECT id FROM outbox WHERE ${OF_CARD} AND state IN ('pending', 'held', 'ambiguous')`,
  );
  const byMessage = db.prepare<[string, string, string, string], { key: string; edits: string | null }>(
    'SELECT key, edits FROM outbox WHERE message_id = ? AND platform = ? AND bot = ? AND chat = ? ORDER BY seq DESC',
  );
  const pendingAt = db.prepare<[string, string, string], Row>(`
    SELECT * FROM approvals WHERE state = 'pending' AND EXISTS (
      SELECT 1 FROM approval_cards WHERE approval = approvals.id AND json_extract(address, '$.platform') = ?
        AND json_extract(address, '$.bot') = ? AND json_extract(address, '$.chat') = ?)
    ORDER BY created_at, rowid`);
  const repeats = db.prepare<[string, string, string], { one: number }>(
    `SELECT 1 AS one FROM calls WHERE turn = ? AND name = ? AND digest = ? AND flagged = 1 AND state = 'unknown' LIMIT 1`,
  );

  const one = (row: Row | undefined) => row && read(row);
  const trace = (row: CardRow): CardTrace => ({
    approval: row.approval as ApprovalId,
    nonce: row.nonce,
    address: JSON.parse(row.address) as Address,
    outboxKey: row.outbox_key,
    sent: sent.all(...fourTimes(row.outbox_key)).map((done) => ({
      messageId: done.message_id,
      at: JSON.parse(done.sent_to) as Address,
      sentAt: done.sent_at,
    })),
    unsure: unsure.get(...fourTimes(row.outbox_key)) === 1,
  });
  const settlement = (id: ApprovalId, end: Settlement, now: number) => ({
    id,
    state: end.state,
    choice: end.choice ?? null,
    by: end.by === undefined ? null : JSON.stringify(end.by),
    surface: end.surface ?? null,
    reason: end.reason ?? null,
    now,
  });

  return {
    insert: (row) => read(insert.get(write(row)) as Row),
    get: (id) => one(byId.get(id)),
    ofCall: (call) => one(byCall.get(call)),
    pending: () => pending.all().map(read),
    pendingOf: (session) => ofSession.all(session).map(read),
    recent: (limit) => recent.all(limit).map(read),
    settle: (id, end, now) => one(settle.get(settlement(id, end, now))),
    close: (id, end, now) => one(close.get(settlement(id, end, now))),
    amend: (id, details) => amend.run(JSON.stringify(details), id).changes === 1,
    restrict: (id, choices) => void restrict.run(JSON.stringify(choices), id),
    begin: (id, now) => begin.run(now, id).changes === 1,
    lapse: (id) => one(lapse.get(id)),
    unfinished: () => unfinished.all().map(read),
    forgetText: (id) => void forget.run(id),
    addCard: (card) => void addCard.run(card.approval, card.nonce, JSON.stringify(card.address), card.outboxKey),
    cards: (id) => cards.all(id).map(trace),
    cardAt(address, messageId) {
      const messages = byMessage.all(messageId, address.platform, address.bot, address.chat);
      const rows = messages.map(({ key, edits }) => cardByKey.get((edits ?? key).replace(/#\d+$/, '')));
      const row = rows.find((found) => found !== undefined);
      return row && trace(row);
    },
    unsentOf: (key) => unsent.all(...fourTimes(key)).map(({ id }) => id as OutboxId),
    cardOf(key) {
      const row = cardByKey.get(key);
      return row && trace(row);
    },
    pendingAt: ({ platform, bot, chat }) => pendingAt.all(platform, bot, chat).map(read),
    repeats: (turn, tool, digest) => repeats.get(turn, tool, digest) !== undefined,
  };
}
