import type { Readable } from 'node:stream';
import type { WriteStream } from 'node:tty';

export type SignalName = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGUSR2';

/** The process as main.ts hands it to everybody else, so that tests can be one too. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Without node and the file. */
  readonly args: readonly string[];
  readonly pid: number;
  readonly parentPid: number;
  /** The parent it has now: another one when that is gone. */
  readonly parent: () => number;
  /** The node binary that runs us. */
  readonly node: string;
  readonly platform: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly out: Pick<WriteStream, 'write'> & { readonly isTTY?: boolean };
  readonly err: Pick<WriteStream, 'write'>;
  readonly cwd: string;
  /** One listener; signals that came before it are told at once. */
  onSignal(listener: (name: SignalName) => void): void;
  /** One listener for errors nobody caught. */
  onCrash(listener: (error: unknown) => void): void;
  /** `process.kill`. */
  kill(pid: number, signal: NodeJS.Signals | 0): void;
  /** Bytes of memory in use; absent: not known. */
  readonly memory?: () => number;
  /** Gives memory that nobody holds back to the system, now. */
  readonly collect?: () => void;
  /** Keeps what was compiled so far, should nobody end us in an orderly way. */
  readonly keepCompiled?: () => void;
  /** Ends the process now. */
  die(code: number): void;
}
