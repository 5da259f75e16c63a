import type { ModelRequest } from '../contract/model.ts';

type Reasoning = ModelRequest['reasoning'];

/** How much the models of a session think first: as configured, unless `/reasoning` says otherwise. Undefined: as the provider does. */
export function reasoningFor(configured: Reasoning, chosen: 'on' | 'off' | null): Reasoning {
  if (chosen === null) return configured;
  if (chosen === 'off') return 'none';
  return configured === undefined || configured === 'none' ? 'medium' : configured;
}
