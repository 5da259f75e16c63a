import { messageHead } from './agent/message-head.ts';
import type { createAgent } from './app-agent.ts';
import type { Base } from './app-base.ts';
import type { Live } from './app-deps.ts';
import { Lanes } from './gateway/lanes.ts';
import { MemoryGuard } from './gateway/memory-guard.ts';
import { Overheard } from './gateway/overheard.ts';
import { TurnView } from './gateway/turn-view.ts';
import { BootJournal } from './process/boot-journal.ts';
import { softMemoryLimit } from './process/memory-limit.ts';
import { tellCutOff } from './process/restart-notices.ts';
import { ResumeQueue } from './process/resume-queue.ts';
import type { TurnRow } from './store/turns.ts';

export interface LanesDeps {
  readonly base: Base;
  readonly agent: ReturnType<typeof createAgent>;
  readonly live: Live;
  readonly wake: () => void;
}

/** The lanes and what fills and holds them: what is resumed after a boot, the journal of boots, and the memory there is. */
export function createLanes({ base, agent, live, wake }: LanesDeps) {
  const { config, store, boot, clock, log, time, zone } = base;
  const overheard = new Overheard();
  const memory = createMemoryGuard(base, agent, live);
  const lanes = new Lanes({
    ...{ store, boot, clock, log, time, wake, runner: agent.runner },
    maxTurns: () => (memory.high ? 1 : config.lanes.max_turns),
    view: (turn, said) => viewOf(turn, said, { base, live, wake }),
    head: (name, note) => messageHead(clock.now(), zone(), name, note),
    overheard: (address) => overheard.take(address),
    ageLabelMs: () => config.inbox.age_label_s * 1000,
    foldMs: () => config.inbox.fold_s * 1000,
    limits: () => ({
      noteMs: config.turns.note_s * 1000,
      idleMs: config.turns.idle_s * 1000,
      totalMs: config.turns.total_s * 1000,
    }),
    cutOff: (turn) => tellCutOff(store, turn, live.isLeaving(), clock.now()),
  });
  const resumes = createResumes(base, lanes);
  const journal = new BootJournal({
    ...{ store, boot, clock, log },
    settleMs: () => config.breaker.settle_s * 1000,
    resumesWait: () => resumes.size > 0,
  });
  return { lanes, overheard, memory, resumes, journal };
}

function viewOf(turn: TurnRow, said: string, { base, live, wake }: Omit<LanesDeps, 'agent'>) {
  const { config, store, clock, rate } = base;
  const adapter = live.adapterOf(turn.address.platform);
  const progress = store.chatSettings.of(turn.address).progress ?? config.display.progress;
  return adapter && new TurnView(turn, said, progress, { store, clock, rate, adapter, wake });
}

function createMemoryGuard(
  { config, clock, log, host }: Base,
  { prompt, conversations }: LanesDeps['agent'],
  live: Live,
) {
  return new MemoryGuard({
    ...{ clock, log },
    used: () => host.memory?.(),
    busy: () => live.busy(),
    collect: () => host.collect?.(),
    limit: softMemoryLimit(config.process.memory_soft_mb),
    empty: () => {
      prompt.forget();
      conversations.empty();
    },
  });
}

function createResumes({ config, store }: Base, lanes: Lanes): ResumeQueue {
  return new ResumeQueue({
    parallel: () => config.resume.parallel,
    dispatch: ({ turn, rule }) => {
      if (rule === 'answered') return lanes.resume(turn, 'approval');
      // What a person has written since goes first; its lane takes the turn out of the way.
      if (store.inbox.waitingCount(turn.session) === 0) return lanes.resume(turn, 'resume');
      lanes.kick(turn.session);
      return undefined;
    },
  });
}
