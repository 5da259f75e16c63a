import { describe, expect, it } from 'vitest';
import { hasOpenApi, OpenApi } from '../../fakes/discord-openapi.ts';

describe("Discord's own description of its API", () => {
  const check = OpenApi.open();

  it.skipIf(!hasOpenApi)(
    'is there (shared/contracts/discord-openapi.json beside the checkout), and every body is held against it',
    () => {
      const route = '/channels/500000000000000001/messages';
      expect(check?.problem('POST', route, { content: 'hello', nonce: 'x', enforce_nonce: true })).toBeUndefined();
      expect(check?.problem('POST', route, { content: 5 })).toMatch(/content must be string/);
      expect(check?.problem('POST', '/nowhere', {})).toMatch(/no route/);
      expect(check?.problem('PUT', '/channels/500000000000000001/messages/5/reactions/x/@me', { a: 1 })).toMatch(
        /takes no JSON body/,
      );
    },
  );
});
