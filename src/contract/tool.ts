import type { z } from 'zod';
import type { ApprovalId, CallId } from './ids.ts';
import type { Log } from './log.ts';
import type { RunContext } from './run.ts';

export type Grade = 'safe' | 'dangerous' | 'hardline';

/** One dangerous thing seen in a command, a script or a call. */
export interface Finding {
  /** Stable id `family.name`, for example `fs.delete`. */
  readonly rule: string;
  readonly grade: Exclude<Grade, 'safe'>;
  /** UTF-16 offsets into the judged text, end exclusive. */
  readonly span: readonly [number, number];
  /** One sentence without a closing dot: what it would do. */
  readonly why: string;
  /** Only a person at depth 0 may say yes, once. */
  readonly personOnly: boolean;
  /** The guardian model may judge it. */
  readonly smart: boolean;
}

export type Change = 'job' | 'memory' | 'skill' | 'project' | 'send';

export interface PathUse {
  readonly path: string;
  readonly use: 'read' | 'write';
}

/** `own`: only hermod's rows and notes, in the run's own scope. */
export type Effects = 'read' | 'own' | 'write' | 'exec';

/** What the model may call. The registry validates input and asks the gate; `run` is never called by anybody else. */
export interface Tool<I = unknown> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<I>;
  readonly effects: Effects;
  /** Effect and result commit in one transaction, so an outcome is never unknown. */
  readonly atomic?: true;
  /** Shell text the gate judges. Pure. */
  command?(input: I): string;
  /** Where that text would run; absent: the session's present folder. Pure. */
  cwd?(input: I, run: RunContext): string;
  /** Paths read or written, as given. Pure. */
  paths?(input: I): readonly PathUse[];
  /** A whole script the gate judges. Pure. */
  code?(input: I): { readonly language: string; readonly source: string };
  findings?(input: I): readonly Finding[];
  change?(input: I): Change | undefined;
  offered?(run: RunContext): boolean;
  /** May throw: the registry turns that into an error result. Obeys `use.signal` within 100 ms. */
  run(input: I, use: ToolUse): Promise<ToolResult>;
}

export interface ToolUse {
  readonly run: RunContext;
  readonly call: CallId;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** A line for the person while the tool works. */
  progress(line: string): void;
  /** For a tool that makes calls of its own: a person is asked about one of them (true), or no longer. */
  asking(waiting: boolean): void;
}

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
  /** Where untrusted text came from. */
  readonly untrusted?: string;
  /** Exit code of what ran; null: something ended it before it exited. */
  readonly exit?: number | null;
  /** Of an `atomic` tool: a person is still being asked while the process ends. The call stays as it is and goes on after the next boot. */
  readonly parked?: ApprovalId;
  /** Of an `atomic` tool: what it writes. Synchronous; the registry runs it in the transaction that stores this result. */
  readonly commit?: () => void;
}
