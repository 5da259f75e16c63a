import { expect, it } from 'vitest';
import { reasoningFor } from '../../src/agent/reasoning.ts';

it.each([
  [undefined, null, undefined],
  ['high', null, 'high'],
  ['none', null, 'none'],
  [undefined, 'on', 'medium'],
  ['none', 'on', 'medium'],
  ['low', 'on', 'low'],
  [undefined, 'off', 'none'],
  ['high', 'off', 'none'],
] as const)('%s in the configuration, %s here: %s', (configured, chosen, wanted) => {
  expect(reasoningFor(configured, chosen)).toBe(wanted);
});
