import type { ModelEvent, ModelProvider, ModelRequest, StreamWatch } from '../contract/model.ts';

/**
 * At most `limit` requests at once, the others first come first served, those of people before the patient ones. A request that
 * is aborted while it waits leaves the queue.
 */
export function queued(provider: ModelProvider, limit: number): ModelProvider {
  const places = new Places(limit);
  return {
    name: provider.name,
    async *stream(request: ModelRequest, signal: AbortSignal, watch?: StreamWatch): AsyncGenerator<ModelEvent> {
      if (!places.take()) {
        watch?.waiting();
        if (!(await places.wait(signal, request.patient ?? false))) return yield ABORTED;
        watch?.sent();
      }
      try {
        yield* provider.stream(request, signal, watch);
      } finally {
        places.free();
      }
    },
  };
}

const ABORTED: ModelEvent = {
  type: 'done',
  reason: 'aborted',
  usage: null,
  failure: { kind: 'aborted', detail: 'aborted while it waited for a free place' },
};

/** Plain promises: whoever frees a place only resolves the next waiter, which goes on in its own run. */
class Places {
  #left: number;
  readonly #people: (() => void)[] = [];
  readonly #patient: (() => void)[] = [];

  constructor(limit: number) {
    this.#left = limit;
  }

  take(): boolean {
    if (this.#left === 0) return false;
    this.#left--;
    return true;
  }

  free(): void {
    const next = this.#people.shift() ?? this.#patient.shift();
    if (next) next();
    else this.#left++;
  }

  /** True with a place, false when `signal` came first. */
  wait(signal: AbortSignal, patient: boolean): Promise<boolean> {
    const waiters = patient ? this.#patient : this.#people;
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const leave = () => {
        waiters.splice(waiters.indexOf(enter), 1);
        resolve(false);
      };
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      waiters.push(enter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
