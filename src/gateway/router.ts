import { outsideRun } from '../context/run-context.ts';
import type { SessionId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type {
  Actor,
  Address,
  ButtonPress,
  FormAnswer,
  Inbound,
  InboundMessage,
  PrivateReply,
  StopPress,
} from '../contract/message.ts';
import type { Health, PlatformEvents } from '../contract/platform.ts';
import type { JobPresses } from '../schedule/job-press.ts';
import type { JobVerbs } from '../schedule/job-verbs.ts';
import type { BusyMode, Progress } from '../store/chat-settings.ts';
import type { OutboxRow } from '../store/outbox.ts';
import type { SessionRow } from '../store/sessions.ts';
import { type AccessConfig, type AccessVerdict, access, addressed, type Known } from './access.ts';
import { ChatNews } from './chat-news.ts';
import { CommandDesk } from './command-desk.ts';
import type { CommandAnswer, CommandDeps } from './commands/command.ts';
import { endTurns } from './commands/stop.ts';
import { commandOf, findCommand, wordsOf } from './commands/table.ts';
import type { HoldDesk } from './hold-desk.ts';
import { InputDesk } from './input-desk.ts';
import { Intake, type IntakeConfig } from './intake.ts';
import type { Overheard } from './overheard.ts';
import { codeText, type Pairing } from './pairing.ts';
import { sessionKey } from './session-key.ts';

export interface RouterConfig extends IntakeConfig {
  readonly access: AccessConfig;
  readonly groups: {
    readonly mention: 'required' | 'off';
    readonly free: readonly string[];
    readonly observe: boolean;
  };
  readonly sessions: { readonly group_per_actor: boolean; readonly thread_per_actor: boolean };
  readonly control: { readonly max_age_s: number };
  readonly display: { readonly progress: Progress };
}

export interface RouterDeps extends CommandDeps {
  readonly log: Log;
  readonly config: () => RouterConfig;
  readonly holds: Pick<HoldDesk, 'press'>;
  readonly jobs: { readonly verbs: Pick<JobVerbs, 'answer'>; readonly presses: Pick<JobPresses, 'press'> };
  /** `home.<platform>` of the configuration. */
  readonly homes: () => Readonly<Record<string, string>>;
  readonly overheard: Pick<Overheard, 'hear'>;
  readonly pairing: Pick<Pairing, 'greet' | 'offer' | 'press'>;
  readonly wake: () => void;
  /** Rows that were given up; called after the commit. */
  readonly gaveUp: (rows: readonly OutboxRow[]) => void;
  readonly health: (platform: string, health: Health) => void;
}

const STRANGER_QUIET_MS = 600_000;

/**
 * Everything that comes in passes here: access first, then a row, then the lane or the control lane. What is awaited by an
 * adapter ends with the commit; nothing here waits for a turn, a model or a person.
 */
export class Router {
  readonly #deps: RouterDeps;
  readonly #desk: InputDesk;
  readonly #intake: Intake;
  readonly #commands: CommandDesk;
  readonly #news: ChatNews;
  readonly #known: Known;

  constructor(deps: RouterDeps) {
    const { store, clock, lanes, config } = deps;
    this.#deps = deps;
    this.#known = {
      roleOf: (person) => store.people.roleOf(person),
      formerly: (address) => store.moves.formerly(address),
    };
    const kick = (session: SessionId) => lanes.kick(session);
    this.#desk = new InputDesk({ store, clock, kick, sessions: () => config().sessions });
    this.#commands = new CommandDesk(deps);
    this.#news = new ChatNews({ ...deps, judge: (event) => this.judge(event) });
    this.#intake = new Intake({ store, clock, lanes, desk: this.#desk, config });
  }

  /** The ears of one adapter. Nothing it calls inherits a run. */
  events(platform: string): PlatformEvents {
    return {
      message: async (message) => outsideRun(() => this.#message(message)),
      command: async (message) => outsideRun(() => this.#alone(message)),
      press: async (press) => outsideRun(() => this.#press('press', press)),
      form: async (form) => outsideRun(() => this.#press('form', form)),
      edited: async (message) => outsideRun(() => this.#edited(message)),
      stopped: async (stop) => outsideRun(() => this.#stopped(stop)),
      reaction: async () => {},
      reach: async (address, reachable) => outsideRun(() => this.#news.reach(address, reachable)),
      moved: async (from, to) => outsideRun(() => this.#news.moved(from, to)),
      health: (health) => outsideRun(() => this.#deps.health(platform, health)),
      refused: async (input) => outsideRun(() => this.#news.unreadable(input)),
    };
  }

  /** Whether somebody may talk here, and as what. One judgement for every kind of event. */
  judge(event: Pick<Inbound, 'by' | 'address' | 'direct'> & { readonly mentionsBot?: boolean }): AccessVerdict {
    return access(event, this.#deps.config().access, this.#known);
  }

  #message(message: InboundMessage): void {
    const command = commandOf(message);
    const ours = command !== undefined && findCommand(command.name) !== undefined;
    if (!addressed(message, this.#deps.config().groups, ours, this.#known)) return void this.#overhear(message);
    const verdict = this.judge(message);
    if (verdict.kind === 'deny') return void this.#refused(message, verdict);
    const said = wordsOf(message);
    if (command && !said.mode) {
      return void this.#commands.run(message, command, verdict.role === 'admin', 'here');
    }
    this.#words(said.message, said.mode);
  }

  /** Talk of a group, where the operator wants it known and somebody may use hermod. */
  #overhear(message: InboundMessage): void {
    const { config, overheard, log } = this.#deps;
    const { groups, access: lists } = config();
    const { by } = message;
    const denied = by.bot || by.standIn || lists.deny.includes(`${by.platform}:${by.id}`);
    if (!groups.observe || denied) return;
    overheard.hear(message);
    log.debug({ platform: by.platform, chat: message.address.chat }, 'a line of a group is kept for the next turn');
  }

  /** A command whose sender is answered alone, a stranger too. */
  #alone(message: InboundMessage): PrivateReply | undefined {
    const verdict = this.judge(message);
    const command = commandOf(message);
    const said = wordsOf(message);
    if (verdict.kind === 'allow' && said.mode) {
      this.#words(said.message, said.mode);
      return { text: 'I have it.' };
    }
    if (verdict.kind === 'allow' && command) {
      return this.#commands.run(message, command, verdict.role === 'admin', 'alone');
    }
    this.#deps.log.info({ platform: message.by.platform }, 'a command was refused');
    if (verdict.kind === 'deny' && verdict.pair) {
      const code = this.#deps.pairing.offer(message);
      return { text: code === undefined ? NO_CODE : codeText(code) };
    }
    return { text: strangerText(message.by) };
  }

  #refused(message: InboundMessage, verdict: AccessVerdict & { kind: 'deny' }): void {
    const { by, address, direct } = message;
    this.#deps.log.info({ platform: by.platform, rule: verdict.rule }, 'a message was refused');
    if (!verdict.told) return;
    if (verdict.pair) return void this.#deps.pairing.greet(message);
    const { store, clock, wake } = this.#deps;
    const now = clock.now();
    const slot = Math.floor(now / STRANGER_QUIET_MS);
    const key = (n: number) => `stranger:${by.platform}:${by.id}:${n}`;
    const before = store.outbox.get(key(slot - 1));
    if (before && now - before.createdAt < STRANGER_QUIET_MS) return;
    store.outbox.put({ key: key(slot), kind: 'notice', address, direct, message: { text: strangerText(by) } }, now);
    wake();
  }

  #words(message: InboundMessage, mode: BusyMode | undefined): void {
    const { store, broker } = this.#deps;
    const taken = store.tx(() => {
      const session = this.#open(message);
      return this.#intake.take(message, session, mode, () => mode === undefined && broker.word(message, session.id));
    });
    this.#deps.wake();
    taken?.after();
  }

  /** Somebody who writes can be written to. */
  #open(event: Inbound): SessionRow {
    const { store, clock, config } = this.#deps;
    store.reach.clear(event.address);
    const key = sessionKey(event, config().sessions);
    return store.sessions.open(key, event.by, event.address, event.direct, clock.now());
  }

  #press(kind: 'press' | 'form', event: ButtonPress | FormAnswer): PrivateReply | undefined {
    const { store, clock, broker, holds } = this.#deps;
    const now = clock.now();
    const verdict = this.judge(event);
    // Of a stranger only the fact is kept.
    const kept = verdict.kind === 'deny' && 'text' in event ? { ...event, text: '' } : event;
    const reply = store.tx(() => {
      const { id, fresh } = store.inbox.put({ kind, event: kept }, now);
      if (!fresh) return undefined;
      const said: CommandAnswer =
        holds.press(event, verdict) ??
        this.#desk.press(event, verdict) ??
        this.#deps.pairing.press(event, verdict) ??
        this.#jobPress(event, verdict) ??
        broker.press(event);
      store.inbox.finish(id, 'answered', now);
      return said;
    });
    reply?.after?.();
    this.#deps.wake();
    return reply && { text: reply.text };
  }

  #jobPress(event: ButtonPress | FormAnswer, verdict: AccessVerdict): PrivateReply | undefined {
    if (verdict.kind === 'deny') return undefined;
    const { by, address, direct } = event;
    const admin = verdict.role === 'admin';
    return this.#deps.jobs.presses.press(event, { by, address, direct, admin });
  }

  /** Never starts anything: a waiting text is replaced, a running one gets one sentence. */
  #edited(event: InboundMessage): void {
    if (this.judge(event).kind === 'deny') return;
    const { store, clock } = this.#deps;
    const { message } = wordsOf(event);
    store.tx(() => {
      const original = store.inbox.original(message);
      if (!original || original.text === message.text) return;
      if (store.inbox.replaceText(original.id, message.text)) return;
      const text = 'I had already read that message before you changed it. Send the change as a new message.';
      const { address, direct, messageId: replyTo } = message;
      const key = `edited:${original.id}`;
      store.outbox.put({ key, kind: 'notice', address, direct, message: { text, replyTo } }, clock.now());
    });
    this.#deps.wake();
  }

  /** As /stop for that turn, pressed where it runs. */
  #stopped(stop: StopPress): void {
    const { store, lanes, clock, endProcesses, wake } = this.#deps;
    const turn = store.turns.get(stop.turn);
    if (!turn || !samePlace(turn.address, stop.address) || this.judge(stop).kind === 'deny') return;
    const now = clock.now();
    const ended = store.tx(() => {
      const { id, fresh } = store.inbox.put({ kind: 'stopped', event: stop }, now);
      if (!fresh) return false;
      store.inbox.finish(id, 'answered', now);
      return turn.endedAt === null && endTurns(this.#deps, turn.session, 'stop') > 0;
    });
    if (!ended) return;
    lanes.stop(turn.session, 'stop');
    endProcesses(turn.session);
    lanes.kick(turn.session);
    wake();
  }
}

/** They have one, were refused, or too many wait. */
const NO_CODE = 'I do not know you yet, and I have no new code for you now. Ask the owner, or try again later.';

function strangerText({ platform, id }: Actor): string {
  return `I do not know you yet. The owner can let you in by adding "${platform}:${id}" to access.allow in config.yaml.`;
}

function samePlace(a: Address, b: Address): boolean {
  return a.platform === b.platform && a.bot === b.bot && a.chat === b.chat;
}
