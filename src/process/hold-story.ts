import type { Store } from '../store/store.ts';
import type { CallRow } from '../store/transcript.ts';
import type { TurnRow } from '../store/turns.ts';
import type { HoldRule } from './breaker.ts';
import { causeText, type HoldStory } from './hold-card.ts';

/** How rows read to people; everything is Markdown. */
export interface Show {
  /** One call, without secrets, as inline code. */
  call(call: Pick<CallRow, 'name' | 'raw'>): string;
  /** Words of a person, at most so many characters. */
  words(text: string, limit: number): string;
  time(at: number): string;
}

/** Characters of what the person had asked for. */
const SAID = 80;

/** What rows tell of a turn that is held. Where they cannot be read it is told as interrupted once, by nobody knows what. */
export function holdStory(store: Store, turn: TurnRow, rule: HoldRule, show: Show): HoldStory {
  const { times, how, signal } = cutsOf(store, turn);
  const said = store.inbox.ofTurn(turn.id)[0]?.message.text ?? '';
  const calls = store.transcript.ofTurn(turn.id).flatMap((message) => message.calls);
  const unknown = calls.findLast((call) => call.state === 'unknown');
  return {
    rule,
    times: Math.max(1, times),
    said: show.words(said, SAID),
    last: show.time(turn.interruptedAt ?? turn.createdAt),
    cause: causeText(how, signal),
    call: unknown && show.call(unknown),
  };
}

function cutsOf(store: Store, turn: TurnRow) {
  try {
    return store.attempts.cutsOf(turn.id);
  } catch {
    return { times: 0, how: null, signal: null };
  }
}
