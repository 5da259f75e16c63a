import type { MessagePort } from 'node:worker_threads';
import type { CallId } from '../contract/ids.ts';
import type { StepEvent } from '../contract/model.ts';
import type { MessageRow } from '../store/transcript.ts';
import type { Asked, FromThread, ToThread } from './thread-protocol.ts';
import type { Admitted, CallOrder, Parked, Recording, TurnWorld } from './turn-world.ts';

interface Waiting {
  readonly take: (message: ToThread) => void;
}

/** A turn's world as a worker thread sees it: every method is a message to the thread that owns the store and the run. */
export class PortWorld implements TurnWorld {
  readonly readers: readonly string[];
  readonly #port: Pick<MessagePort, 'postMessage'>;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;

  constructor(port: Pick<MessagePort, 'postMessage'>, readers: readonly string[]) {
    this.#port = port;
    this.readers = readers;
  }

  /** What the other side sent. */
  receive(message: ToThread): void {
    if ('id' in message) this.#waiting.get(message.id)?.take(message);
  }

  rows = () => this.#call<readonly MessageRow[]>('rows');
  record = (answer: Recording) => this.#call<void>('record', answer);
  admit = (order: CallOrder) => this.#call<Admitted>('admit', order);
  run = (call: CallId) => this.#call<Parked | undefined>('run', call);
  skip = (order: CallOrder, text: string) => this.#call<void>('skip', order, text);
  settle = (partial: string) => this.#call<void>('settle', partial);

  async *ask(tools: 'auto' | 'none', said: string): AsyncIterable<StepEvent> {
    const inbox: ToThread[] = [];
    let wake = () => {};
    const id = this.#post('ask', [tools, said], (message) => {
      inbox.push(message);
      wake();
    });
    for (;;) {
      const message = inbox.shift();
      if (message === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      } else if ('event' in message) yield message.event;
      else {
        this.#waiting.delete(id);
        if ('error' in message) throw new Error(message.error);
        return;
      }
    }
  }

  #call<T>(method: Asked, ...args: readonly unknown[]): Promise<T> {
    return new Promise((resolve, reject) => {
      const id = this.#post(method, args, (message) => {
        this.#waiting.delete(id);
        if ('value' in message) resolve(message.value as T);
        else reject(new Error('error' in message ? message.error : 'an answer to something else'));
      });
    });
  }

  #post(method: Asked | 'ask', args: readonly unknown[], take: Waiting['take']): number {
    const id = ++this.#count;
    this.#waiting.set(id, { take });
    this.#port.postMessage({ id, method, args } satisfies FromThread);
    return id;
  }
}
