import { type Clock, pause } from '../contract/clock.ts';
import type { RunId, SessionId } from '../contract/ids.ts';
import { randomCode } from '../contract/ids.ts';
import { hasProcTable, type ProcEntry, readProc, readProcTable, startedWith } from './proc-table.ts';

/** What a tool started and may still be running. JSON, so that a later process can find it again. */
export interface ProcessGroup {
  /** Of the first process, which leads the group. */
  readonly pid: number;
  /** Its start time; null where the machine does not say. */
  readonly start: string | null;
  /** `HERMOD_PROC` of everything in the tree. */
  readonly tag: string;
  readonly session: SessionId;
  readonly root: RunId;
}

export interface ProcessGroupsDeps {
  readonly clock: Clock;
  /** `process.kill`. */
  readonly kill: (pid: number, signal: Signal | 0) => void;
  /** Told the whole list after each change, to be found by the next boot if this process dies. */
  readonly changed?: (groups: readonly ProcessGroup[]) => void;
}

type Signal = 'SIGTERM' | 'SIGKILL';

const TERM_MS = 2000;
const KILL_MS = 2000;
const LOOK_MS = 25;

/** Every process tree the tools have started, so that none outlives what it was started for. */
export class ProcessGroups {
  readonly #deps: ProcessGroupsDeps;
  readonly #groups = new Map<string, ProcessGroup>();
  readonly #ending = new Map<string, Promise<void>>();

  constructor(deps: ProcessGroupsDeps) {
    this.#deps = deps;
  }

  newTag(): string {
    return randomCode(16);
  }

  add(pid: number, tag: string, session: SessionId, root: RunId): ProcessGroup {
    const group = { pid, start: readProc(pid)?.start ?? null, tag, session, root };
    this.#groups.set(tag, group);
    this.#changed();
    return group;
  }

  /** The first process of a group has exited. What it left behind stays on record; returns those pids. */
  exited(group: ProcessGroup): readonly number[] {
    const left = this.#members(group);
    if (left.length === 0) this.#drop(group);
    return left.map(({ pid }) => pid);
  }

  /** Living processes a session's tools have started. */
  pidsOf(session: SessionId): readonly number[] {
    const groups = [...this.#groups.values()].filter((group) => group.session === session);
    return groups.flatMap((group) => this.#members(group).map(({ pid }) => pid));
  }

  list(): readonly ProcessGroup[] {
    return [...this.#groups.values()];
  }

  /** SIGTERM, two seconds, SIGKILL, to the group and to whoever left it. Resolves when nothing of it lives. Never rejects. */
  end(group: ProcessGroup): Promise<void> {
    const known = this.#ending.get(group.tag);
    if (known !== undefined) return known;
    const ending = this.#end(group).finally(() => {
      this.#ending.delete(group.tag);
      this.#drop(group);
    });
    this.#ending.set(group.tag, ending);
    return ending;
  }

  async endSession(session: SessionId): Promise<void> {
    await Promise.all(this.list().map((group) => (group.session === session ? this.end(group) : undefined)));
  }

  /** At shutdown. Resolves within 4 s. */
  async killAll(): Promise<void> {
    await Promise.all(this.list().map((group) => this.end(group)));
  }

  /** SIGKILL to everything, now; nothing is waited for. */
  killNow(): void {
    for (const group of this.list()) {
      if (!hasProcTable) this.#send(-group.pid, 'SIGKILL');
      for (const { pid } of this.#members(group)) this.#send(pid, 'SIGKILL');
    }
  }

  /** Groups on record from a process that died; what is still theirs, by pid and start time or by tag, is ended. */
  async endLeftovers(groups: readonly ProcessGroup[]): Promise<number> {
    const alive = groups.filter((group) => hasProcTable && this.#members(group).length > 0);
    await Promise.all(alive.map((group) => this.end(group)));
    return alive.length;
  }

  async #end(group: ProcessGroup): Promise<void> {
    const seen = new Map<number, ProcEntry>();
    if (!(await this.#gone(group, seen, TERM_MS, 'SIGTERM'))) await this.#gone(group, seen, KILL_MS, 'SIGKILL');
  }

  /**
   * Signals and looks until nothing lives or the time is over. SIGTERM goes once to each process, also to those that appear
   * meanwhile. Who was seen once is followed even when the tag and the parents that gave it away are gone.
   */
  async #gone(group: ProcessGroup, seen: Map<number, ProcEntry>, ms: number, signal: Signal): Promise<boolean> {
    const { clock } = this.#deps;
    if (!hasProcTable) this.#send(-group.pid, signal);
    for (const end = clock.now() + ms; clock.now() < end; await pause(clock, LOOK_MS)) {
      if (!hasProcTable && !this.#send(-group.pid, 0)) return true;
      const members = [...this.#members(group), ...[...seen.values()].filter(lives)];
      if (hasProcTable && members.length === 0) return true;
      for (const member of members) {
        if (signal === 'SIGKILL' || !seen.has(member.pid)) this.#send(member.pid, signal);
        seen.set(member.pid, member);
      }
    }
    return false;
  }

  #send(pid: number, signal: Signal | 0): boolean {
    try {
      this.#deps.kill(pid, signal);
      return true;
    } catch {
      return false;
    }
  }

  /** Who belongs to the tree: tagged ones, the group while it is surely ours, and all their children. */
  #members(group: ProcessGroup): readonly ProcEntry[] {
    const table = readProcTable();
    const tagged = table.filter((entry) => startedWith(entry.pid, `HERMOD_PROC=${group.tag}`));
    const leads = (entry: ProcEntry) => entry.pid === group.pid && entry.start === group.start;
    const ours = tagged.some((entry) => entry.group === group.pid) || table.some(leads);
    const members = new Set(table.filter((entry) => tagged.includes(entry) || (ours && entry.group === group.pid)));
    return withDescendants(members, table);
  }

  #drop(group: ProcessGroup): void {
    if (this.#groups.delete(group.tag)) this.#changed();
  }

  #changed(): void {
    this.#deps.changed?.(this.list());
  }
}

function lives(entry: ProcEntry): boolean {
  return readProc(entry.pid)?.start === entry.start;
}

function withDescendants(members: Set<ProcEntry>, table: readonly ProcEntry[]): readonly ProcEntry[] {
  const pids = new Set([...members].map(({ pid }) => pid));
  for (let before = -1; before !== pids.size; ) {
    before = pids.size;
    for (const { pid, parent } of table) if (pids.has(parent)) pids.add(pid);
  }
  return table.filter(({ pid }) => pids.has(pid));
}
