import { actorKey } from '../approvals/actor-key.ts';
import type { Clock } from '../contract/clock.ts';
import type { InboxId } from '../contract/ids.ts';
import type { InboundMessage } from '../contract/message.ts';
import type { BusyMode } from '../store/chat-settings.ts';
import type { Waiting } from '../store/inbox.ts';
import type { SessionRow } from '../store/sessions.ts';
import type { Store } from '../store/store.ts';
import type { TurnRow } from '../store/turns.ts';
import type { InputDesk } from './input-desk.ts';
import { type InputPlace, placeInput, queuedText, refusedText } from './input-place.ts';
import type { Lanes } from './lanes.ts';
import { putLine } from './line.ts';

export interface IntakeConfig {
  readonly inbox: {
    readonly age_label_s: number;
    readonly ask_age_s: number;
    readonly max_waiting: number;
    readonly max_waiting_kb: number;
  };
  readonly busy: { readonly mode: BusyMode };
}

export interface IntakeDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly lanes: Lanes;
  readonly desk: InputDesk;
  readonly config: () => IntakeConfig;
}

const FULL = 'inbox.max_waiting';
const MINUTE_MS = 60_000;

/** What a person's words become: a turn, a part of one, a place in the queue, or a sentence that says why not. */
export class Intake {
  readonly #deps: IntakeDeps;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /**
   * Stores a message; undefined: it was stored before. `mode`: what the person chose for this one. Call it inside a transaction;
   * `after` follows the commit. `consumed` may claim it first (a word that answers a card).
   */
  take(
    message: InboundMessage,
    session: SessionRow,
    mode: BusyMode | undefined,
    consumed: () => boolean,
  ): { readonly after: () => void } | undefined {
    const { store, clock } = this.#deps;
    const now = clock.now();
    const load = store.inbox.load(session.id);
    const before = message.join && store.inbox.pieceOf(session.id, message.join.key, message.by.id);
    const readyAt = now + (message.join?.waitMs ?? 0);
    const { id, fresh } = store.inbox.put({ kind: 'message', event: message, session: session.id }, now, readyAt);
    if (!fresh) return undefined;
    if (consumed()) {
      store.inbox.finish(id, 'merged', now, 'answered an approval');
      return { after: () => {} };
    }
    const place = this.#place(message, session, load, before !== undefined, mode);
    if (before?.steer && place.kind === 'join') store.inbox.setSteer(id);
    if (message.join) store.inbox.defer(session.id, message.join.key, readyAt);
    return { after: this.#put(id, message, session, place, load) };
  }

  #place(
    message: InboundMessage,
    session: SessionRow,
    waiting: Waiting,
    goesOn: boolean,
    mode: BusyMode | undefined,
  ): InputPlace {
    const { store, clock, lanes, config } = this.#deps;
    const { inbox, busy } = config();
    const running = lanes.running(session.id)?.turn;
    const inTurn = !goesOn && lanes.mayFold(session.id, message);
    return placeInput({
      aged: clock.now() - message.sentAt > inbox.ask_age_s * 1000,
      continues: goesOn ? 'waiting' : inTurn ? 'running' : undefined,
      waiting,
      most: { messages: inbox.max_waiting, bytes: inbox.max_waiting_kb * 1024 },
      bytes: Buffer.byteLength(message.text),
      busy: this.#busyTurn(session) !== undefined,
      running: running !== undefined,
      mode: mode ?? store.chatSettings.of(message.address).busy ?? busy.mode,
      files: message.attachments.some(({ kind }) => kind !== 'audio'),
      workers: running !== undefined && hasWorkers(store, running),
      own: running !== undefined && actorKey(running.actor) === actorKey(message.by),
    });
  }

  /** The turn that holds the lane. */
  #busyTurn({ id }: SessionRow): TurnRow | undefined {
    const { store, lanes } = this.#deps;
    return lanes.running(id)?.turn ?? store.turns.unfinishedOf(id).find((turn) => turn.state !== 'held');
  }

  #put(id: InboxId, message: InboundMessage, session: SessionRow, place: InputPlace, load: Waiting): () => void {
    const { store, lanes, desk } = this.#deps;
    switch (place.kind) {
      case 'ask':
        desk.ask(id, session.id);
        return () => {};
      case 'refuse':
        this.#refuse(id, message, session, load);
        return () => {};
      case 'fold':
        return lanes.fold(session.id, id);
      case 'steer':
        store.inbox.setSteer(id);
        return () => lanes.kick(session.id);
      case 'interrupt':
        return () => {
          lanes.stop(session.id, 'interrupt', 'Interrupted; your new message comes next.');
          lanes.kick(session.id);
        };
      case 'queue':
        this.#acknowledge(message, session, queuedText(load.messages + 1, place.why));
        return () => lanes.kick(session.id);
      case 'go':
      case 'join':
        return () => lanes.kick(session.id);
    }
  }

  /** What comes out of a backlog is not told that it waits. */
  #acknowledge(message: InboundMessage, session: SessionRow, text: string): void {
    const { store, clock, config } = this.#deps;
    const now = clock.now();
    const turn = this.#busyTurn(session);
    if (!turn || now - message.sentAt > config().inbox.age_label_s * 1000) return;
    putLine(store, `queued:${turn.id}`, { ...placeOf(message), message: { ...replyOf(message), text } }, now);
  }

  /** One line a minute, with a count. */
  #refuse(id: InboxId, message: InboundMessage, session: SessionRow, { messages }: Waiting): void {
    const { store, clock } = this.#deps;
    const now = clock.now();
    const minute = Math.floor(now / MINUTE_MS);
    store.inbox.finish(id, 'refused', now, FULL);
    const text = refusedText(messages, store.inbox.refused(session.id, FULL, minute * MINUTE_MS));
    const line = { ...placeOf(message), message: { ...replyOf(message), text } };
    putLine(store, `full:${session.id}:${minute}`, line, now);
  }
}

function placeOf({ by, address, direct }: InboundMessage) {
  return { kind: 'notice', address, direct, person: actorKey(by) } as const;
}

function replyOf({ direct, messageId }: InboundMessage): { silent: true; replyTo?: string } {
  return direct ? { silent: true } : { silent: true, replyTo: messageId };
}

function hasWorkers(store: Store, turn: TurnRow): boolean {
  const calls = store.transcript.ofTurn(turn.id).flatMap((row) => row.calls);
  return calls.some(({ name, state }) => name === 'delegate' && state === 'begun');
}
