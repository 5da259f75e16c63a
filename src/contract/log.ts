/** Structured log: facts first, then one sentence. Implementations redact secrets; never pass message text or prompts. */
export interface Log {
  debug(facts: object, sentence: string): void;
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
  error(facts: object, sentence: string): void;
}
