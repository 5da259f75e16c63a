import type { Guard } from './approvals/guardian.ts';
import type { Config } from './config/config.ts';
import type { Secrets } from './config/secrets.ts';
import type { Clock } from './contract/clock.ts';
import { HermodError } from './contract/errors.ts';
import type { Log } from './contract/log.ts';
import type { ModelChoice, TurnModel } from './contract/model.ts';
import type { ModelNames } from './gateway/commands/command.ts';
import { ModelChain } from './providers/model-chain.ts';
import { readModel, writeModel } from './providers/model-name.ts';
import type { ModelTarget } from './providers/model-target.ts';
import { plainAnswer } from './providers/plain-answer.ts';
import { PRESETS } from './providers/presets.ts';
import { createProvider, type ProviderSpec, providerFacts } from './providers/provider-factory.ts';
import type { Price } from './store/usage.ts';

interface Deps {
  readonly clock: Clock;
  readonly log: Log;
}

/** The models of turns, and the one that judges calls where one is configured. */
export interface Models {
  readonly turns: ModelChain;
  /** A new turn's road; `name`: the model its session chose, with the fallbacks of the others. */
  readonly turn: (name: string | null) => TurnModel;
  readonly names: ModelNames;
  readonly guard: Guard | undefined;
}

/** The configured models in their order, the practice model where none is. Nothing is imported or connected yet. */
export function createModels(config: Config, secrets: Secrets, deps: Deps): Models {
  const { model } = config;
  const target = targetsOf(config, secrets, deps);
  const names = [model.primary ?? 'practice:practice', ...model.fallback];
  const common = {
    limits: {
      firstOutputS: model.first_output_s,
      idleS: model.idle_s,
      stepDeadlineS: model.step_deadline_s,
      attempts: model.attempts,
    },
    fallbackOnFilter: model.fallback_on_filter,
    clock: deps.clock,
    random: Math.random,
  };
  const chain = (first: readonly string[]) => new ModelChain({ ...common, targets: first.map(target) });
  const turns = chain(names);
  const chosen = new Map<string, ModelChain>();
  const turn = (name: string | null) => {
    if (name === null || problemOf(name, target) !== undefined) return turns.turn();
    const own = chosen.get(name) ?? chain([name, ...model.fallback.filter((one) => one !== name)]);
    chosen.set(name, own);
    return own.turn();
  };
  const guardian = config.approvals.guardian.model;
  return {
    turns,
    turn,
    names: { primary: names[0] as string, known: knownModels(config), problem: (name) => problemOf(name, target) },
    guard: guardian === undefined ? undefined : guardOf(target(guardian), deps.log),
  };
}

/** Every model the configuration names. */
function knownModels({ model, providers }: Config): readonly string[] {
  const described = Object.entries(providers).flatMap(([name, { models }]) =>
    Object.keys(models ?? {}).map((id) => writeModel({ provider: name, model: id })),
  );
  const used = [model.primary, ...model.fallback, model.small].filter((name) => name !== undefined);
  return [...new Set([...used, ...described])];
}

function problemOf(name: string, target: (name: string) => ModelTarget): string | undefined {
  try {
    target(name);
    return undefined;
  } catch (error) {
    if (error instanceof HermodError) return error.message;
    throw error;
  }
}

/** What a model costs, as the configuration says; undefined: it does not. */
export function priceOf({ providers }: Config, { provider, model }: ModelChoice): Price | undefined {
  const price = providers[provider]?.models?.[model]?.price;
  if (!price) return undefined;
  const { input, output, cache_read: cacheRead = input, cache_write: cacheWrite = input } = price;
  return { input, output, cacheRead, cacheWrite };
}

const GUARDIAN = { temperature: 0, maxOutputTokens: 16 };

function guardOf(target: ModelTarget, log: Log): Guard {
  return async (text, signal) => {
    try {
      return await plainAnswer(target, text, GUARDIAN, signal);
    } catch (error) {
      const { provider, model } = target.choice;
      log.warn({ provider, model, error: String(error) }, 'the guardian model did not judge a call; a person is asked');
      throw error;
    }
  };
}

/** Models by name; those of one provider share its queue. */
function targetsOf(config: Config, secrets: Secrets, deps: Deps): (name: string) => ModelTarget {
  const providers = new Map<string, ReturnType<typeof createProvider>>();
  return (name) => {
    const choice = readModel(name);
    const spec = specOf(choice.provider, config, secrets);
    const provider = providers.get(spec.name) ?? createProvider(spec, deps);
    providers.set(spec.name, provider);
    return { choice, provider, facts: providerFacts(spec) };
  };
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
