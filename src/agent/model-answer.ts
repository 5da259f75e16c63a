import type { ModelEvent, ModelFailure } from '../contract/model.ts';
import { type ReadArguments, readArguments } from './repair.ts';

type CallEvent = Extract<ModelEvent, { type: 'call' }>;
type DoneEvent = Extract<ModelEvent, { type: 'done' }>;

/** What came of one step, as it came. */
export interface Draft {
  readonly text: string;
  readonly calls: readonly CallEvent[];
  readonly done: DoneEvent | undefined;
  readonly tools: 'auto' | 'none';
}

export interface AnsweredCall {
  readonly id: string;
  readonly name: string;
  readonly raw: string;
  readonly read: ReadArguments;
  /** The answer ended inside it: it never runs. */
  readonly cut: boolean;
}

export type ModelAnswer =
  | { readonly kind: 'calls'; readonly text: string; readonly calls: readonly AnsweredCall[]; readonly keep: unknown }
  /** `cut`: the output limit ended it. */
  | { readonly kind: 'text'; readonly text: string; readonly cut: boolean; readonly keep: unknown }
  | { readonly kind: 'stopped'; readonly text: string }
  | { readonly kind: 'failed'; readonly failure: ModelFailure };

/** What a step means for the turn; `said` is what earlier pieces of the same text said. Calls count whatever the reason says. Pure. */
export function readAnswer(said: string, draft: Draft, aborted: boolean): ModelAnswer {
  const { done, calls, tools } = draft;
  const text = said + draft.text;
  const reason = done?.reason ?? 'failed';
  if (aborted || reason === 'aborted') return { kind: 'stopped', text };
  if (reason === 'failed' || (reason === 'filtered' && calls.length === 0)) return failed(said, done, reason);
  if (calls.length > 0 && tools === 'auto')
    return { kind: 'calls', text, calls: readCalls(calls, reason), keep: done?.keep };
  if (text.trim() === '') return { kind: 'failed', failure: { kind: 'empty', detail: `finish ${reason}, no text` } };
  return { kind: 'text', text, cut: reason === 'length', keep: done?.keep };
}

/** A continuation that fails still leaves what was said before it. */
function failed(said: string, done: DoneEvent | undefined, reason: 'failed' | 'filtered'): ModelAnswer {
  if (said !== '') return { kind: 'text', text: said, cut: true, keep: undefined };
  const kind = reason === 'filtered' ? 'filtered' : 'cut';
  return { kind: 'failed', failure: done?.failure ?? { kind, detail: 'the step ended without a reason' } };
}

function readCalls(calls: readonly CallEvent[], reason: string): readonly AnsweredCall[] {
  return calls.map(({ id, name, raw }, i) => {
    const endsHere = i === calls.length - 1 && (reason === 'length' || reason === 'filtered');
    const read = readArguments(raw, !endsHere);
    return { id, name, raw, read, cut: endsHere && !read.ok };
  });
}
