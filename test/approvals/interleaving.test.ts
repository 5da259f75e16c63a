import { afterEach, expect, it } from 'vitest';
import type { GateCall, Passage } from '../../src/approvals/gate-deps.ts';
import { type EnvMarkers, readMarkers } from '../../src/context/authority.ts';
import { beginRun, childRun, currentRun, endRun, withRun } from '../../src/context/run-context.ts';
import { pause } from '../../src/contract/clock.ts';
import { newId, type RunId } from '../../src/contract/ids.ts';
import type { RunContext } from '../../src/contract/run.ts';
import { ANN, ApprovalWorld, BOB, codeTool, EVE, plainTool, shellTool } from '../fakes/approval-world.ts';
import { cronRun } from '../fakes/runs.ts';

/** A small generator of numbers below one: the same seed, the same interleaving. */
function numbers(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return state / 2 ** 32;
  };
}

const NAMES = ['CRON_SESSION', 'GATEWAY_SESSION', 'EXEC_ASK', 'INTERACTIVE'];
const MARKERS = NAMES.flatMap((name) => [`HERMOD_${name}`, `HERMES_${name}`]);
const before = { ...process.env };
afterEach(() => {
  for (const marker of MARKERS) delete process.env[marker];
  Object.assign(process.env, before);
});

/** A stale environment: each of the sixteen combinations of markers, under either prefix. */
function setMarkers(combination: number, prefix: 'HERMOD' | 'HERMES'): void {
  for (const marker of MARKERS) delete process.env[marker];
  NAMES.forEach((name, bit) => {
    if (combination & (1 << bit)) process.env[`${prefix}_${name}`] = 'yes';
  });
}

/** A process as careless as can be: it reads its markers anew for every decision. */
const liveMarkers: EnvMarkers = {
  get cron() {
    return readMarkers(process.env).cron;
  },
  get gateway() {
    return readMarkers(process.env).gateway;
  },
  get ask() {
    return readMarkers(process.env).ask;
  },
  get interactive() {
    return readMarkers(process.env).interactive;
  },
};

const GUARDS = ['shell', 'code', 'tool'] as const;
type Guard = (typeof GUARDS)[number];
const mailTool = plainTool('mail', 'exec');

/** A dangerous call through one of the three guards; unlike any other, but where a grant is to cover it. */
function dangerous(guard: Guard, granted = false): Pick<GateCall, 'tool' | 'input'> {
  const id = newId<RunId>();
  if (guard === 'shell') return { tool: shellTool, input: { command: granted ? 'rm granted' : `rm -rf ${id}` } };
  return guard === 'code' ? { tool: codeTool, input: { source: `eval(${id})` } } : { tool: mailTool, input: { id } };
}

interface Party {
  readonly name: string;
  readonly run: RunContext;
  readonly authority: string;
  readonly label: (guard: Guard) => string;
}

/** Two jobs (deny, approve), three chats on two platforms (yolo, a grant, plain) and a worker of each. */
function parties(world: ApprovalWorld, seed: number): readonly Party[] {
  const chats = [ANN, BOB, EVE].map((actor, i) => {
    const platform = i === 1 ? 'discord' : 'telegram';
    return world.turn({ actor: { ...actor, platform }, chat: `c${seed}-${i}`, platform, calls: 0 }).run;
  });
  world.store.sessions.setYolo(chats[0]!.session, world.clock.now() + 3_600_000);
  world.store.grants.add({
    ...{ kind: 'session', rule: 'fs.delete', argv: ['rm', 'granted'], shape: 'exact', cwd: '/proj', backend: 'local' },
    ...{ wrappers: [], assignments: [], digest: null, session: chats[1]!.session, job: null, jobs: false },
    ...{ actor: 'discord:bob', approval: null, createdAt: 0, expiresAt: null },
  });
  const top: readonly Party[] = [
    { name: 'job under deny', run: cronRun({ mode: 'deny', job: 'j1' }), authority: 'cron', label: () => 'block:cron' },
    {
      name: 'job under approve',
      run: cronRun({ mode: 'approve', job: 'j2' }),
      authority: 'cron',
      label: () => 'allow:cron',
    },
    { name: 'chat with yolo', run: chats[0]!, authority: 'person', label: () => 'allow:yolo' },
    {
      name: 'chat with a grant',
      run: chats[1]!,
      authority: 'person',
      label: (guard) => (guard === 'shell' ? 'allow:session' : 'ask:chat'),
    },
    { name: 'plain chat', run: chats[2]!, authority: 'person', label: () => 'ask:chat' },
  ];
  const ofWorker = (label: string) => (label === 'allow:session' || label === 'ask:chat' ? 'block:subagent' : label);
  return top.flatMap((party) => [
    party,
    {
      ...party,
      name: `worker of ${party.name}`,
      run: childRun(party.run, newId<RunId>()),
      label: (guard: Guard) => ofWorker(party.label(guard)),
    },
  ]);
}

const STEPS = 3;

/** One call through each guard, in an order and with waits of its own. */
async function act(
  world: ApprovalWorld,
  party: Party,
  parent: Party | undefined,
  random: () => number,
): Promise<readonly (readonly [Guard, Passage])[]> {
  const first = Math.floor(random() * GUARDS.length);
  const work = async () => {
    const passages: (readonly [Guard, Passage])[] = [];
    for (let step = 0; step < STEPS; step++) {
      await pause(world.clock, Math.floor(random() * 50));
      expect(currentRun()).toBe(party.run);
      const guard = GUARDS[(first + step) % GUARDS.length] as Guard;
      passages.push([guard, await world.call(party.run, '', dangerous(guard, party.name.includes('grant')))]);
    }
    return passages;
  };
  if (!parent) return withRun(party.run, work);
  return withRun(parent.run, async () => {
    const passages = await withRun(party.run, work);
    // The inner scope is over: the outer one is back, exactly.
    expect(currentRun()).toBe(parent.run);
    return passages;
  });
}

/** Time passes; somebody changes the environment, and presses what is asked, from any run. */
async function meanwhile(world: ApprovalWorld, all: readonly Party[], random: () => number): Promise<void> {
  await world.clock.skip(Math.floor(random() * 25));
  setMarkers(Math.floor(random() * 16), random() < 0.5 ? 'HERMOD' : 'HERMES');
  const [row] = world.pending;
  if (!row || random() < 0.3) return;
  const label = random() < 0.5 ? 'Once' : 'Deny';
  const press = () => world.press(row, label, row.requester, { address: row.address });
  const other = all[Math.floor(random() * all.length)] as Party;
  await (random() < 0.5 ? withRun(childRun(other.run, newId<RunId>()), press) : Promise.resolve(press()));
}

/** After everything has ended: nobody's call, under one combination of markers, through each guard. */
async function afterwards(world: ApprovalWorld, combination: number): Promise<void> {
  setMarkers(combination, combination % 2 ? 'HERMOD' : 'HERMES');
  endRun(beginRun(cronRun({ mode: 'approve' })));
  endRun();
  const label = readMarkers(process.env).cron ? 'cron block:cron' : 'nobody block:no-human';
  for (const guard of GUARDS) {
    expect(currentRun()).toBeUndefined();
    expect((await world.call(undefined, '', dangerous(guard))).kind).toBe('refused');
    const { authority, label: said } = world.store.audit.latest('decided')!.body;
    expect([guard, combination, `${authority} ${said}`]).toEqual([guard, combination, label]);
  }
}

it('two hundred interleavings: every decision has its own authority, whatever the environment says (gateway 25)', async () => {
  const world = new ApprovalWorld({ config: { denial_breaker_threshold: 0 }, gate: { markers: liveMarkers } });
  world.strangers.clear();
  const tally = new Map<string, number>();
  for (let seed = 1; seed <= 200; seed++) {
    const random = numbers(seed);
    const from = world.store.audit.head()?.seq ?? 0;
    const all = parties(world, seed);
    const done = Promise.all(all.map((party, i) => act(world, party, i % 2 ? all[i - 1] : undefined, random)));
    let over = false;
    void done.then(() => (over = true));
    while (!over) await meanwhile(world, all, random);
    const passages = await done;
    const decided = world.store.audit.list(from, 1000).filter(({ event }) => event === 'decided');
    expect(decided).toHaveLength(all.length * STEPS);
    all.forEach((party, i) => {
      const own = decided.filter(({ body }) => body['run'] === party.run.runId);
      const seen = own.map(({ body }) => `${body['authority']} ${body['kind']} ${body['label']}`);
      const wanted = passages[i]!.map(([guard]) => `${party.authority} ${party.run.kind} ${party.label(guard)}`);
      expect([seed, party.name, ...seen]).toEqual([seed, party.name, ...wanted]);
      for (const [guard, { kind }] of passages[i]!) {
        const label = party.label(guard);
        if (!label.startsWith('ask')) expect(kind).toBe(label.startsWith('allow') ? 'pass' : 'refused');
        tally.set(label, (tally.get(label) ?? 0) + 1);
      }
    });
    await afterwards(world, seed % 16);
  }
  expect(world.store.audit.verify().ok).toBe(true);
  expect(Object.fromEntries(tally)).toEqual({
    'block:cron': 1200,
    'allow:cron': 1200,
    'allow:yolo': 1200,
    'allow:session': 200,
    'ask:chat': 1000,
    'block:subagent': 1200,
  });
}, 180_000);
