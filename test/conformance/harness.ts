import type { Clock } from '../../src/contract/clock.ts';
import type { Log } from '../../src/contract/log.ts';
import type { Address } from '../../src/contract/message.ts';
import type { PlatformAdapter } from '../../src/contract/platform.ts';

/** What a fake can do wrong, and the failure kind it must become when it hits a send. */
export const FAULT_KINDS = {
  /** Too many calls: wait 30 s. */
  limit: 'wait',
  /** Too many calls, and no word about for how long. */
  'limit-untold': 'wait',
  /** An orderly server error: nothing was done. */
  broken: 'unreached',
  /** Nobody listens at the address. */
  refused: 'unreached',
  /** A proxy's page instead of an answer. */
  page: 'ambiguous',
  /** The connection dies before any work. */
  'cut-before': 'ambiguous',
  /** The work is done, the answer lost. */
  'cut-after': 'ambiguous',
  /** Accepted and never answered. */
  silent: 'ambiguous',
  /** The person has blocked the bot. */
  blocked: 'gone',
  /** The thread is not there any more. */
  'thread-gone': 'missing',
  /** The credentials are refused. */
  credentials: 'auth',
} as const;
export type FaultName = keyof typeof FAULT_KINDS;

export interface SeenMessage {
  readonly id: string;
  readonly text: string;
  /** Labels. */
  readonly buttons: readonly string[];
  readonly files: readonly { readonly name: string; readonly size: number }[];
}

export interface ConformanceClock extends Clock {
  /** What falls due within `ms` happens now. */
  skip(ms: number): Promise<void>;
}

/**
 * A fake platform with people on it, opened for one test. Person `n` has a direct chat of their own; there are at least five.
 * Members marked optional belong to abilities that the limits record may rule out; their points are skipped then.
 */
export interface ConformanceHarness {
  readonly clock: ConformanceClock;
  /** An adapter as a new process would build it: same fake, same durable state, not started. */
  build(log: Log): PlatformAdapter;
  direct(person: number): Address;
  /** A place in a thread that person 0 can write in. */
  thread?(): Address;
  says(person: number, where: Address, text: string): void;
  sendsFile?(person: number, where: Address, name: string, content: string): void;
  /** Presses a button of the bot's message; the answer the presser reads, once there is one. */
  presses(person: number, where: Address, messageId: string, label: string): { answer(): string | undefined };
  /** Somebody deletes the bot's message. */
  deletes?(where: Address, messageId: string): void;
  /** What the bot itself said and what another bot says arrives as input. */
  echoes?(where: Address): void;
  /** The bot's messages in a place as a person sees them now, oldest first. */
  seen(where: Address): readonly SeenMessage[];
  /** Typing signs shown in a place so far. */
  typed?(where: Address): number;
  /** What it can do wrong, to which side: `in` hits receiving, `out` sending and editing. */
  readonly faults: { readonly in: readonly FaultName[]; readonly out: readonly FaultName[] };
  fault(name: FaultName, side: 'in' | 'out', times: number): void | Promise<void>;
  /** Ends every fault. */
  heal(): void | Promise<void>;
  /** Calls the adapter has made, to send or edit. */
  sends(): number;
  /** The most upstream connections that were ever open for receiving. */
  streams(): number;
  /** How often the whole list of commands was set; a fraction while that is going on. */
  menuSyncs?(): number;
  /** What must never be seen outside the adapter. */
  readonly secret?: string;
  /** The largest file that can be sent, in bytes. */
  readonly maxFileBytes?: number;
  close(): Promise<void>;
}
