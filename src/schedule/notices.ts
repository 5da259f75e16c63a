import type { Clock } from '../contract/clock.ts';
import { newId } from '../contract/ids.ts';
import type { OutboundMessage } from '../contract/message.ts';
import type { FiringRow } from '../store/firings.ts';
import type { Place } from '../store/homes.ts';
import type { JobRow } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import type { ClaimNotices } from './claims.ts';
import type { SlotGap } from './due-slots.ts';
import { targetWords } from './echo.ts';
import { type JobVerb, jobButtons } from './job-buttons.ts';
import type { Places } from './places.ts';
import { plainText } from './plain-text.ts';
import { instantText } from './time-words.ts';

export interface NoticeDeps {
  readonly store: Pick<Store, 'outbox' | 'timeZones' | 'boots'>;
  readonly clock: Clock;
  readonly places: Places;
  /** When this process took over the jobs; UTC ms. */
  readonly upSince: () => number;
  /** Outbox rows were written: delivery should look. */
  readonly wake: () => void;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What owners hear of their jobs, beside the answers. Rows in the outbox: call inside the transaction of what is told. */
export class JobNotices implements ClaimNotices {
  readonly #deps: NoticeDeps;

  constructor(deps: NoticeDeps) {
    this.#deps = deps;
  }

  missed(job: JobRow, slotAt: number, paused = false): void {
    const why = paused ? 'it was paused then' : this.#down(job, slotAt);
    this.#put(job, `missed:${slotAt}`, `Missed: ${named(job)} was due ${this.#time(job, slotAt)}; ${why}.`, [
      'run',
      'drop',
    ]);
  }

  /** Why nothing was started at an instant. While this process was up, the machine slept or its clock was set. */
  #down(job: JobRow, at: number): string {
    const { store, upSince } = this.#deps;
    const [from, to] = [store.boots.lastEndAt() ?? Number.POSITIVE_INFINITY, upSince()];
    if (at >= to || from > to) return 'hermod was not running';
    if (at < from) return 'hermod could not begin it then';
    return `hermod was not running from ${this.#time(job, from)} to ${this.#time(job, to)}`;
  }

  skipped(job: JobRow, { firstSlotAt, lastSlotAt, count }: SlotGap): void {
    const many = count === null ? 'more than 100 runs' : count === 1 ? '1 run' : `${count} runs`;
    const text = `Missed: ${many} of ${named(job)}, the last due ${this.#time(job, lastSlotAt)}; none of them is caught up.`;
    this.#put(job, `skipped:${firstSlotAt}`, text, ['run', 'show']);
  }

  /** Many firings wait for a place: told at a home, once an hour. */
  crowded(waiting: number, place: Place): void {
    const { store, wake } = this.#deps;
    const now = this.#now();
    const text = `${waiting} jobs wait for a free place (cron.max_parallel).`;
    store.outbox.put(
      { key: `jobs-crowded:${Math.floor(now / HOUR_MS)}`, kind: 'notice', ...place, message: { text } },
      now,
    );
    wake();
  }

  busy(job: JobRow): void {
    const text = `Job ${named(job)} takes longer than its period; ${job.busyStreak} runs were skipped.`;
    this.#put(job, `busy:${job.accountedTo}`, text, ['show', 'pause']);
  }

  exhausted(job: JobRow): void {
    this.#put(job, `exhausted:${job.rev}`, `Job ${named(job)} has no further run.`, ['delete']);
  }

  broken(job: JobRow): void {
    const text = `Job ${named(job)} stopped: its next run could not be computed. This is a bug in hermod.`;
    this.#put(job, `broken:${job.rev}`, text, ['show', 'delete']);
  }

  failed(job: JobRow, firing: FiringRow, kind: string, line: string): void {
    const next =
      job.nextRunAt === null ? '' : ` Next try ${this.#time(job, Math.max(job.nextRunAt, job.notBefore ?? 0))}.`;
    const text = `Job ${named(job)} failed: ${kind}: ${plainText(line, 300)}.${next}`;
    this.#put(
      job,
      `failed:${firing.id}`,
      text,
      job.nextRunAt === null ? ['show', 'run', 'mute'] : ['show', 'pause', 'mute'],
    );
  }

  /** It has something to say, and no place to say it: once a day. */
  nowhere(job: JobRow, now: number): void {
    const text = `Job ${named(job)} has no place left for what it says (${targetWords(job.deliver)}); it is only stored. /jobs history shows where.`;
    this.#put(job, `nowhere:${job.rev}:${Math.floor(now / DAY_MS)}`, text, ['show', 'pause']);
  }

  /** Its script is another one than people set; it did not run. */
  scriptChanged(job: JobRow, firing: FiringRow, sha256: string): void {
    const name = plainText(job.script?.split('/').at(-1) ?? 'script', 60);
    const text = `Job ${named(job)} did not run: its script ${name} is not the one that was accepted (sha256 is ${sha256.slice(0, 12)} now). Look at it; Accept lets it run as it is.`;
    this.#put(job, `script:${firing.id}`, text, ['accept', 'pause']);
  }

  recovered(job: JobRow, firing: FiringRow, failures: number): void {
    const times = failures === 1 ? '1 failure' : `${failures} failures`;
    this.#put(job, `recovered:${firing.id}`, `Job ${named(job)} works again after ${times}.`, []);
  }

  /** Paused by hermod itself, and why. */
  paused(job: JobRow, why: string, verbs: readonly JobVerb[] = ['resume', 'show', 'delete']): void {
    this.#put(job, `paused:${job.rev}:${newId()}`, `Job ${named(job)} ${why}`, verbs);
  }

  cut(job: JobRow, firing: FiringRow): void {
    const text = `Job ${named(job)} was stopped with hermod before it was done.`;
    this.#put(job, `cut:${firing.id}`, text, ['run', 'show']);
  }

  /** Several jobs of one owner whose firings ended with the last boot: nobody knows how. */
  unknown(jobs: readonly JobRow[], boot: string): void {
    const [first] = jobs;
    if (!first) return;
    const list = jobs.map((job) => `- ${named(job)}`).join('\n');
    const text = `hermod stopped while these ran. Their outcome is unknown and they were not repeated:\n${list}`;
    const buttons = jobs.slice(0, 5).map((job) => {
      const [row = []] = jobButtons(job, ['run']);
      return row.map((button) => ({ ...button, label: `Run again: ${job.name.slice(0, 30)}` }));
    });
    this.#send(first, `job-unknown:${boot}:${first.id}`, { text, buttons });
  }

  /** The breaker holds since this boot: once an owner. */
  waiting(job: JobRow, restarts: number, since: string): void {
    const text = `hermod restarted ${restarts} times in a row; your jobs wait until it is stable.`;
    this.#send(job, `jobs-wait:${since}:${job.owner.platform}:${job.owner.id}`, { text });
  }

  held(job: JobRow, provider: string, until: number): void {
    const text = `Jobs wait until ${this.#time(job, until)}: ${plainText(provider, 100)} refused the key or the quota.`;
    const hour = Math.floor(until / 3_600_000);
    this.#send(job, `jobs-held:${provider}:${hour}:${job.owner.platform}:${job.owner.id}`, { text });
  }

  #put(job: JobRow, event: string, text: string, verbs: readonly JobVerb[]): void {
    const message: OutboundMessage = verbs.length === 0 ? { text } : { text, buttons: jobButtons(job, verbs) };
    this.#send(job, `job-${event}:${job.id}`, message);
  }

  #send(job: JobRow, key: string, message: OutboundMessage): void {
    const { store, places, wake } = this.#deps;
    const place = places.forOwner(job);
    if (!place) return;
    const person = `${job.owner.platform}:${job.owner.id}`;
    store.outbox.put({ key, kind: 'notice', ...place, person, message }, this.#now());
    wake();
  }

  #time(job: JobRow, at: number): string {
    const tz = this.#deps.store.timeZones.ofPerson(`${job.owner.platform}:${job.owner.id}`) ?? job.tz;
    return instantText(tz, at);
  }

  #now(): number {
    return this.#deps.clock.now();
  }
}

const named = ({ name }: Pick<JobRow, 'name'>): string => `"${plainText(name, 60)}"`;
