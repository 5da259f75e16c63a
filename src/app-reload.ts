import { createHash } from 'node:crypto';
import type { AppDeps } from './app-deps.ts';
import type { Parts } from './app-parts.ts';
import { plain } from './approvals/markdown.ts';
import type { LiveConfig, ReloadAnswer } from './config/live.ts';
import { sameSecrets } from './config/secrets.ts';
import { homes } from './gateway/home-places.ts';
import type { Status } from './gateway/status.ts';

/** Reads the configuration again: what is live counts from now on, what is wrong changes nothing and is told at home. */
export class Reloading {
  readonly #deps: AppDeps;
  readonly #parts: Parts;
  readonly #live: LiveConfig;
  #last: ReloadAnswer | undefined;

  constructor(deps: AppDeps, parts: Parts, live: LiveConfig) {
    this.#deps = deps;
    this.#parts = parts;
    this.#live = live;
  }

  /** Of the last time; undefined: it was not read again. */
  get last(): ReloadAnswer | undefined {
    return this.#last;
  }

  /** `applied` is called when live keys have changed. Throws when a row cannot be written. */
  read(applied: () => void): ReloadAnswer {
    const { log } = this.#parts;
    const loaded = this.#deps.readAgain();
    if (!loaded.ok) return this.#refuse(loaded.problems);
    if (loaded.practice !== this.#deps.practice)
      return this.#refuse([
        'config.yaml is not there any more. Put it back, or stop hermod to go on in practice mode.',
      ]);
    const { applied: live, waiting } = this.#live.take(loaded.config);
    const secrets = sameSecrets(loaded.secrets, this.#deps.secrets) ? [] : ['.env'];
    this.#last = { ok: true, applied: live, waiting: [...waiting, ...secrets] };
    log.info({ applied: live, waiting: this.#last.waiting }, 'the configuration was read again');
    if (live.length > 0) applied();
    return this.#last;
  }

  /** One notice, however often the same is read. */
  #refuse(problems: readonly string[]): ReloadAnswer {
    const { store, log, delivery } = this.#parts;
    this.#last = { ok: false, problems };
    log.error({ problems }, 'the configuration cannot be used; hermod goes on with what it had');
    const hash = createHash('sha256').update(problems.join('\n')).digest('hex').slice(0, 16);
    const lines = problems.map((problem) => `- ${plain(problem)}`);
    const text = ['The configuration was changed and cannot be used; I go on with what I had:', ...lines].join('\n');
    const [place] = homes(store, this.#deps.config.home);
    const row = { key: `reload:${hash}`, kind: 'notice', message: { text } } as const;
    if (place) store.outbox.put({ ...row, ...place }, this.#deps.clock.now());
    delivery.wake();
    return this.#last;
  }
}

/** The part of it that status tells. */
export function configNews(answer: ReloadAnswer): NonNullable<Status['config']> {
  return answer.ok ? { waiting: answer.waiting, problems: [] } : { waiting: [], problems: answer.problems };
}
