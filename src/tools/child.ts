import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Duplex, Readable } from 'node:stream';
import type { Clock } from '../contract/clock.ts';
import type { RunContext } from '../contract/run.ts';
import type { ProcessGroup, ProcessGroups } from './process-groups.ts';

export interface ChildDeps {
  readonly clock: Clock;
  readonly groups: ProcessGroups;
  /** The whole environment of a child; `tag` is its `HERMOD_PROC`. */
  readonly env: (tag: string) => Readonly<Record<string, string>>;
}

export interface ChildOrder {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Variables beside or instead of those of `env`. */
  readonly more?: Readonly<Record<string, string>>;
  readonly run: RunContext;
  /** Its abort ends the whole tree, also what is left of it in the background. */
  readonly signal: AbortSignal;
  readonly out: (chunk: Buffer) => void;
  readonly err: (chunk: Buffer) => void;
}

export type ChildEnd =
  /** `code`: 128 + n after signal n. `left`: processes that go on in the background. */
  | { readonly kind: 'exited'; readonly code: number; readonly left: readonly number[] }
  | { readonly kind: 'killed'; readonly why: string }
  | { readonly kind: 'missing'; readonly message: string };

/** What a result says of an end; a program that was not there has no exit. */
export function exitOf(end: ChildEnd): { readonly exit?: number | null } {
  return end.kind === 'missing' ? {} : { exit: end.kind === 'exited' ? end.code : null };
}

export interface Child {
  /** A pipe to the child's descriptor 3. */
  readonly side: Duplex;
  /** Settles when the first process exited, not when its pipes closed, and at once when the signal aborts. Never rejects. */
  readonly ended: Promise<ChildEnd>;
  /** Ends the whole tree; `ended` says why. */
  kill(why: string): void;
}

/** Pipes are read this long after the exit: processes in the background may hold them open for ever. */
const LINGER_MS = 100;

/** Starts a process in a group of its own, with stdin closed and a pipe as descriptor 3. */
export function startChild(order: ChildOrder, deps: ChildDeps): Child {
  return new RunningChild(order, deps);
}

class RunningChild implements Child {
  readonly side: Duplex;
  readonly ended: Promise<ChildEnd>;
  readonly #order: ChildOrder;
  readonly #groups: ProcessGroups;
  readonly #group: ProcessGroup | undefined;
  readonly #pipes: readonly Readable[];
  #settle: (end: ChildEnd) => void = () => {};
  #why: string | undefined;
  #finished = false;

  constructor(order: ChildOrder, { clock, groups, env }: ChildDeps) {
    const tag = groups.newTag();
    const { file, args, cwd, run, more } = order;
    const stdio = ['ignore', 'pipe', 'pipe', 'pipe'] as const;
    const first = spawn(file, args, { cwd, env: { ...env(tag), ...more }, detached: true, stdio: [...stdio] });
    const [, out, err, side] = first.stdio as unknown as [null, Readable, Readable, Duplex];
    this.#order = order;
    this.#groups = groups;
    this.#group = first.pid === undefined ? undefined : groups.add(first.pid, tag, run.session, run.rootId);
    this.#pipes = [out, err, side];
    this.side = side;
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
    out.on('data', order.out);
    err.on('data', order.err);
    for (const pipe of this.#pipes) pipe.on('error', () => {});
    first.on('error', (error) => this.#finish({ kind: 'missing', message: error.message }));
    first.on('exit', (code, signal) => {
      const exited = () => this.#exited(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
      const cancel = clock.after(LINGER_MS, exited);
      first.once('close', () => {
        cancel();
        exited();
      });
    });
    if (order.signal.aborted) this.#aborted();
    else order.signal.addEventListener('abort', this.#aborted, { once: true });
  }

  kill(why: string): void {
    this.#why ??= why;
    if (this.#group) void this.#groups.end(this.#group);
  }

  readonly #aborted = (): void => {
    this.kill('aborted');
    this.#finish({ kind: 'killed', why: 'aborted' });
  };

  #exited(code: number): void {
    if (!this.#finished) this.#finish(this.#why === undefined ? this.#left(code) : { kind: 'killed', why: this.#why });
  }

  #left(code: number): ChildEnd {
    const left = this.#group ? this.#groups.exited(this.#group) : [];
    if (left.length === 0) this.#order.signal.removeEventListener('abort', this.#aborted);
    return { kind: 'exited', code, left };
  }

  #finish(end: ChildEnd): void {
    for (const pipe of this.#pipes) pipe.destroy();
    this.#finished = true;
    this.#settle(end);
  }
}
