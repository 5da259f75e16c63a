import { describe, expect, it } from 'vitest';
import { isLoopback, isOwnUrl } from '../../../src/approvals/shell/loopback.ts';
import { FACTS } from '../facts.ts';

describe('a host that is this machine', () => {
  it.each([
    ...['localhost', 'LOCALHOST', 'localhost.', 'x.localhost', 'ip6-localhost', 'localtest.me', '127.0.0.1.nip.io'],
    ...['127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '0', '0.0.0.0', '2130706433', '0x7f000001', '0x7f.1'],
    ...['0177.0.0.1', '017700000001', '[::1]', '::1', '::', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
    ...['[::ffff:127.1]', '::127.0.0.1', '0:0:0:0:0:ffff:7f00:1', '::1%lo'],
  ])('%s', (host) => expect(isLoopback(host)).toBe(true));

  it.each([
    ...['example.com', 'localhost.example', '128.0.0.1', '10.0.0.1', '127.0.0.1.example', '1.2.3.4.5', '256.0.0.0.1'],
    ...['0x7g', '2130706432000', '[::2]', '2001:db8::1', '::ffff:10.0.0.1', '1::1', '', 'fe80::1', '08.0.0.1'],
  ])('not %j', (host) => expect(isLoopback(host)).toBe(false));
});

describe("hermod's interface", () => {
  const own = (url: string, port?: number) => isOwnUrl(url, port === undefined ? FACTS : { ...FACTS, port });

  it('is any address of its port but what anybody may ask', () => {
    expect(own('http://127.1:8790/x')).toBe(true);
    expect(own('localhost:8790')).toBe(true);
    expect(own(':8790/api/v1/approvals')).toBe(true);
    expect(own('http://u:p@localhost:8790/')).toBe(true);
    expect(own('http://localhost:8790/healthz')).toBe(false);
    expect(own('http://localhost:8790/readyz?x=1')).toBe(false);
    expect(own('http://10.0.0.7:8790/')).toBe(false);
    expect(own('http://localhost:9000/', 9000)).toBe(true);
    expect(own('http://localhost:8790/', 9000)).toBe(false);
  });

  it('is known by what only hermod serves on another port of this machine', () => {
    expect(own('http://localhost:9999/api/v1/grants')).toBe(true);
    expect(own('http://localhost:9999/api/v1/jobs')).toBe(false);
    expect(own('https://x.example:9999/api/v1/grants')).toBe(false);
  });
});
