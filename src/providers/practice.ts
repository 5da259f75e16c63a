import { type Clock, pause } from '../contract/clock.ts';
import type {
  DoneReason,
  ModelEvent,
  ModelFailure,
  ModelFailureKind,
  ModelProvider,
  ModelRequest,
} from '../contract/model.ts';
import { nextStep } from './practice-plan.ts';

const WORD_MS = 25;

/** Answers fixed phrases with real calls: no network, no account, no chance; 40 words a second. */
export function createPractice({
  name = 'practice',
  clock,
}: {
  readonly name?: string;
  readonly clock: Clock;
}): ModelProvider {
  return { name, stream: (request, signal) => answer(request, signal, clock) };
}

async function* answer(request: ModelRequest, signal: AbortSignal, clock: Clock): AsyncGenerator<ModelEvent> {
  if (signal.aborted) return yield done('aborted');
  const step = nextStep(request);
  if (step.kind === 'call') {
    yield { type: 'call', id: `practice-${step.index + 1}`, name: step.tool, raw: JSON.stringify(step.input) };
    return yield done('calls');
  }
  const text = step.kind === 'text' ? step.text : halfSentence(step.failure);
  for (const word of text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) {
    await pause(clock, WORD_MS, signal);
    if (signal.aborted) return yield done('aborted');
    yield { type: 'text', delta: word };
  }
  yield step.kind === 'text' ? done('stop') : done(failedReason(step.failure), step.failure);
}

/** What breaks in the middle has said something before. */
function halfSentence(kind: ModelFailureKind): string {
  return kind === 'cut' || kind === 'filtered' ? 'This sentence breaks off in the' : '';
}

function failedReason(kind: ModelFailureKind): DoneReason {
  return kind === 'filtered' || kind === 'aborted' ? kind : 'failed';
}

function done(reason: DoneReason, kind?: ModelFailureKind): ModelEvent {
  const failed = kind ?? (reason === 'aborted' ? 'aborted' : undefined);
  const failure: ModelFailure | undefined = failed && { kind: failed, detail: `practice model: ${failed}` };
  return failure ? { type: 'done', reason, usage: null, failure } : { type: 'done', reason, usage: null };
}
