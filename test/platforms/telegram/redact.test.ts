import { describe, expect, it } from 'vitest';
import { redact } from '../../../src/platforms/telegram/redact.ts';

const TOKEN = '700000001:AAFakeFakeFakeFakeFakeFakeFakeFakeFake';

describe('a token', () => {
  it.each([
    [`GET /bot${TOKEN}/getMe`, 'GET /bot[token]/getMe'],
    [`bare ${TOKEN}.`, 'bare [token].'],
    ['its secret AAFakeFakeFakeFakeFakeFakeFakeFakeFake alone', 'its secret [token] alone'],
    ['https://x/bot123456789:ABCDEFGHIJKLMNOPQRSTUVWX/y of another bot', 'https://x/[token]/y of another bot'],
    ['escaped bot123456789%3AABCDEFGHIJKLMNOPQRSTUVWX', 'escaped [token]'],
    ['12:30 is a time', '12:30 is a time'],
  ])('is taken out of %s', (text, clean) => {
    expect(redact(text, TOKEN)).toBe(clean);
  });
});
