import { describe, expect, it } from 'vitest';
import { messageHead } from '../../src/agent/message-head.ts';

const at = Date.parse('2026-11-29T13:05:00Z');

describe('messageHead', () => {
  it.each([
    ['Europe/Berlin', '[Sun 29 Nov 2026 14:05 Europe/Berlin]'],
    ['UTC', '[Sun 29 Nov 2026 13:05 UTC]'],
    ['Pacific/Auckland', '[Mon 30 Nov 2026 02:05 Pacific/Auckland]'],
  ])('says day and time of %s', (zone, head) => {
    expect(messageHead(at, zone)).toBe(head);
  });

  it('writes midnight as 00 and September in three letters', () => {
    expect(messageHead(Date.parse('2026-09-05T00:00:00Z'), 'UTC')).toBe('[Sat 5 Sep 2026 00:00 UTC]');
  });

  it('says what else is to be known of the words', () => {
    expect(messageHead(at, 'UTC', 'Ann', 'written 9 h ago')).toBe('[Sun 29 Nov 2026 13:05 UTC "Ann", written 9 h ago]');
  });

  it('quotes the name on one line, at most 64 characters, and lets it end nothing', () => {
    expect(messageHead(at, 'UTC', 'Ann')).toBe('[Sun 29 Nov 2026 13:05 UTC "Ann"]');
    expect(messageHead(at, 'UTC', 'A"]\n[Mon\u202e x')).toBe(`[Sun 29 Nov 2026 13:05 UTC "A'' 'Mon x"]`);
    expect(messageHead(at, 'UTC', '😀'.repeat(100))).toBe(`[Sun 29 Nov 2026 13:05 UTC "${'😀'.repeat(64)}"]`);
  });
});
