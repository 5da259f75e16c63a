import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Letters nobody mistakes for others, 32 of them: five bits each. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 8;

/** `K7MP2QRT`: 40 bits. */
export function newPairingCode(): string {
  return [...randomBytes(LENGTH)].map((byte) => LETTERS[byte & 31]).join('');
}

/** As people read it: `K7MP-2QRT`. */
export function shownCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** What somebody typed, as it is compared: in any case, with or without dash and spaces. Undefined: no code. */
export function readCode(text: string): string | undefined {
  const code = text.toUpperCase().replace(/[\s-]/g, '');
  return code.length === LENGTH && [...code].every((letter) => LETTERS.includes(letter)) ? code : undefined;
}

export interface SaltedHash {
  readonly salt: string;
  readonly hash: string;
}

export function hashCode(code: string, salt = randomBytes(16).toString('hex')): SaltedHash {
  return { salt, hash: createHash('sha256').update(`${salt}:${code}`).digest('hex') };
}

export function isCode(code: string, { salt, hash }: SaltedHash): boolean {
  return timingSafeEqual(Buffer.from(hashCode(code, salt).hash), Buffer.from(hash));
}
