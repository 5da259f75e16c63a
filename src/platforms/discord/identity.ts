import type { KeyValue } from '../../contract/platform.ts';
import { isId } from './place.ts';

const STATE = 'identity';

/** Who we are on Discord: told at READY, remembered, and until the first READY guessed from the token, which begins with it. */
export class Identity {
  readonly #state: KeyValue;
  #bot: string;
  #application: string;

  constructor(token: string, state: KeyValue) {
    this.#state = state;
    const [bot, application] = (state.get(STATE) ?? '').split(' ');
    const guess = Buffer.from(token.split('.')[0] ?? '', 'base64url').toString('latin1');
    this.#bot = isId(bot) ? bot : isId(guess) ? guess : '';
    this.#application = isId(application) ? application : this.#bot;
  }

  /** Empty while nobody has told. */
  get bot(): string {
    return this.#bot;
  }

  get application(): string {
    return this.#application;
  }

  learn(bot: string, application: string): void {
    if (bot === this.#bot && application === this.#application) return;
    this.#bot = bot;
    this.#application = application;
    this.#state.set(STATE, `${bot} ${application}`);
  }
}
