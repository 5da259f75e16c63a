/** Who we are on Telegram: the id is in the token, the name comes with getMe. */
export interface BotIdentity {
  readonly id: string;
  /** Without the @. */
  readonly name: string;
}

export function botIdOf(token: string): string {
  return token.split(':')[0] ?? '';
}
