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
} as const;
