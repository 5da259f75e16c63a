import type { Capsule } from '../context/capsule.ts';
import type { StepEvent } from '../contract/model.ts';
import type { TurnBounds, TurnEnd } from './turn.ts';
import type { TurnWorld } from './turn-world.ts';

/** What a worker thread is started with. It inherits no run, no environment and no arguments: this is all it knows. */
export interface ThreadStart {
  readonly capsule: Capsule;
  readonly bounds: TurnBounds;
  readonly readers: readonly string[];
}

/** The methods of a turn's world that are one question and one answer. */
export type Asked = Exclude<keyof TurnWorld, 'ask' | 'readers'>;

/** From the thread. `end` is the last one. */
export type FromThread =
  | { readonly id: number; readonly method: Asked | 'ask'; readonly args: readonly unknown[] }
  | { readonly end: TurnEnd };

/** To the thread. `over`: the last event of an `ask` was sent. */
export type ToThread =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly event: StepEvent }
  | { readonly id: number; readonly over: true }
  | { readonly id: number; readonly error: string }
  | { readonly abort: unknown };
