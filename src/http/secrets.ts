import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new secret of `bytes` random bytes, safe in URLs, cookies and headers. */
export function newSecret(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

/** What is kept of a secret that only has to be recognised. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Compares in constant time whatever the lengths. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}

/** A second secret that belongs to the first and does not give it away. */
export function derivedSecret(secret: string, purpose: string): string {
  return createHmac('sha256', secret).update(purpose).digest('base64url');
}
