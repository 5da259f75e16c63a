import { randomBytes } from 'node:crypto';

declare const brand: unique symbol;
/** A string that names one row of one table; the brand keeps ids of different tables apart. */
export type Id<K extends string> = string & { readonly [brand]: K };

export type SessionId = Id<'session'>;
export type RunId = Id<'run'>;
export type TurnId = Id<'turn'>;
export type CallId = Id<'call'>;
export type AttemptId = Id<'attempt'>;
export type ApprovalId = Id<'approval'>;
export type GrantId = Id<'grant'>;
export type JobId = Id<'job'>;
export type FiringId = Id<'firing'>;
export type BootId = Id<'boot'>;
export type InboxId = Id<'inbox'>;
export type OutboxId = Id<'outbox'>;
export type PairingId = Id<'pairing'>;

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** `length` random base32 characters, 5 bits each. */
export function randomCode(length: number): string {
  let code = '';
  for (const byte of randomBytes(length)) code += ALPHABET[byte & 31];
  return code;
}

/** 26 random base32 characters (130 bits): never guessable, never reused, not even over restarts. */
export function newId<T extends Id<string>>(): T {
  return randomCode(26) as T;
}
