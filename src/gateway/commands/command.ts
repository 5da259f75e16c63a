import type { Broker } from '../../approvals/broker.ts';
import type { PolicyCommands } from '../../approvals/policy-commands.ts';
import type { Clock } from '../../contract/clock.ts';
import type { SessionId } from '../../contract/ids.ts';
import type { InboundMessage } from '../../contract/message.ts';
import type { JobVerbs } from '../../schedule/job-verbs.ts';
import type { BusyMode, Progress } from '../../store/chat-settings.ts';
import type { SessionRow } from '../../store/sessions.ts';
import type { Store } from '../../store/store.ts';
import type { Lanes } from '../lanes.ts';
import type { Status } from '../status.ts';

/** What a command may use. It runs inside the transaction that writes its inbox row and its answer: no waiting, no I/O. */
export interface CommandContext {
  readonly store: Store;
  readonly lanes: Lanes;
  readonly broker: Broker;
  readonly policy: PolicyCommands;
  readonly jobs: Pick<JobVerbs, 'run'>;
  readonly clock: Clock;
  /** An instant as people read it: `14:02`. */
  readonly time: (at: number) => string;
  readonly status: () => Status;
  /** Ends what the session's tools have running, in the background too. */
  readonly endProcesses: (session: SessionId) => void;
  /** Undefined: nothing here would start hermod again. */
  readonly restart: Restart | undefined;
  readonly from: InboundMessage;
  readonly key: string;
  /** The open session of this place, if there is one. */
  readonly session: SessionRow | undefined;
  readonly admin: boolean;
  readonly args: string;
  /** What the configuration says where a chat says nothing. */
  readonly defaults: { readonly progress: Progress; readonly busy: BusyMode };
}

/** A planned restart. */
export interface Restart {
  /** How long it waits for what runs, at most. */
  readonly waitMs: number;
  /** Turns and firings it would wait for. */
  busy(): number;
  /** `now`: it waits for nothing. */
  begin(by: string, now: boolean): void;
}

export interface CommandAnswer {
  /** Markdown; empty: nothing to say beyond what the command itself sent. */
  readonly text: string;
  /** Effects outside the database, once the transaction has committed. */
  readonly after?: () => void;
}

export interface Command {
  readonly name: string;
  readonly args?: string;
  /** What it does, for menus and /help; at most 100 characters. */
  readonly about: string;
  readonly admin?: boolean;
  /** Still done when it arrives long after it was sent. */
  readonly late?: boolean;
  /** What stands behind it are a person's words, which meet a running turn in this way. */
  readonly words?: BusyMode;
  run(context: CommandContext): CommandAnswer;
}
