/** What a delegated worker is told. */
export interface WorkerTask {
  readonly goal: string;
  readonly context?: string | undefined;
  /** Narrows what the worker may use. */
  readonly tools?: readonly string[] | undefined;
  readonly max_steps?: number | undefined;
}

/** What is known of a worker once it is over. */
export interface WorkerReport {
  readonly outcome: 'completed' | 'stopped' | 'timed out' | 'failed' | 'not started';
  readonly text: string;
  readonly files: readonly string[];
  readonly steps: number;
  /** Tokens in and out. */
  readonly tokens: number;
  /** Where untrusted text it read came from. */
  readonly untrusted?: string;
}
