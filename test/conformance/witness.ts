import { currentRun } from '../../src/context/run-context.ts';
import type { Log } from '../../src/contract/log.ts';
import type { ButtonPress, InboundMessage, PrivateReply } from '../../src/contract/message.ts';
import type { Health, PlatformEvents } from '../../src/contract/platform.ts';

/** Stands where core stands: writes down what it is told, as which run, and refuses or delays when a test says so. */
export class Witness implements PlatformEvents {
  readonly messages: InboundMessage[] = [];
  /** Every telling, refused ones included. */
  readonly told: string[] = [];
  readonly presses: ButtonPress[] = [];
  readonly healths: Health[] = [];
  /** The run in which events came and lines were logged, since `watchRuns`. */
  readonly runs: unknown[] = [];
  readonly lines: string[] = [];
  #watching = false;
  /** Called before a message counts as stored: may throw or wait. */
  storing: (message: InboundMessage) => void | Promise<void> = () => {};
  decide: (press: ButtonPress) => PrivateReply | undefined = () => undefined;

  readonly log: Log = { debug: this.#logger(), info: this.#logger(), warn: this.#logger(), error: this.#logger() };

  watchRuns(): void {
    this.#watching = true;
  }

  async message(message: InboundMessage): Promise<void> {
    this.#note();
    this.told.push(message.eventId);
    await this.storing(message);
    this.messages.push(message);
  }

  async press(press: ButtonPress): Promise<PrivateReply | undefined> {
    this.#note();
    this.presses.push(press);
    return this.decide(press);
  }

  async form(): Promise<undefined> {}
  async edited(): Promise<void> {}
  async stopped(): Promise<void> {}
  async reaction(): Promise<void> {}
  async reach(): Promise<void> {}
  async moved(): Promise<void> {}

  health(health: Health): void {
    this.#note();
    this.healths.push(health);
  }

  get state(): Health['state'] | undefined {
    return this.healths.at(-1)?.state;
  }

  get texts(): readonly string[] {
    return this.messages.map(({ text }) => text);
  }

  #logger(): (facts: object, sentence: string) => void {
    return (facts, sentence) => {
      this.#note();
      this.lines.push(`${sentence} ${JSON.stringify(facts)}`);
    };
  }

  #note(): void {
    if (this.#watching) this.runs.push(currentRun());
  }
}

/** Waits in real time for what must happen soon; the sentence says what did not. */
export async function until(holds: () => boolean, what: string, withinMs = 20_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`It did not happen: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
