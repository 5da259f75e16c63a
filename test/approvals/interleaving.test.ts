import { expect, it } from 'vitest';
import type { Passage } from '../../src/approvals/gate-deps.ts';
import { NO_MARKERS } from '../../src/context/authority.ts';
import { childRun, withRun } from '../../src/context/run-context.ts';
import { pause } from '../../src/contract/clock.ts';
import { newId, type RunId } from '../../src/contract/ids.ts';
import type { RunContext } from '../../src/contract/run.ts';
import { ANN, ApprovalWorld, BOB, EVE } from '../fakes/approval-world.ts';
import { cronRun } from '../fakes/runs.ts';

/** A small generator of numbers below one: the same seed, the same interleaving. */
function numbers(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return state / 2 ** 32;
  };
}

interface Party {
  readonly name: string;
  readonly run: RunContext;
  readonly label: string;
}

const MARKERS = [
  'HERMOD_CRON_SESSION',
  'HERMOD_GATEWAY_SESSION',
  'HERMOD_EXEC_ASK',
  'HERMOD_INTERACTIVE',
  'HERMES_CRON_SESSION',
];

/** Two jobs (deny, approve), three chats (yolo, an Always, plain) and a worker of each. */
function parties(world: ApprovalWorld, seed: number): readonly Party[] {
  const chats = [ANN, BOB, EVE].map((actor, i) => world.turn({ actor, chat: `c${seed}-${i}`, calls: 0 }).run);
  world.store.sessions.setYolo(chats[0]!.session, world.clock.now() + 3_600_000);
  world.store.grants.add({
    ...{ kind: 'session', rule: 'fs.delete', argv: ['rm', 'granted'], shape: 'exact', cwd: '/work', backend: 'local' },
    ...{
      wrappers: [],
      assignments: [],
      digest: null,
      session: chats[1]!.session,
      job: null,
      jobs: false,
      actor: 'telegram:bob',
    },
    ...{ approval: null, createdAt: 0, expiresAt: null },
  });
  const top: readonly Party[] = [
    { name: 'job under deny', run: cronRun({ mode: 'deny', job: 'j1' }), label: 'block:cron' },
    { name: 'job under approve', run: cronRun({ mode: 'approve', job: 'j2' }), label: 'allow:cron' },
    { name: 'chat with yolo', run: chats[0]!, label: 'allow:yolo' },
    { name: 'chat with a grant', run: chats[1]!, label: 'allow:session' },
    { name: 'plain chat', run: chats[2]!, label: 'ask:chat' },
  ];
  const ofWorker = (label: string) => (label.endsWith('session') || label.startsWith('ask') ? 'block:subagent' : label);
  return top.flatMap((party) => [
    party,
    { name: `worker of ${party.name}`, run: childRun(party.run, newId<RunId>()), label: ofWorker(party.label) },
  ]);
}

async function act(
  world: ApprovalWorld,
  party: Party,
  parent: Party | undefined,
  random: () => number,
): Promise<Passage[]> {
  const command = () => (party.name.includes('grant') ? 'rm granted' : `rm -rf ${newId<RunId>()}`);
  const work = async () => {
    const passages: Passage[] = [];
    for (let step = 0; step < 2; step++) {
      await pause(world.clock, Math.floor(random() * 50));
      passages.push(await world.call(party.run, command()));
    }
    return passages;
  };
  return parent ? withRun(parent.run, () => withRun(party.run, work)) : withRun(party.run, work);
}

/** Time passes; somebody changes the environment, and presses what is asked, from any run. */
async function meanwhile(world: ApprovalWorld, all: readonly Party[], random: () => number): Promise<void> {
  await world.clock.skip(Math.floor(random() * 25));
  const marker = MARKERS[Math.floor(random() * MARKERS.length)] as string;
  if (random() < 0.5) process.env[marker] = '1';
  else delete process.env[marker];
  const [row] = world.pending;
  if (!row || random() < 0.3) return;
  const press = () => world.press(row, random() < 0.5 ? 'Once' : 'Deny', EVE, { address: row.address });
  const other = all[Math.floor(random() * all.length)] as Party;
  await (random() < 0.5 ? withRun(childRun(other.run, newId<RunId>()), press) : Promise.resolve(press()));
}

it('two hundred interleavings: every decision has its own authority', async () => {
  const before = { ...process.env };
  const world = new ApprovalWorld({ config: { denial_breaker_threshold: 0 }, gate: { markers: NO_MARKERS } });
  world.strangers.clear();
  const tally = new Map<string, number>();
  try {
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
      expect(decided).toHaveLength(all.length * 2);
      all.forEach((party, i) => {
        const labels = decided.filter(({ body }) => body['run'] === party.run.runId).map(({ body }) => body['label']);
        expect([seed, party.name, ...labels]).toEqual([seed, party.name, party.label, party.label]);
        const kinds = passages[i]!.map(({ kind }) => kind);
        if (party.label.startsWith('allow')) expect(kinds).toEqual(['pass', 'pass']);
        if (party.label.startsWith('block')) expect(kinds).toEqual(['refused', 'refused']);
        tally.set(party.label, (tally.get(party.label) ?? 0) + labels.length);
      });
    }
    expect(world.store.audit.verify().ok).toBe(true);
  } finally {
    for (const marker of MARKERS) delete process.env[marker];
    Object.assign(process.env, before);
  }
  expect(Object.fromEntries(tally)).toEqual({
    'block:cron': 800,
    'allow:cron': 800,
    'allow:yolo': 800,
    'allow:session': 400,
    'ask:chat': 400,
    'block:subagent': 800,
  });
}, 120_000);
