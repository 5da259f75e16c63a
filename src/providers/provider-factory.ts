import type { Clock } from '../contract/clock.ts';
import { HermodError } from '../contract/errors.ts';
import type { Log } from '../contract/log.ts';
import type { ModelProvider } from '../contract/model.ts';
import { createAnthropic } from './anthropic.ts';
import type { ProviderFacts } from './failure-text.ts';
import { createOpenAiCompatible } from './openai-compatible.ts';
import { createPractice } from './practice.ts';
import { PRESETS, type Preset, type ProviderKind } from './presets.ts';
import { queued } from './request-queue.ts';
import { ScriptedProvider } from './scripted.ts';

/** One entry of `providers` in config, its key already read. */
export interface ProviderSpec {
  readonly name: string;
  /** Absent: what the name stands for in the presets. */
  readonly kind?: ProviderKind;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** The environment variable the key came from or would come from; absent: the preset's. */
  readonly keyName?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Requests at once; absent: 1 for a local server, else 16. */
  readonly maxParallel?: number;
  /** `scripted`: the JSON file with the scripts, and a JSONL file that every request is appended to. */
  readonly script?: string;
  readonly record?: string;
}

export interface ProviderDeps {
  readonly clock: Clock;
  readonly log: Log;
}

const PARALLEL = { local: 1, remote: 16 };

/** Builds a provider. Nothing is imported, connected or asked before its first request. Throws HermodError on a spec it cannot serve. */
export function createProvider(spec: ProviderSpec, deps: ProviderDeps): ModelProvider {
  const preset = PRESETS[spec.name];
  const provider = build(spec, preset, deps);
  return queued(provider, spec.maxParallel ?? (isLocal(spec, preset) ? PARALLEL.local : PARALLEL.remote));
}

function build(spec: ProviderSpec, preset: Preset | undefined, deps: ProviderDeps): ModelProvider {
  const { name } = spec;
  switch (spec.kind ?? preset?.kind) {
    case 'openai_compatible':
      return createOpenAiCompatible({
        ...address(spec, preset),
        ...(preset?.dialect && { dialect: preset.dialect }),
        ...deps,
      });
    case 'anthropic':
      return createAnthropic({ ...address(spec, preset ?? PRESETS['anthropic']), ...deps });
    case 'practice':
      return createPractice({ name, clock: deps.clock });
    case 'scripted':
      return scripted(spec, deps);
    default:
      throw new HermodError(
        'operator',
        `The provider "${name}" has no kind. Set providers.${name}.kind in config.yaml.`,
      );
  }
}

/** Where to ask, with what. Throws HermodError when nobody said where. */
function address(spec: ProviderSpec, preset: Preset | undefined) {
  const { name, apiKey, headers } = spec;
  const baseUrl = spec.baseUrl ?? preset?.baseUrl;
  if (baseUrl === undefined || !URL.canParse(baseUrl)) {
    throw new HermodError(
      'operator',
      `The provider "${name}" has no address. Set providers.${name}.base_url in config.yaml.`,
    );
  }
  return {
    name,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    ...(apiKey !== undefined && { apiKey }),
    ...(headers && { headers }),
  };
}

function scripted(spec: ProviderSpec, deps: ProviderDeps): ModelProvider {
  if (spec.script === undefined) {
    throw new HermodError(
      'operator',
      `The provider "${spec.name}" needs a script. Set providers.${spec.name}.script in config.yaml.`,
    );
  }
  const record = spec.record === undefined ? {} : { record: spec.record };
  return new ScriptedProvider({ name: spec.name, scripts: spec.script, ...record, ...deps });
}

/** What a sentence about a failure of this provider needs. */
export function providerFacts(spec: ProviderSpec): ProviderFacts {
  const preset = PRESETS[spec.name];
  const baseUrl = spec.baseUrl ?? preset?.baseUrl;
  const keyName = spec.keyName ?? preset?.keyName;
  const kind = spec.kind ?? preset?.kind;
  return {
    name: spec.name,
    ...(kind && { kind }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(keyName !== undefined && { keyName }),
  };
}

function isLocal(spec: ProviderSpec, preset: Preset | undefined): boolean {
  const url = spec.baseUrl ?? preset?.baseUrl;
  return url !== undefined && /^https?:\/\/(localhost|127\.|\[::1\])/i.test(url);
}
