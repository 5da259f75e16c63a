import type { Clock } from '../../src/contract/clock.ts';
import { BootJournal } from '../../src/process/boot-journal.ts';
import { type RecoveryDeps, recover } from '../../src/process/recovery.ts';
import { tellCutOff } from '../../src/process/restart-notices.ts';
import { ResumeQueue } from '../../src/process/resume-queue.ts';
import type { BootPlan, BootRow } from '../../src/store/boots.ts';
import { openStore } from '../../src/store/store.ts';
import type { TurnRow } from '../../src/store/turns.ts';
import { quietLog } from '../agent/quiet-log.ts';
import { FakeClock, settle } from '../fakes/fake-clock.ts';
import { laneFixture, type Played } from '../gateway/lane-fixture.ts';

/** How a boot ends, and whether a person planned that. `vanished`: nothing is written, and nobody is told. */
export interface BootDeath {
  readonly how: 'signal' | 'stopped' | 'restarted' | 'vanished';
  readonly plan?: BootPlan;
}

export const SIGTERM: BootDeath = { how: 'signal' };
export const SIGKILL: BootDeath = { how: 'vanished' };
export const PLANNED: BootDeath = { how: 'restarted', plan: 'restart' };

export interface Sent {
  readonly kind: string;
  readonly chat: string;
  /** Which message it changes; null: it is one of its own. */
  readonly edits: string | null;
  readonly text: string;
}

type Limits = RecoveryDeps['limits'];

const LIMITS: Limits = {
  resume: { enabled: true, max_attempts: 5, max_age_s: 3600, hold_days: 7 },
  breaker: { session_limit: 3, global_limit: 5 },
};
const SHOW: RecoveryDeps['show'] = {
  call: ({ name, raw }) => `\`${name} ${raw}\``,
  words: (text, limit) => text.slice(0, limit),
  time: (at) => new Date(at).toISOString().slice(11, 16),
};

/** Turns end when a test says so, not because they are idle. */
const UNHURRIED = { noteMs: 1e12, idleMs: 1e12, totalMs: 1e12 };

/**
 * Boots in a row on one database and one clock: the journal, the breaker, the queue of resumes and the lanes are the real ones.
 * Turns run until a test says that they end, or that the boot does.
 */
export class BootSeries {
  readonly store = openStore(':memory:');
  readonly clock = new FakeClock();
  /** Who may talk now, which platforms are configured, and with what limits. */
  may: (turn: TurnRow) => boolean = () => true;
  platforms: readonly string[] = ['telegram'];
  limits = LIMITS;
  #life: Life | undefined;

  /** The next boot, up to ready, with what it takes up by itself. */
  async boot(): Promise<void> {
    this.#life = new Life(this);
    await settle();
  }

  /** The end of this boot; whatever runs is cut off. */
  dies(death: BootDeath): Promise<void> {
    return this.#now.end(death);
  }

  /** So many boots end, each some time after it began; then there is one more. */
  async boots(count: number, death: BootDeath, lastingMs = 5_000): Promise<void> {
    for (let i = 0; i < count; i++) {
      await this.clock.skip(lastingMs);
      await this.dies(death);
      await this.boot();
    }
  }

  /** Ann writes in a chat, and a turn begins; `far`: on a platform besides. */
  says(text: string, chat = 'c1', far?: string): TurnRow {
    const { lane } = this.#now;
    const address = { platform: far ?? 'telegram', bot: 'b1', chat };
    lane.say(text, { chat, address, sentAt: this.clock.now() });
    return lane.runner.last.turn;
  }

  /** A tool of a running turn begins. */
  begins({ id: turn, session }: TurnRow): void {
    const calls = [{ providerId: 'p', name: 'shell', raw: '{"command":"make"}' }];
    const message = { session, turn, step: 1, role: 'assistant', content: '', calls } as const;
    const [call] = this.store.transcript.append(message, this.clock.now()).calls;
    if (call) this.store.transcript.begin(call.id, this.#now.lane.boot, this.clock.now());
  }

  /** `/new`, by whatever hand. */
  endsSession({ session }: TurnRow): void {
    const key = this.store.sessions.get(session)?.key;
    if (key !== undefined) this.store.sessions.end(key, this.clock.now());
  }

  /** `/stop` */
  stops({ session }: TurnRow): Promise<void> {
    this.#now.lane.lanes.stop(session, 'stop');
    return settle();
  }

  /** A running turn is answered. */
  async answers(turn: TurnRow, text = 'Done.'): Promise<void> {
    const played = this.#now.played(turn);
    if (!played) throw new Error('that turn does not run');
    played.reply(text);
    await settle();
  }

  runs(turn: TurnRow): boolean {
    return this.store.turns.get(turn.id)?.state === 'running' && this.#now.played(turn) !== undefined;
  }

  /** `held session_loop`, `running`, `answered`. */
  state({ id }: TurnRow): string {
    const turn = this.store.turns.get(id);
    return [turn?.state, ...(turn?.rule ? [turn.rule] : [])].join(' ');
  }

  /** Interrupted boots in a row before this one, as it read them. */
  get streak(): number | undefined {
    return this.#now.journal.earlier?.streak;
  }

  get settled(): boolean {
    return this.#now.journal.settled;
  }

  /** Boots that are over, oldest first. */
  get ended(): readonly BootRow[] {
    return this.store.boots
      .recent(200)
      .filter(({ how }) => how !== null)
      .reverse();
  }

  /** Everything that ever went out, oldest first. */
  get sent(): readonly Sent[] {
    return this.store.db
      .prepare<[], Sent>(`SELECT kind, chat, edits, json_extract(body, '$.text') AS text FROM outbox ORDER BY seq`)
      .all();
  }

  /** The cards of held turns, as they were asked. */
  get cards(): readonly Sent[] {
    return this.sent.filter(({ kind, edits }) => kind === 'card' && edits === null);
  }

  get #now(): Life {
    if (!this.#life) throw new Error('boot() first');
    return this.#life;
  }
}

class Life {
  readonly lane: ReturnType<typeof laneFixture>;
  readonly journal: BootJournal;
  readonly #queue: ResumeQueue;
  readonly #clock: MortalClock;

  constructor({ store, clock: world, may, platforms, limits }: BootSeries) {
    const { log } = quietLog();
    const clock = new MortalClock(world);
    const cutOff = (turn: TurnRow) => tellCutOff(store, turn, false, clock.now());
    const lane = laneFixture({ clock, cutOff, limits: () => UNHURRIED }, store, world);
    const { boot } = lane;
    const queue = new ResumeQueue({ parallel: () => 2, dispatch: ({ turn }) => lane.lanes.resume(turn, 'resume') });
    const resumesWait = () => queue.size > 0;
    this.journal = new BootJournal({ store, boot, clock, log, settleMs: () => 60_000, resumesWait });
    const { judged, journal } = recover({
      ...{ store, boot, now: clock.now(), log, limits, restored: false, show: SHOW, allowed: may },
      platform: (name) => platforms.includes(name),
      settleApprovals: () => {},
    });
    this.journal.began(journal);
    for (const one of judged) if (one.goesOn) queue.add(one);
    this.journal.ready();
    lane.lanes.start();
    queue.start();
    for (const platform of platforms) queue.open(platform);
    [this.lane, this.#queue, this.#clock] = [lane, queue, clock];
  }

  played({ id }: TurnRow): Played | undefined {
    return this.lane.runner.turns.findLast(({ turn }) => turn.id === id);
  }

  async end({ how, plan }: BootDeath): Promise<void> {
    if (how !== 'vanished') {
      if (plan) this.journal.plan(plan, 'telegram:boss');
      this.journal.stopBegan(how === 'signal' ? 'SIGTERM' : null);
      this.#queue.stop();
      const drained = this.lane.lanes.drain(0);
      await this.#clock.due();
      await drained;
      this.journal.end(how);
    }
    this.#clock.die();
  }
}

/** The clock of one process: its timers end with it. */
class MortalClock implements Clock {
  readonly #world: FakeClock;
  readonly #timers = new Set<() => void>();

  constructor(world: FakeClock) {
    this.#world = world;
  }

  now(): number {
    return this.#world.now();
  }

  after(ms: number, fn: () => void): () => void {
    const cancel = this.#world.after(ms, () => {
      this.#timers.delete(cancel);
      fn();
    });
    this.#timers.add(cancel);
    return () => {
      this.#timers.delete(cancel);
      cancel();
    };
  }

  /** What is due now happens. */
  due(): Promise<void> {
    return this.#world.skip(0);
  }

  die(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }
}
