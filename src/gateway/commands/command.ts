import type { AuditTrail } from '../../approvals/audit-trail.ts';
import type { Broker } from '../../approvals/broker.ts';
import type { PolicyCommands } from '../../approvals/policy-commands.ts';
import type { Clock } from '../../contract/clock.ts';
import type { SessionId } from '../../contract/ids.ts';
import type { Button, InboundMessage } from '../../contract/message.ts';
import type { JobVerbs } from '../../schedule/job-verbs.ts';
import type { BusyMode, Progress } from '../../store/chat-settings.ts';
import type { SessionRow, SessionScope } from '../../store/sessions.ts';
import type { Store } from '../../store/store.ts';
import type { Lanes } from '../lanes.ts';
import type { Status } from '../status.ts';

/** Whom commands ask and change. */
export interface CommandDeps {
  readonly store: Store;
  readonly lanes: Lanes;
  readonly broker: Broker;
  readonly policy: PolicyCommands;
  readonly trail: Pick<AuditTrail, 'write'>;
  readonly clock: Clock;
  /** An instant as people read it: `14:02`. */
  readonly time: (at: number) => string;
  /** The midnight before an instant, where hermod lives. */
  readonly dayStart: (at: number) => number;
  readonly status: () => Status;
  /** Ends what the session's tools have running, in the background too. */
  readonly endProcesses: (session: SessionId) => void;
  /** Undefined: nothing here would start hermod again. */
  readonly restart: Restart | undefined;
  readonly models: ModelNames;
  /** What the detector sees in a shell command and what would be decided, in lines for people; runs nothing. */
  readonly explain: (command: string, cwd: string | null) => readonly string[];
}

export interface ModelNames {
  /** The configured one, `provider:model`. */
  readonly primary: string;
  readonly known: readonly string[];
  /** Why a model cannot be asked; undefined: it can, as far as the configuration tells. */
  problem(name: string): string | undefined;
}

/** What a command runs with, inside the transaction that writes its inbox row and its answer: no waiting, no I/O. */
export interface CommandContext extends CommandDeps {
  readonly jobs: Pick<JobVerbs, 'answer'>;
  readonly from: InboundMessage;
  readonly key: string;
  /** The open session of this place, if there is one. */
  readonly session: SessionRow | undefined;
  /** The sessions that may be seen from here. */
  readonly scope: SessionScope;
  /** The commands this person may use here. */
  readonly usable: readonly Command[];
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
  /** Below it, where it is said in the chat. */
  readonly buttons?: readonly (readonly Button[])[] | undefined;
  /** Effects outside the database, once the transaction has committed. */
  readonly after?: () => void;
}

export interface Command {
  readonly name: string;
  readonly args?: string;
  /** What it does, for menus and /help; at most 100 characters. */
  readonly about: string;
  readonly admin?: boolean;
  /** Not while a turn of the session is unfinished. */
  readonly idle?: boolean;
  /** Still done when it arrives long after it was sent. */
  readonly late?: boolean;
  /** What stands behind it are a person's words, which meet a running turn in this way. */
  readonly words?: BusyMode;
  run(context: CommandContext): CommandAnswer;
}
