import type { ApprovalId } from '../contract/ids.ts';
import type { ModelFailure } from '../contract/model.ts';
import type { CallRow, MessageRow } from '../store/transcript.ts';
import { isAnswer } from './message-view.ts';
import { type AnsweredCall, type Draft, type ModelAnswer, readAnswer } from './model-answer.ts';
import { canonicalJson, readArguments } from './repair.ts';
import { CUT_AGAIN, CUT_CALL, judgeRepetition, type PastCall, toolsAreOff } from './repetition.ts';
import { budgetNote, resultShare } from './step-budget.ts';
import type { Admitted, CallOrder, Parked, Recording, TurnWorld } from './turn-world.ts';

export interface TurnBounds {
  readonly maxSteps: number;
  /** Of one result. */
  readonly resultBytes: number;
}

/** How a turn ended, before anybody is told. */
export type TurnEnd =
  /** `cut`: by the output limit; `spent`: all steps are used. */
  | {
      readonly kind: 'answered';
      readonly text: string;
      readonly cut: boolean;
      readonly spent: boolean;
      readonly keep: unknown;
    }
  /** Its last message was written before; nothing was asked. */
  | { readonly kind: 'finished'; readonly text: string; readonly partial: boolean }
  | { readonly kind: 'stopped'; readonly partial: string }
  | { readonly kind: 'parked'; readonly approval: ApprovalId }
  | { readonly kind: 'failed'; readonly failure: ModelFailure };

const MAX_CALLS = 32;
const MAX_OVERLAP = 8;
const MAX_CONTINUATIONS = 2;

/** A turn in progress: which step comes next and what of it may run. Its state is its rows; it keeps nothing that could be lost. */
export class Turn {
  readonly #world: TurnWorld;
  readonly #bounds: TurnBounds;
  readonly #signal: AbortSignal;
  #rows: readonly MessageRow[] = [];

  constructor(world: TurnWorld, bounds: TurnBounds, signal: AbortSignal) {
    this.#world = world;
    this.#bounds = bounds;
    this.#signal = signal;
  }

  async run(): Promise<TurnEnd> {
    const finished = await this.#prepare();
    if (finished) return finished;
    for (;;) {
      const cutShort = await this.#execute();
      if (cutShort) return this.#settle(cutShort);
      const answer = await this.#ask();
      if (answer.kind !== 'calls') return this.#settle(this.#end(answer));
      await this.#record(answer);
    }
  }

  /** A turn whose answer is written already has nothing left to do. */
  async #prepare(): Promise<TurnEnd | undefined> {
    const last = (await this.#look()).at(-1);
    return last && isAnswer(last)
      ? { kind: 'finished', text: last.content, partial: last.mark === 'partial' }
      : undefined;
  }

  /** Runs what the last message calls and has no result yet: in order, neighbouring reads side by side. */
  async #execute(): Promise<TurnEnd | undefined> {
    const open = this.#rows.at(-1)?.calls.filter(isOpen) ?? [];
    const overlapping = new Set<Promise<Parked | undefined>>();
    for (const call of open) {
      if (this.#signal.aborted) break;
      const reads = this.#world.readers.includes(call.name);
      if (!reads || overlapping.size >= MAX_OVERLAP) await Promise.all(overlapping);
      const admitted = await this.#admit(call);
      if (typeof admitted === 'object') return { kind: 'parked', approval: admitted.parked };
      if (admitted !== 'ready') continue;
      const work = this.#world.run(call.id).finally(() => overlapping.delete(work));
      overlapping.add(work);
      const parked = reads ? undefined : await work;
      if (parked) return { kind: 'parked', approval: parked.parked };
    }
    await Promise.all(overlapping);
    if (open.length > 0) await this.#look();
    return this.#signal.aborted ? { kind: 'stopped', partial: '' } : undefined;
  }

  async #admit(call: CallRow): Promise<Admitted> {
    const order = this.#order(call);
    const verdict = judgeRepetition(pastCalls(await this.#look(), call), keyOf(call));
    if (verdict === 'run') return this.#world.admit(order);
    await this.#world.skip(order, verdict);
    return 'ended';
  }

  #order(call: CallRow): CallOrder {
    const siblings = this.#rows.at(-1)?.calls.length ?? 1;
    const read = readArguments(call.raw);
    return {
      call: call.id,
      tool: call.name,
      input: read.ok ? read.value : {},
      bytes: resultShare(this.#bounds.resultBytes, siblings),
      note: call.position === siblings - 1 ? budgetNote(this.#steps(), this.#bounds.maxSteps) : undefined,
    };
  }

  /** Asks the model for the next message. A text cut by the output limit is continued, and counts as one. */
  async #ask(): Promise<ModelAnswer> {
    const tools = this.#spent() || toolsAreOff(pastCalls(this.#rows)) ? 'none' : 'auto';
    let said = '';
    for (let piece = 0; ; piece++) {
      const draft = await this.#listen(tools, said);
      const answer = readAnswer(said, draft, this.#signal.aborted);
      if (answer.kind !== 'text' || !answer.cut || piece === MAX_CONTINUATIONS) return answer;
      said = answer.text;
    }
  }

  async #listen(tools: 'auto' | 'none', said: string): Promise<Draft> {
    let draft: Draft = { text: '', calls: [], done: undefined, tools };
    for await (const event of this.#world.ask(tools, said)) {
      if (event.type === 'text') draft = { ...draft, text: draft.text + event.delta };
      else if (event.type === 'call') draft = { ...draft, calls: [...draft.calls, event] };
      else if (event.type === 'done') draft = { ...draft, done: event };
      else if (event.type === 'restart') draft = { ...draft, text: '', calls: [] };
    }
    return draft;
  }

  /** Before anything of it runs. What can never run ends at once. */
  async #record({ text, keep, calls }: Extract<ModelAnswer, { kind: 'calls' }>): Promise<void> {
    const again = this.#rows.at(-1)?.calls.some((call) => call.result?.startsWith(CUT_CALL)) ?? false;
    const note = budgetNote(this.#steps() + 1, this.#bounds.maxSteps);
    const recorded = calls.map((call, i) => planned(call, i, again, i === calls.length - 1 ? note : undefined));
    await this.#world.record({ text, keep, calls: recorded });
    await this.#look();
  }

  #end(answer: Exclude<ModelAnswer, { kind: 'calls' }>): TurnEnd {
    if (answer.kind === 'failed') return answer;
    if (answer.kind === 'stopped') return { kind: 'stopped', partial: answer.text };
    return { kind: 'answered', text: answer.text, cut: answer.cut, spent: this.#spent(), keep: answer.keep };
  }

  /** Whatever happened, every call is answered; only a turn that goes on later keeps its open ones. */
  async #settle(end: TurnEnd): Promise<TurnEnd> {
    const goesOn = end.kind === 'parked' || (end.kind === 'stopped' && this.#signal.reason === 'shutdown');
    if (!goesOn) await this.#world.settle(end.kind === 'stopped' ? end.partial : '');
    return end;
  }

  async #look(): Promise<readonly MessageRow[]> {
    this.#rows = await this.#world.rows();
    return this.#rows;
  }

  #steps(): number {
    return countSteps(this.#rows);
  }

  #spent(): boolean {
    return this.#steps() >= this.#bounds.maxSteps;
  }
}

/** Messages that called something. */
export function countSteps(rows: readonly MessageRow[]): number {
  return rows.filter((row) => row.calls.length > 0).length;
}

function planned(
  call: AnsweredCall,
  index: number,
  again: boolean,
  note: string | undefined,
): Recording['calls'][number] {
  const { id: providerId, name, read } = call;
  const made = { providerId, name, raw: read.ok ? read.text : call.raw };
  const end = (state: 'skipped' | 'failed', text: string) => ({
    ...made,
    end: { state, text: note === undefined ? text : `${text}\n\n${note}` },
  });
  if (call.cut) return end('skipped', again ? CUT_AGAIN : CUT_CALL);
  if (index >= MAX_CALLS) return end('skipped', `not run: at most ${MAX_CALLS} calls a step`);
  return read.ok ? made : end('failed', `Not run: ${read.why}. Correct it and call again.`);
}

/** The turn's calls so far, or those before one of them. */
function pastCalls(rows: readonly MessageRow[], before?: CallRow): readonly PastCall[] {
  const calls = rows.flatMap((row) => row.calls);
  const end = before ? calls.findIndex((call) => call.id === before.id) : calls.length;
  return calls
    .slice(0, end)
    .map((call) => ({ tool: call.name, key: keyOf(call), state: call.state, result: call.result }));
}

function isOpen(call: CallRow): boolean {
  return call.state === 'planned' || call.state === 'asked';
}

function keyOf(call: CallRow): string {
  const read = readArguments(call.raw);
  return `${call.name} ${read.ok ? canonicalJson(read.value) : call.raw}`;
}
