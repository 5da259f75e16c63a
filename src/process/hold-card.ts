import type { TurnId } from '../contract/ids.ts';
import type { Button, OutboundMessage } from '../contract/message.ts';
import type { BootEnd } from '../store/boots.ts';
import type { HoldRule } from './breaker.ts';

/** What is known about a held turn. Texts are Markdown already. */
export interface HoldStory {
  readonly rule: HoldRule;
  readonly times: number;
  /** What the person had asked for; empty: not known. */
  readonly said: string;
  /** When it was last cut off, as people read it. */
  readonly last: string;
  /** By what. */
  readonly cause: string;
  /** The call whose outcome nobody knows. */
  readonly call: string | undefined;
}

const WHY: Readonly<Record<HoldRule, string>> = {
  state_unreadable: 'my record of restarts cannot be read',
  restored: 'my database came back from a backup',
  resume_off: 'resuming is switched off',
  session_loop: '',
  attempts: 'I have tried it too often',
  global_loop: 'I was restarted too often in a row',
  stale: 'that was a while ago',
};

/** The one message about a held turn. */
export function holdText({ rule, times, said, last, cause, call }: HoldStory): string {
  const count = times === 1 ? 'once' : `${times} times`;
  const what = said === '' ? 'while working here' : `while working on "${said}"`;
  const running = call === undefined ? '' : ` while running: ${call}; outcome unknown`;
  const why = WHY[rule] === '' ? '' : `: ${WHY[rule]}`;
  return `I was interrupted ${count} ${what} (last ${last}, ${cause}${running}). I have not started it again${why}.`;
}

/** How an end reads in that message. */
export function causeText(how: BootEnd | null, signal: string | null): string {
  switch (how) {
    case 'signal':
      return signal ?? 'a signal';
    case 'forced':
      return `${signal ?? 'a signal'}, twice`;
    case 'stopped':
      return 'a planned stop';
    case 'restarted':
      return 'a planned restart';
    case 'crash':
      return 'an error in hermod';
    case 'watchdog':
      return 'hermod froze';
    case 'overrun':
      return 'the stop took too long';
    case 'vanished':
    case 'start_failed':
    case null:
      return 'hermod ended without a word';
  }
}

/** `c` go on, `f` a new conversation, `k` leave it as it is. */
export type HoldChoice = 'c' | 'f' | 'k';

export interface HoldAnswer {
  readonly turn: TurnId;
  /** Dispatches the turn had had when it was held: an older card answers nothing. */
  readonly attempts: number;
  readonly choice: HoldChoice;
}

const SHAPE = /^h1:ho:([a-z2-7]{26}):(\d{1,6}):([cfk])$/;

/** `h1:ho:<turn>:<attempts>:<choice>`, at most 41 bytes. */
export function writeHoldAnswer({ turn, attempts, choice }: HoldAnswer): string {
  return `h1:ho:${turn}:${attempts}:${choice}`;
}

/** Undefined: another version or kind, or no data of ours. */
export function readHoldAnswer(data: string): HoldAnswer | undefined {
  const [, turn, attempts, choice] = SHAPE.exec(data) ?? [];
  if (turn === undefined) return undefined;
  return { turn: turn as TurnId, attempts: Number(attempts), choice: choice as HoldChoice };
}

export function holdCard(turn: TurnId, attempts: number, story: HoldStory): OutboundMessage {
  const button = (label: string, choice: HoldChoice): Button => ({
    label,
    data: writeHoldAnswer({ turn, attempts, choice }),
  });
  const buttons = [[button('Continue', 'c'), button('Start fresh', 'f')], [button('Keep waiting', 'k')]];
  return { text: holdText(story), buttons };
}
