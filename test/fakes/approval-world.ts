import { z } from 'zod';
import type { Analysis, Detector, ResolvedCommand } from '../../src/approvals/analysis.ts';
import { createAuditTrail } from '../../src/approvals/audit-trail.ts';
import { type Broker, createBroker } from '../../src/approvals/broker.ts';
import type { BrokerDeps } from '../../src/approvals/broker-deps.ts';
import { createGate, type Gate } from '../../src/approvals/gate.ts';
import type { GateCall, GateDeps, Passage } from '../../src/approvals/gate-deps.ts';
import type { ApprovalsConfig } from '../../src/approvals/policy-config.ts';
import { createRedactor } from '../../src/approvals/redact.ts';
import { NO_MARKERS } from '../../src/context/authority.ts';
import { withRun } from '../../src/context/run-context.ts';
import { type BootId, type CallId, newId, type SessionId, type TurnId } from '../../src/contract/ids.ts';
import type { Log } from '../../src/contract/log.ts';
import type { Actor, Address, Button, ButtonPress, InboundMessage } from '../../src/contract/message.ts';
import type { PlatformLimits } from '../../src/contract/platform.ts';
import type { ChatRun, RunContext } from '../../src/contract/run.ts';
import type { Finding, Tool } from '../../src/contract/tool.ts';
import type { ApprovalRow } from '../../src/store/approvals.ts';
import type { OutboxRow } from '../../src/store/outbox.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { APPROVALS_DEFAULTS } from './approvals-config.ts';
import { FakeClock, settle } from './fake-clock.ts';
import { chatAddress, chatRun, person } from './runs.ts';

export const ANN = person('ann', 'Ann');
export const BOB = person('bob', 'Bob');
export const EVE = person('eve', 'Eve');

const LIMITS: PlatformLimits = {
  maxText: 4096,
  maxParts: 8,
  maxButtonData: 64,
  buttons: true,
  edit: true,
  threads: true,
  forms: false,
  typingMs: 5000,
  editEveryMs: { direct: 1000, group: 3000 },
  idempotency: null,
  rate: { botPerSecond: 30, direct: { burst: 1, everyMs: 1000 }, group: { burst: 20, everyMs: 60_000 } },
};

const RULES: readonly [RegExp, Partial<Finding> & { rule: string }][] = [
  [/^rm -rf \/$/, { rule: 'fs.wipe', grade: 'hardline', why: 'wipes the system' }],
  [/^rm /, { rule: 'fs.delete', why: 'deletes a directory tree', smart: true }],
  [/^git push --force/, { rule: 'git.force', why: 'overwrites what others pushed' }],
  [/^curl .*\| *sh/, { rule: 'code.fetched', why: 'runs what it fetches' }],
  [/^hermod stop/, { rule: 'self.stop', why: 'stops hermod', personOnly: true }],
  [/^\$\(/, { rule: 'shell.unreadable', why: 'cannot be read', personOnly: true }],
];

/** A stand-in for the real detector: a handful of commands, split at `&&`, no shell grammar at all. */
export const toyDetector: Detector = {
  analyze(text, facts): Analysis {
    const pieces = text.split('&&').map((piece) => piece.trim());
    const commands = pieces.map((piece) => resolved(piece, facts.cwd));
    const findings = pieces.flatMap((piece, i) => judged(commands[i] as ResolvedCommand, text.indexOf(piece)));
    const readable = !text.startsWith('$(');
    return {
      grade: findings.some(({ grade }) => grade === 'hardline')
        ? 'hardline'
        : findings.length > 0
          ? 'dangerous'
          : 'safe',
      findings,
      commands,
      readable,
      sudoStdin: /sudo .*-S/.test(text),
      grantBar: pieces.length > 1 ? 'it has several commands' : readable ? null : 'it cannot be read',
      code: [],
    };
  },
  scanCode(_language, source): Analysis {
    const wipes = source.includes('wipe()');
    const base: Finding = {
      rule: 'fs.wipe',
      grade: 'hardline',
      span: [0, 4],
      why: 'wipes',
      personOnly: false,
      smart: false,
    };
    const eaten: Finding = { ...base, rule: 'code.dynamic', grade: 'dangerous', why: 'runs text as code' };
    const findings = [...(wipes ? [base] : []), ...(source.includes('eval(') ? [eaten] : [])];
    return {
      grade: 'safe',
      findings,
      commands: [],
      readable: true,
      sudoStdin: false,
      grantBar: 'it runs code',
      code: [],
    };
  },
  gradePaths: (uses) =>
    uses.flatMap(({ path, use }): readonly Finding[] =>
      use === 'write' && path.includes('/.ssh/')
        ? [
            {
              rule: 'fs.protected',
              grade: 'dangerous',
              span: [0, 1],
              why: `writes ${path}`,
              personOnly: false,
              smart: false,
            },
          ]
        : [],
    ),
  shapeOf: (rule) => (rule === 'git.force' ? 'prefix' : 'exact'),
};

const IDENTITY = new Set(['sudo', 'doas']);
const WRAPPERS = new Set(['nice', 'env', 'time', ...IDENTITY]);

function resolved(text: string, cwd: string): ResolvedCommand {
  const words = text.split(/\s+/).filter(Boolean);
  const assignments: (readonly [string, string])[] = [];
  const wrappers: { program: string; identity?: string }[] = [];
  for (let word = words[0]; word !== undefined; word = words[0]) {
    if (/^\w+=/.test(word)) assignments.push(word.split('=') as [string, string]);
    else if (WRAPPERS.has(word))
      wrappers.push(IDENTITY.has(word) ? { program: word, identity: `${word}:root` } : { program: word });
    else if (!(wrappers.length > 0 && word.startsWith('-'))) break;
    words.shift();
  }
  const argv = words.map((word) => (word.startsWith('$') ? null : word));
  return { argv, program: argv[0]?.split('/').at(-1) ?? null, wrappers, cwd, assignments, span: [0, text.length] };
}

function judged({ argv }: ResolvedCommand, at: number): readonly Finding[] {
  const text = argv.map((word) => word ?? '$(x)').join(' ');
  return RULES.filter(([pattern]) => pattern.test(text)).map(([, made]) => {
    const span = [at, at + text.length] as const;
    return { grade: 'dangerous', span, why: made.rule, personOnly: false, smart: false, ...made } as Finding;
  });
}

export const shellTool: Tool = {
  name: 'shell',
  description: 'runs a command',
  input: z.object({ command: z.string() }) as never,
  effects: 'exec',
  command: (input) => (input as { command: string }).command,
  run: async () => ({ text: '', isError: false }),
};

export const codeTool: Tool = {
  name: 'execute_code',
  description: 'runs a script',
  input: z.object({ source: z.string() }) as never,
  effects: 'exec',
  code: (input) => ({ language: 'js', source: (input as { source: string }).source }),
  run: async () => ({ text: '', isError: false }),
};

export const plainTool = (name: string, effects: Tool['effects'], more: Partial<Tool> = {}): Tool => ({
  name,
  description: name,
  input: z.object({}) as never,
  effects,
  run: async () => ({ text: '', isError: false }),
  ...more,
});

export interface LogLine {
  readonly level: string;
  readonly facts: object;
  readonly sentence: string;
}

export interface WorldOptions {
  readonly config?: Partial<ApprovalsConfig>;
  readonly path?: string;
  readonly clock?: FakeClock;
  readonly limits?: Partial<PlatformLimits>;
  readonly gate?: Partial<GateDeps>;
  readonly broker?: Partial<BrokerDeps>;
}

/** Store, broker and gate together, with a delivery that the test moves by hand and people who press. */
export class ApprovalWorld {
  readonly clock: FakeClock;
  readonly store: Store;
  readonly broker: Broker;
  readonly gate: Gate;
  readonly log: LogLine[] = [];
  readonly settled: ApprovalRow[] = [];
  readonly strangers = new Set<string>(['telegram:eve']);
  readonly boot: BootId;
  config: ApprovalsConfig;
  #sent = 0;
  #events = 0;

  constructor(options: WorldOptions = {}) {
    this.config = { ...APPROVALS_DEFAULTS, ...options.config };
    this.clock = options.clock ?? new FakeClock();
    this.store = openStore(options.path ?? ':memory:');
    const boot = this.store.boots.begin(1, this.clock.now()).id;
    this.boot = boot;
    const redactor = createRedactor();
    const log = this.#logger();
    const shared = {
      store: this.store,
      boot,
      clock: this.clock,
      log,
      config: () => this.config,
      redactor: () => redactor,
      trail: createAuditTrail({ audit: this.store.audit, boot, log, redactor: () => redactor }),
    };
    this.broker = createBroker({
      ...shared,
      wake: () => {},
      mayTalk: ({ by }) => ({ allowed: !by.bot && !by.standIn && !this.strangers.has(`${by.platform}:${by.id}`) }),
      limitsOf: () => ({ ...LIMITS, ...options.limits }),
      time: (at) => new Date(at).toISOString().slice(11, 16),
      folder: (path) => path,
      ...options.broker,
    });
    this.broker.onParkedSettled = (row) => this.settled.push(row);
    this.gate = createGate({
      ...shared,
      broker: this.broker,
      markers: NO_MARKERS,
      bootYolo: false,
      place: () => ({
        home: '/home/user',
        user: 'user',
        roots: ['/proj'],
        hermodHome: '/home/user/.hermod',
        pid: 10,
        parentPid: 1,
        os: 'linux',
        readOutside: false,
        backend: { name: 'local', isolated: false },
      }),
      detector: toyDetector,
      realPath: async (path) => path,
      effect: async () => undefined,
      allowed: ({ platform, id }) => !this.strangers.has(`${platform}:${id}`),
      ...options.gate,
    });
  }

  #logger(): Log {
    const at = (level: string) => (facts: object, sentence: string) => void this.log.push({ level, facts, sentence });
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  }

  /** A chat turn with a row for each of its calls. */
  turn(options: TurnOptions = {}): Turn {
    const actor = options.actor ?? ANN;
    const chat = options.chat ?? 'c1';
    const direct = options.direct ?? true;
    const now = this.clock.now();
    const address = chatAddress(chat, options.platform);
    const session = this.store.sessions.open(`${chat}:${actor.id}`, actor, address, direct, now);
    const turn = this.store.turns.create({ session: session.id, actor, address, direct, replyTo: 'm0' }, now);
    const calls = Array.from({ length: options.calls ?? 1 }, () => ({ providerId: '', name: 'shell', raw: '{}' }));
    const message = this.store.transcript.append(
      { session: session.id, turn: turn.id, step: 1, role: 'assistant', content: '', calls },
      now,
    );
    const signal = options.signal === undefined ? {} : { signal: options.signal };
    const run = chatRun({ session: session.id, actor, chat, platform: address.platform, ...signal });
    return { run, session: session.id, turn: turn.id, calls: message.calls.map(({ id }) => id) };
  }

  call(run: RunContext | undefined, command: string, more: Partial<GateCall> = {}): Promise<Passage> {
    return this.gate.pass({
      call: newId<CallId>(),
      turn: null,
      tool: shellTool,
      input: { command },
      run,
      asking: () => {},
      ...more,
    });
  }

  /** Runs one call in its run. */
  within(run: RunContext, command: string, more: Partial<GateCall> = {}): Promise<Passage> {
    return withRun(run, () => this.call(run, command, more));
  }

  /** The first call of a turn made for it, in its run. */
  asks(command: string, options: Parameters<ApprovalWorld['turn']>[0] = {}, more: Partial<GateCall> = {}) {
    const made = this.turn(options);
    const passage = this.within(made.run, command, { call: made.calls[0] as CallId, turn: made.turn, ...more });
    return { ...made, passage };
  }

  /** Delivery: everything that waits is sent or edited. Returns what people now see, oldest first. */
  async deliver(): Promise<readonly OutboxRow[]> {
    await settle();
    const shown: OutboxRow[] = [];
    for (const row of this.#waiting()) {
      const target = row.edits === undefined ? undefined : this.store.outbox.get(row.edits);
      const messageId = target?.messageId ?? `m${++this.#sent}`;
      this.store.outbox.claim(row.id);
      this.store.outbox.sent(row.id, { messageId, at: row.address }, this.clock.now());
      shown.push(this.store.outbox.get(row.key) as OutboxRow);
    }
    return shown;
  }

  /** For what waits for the real file system: as many rounds of the event loop as it takes. */
  async until(there: () => boolean): Promise<void> {
    for (let round = 0; !there(); round++) {
      if (round > 100_000) throw new Error('it never came');
      await settle(1);
    }
  }

  #waiting(): readonly OutboxRow[] {
    const keys = this.store.db
      .prepare<[], { key: string }>(`SELECT key FROM outbox WHERE state = 'pending' ORDER BY seq`)
      .all();
    return keys.map(({ key }) => this.store.outbox.get(key) as OutboxRow);
  }

  /** What stands in the chat of a card now. */
  shown(id: string, n = 0): OutboxRow['message'] {
    const rows = this.store.db
      .prepare<[string, string], { key: string }>(
        'SELECT key FROM outbox WHERE key = ? OR edits = ? ORDER BY seq DESC LIMIT 1',
      )
      .all(`card:${id}:${n}`, `card:${id}:${n}`);
    return (this.store.outbox.get(rows[0]?.key ?? '') as OutboxRow).message;
  }

  get pending(): readonly ApprovalRow[] {
    return this.store.approvals.pending();
  }

  buttons(id: string, n = 0): readonly Button[] {
    const row = this.store.outbox.get(`card:${id}:${n}`);
    return row?.message.buttons?.flat() ?? [];
  }

  /** Presses the button with this label on the (first) card of a request. */
  press(row: Pick<ApprovalRow, 'id'>, label: string, by: Actor = ANN, more: Partial<ButtonPress> = {}): string {
    const button = this.buttons(row.id).find((one) => one.label === label);
    if (!button) throw new Error(`no button ${label} on ${this.buttons(row.id).map((one) => one.label)}`);
    return this.broker.press(this.event({ by, data: button.data, ...more }) as ButtonPress).text;
  }

  event<T extends object>(more: T): T & { eventId: string; address: Address; direct: boolean; sentAt: number } {
    return {
      eventId: `e${++this.#events}`,
      address: chatAddress('c1'),
      direct: true,
      sentAt: this.clock.now(),
      ...more,
    };
  }

  says(text: string, session: SessionId, more: Partial<InboundMessage> = {}): boolean {
    const message = { by: ANN, messageId: `in${this.#events}`, text, attachments: [], mentionsBot: false, ...more };
    return this.broker.word(this.event(message) as InboundMessage, session);
  }

  commands(verb: 'approve' | 'deny', args: string, session?: SessionId, by: Actor = ANN, chat = 'c1'): string {
    return this.broker.command(verb, args, this.event({ by, address: chatAddress(chat) }), session);
  }

  events(kind?: string): readonly { event: string; body: Record<string, unknown> }[] {
    const all = this.store.audit
      .list(0, 10_000)
      .map(({ event, body }) => ({ event, body: body as Record<string, unknown> }));
    return kind === undefined ? all : all.filter(({ event }) => event === kind);
  }
}

interface TurnOptions {
  readonly actor?: Actor;
  readonly chat?: string;
  readonly platform?: string;
  readonly direct?: boolean;
  readonly calls?: number;
  readonly signal?: AbortSignal;
}

export interface Turn {
  readonly run: ChatRun;
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly calls: readonly CallId[];
}
