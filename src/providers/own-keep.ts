import type { ChatMessage, ModelChoice, ModelRequest } from '../contract/model.ts';
import { writeModel } from './model-name.ts';

/** Kept data together with the model that gave it. */
export function signedKeep(data: unknown, choice: ModelChoice): unknown {
  return { by: writeModel(choice), data };
}

/** Each model gets back only what it gave to keep itself. */
export function ownKeep(request: ModelRequest, choice: ModelChoice): ModelRequest {
  const by = writeModel(choice);
  return { ...request, messages: request.messages.map((message) => unwrapped(message, by)) };
}

function unwrapped(message: ChatMessage, by: string): ChatMessage {
  if (message.role !== 'assistant' || message.keep === undefined) return message;
  const { keep, ...rest } = message;
  const kept = keep as { readonly by?: unknown; readonly data?: unknown } | null;
  return kept?.by === by ? { ...rest, keep: kept.data } : rest;
}
