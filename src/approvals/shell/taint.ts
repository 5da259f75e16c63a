/** Where text came from, as bits. */
export const TAINT = {
  none: 0,
  /** From a network. */
  fetched: 1,
  /** Out of a decoder. */
  decoded: 2,
  /** From a file that holds secrets. */
  secret: 4,
  /** The process's own environment. */
  environ: 8,
  /** A process this very text started. */
  child: 16,
  /** From a private file outside the work roots. */
  private: 32,
  /** Names of files among which hermod's secrets may be. */
  ownNames: 64,
  /** Names of files among which other secrets may be. */
  secretNames: 128,
  /** Of a variable that is named like a secret and was not set in this text. */
  named: 256,
  /** A database, or all that a folder or a repository holds. */
  dump: 512,
} as const;
