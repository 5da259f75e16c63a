import type { Clock } from '../contract/clock.ts';
import { HermodError } from '../contract/errors.ts';
import type { Log } from '../contract/log.ts';
import type { ModelProvider } from '../contract/model.ts';
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

function isLocal(spec: ProviderSpec, preset: Preset | undefined): boolean {
  const url = spec.baseUrl ?? preset?.baseUrl;
  return url !== undefined && /^https?:\/\/(localhost|127\.|\[::1\])/i.test(url);
}
