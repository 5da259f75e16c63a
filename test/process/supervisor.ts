import type { Exit } from './daemon-process.ts';
import type { Survivor } from './survivor.ts';

/** Starts the daemon again whenever it ends, as systemd does, until told to stop. */
export class Supervisor {
  /** How each daemon ended. */
  readonly exits: Exit[] = [];
  #on = true;
  readonly #done: Promise<void>;

  /** `ready`: told in each boot, once it is up. */
  constructor(survivor: Survivor, ready: (boot: number) => void = () => {}) {
    this.#done = this.#keep(survivor, ready);
  }

  async #keep(survivor: Survivor, ready: (boot: number) => void): Promise<void> {
    for (let boot = 1; this.#on; boot++) {
      const daemon = survivor.start();
      void daemon.ready().then(
        () => this.#on && ready(boot),
        () => {},
      );
      this.exits.push(await daemon.exited);
    }
  }

  /** The daemon that runs may go on; its end is the last one. */
  release(): void {
    this.#on = false;
  }

  /** Resolves when the last daemon has ended. */
  get done(): Promise<void> {
    return this.#done;
  }
}
