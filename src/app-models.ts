import type { Config } from './config/config.ts';
import type { Secrets } from './config/secrets.ts';
import type { Clock } from './contract/clock.ts';
import type { Log } from './contract/log.ts';
import { ModelChain } from './providers/model-chain.ts';
import { readModel } from './providers/model-name.ts';
import type { ModelTarget } from './providers/model-target.ts';
import { PRESETS } from './providers/presets.ts';
import { createProvider, type ProviderSpec, providerFacts } from './providers/provider-factory.ts';

/** The configured models in their order, the practice model where none is. Nothing is imported or connected yet. */
export function createModels(
  config: Config,
  secrets: Secrets,
  deps: { readonly clock: Clock; readonly log: Log },
): ModelChain {
  const { model } = config;
  const names = [model.primary ?? 'practice:practice', ...model.fallback];
  const providers = new Map<string, ReturnType<typeof createProvider>>();
  const targets = names.map((name): ModelTarget => {
    const choice = readModel(name);
    const spec = specOf(choice.provider, config, secrets);
    const provider = providers.get(spec.name) ?? createProvider(spec, deps);
    providers.set(spec.name, provider);
    return { choice, provider, facts: providerFacts(spec) };
  });
  return new ModelChain({
    targets,
    limits: {
      firstOutputS: model.first_output_s,
      idleS: model.idle_s,
      stepDeadlineS: model.step_deadline_s,
      attempts: model.attempts,
    },
    fallbackOnFilter: model.fallback_on_filter,
    clock: deps.clock,
    random: Math.random,
  });
}

function specOf(name: string, config: Config, secrets: Secrets): ProviderSpec {
  const set = config.providers[name];
  const keyName = set?.api_key_env ?? PRESETS[name]?.keyName;
  const apiKey = keyName === undefined ? undefined : secrets[keyName];
  return {
    name,
    ...(set?.kind && { kind: set.kind }),
    ...(set?.base_url && { baseUrl: set.base_url }),
    ...(keyName && { keyName }),
    ...(apiKey && { apiKey }),
    ...(set?.headers && { headers: set.headers }),
    ...(set?.max_parallel && { maxParallel: set.max_parallel }),
    ...(set?.script && { script: set.script }),
    ...(set?.record && { record: set.record }),
  };
}
