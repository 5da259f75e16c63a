import type { Config } from '../config/config.ts';

/** As read once: nobody changes it. */
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/** `approvals:` of the configuration. */
export type ApprovalsConfig = Frozen<Config['approvals']>;

/** More words that answer a card, beside the built-in ones. */
export type Words = ApprovalsConfig['words'];

/** Whether a rule id is listed, by itself or by its family (`git.*`). */
export function ruleListed(rule: string, list: readonly string[]): boolean {
  return list.some((entry) => entry === rule || (entry.endsWith('.*') && rule.startsWith(entry.slice(0, -1))));
}
