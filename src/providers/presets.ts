export type ProviderKind = 'openai_compatible' | 'anthropic' | 'practice' | 'scripted';

/** What a well-known name stands for when config does not say. */
export interface Preset {
  readonly kind: ProviderKind;
  readonly baseUrl?: string;
  /** The environment variable that holds the key. */
  readonly keyName?: string;
  /** A server on this machine: one request at a time, and a refused connection asks whether it runs. */
  readonly local?: true;
}

export const PRESETS: Readonly<Record<string, Preset>> = {
  openai: { kind: 'openai_compatible', baseUrl: 'https://api.openai.com/v1', keyName: 'OPENAI_API_KEY' },
  openrouter: { kind: 'openai_compatible', baseUrl: 'https://openrouter.ai/api/v1', keyName: 'OPENROUTER_API_KEY' },
  ollama: { kind: 'openai_compatible', baseUrl: 'http://127.0.0.1:11434/v1', local: true },
  lmstudio: { kind: 'openai_compatible', baseUrl: 'http://127.0.0.1:1234/v1', local: true },
  vllm: { kind: 'openai_compatible', baseUrl: 'http://127.0.0.1:8000/v1', local: true },
  llamacpp: { kind: 'openai_compatible', baseUrl: 'http://127.0.0.1:8080/v1', local: true },
  anthropic: { kind: 'anthropic', baseUrl: 'https://api.anthropic.com/v1', keyName: 'ANTHROPIC_API_KEY' },
  practice: { kind: 'practice' },
};
