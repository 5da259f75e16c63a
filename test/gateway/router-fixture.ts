import type { Broker } from '../../src/approvals/broker.ts';
import type { SessionId } from '../../src/contract/ids.ts';
import type { ButtonPress, FormAnswer, InboundMessage } from '../../src/contract/message.ts';
import type { Health } from '../../src/contract/platform.ts';
import { Overheard } from '../../src/gateway/overheard.ts';
import { Pairing } from '../../src/gateway/pairing.ts';
import { Router, type RouterConfig } from '../../src/gateway/router.ts';
import type { Status } from '../../src/gateway/status.ts';
import { quietLog } from '../agent/quiet-log.ts';
import { laneFixture } from './lane-fixture.ts';

/** Settles nothing; keeps what it was asked, and answers what a test wants. */
export class StubBroker {
  readonly heard: string[] = [];
  pending: { code: string; expiresAt: number }[] = [];
  takesWords = false;
  onPress: () => void = () => {};
  onWord: () => void = () => {};

  press(event: ButtonPress | FormAnswer) {
    this.heard.push(`press ${event.data} by ${event.by.id}`);
    this.onPress();
    return { text: `pressed ${event.data}` };
  }
  command(verb: string, args: string, from: InboundMessage, session: SessionId | undefined) {
    this.heard.push(`${verb} ${args} by ${from.by.id}${session === undefined ? ' nowhere' : ''}`);
    return 'Allowed once.';
  }
  word(message: InboundMessage) {
    this.onWord();
    return this.takesWords && message.text === 'yes';
  }
  cancelSession(_: SessionId, by: string) {
    this.heard.push(`cancel ${by}`);
    return this.pending.length;
  }
  pendingOf() {
    return this.pending;
  }
}

export const CONFIG: RouterConfig = {
  access: {
    admins: ['telegram:boss'],
    allow: ['telegram:ann', 'telegram:bob'],
    deny: [],
    groups: [],
    roles: [],
    open: [],
    pairing: false,
    bots: 'none',
  },
  groups: { mention: 'required', free: [], observe: false },
  sessions: { group_per_actor: true, thread_per_actor: false },
  control: { max_age_s: 120 },
  inbox: { age_label_s: 120, ask_age_s: 21_600, max_waiting: 20, max_waiting_kb: 256 },
  busy: { mode: 'queue' },
  display: { progress: 'tools' },
};

const STATUS: Status = {
  version: '9.9',
  boot: 'b',
  startedAt: Date.parse('2026-11-30T10:00:00Z'),
  ready: true,
  reasons: [],
  platforms: [{ name: 'telegram', state: 'connected', reason: '', proofAt: null }],
  turns: { running: 1, unfinished: 2 },
  inboxOpen: 3,
  outbox: { dead: 4 },
  life: { streak: 0, limit: 5, settled: true, ends: [], held: [], resuming: 0, lagMs: 0, watched: true },
};

export interface RouterOptions {
  readonly config?: Partial<RouterConfig>;
  readonly lane?: ReturnType<typeof laneFixture>;
  /** Called whenever somebody asks how the daemon is. */
  readonly asked?: () => void;
}

/** A router over lanes whose turns a test plays, with a broker that settles nothing. */
export function routerFixture({ config = {}, lane: given, asked = () => {} }: RouterOptions = {}) {
  const overheard = new Overheard();
  const lane = given ?? laneFixture({ overheard: (address) => overheard.take(address) });
  const { store, clock, lanes } = lane;
  lanes.start();
  const broker = new StubBroker();
  const log = quietLog();
  const healths: Health[] = [];
  const swept: SessionId[] = [];
  const gaveUp: string[] = [];
  const audit: string[] = [];
  const counts = { restarts: 0 };
  let now = config;
  const homes: Record<string, string> = {};
  const lost: string[] = [];
  const pairing = new Pairing({
    store,
    clock,
    log: log.log,
    time: (at) => new Date(at).toISOString().slice(11, 16),
    homes: () => homes,
    hasAdmin: () => (now.access ?? CONFIG.access).admins.length > 0,
    isListed: (person) => CONFIG.access.allow.includes(person),
    endAccess: (person) => void lost.push(person),
    wake: () => {},
  });
  const router = new Router({
    store,
    clock,
    time: (at) => new Date(at).toISOString().slice(11, 16),
    log: log.log,
    config: () => ({ ...CONFIG, ...now }),
    broker: broker as unknown as Broker,
    lanes,
    holds: { press: (event) => (event.data.startsWith('h1:ho:') ? { text: 'held' } : undefined) },
    jobs: { verbs: { answer: () => ({ ok: true, text: 'Jobs.' }) }, presses: { press: () => undefined } },
    status: () => {
      asked();
      return STATUS;
    },
    trail: { write: (event, facts) => void audit.push(`${event} ${JSON.stringify(facts.actor)}`) },
    dayStart: (at) => at - (at % 86_400_000),
    models: {
      primary: 'test:big',
      known: ['test:big', 'test:small', 'other:big'],
      problem: (name) => (name.includes(':') ? undefined : `"${name}" names no model.`),
    },
    explain: (text, cwd) => [`grade ${text}`, `in ${cwd ?? 'workspace'}`],
    homes: () => homes,
    overheard,
    pairing,
    policy: { yolo: () => 'Yolo.', grants: () => 'Grants.' },
    endProcesses: (session) => void swept.push(session),
    restart: { waitMs: 300_000, busy: () => lanes.busy, begin: () => void counts.restarts++ },
    wake: () => {},
    gaveUp: (rows) => void gaveUp.push(...rows.map(({ key }) => key)),
    health: (_, health) => void healths.push(health),
  });
  const events = router.events('telegram');
  return {
    lane,
    broker,
    log,
    router,
    events,
    healths,
    /** Sessions whose left-over processes were ended. */
    swept,
    gaveUp,
    counts,
    audit,
    pairing,
    overheard,
    homes,
    /** Whose access was ended. */
    lost,
    hears: (message: InboundMessage) => events.message(message),
    configure: (more: Partial<RouterConfig>) => {
      now = { ...now, ...more };
    },
    /** What was said, without the lines that say that something waits. */
    answers: () =>
      lane
        .outbox()
        .map((line) => line.replace(/^\w+ \w+: /, ''))
        .filter((line) => !line.startsWith('Queued')),
  };
}
