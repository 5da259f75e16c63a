import { Worker } from 'node:worker_threads';
import { outsideRun } from '../context/run-context.ts';
import type { Clock } from '../contract/clock.ts';
import type { Analysis, Facts } from './analysis.ts';
import { unreadable } from './analyze.ts';

/** What the worker thread judges: shell text, or a script where a language is named. */
export interface DeepJob {
  readonly text: string;
  readonly language: string | undefined;
  readonly facts: Facts;
}

export interface DeepAnalyzer {
  /** Judges a long text away from the event loop. Never rejects: what takes longer than 500 ms is unreadable. */
  analyzeLarge(job: DeepJob): Promise<Analysis>;
  /** Ends the thread; jobs still waiting become unreadable. */
  close(): Promise<void>;
}

const DEADLINE_MS = 500;

/**
 * The thread starts with the first long text, outside any run and with an empty environment, and its loading is not held
 * against that text: most daemons never need its 30 MB. It keeps no process alive.
 */
export function createDeepAnalyzer(clock: Clock): DeepAnalyzer {
  return new Thread(clock);
}

class Thread implements DeepAnalyzer {
  readonly #clock: Clock;
  #worker: Promise<Worker> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** One job at a time, so that the deadline is the job's own. */
  analyzeLarge(job: DeepJob): Promise<Analysis> {
    const next = this.#last.then(() => this.#run(job));
    this.#last = next;
    return next;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const worker = await this.#worker?.catch(() => undefined);
    await worker?.terminate();
  }

  async #run(job: DeepJob): Promise<Analysis> {
    if (this.#closed) return unreadable(job.text, job.facts);
    try {
      this.#worker ??= start();
      const worker = await this.#worker;
      const answer = await this.#ask(worker, job);
      if (answer) return answer;
      await worker.terminate();
    } catch {
      // A thread that broke is replaced like one that was too slow.
    }
    this.#worker = undefined;
    return unreadable(job.text, job.facts);
  }

  /** The thread's answer, or undefined once the deadline has passed or the thread has gone. */
  #ask(worker: Worker, job: DeepJob): Promise<Analysis | undefined> {
    return new Promise((resolve) => {
      const settle = (answer: Analysis | undefined) => {
        cancel();
        worker.removeAllListeners('message').removeAllListeners('exit');
        resolve(answer);
      };
      const cancel = this.#clock.after(DEADLINE_MS, () => settle(undefined));
      worker.once('message', (answer: Analysis) => settle(answer));
      worker.once('exit', () => settle(undefined));
      worker.postMessage(job);
    });
  }
}

/** Resolves when the thread has loaded the detector. */
function start(): Promise<Worker> {
  const started = new Promise<Worker>((resolve, reject) => {
    const suffix = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const file = new URL(`./analyze-thread.${suffix}`, import.meta.url);
    const worker = outsideRun(() => new Worker(file, { env: {}, argv: [], stdin: false }));
    worker.unref();
    worker.once('message', () => resolve(worker));
    worker.once('exit', () => reject(new Error('the detector thread ended before it was ready')));
    worker.on('error', reject);
  });
  started.catch(() => undefined);
  return started;
}
