import type { AppDeps } from './app-deps.ts';
import type { Parts } from './app-parts.ts';
import { plain } from './approvals/markdown.ts';
import { pause } from './contract/clock.ts';
import type { PlatformAdapter } from './contract/platform.ts';
import { Connection } from './gateway/connection.ts';
import { homes } from './gateway/home-places.ts';
import type { PlatformStatus } from './gateway/status.ts';
import { AGAIN_TEXT, StoreTrouble } from './gateway/store-trouble.ts';
import { age } from './gateway/words.ts';
import { culprit } from './process/culprit.ts';
import type { Place } from './store/homes.ts';

/** How long being ready waits for platforms to connect. */
const FIRST_CONNECT_MS = 2_000;

/** The platforms of this process, each kept connected for itself. */
export class Connections {
  readonly #deps: AppDeps;
  readonly #all = new Map<string, Connection>();

  constructor(deps: AppDeps) {
    this.#deps = deps;
  }

  get(platform: string): Connection | undefined {
    return this.#all.get(platform);
  }

  get list(): readonly Connection[] {
    return [...this.#all.values()];
  }

  status(): readonly PlatformStatus[] {
    return [...this.#all].map(([name, { health }]) => ({ name, ...health }));
  }

  /** Builds nothing up yet: `open` connects. */
  add(adapter: PlatformAdapter, parts: Parts): void {
    const { clock, config } = this.#deps;
    const { delivery, resumes, log } = parts;
    const opened = () => resumes.open(adapter.name);
    delivery.add(adapter);
    const connection = new Connection(adapter, {
      clock,
      log,
      connectMs: config.platforms.connect_s * 1000,
      changed: ({ state }) => {
        delivery.setUp(adapter.name, state === 'connected' || state === 'degraded');
        if (state === 'connected') clock.after(config.resume.first_batch_s * 1000, opened);
      },
      opened,
      proofMs: config.health.proof_s * 1000,
      attentionMs: config.health.attention_s * 1000,
      attention: (since, reason) => this.#tellHome(adapter.name, since, reason, parts),
      random: Math.random,
    });
    this.#all.set(adapter.name, connection);
  }

  /** Platforms connect side by side; one that hangs delays nobody. */
  async open({ router, log, store, delivery }: Parts): Promise<void> {
    const { clock } = this.#deps;
    const recovered = (places: readonly Place[]) => {
      const now = clock.now();
      store.tx(() => {
        for (const place of places) {
          const key = `store-again:${place.address.platform}:${place.address.chat}:${now}`;
          store.outbox.put({ key, kind: 'notice', ...place, message: { text: AGAIN_TEXT } }, now);
        }
      });
      log.info({ chats: places.length }, 'the database can be written again');
      delivery.wake();
    };
    const trouble = new StoreTrouble({ clock, log, judge: (event) => router.judge(event), recovered });
    const opened = [...this.#all].map(([name, connection]) =>
      connection.start(trouble.guard(router.events(name), connection.adapter)),
    );
    await Promise.race([Promise.all(opened), pause(this.#deps.clock, FIRST_CONNECT_MS)]);
  }

  /** An error nobody caught. True: it came from inside a platform's library, and only that platform is built anew. */
  blames(error: unknown): boolean {
    const connection = this.#all.get(culprit(error) ?? '');
    connection?.broke(String(error));
    return connection !== undefined;
  }

  /** A platform has been down for long: one notice, where another platform's notices go. */
  #tellHome(name: string, since: number, reason: string, { store, delivery, log }: Parts): void {
    const { config, clock } = this.#deps;
    log.error({ platform: name, reason }, 'a platform has been down for long; it is tried again and again');
    const down = age(config.health.attention_s * 1000);
    const text = `${name} has been down for ${down} (${plain(reason)}). I keep trying; what is written for it waits.`;
    try {
      const place = homes(store, config.home).find(({ address }) => address.platform !== name);
      const key = `attention:${name}:${since}`;
      if (place) store.outbox.put({ key, kind: 'notice', ...place, message: { text } }, clock.now());
      delivery.wake();
    } catch (error) {
      log.error({ platform: name, error }, 'nobody could be told that a platform is down');
    }
  }
}
