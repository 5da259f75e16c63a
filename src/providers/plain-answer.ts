import { HermodError } from '../contract/errors.ts';
import type { ModelRequest } from '../contract/model.ts';
import type { ModelTarget } from './model-target.ts';

/**
 * One request to one model: a text in, its words out; no tools, no conversation, no second try. Rejects with HermodError when
 * the model does not finish; its sentence holds nothing of the text.
 */
export async function plainAnswer(
  { provider, choice }: Pick<ModelTarget, 'provider' | 'choice'>,
  text: string,
  limits: Pick<ModelRequest, 'maxOutputTokens' | 'temperature'>,
  signal: AbortSignal,
): Promise<string> {
  const request: ModelRequest = {
    model: choice.model,
    system: { stable: '', varying: '' },
    messages: [{ role: 'user', content: text }],
    tools: [],
    toolChoice: 'none',
    ...limits,
  };
  let answer = '';
  for await (const event of provider.stream(request, signal)) {
    if (event.type === 'text') answer += event.delta;
    if (event.type === 'done' && event.failure)
      throw new HermodError('model', `${choice.provider}:${choice.model} did not answer: ${event.failure.kind}.`);
  }
  return answer;
}
