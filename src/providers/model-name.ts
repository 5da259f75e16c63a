import { HermodError } from '../contract/errors.ts';
import type { ModelChoice } from '../contract/model.ts';

/** Reads `provider:model`; the model may hold colons and slashes itself. Throws HermodError on anything else. */
export function readModel(text: string): ModelChoice {
  const cut = text.indexOf(':');
  const choice = { provider: text.slice(0, cut).trim(), model: text.slice(cut + 1).trim() };
  if (cut > 0 && choice.provider !== '' && choice.model !== '') return choice;
  throw new HermodError('operator', `"${text}" names no model. Write provider:model, for example openai:gpt-5.`);
}

export function writeModel({ provider, model }: ModelChoice): string {
  return `${provider}:${model}`;
}
