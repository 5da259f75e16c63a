import { chmodSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createApp } from './app.ts';
import type { App } from './app-port.ts';
import type { Config } from './config/config.ts';
import { type Loaded, loadConfig } from './config/load.ts';
import type { Secrets } from './config/secrets.ts';
import { readMarkers } from './context/authority.ts';
import { systemClock } from './context/system-clock.ts';
import { type Clock, pause } from './contract/clock.ts';
import { HermodError } from './contract/errors.ts';
import { type BootId, newId } from './contract/ids.ts';
import type { Host, SignalName } from './host.ts';
import { isContainerMain } from './process/container.ts';
import { homeTrouble } from './process/home-trouble.ts';
import { watchParent } from './process/parent-watch.ts';
import { type Ending, judgeSignal } from './process/signals.ts';
import { holderText } from './process/single-instance.ts';
import { startWatchdog } from './process/watchdog.ts';
import { takeLock } from './store/lock.ts';
import { VERSION } from './version.ts';

const CANNOT_START = 78;
/** Where the configuration that says it cannot be read. */
const BAD_CONFIG_WAIT_S = 30;

const PRACTICE = '  practice mode: a scripted model answers; no account, no key, nothing to pay';
const NO_MODEL =
  '  no model is set, so the practice model answers a few phrases; model.primary in config.yaml sets one';

interface Options {
  readonly practice: boolean;
  readonly launched: boolean;
  readonly set: readonly string[];
}

/**
 * `hermod start`: the daemon in the foreground, until a signal or a plan ends it. Resolves with the exit code. `clock`: what a
 * refusal in a container waits on.
 */
export async function start(host: Host, args: readonly string[], clock: Clock = systemClock): Promise<number> {
  const options = parse(host, args);
  if (typeof options === 'string') {
    host.err.write(`${options}\n`);
    return 64;
  }
  const life = new Life(host, options);
  const base = host.env['HERMOD_HOME'] || join(homedir(), '.hermod');
  const read = () => loadConfig({ home: base, env: host.env, set: options.set, practice: options.practice });
  const loaded = read();
  if (!loaded.ok) return refuse({ host, life, clock }, loaded.problems, BAD_CONFIG_WAIT_S);
  for (const warning of loaded.warnings) host.err.write(`${warning}\n`);
  try {
    return await live(host, life, loaded, read);
  } catch (cause) {
    const error = cause instanceof HermodError ? cause : homeTrouble(cause);
    if (!error) throw cause;
    const waitS = loaded.config.process.bad_config_wait_s;
    if (error.fault === 'operator') return refuse({ host, life, clock }, [error.message], waitS);
    host.err.write(`${error.message}\n`);
    return 1;
  }
}

/** No restart can cure it; a container's restart policy tries all the same, so there it is not told too fast. */
async function refuse(
  { host, life, clock }: { readonly host: Host; readonly life: Life; readonly clock: Clock },
  problems: readonly string[],
  waitS: number,
): Promise<number> {
  for (const problem of problems) host.err.write(`${problem}\n`);
  if (isContainerMain(host)) await Promise.race([pause(clock, waitS * 1000), life.ended]);
  return CANNOT_START;
}

function parse(host: Host, args: readonly string[]): Options | string {
  const set: string[] = [];
  let practice = false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    if (arg === '--practice') practice = true;
    else if (arg === '--set' && args[i + 1] !== undefined) set.push(args[++i] as string);
    else if (arg.startsWith('--set=')) set.push(arg.slice('--set='.length));
    else return `hermod start does not know "${arg}"; it takes --practice and --set key=value.`;
  }
  return { practice, launched: host.args.includes('--launched'), set };
}

interface Settings {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly practice: boolean;
  readonly home: string;
}

/** One life: lock, watchdog, app, ready, the end that was asked for. */
async function live(host: Host, life: Life, settings: Settings, readAgain: () => Loaded): Promise<number> {
  const { home, config } = settings;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  chmodSync(home, 0o700);
  if (life.asked) return life.asked.code;
  const lock = await takeLock(join(home, 'hermod.lock'), home, systemClock, () => holderText(home));
  const boot = newId<BootId>();
  const stallMs = config.health.loop_stall_s * 1000;
  const tell = (sentence: string) => void host.err.write(`${sentence}\n`);
  const watchdog = startWatchdog({ home, boot, pid: host.pid, clock: systemClock, stallMs, tell });
  try {
    const app = createApp({
      ...settings,
      host,
      boot,
      watchdog,
      clock: systemClock,
      markers: readMarkers(host.env),
      end: (how, by, now) => life.end(how, by, now),
      supervised: life.supervised,
      readAgain,
    });
    return await life.of(app, settings);
  } finally {
    watchdog.close();
    lock.release();
  }
}

/** Hears what ends the daemon, once: the first cause decides the exit code, a second one does not wait. */
class Life {
  readonly #host: Host;
  readonly #options: Options;
  #ready = false;
  #app: App | undefined;
  /** A planned restart waits for what runs. */
  #waiting: AbortController | undefined;
  #stopping: { by: string; at: number } | undefined;
  #resolve: (ending: Ending) => void = () => {};
  /** Somebody wants the end. */
  readonly ended = new Promise<Ending>((resolve) => {
    this.#resolve = resolve;
  });
  #asked: Ending | undefined;
  #unwatch: () => void = () => {};

  constructor(host: Host, options: Options) {
    this.#host = host;
    this.#options = options;
    host.onSignal((name) => this.#signal(name));
    host.onCrash((error) => this.#crash(error));
    if (options.launched) this.#unwatch = watchParent(systemClock, host.parent, () => this.#signal('SIGTERM'));
  }

  async of(app: App, settings: Settings): Promise<number> {
    this.#app = app;
    const started = app.start().then(() => undefined);
    const early = await Promise.race([started, this.ended]);
    if (early) {
      started.catch(() => {});
      await app.stop(early);
      return early.code;
    }
    this.#ready = true;
    this.#greet(app, settings);
    this.#host.keepCompiled?.();
    const ending = await this.ended;
    await app.stop(ending);
    return ending.code;
  }

  get asked(): Ending | undefined {
    return this.#asked;
  }

  /** Asked by a person: page, command line, chat. `now`: a restart waits for nothing. */
  end(how: 'stopped' | 'restarted', by: string, now = false): void {
    this.#plan({ how, code: how === 'restarted' ? 75 : 0, by }, now);
  }

  /** The launcher starts us again after a 75, and so does systemd. */
  get supervised(): boolean {
    return this.#options.launched || Boolean(this.#host.env['NOTIFY_SOCKET']);
  }

  #signal(name: SignalName): void {
    const ending = judgeSignal(name, systemClock.now(), {
      ready: this.#ready,
      terminal: this.#host.stdin.isTTY === true,
      executing: this.#app?.executing ?? false,
      stopping: this.#stopping,
    });
    if (!ending && name === 'SIGHUP' && this.#ready && !this.#stopping) this.#app?.reload();
    else if (ending?.how === 'forced') this.#die('forced');
    else if (ending?.how === 'restarted') this.#plan(ending, false);
    else if (ending) this.#begin(ending);
  }

  /** Asked for again while it waits, a restart goes on waiting; with `now`, or told to stop, it does not. */
  #plan(ending: Ending, now: boolean): void {
    if (this.#stopping) return;
    this.#app?.plan(ending.how === 'restarted' ? 'restart' : 'stop', ending.by);
    if (ending.how === 'stopped' || now || !this.#app) this.#begin(ending);
    else if (!this.#waiting) void this.#calm(this.#app).then(() => this.#begin(ending));
  }

  #calm(app: App): Promise<void> {
    this.#waiting = new AbortController();
    return app.calm(this.#waiting.signal);
  }

  #begin(ending: Ending): void {
    this.#unwatch();
    this.#stopping ??= { by: ending.by, at: systemClock.now() };
    this.#asked ??= ending;
    this.#waiting?.abort();
    this.#resolve(ending);
  }

  #crash(error: unknown): void {
    if (this.#app?.blames(error)) return;
    this.#host.err.write(`hermod broke: ${error instanceof Error ? error.stack : String(error)}\n`);
    this.#die('crash', error);
  }

  #die(how: 'forced' | 'crash', error?: unknown): void {
    this.#app?.cut(how, error);
    this.#host.die(1);
  }

  #greet(app: App, { practice, config }: Settings): void {
    const what = practice ? PRACTICE : config.model.primary === undefined ? NO_MODEL : '';
    this.#host.out.write(`hermod ${VERSION}${what}\n`);
    this.#host.out.write(
      `Open    ${app.loginUrl()}   (works once, for 10 minutes; a new one: npm run hermod -- open)\n`,
    );
    this.#host.out.write(`Stop    Ctrl-C\n`);
    app.greeted();
  }
}
