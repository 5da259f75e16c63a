import type { Dialect } from './openai-compatible.ts';

export type ProviderKind = 'openai_compatible' | 'anthropic' | 'practice' | 'scripted';

/** What a well-known name stands for when config does not say. */
export interface Preset {
  readonly kind: ProviderKind;
  readonly baseUrl?: string;
  /** The environment variable that holds the key. */
  readonly keyName?: string;
  readonly dialect?: Dialect;
}

export const PRESETS: Readonly<Record<string, Preset>> = {
  openai: {
    kind: 'openai_compatible',
    baseUrl: 'https://api.openai.com/v1',
    keyName: 'OPENAI_API_KEY',
    dialect: 'openai',
  },
  openrouter: {
    kind: 'openai_compatible',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyName: 'OPENROUTER_API_KEY',
    dialect: 'openrouter',
  },
  ollama: { kind: 'openai_compatible', baseUrl: 'http://127.0.0.1:11434/v1' },
  lmstudio: { kind: 'openai_compatible', baseUrl: 'http://127.0.0.1:1234/v1' },
  vllm: { kind: 'openai_compatible', baseUrl: 'http://127.0.0.1:8000/v1' },
  llamacpp: { kind: 'openai_compatible', baseUrl: 'http://127.0.0.1:8080/v1', dialect: 'llamacpp' },
  anthropic: { kind: 'anthropic', baseUrl: 'https://api.anthropic.com/v1', keyName: 'ANTHROPIC_API_KEY' },
  practice: { kind: 'practice' },
};
