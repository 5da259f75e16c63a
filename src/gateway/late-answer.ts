export interface AnswerFacts {
  /** When its turn ended, UTC ms. */
  readonly endedAt: number;
  /** A later turn of the same session has been answered. */
  readonly overtaken: boolean;
  /** When the person wrote, as people read it: `14:02`. */
  readonly asked: string;
}

const LATE_MS = 600_000;

/** The line that opens an answer which comes when nobody waits for it any more, or after a later one. Pure. */
export function lateLine({ endedAt, overtaken, asked }: AnswerFacts, now: number): string | undefined {
  if (now - endedAt <= LATE_MS && !overtaken) return undefined;
  return `(answer to your message of ${asked})`;
}
