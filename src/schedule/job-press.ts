import type { Clock } from '../contract/clock.ts';
import type { ButtonPress, FormAnswer, OutboundMessage, PrivateReply } from '../contract/message.ts';
import type { CronMode } from '../contract/run.ts';
import type { JobRow } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import { echo, head } from './echo.ts';
import { type JobPress, type JobVerb, jobButtons, readPress, verbsFor } from './job-buttons.ts';
import type { JobDesk } from './job-desk.ts';
import { JobProblem, type Requester } from './job-order.ts';
import { mayEdit, ownerKey } from './job-rules.ts';
import { nextText, showText } from './job-texts.ts';

export interface PressDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly desk: JobDesk;
  readonly cronMode: () => CronMode;
  readonly wake: () => void;
}

const UNKNOWN = 'I do not know this job; nothing changed.';

/** Buttons of job cards: whoever may edit the job, on the card of the job as it is. Call inside the transaction of the press. */
export class JobPresses {
  readonly #deps: PressDeps;

  constructor(deps: PressDeps) {
    this.#deps = deps;
  }

  /** Undefined: no button of a job. */
  press(press: ButtonPress | FormAnswer, from: Requester): PrivateReply | undefined {
    const read = readPress(press.data);
    if (!read) return undefined;
    const job = this.#deps.store.jobs.get(read.job);
    if (!job) return { text: UNKNOWN };
    if (!mayEdit(job, from)) return { text: 'Only the owner of this job or an admin may do that.' };
    if (read.rev !== job.rev && !READS.includes(read.verb)) return this.#changed(job, press, from);
    try {
      return this.#do(job, read, press, from);
    } catch (error) {
      if (error instanceof JobProblem) return { text: error.message };
      throw error;
    }
  }

  #do(job: JobRow, { verb, rev }: JobPress, press: ButtonPress | FormAnswer, from: Requester): PrivateReply {
    const { desk } = this.#deps;
    const { id } = job;
    switch (verb) {
      case 'pause':
        return this.#drawn(desk.pause(id, from, rev), press, from, 'Paused.');
      case 'resume':
        return this.#drawn(desk.resume(id, from, rev), press, from, 'Resumed.');
      case 'confirm':
        return this.#drawn(desk.confirm(id, from), press, from, 'Confirmed.');
      case 'undo':
        return this.#drawn(desk.undo(id, from, rev), press, from, 'It is back.');
      case 'delete':
        return this.#drawn(desk.remove(id, from, rev), press, from, 'Deleted.');
      case 'run':
        return this.#ran(desk.run(id, from));
      case 'drop':
        // One that nobody has confirmed is not wanted at all.
        if (job.pausedReason === 'confirm') return this.#drawn(desk.remove(id, from, rev), press, from, 'Dropped.');
        return this.#ran(desk.drop(id, from), 'Dropped.');
      case 'accept':
        return this.#ran(desk.accept(id, from, rev), 'Accepted: it runs as it is now, from its next run on.');
      case 'mute':
        return this.#ran(desk.mute(id, from), 'I will not tell you of this error again.');
      case 'show':
        return this.#said(
          showText(job, this.#deps.store, this.#facts(from, job)),
          job,
          press,
          from,
          'show',
          verbsFor(job),
        );
      case 'next':
        return this.#said(nextText(job, this.#facts(from, job)), job, press, from, 'next');
    }
  }

  #ran(_job: JobRow, text = 'Started.'): PrivateReply {
    return { text };
  }

  /** The card shows the job as it is now, with the buttons that fit; `anew`: a fresh one where there is none to change. */
  #drawn(job: JobRow, press: ButtonPress | FormAnswer, from: Requester, text: string, anew = false): PrivateReply {
    const { store, clock, wake } = this.#deps;
    const key = press.messageId === undefined ? undefined : store.jobCards.at(press.address, press.messageId);
    if (key !== undefined || anew) {
      const { address, direct } = from;
      const message = this.#card(job, from);
      store.outbox.put(
        {
          key: `job-card:${job.id}:${job.rev}${key === undefined ? `:${press.eventId}` : ''}`,
          kind: 'notice',
          address,
          direct,
          message,
          ...(key === undefined ? {} : { edits: key }),
          person: ownerKey(from.by),
        },
        clock.now(),
      );
      wake();
    }
    return { text };
  }

  #card(job: JobRow, from: Requester): OutboundMessage {
    if (job.state === 'deleted') return { text: `${head(job)}\nDeleted.`, buttons: jobButtons(job, ['undo']) };
    return echo(job, {
      ...this.#facts(from, job),
      readerTz: this.#deps.desk.readerTz(from, job),
      cronMode: this.#deps.cronMode(),
    });
  }

  /** A card from before a change does nothing but show what is. */
  #changed(job: JobRow, press: ButtonPress | FormAnswer, from: Requester): PrivateReply {
    return this.#drawn(job, press, from, 'The job changed; here it is now.', true);
  }

  /** An answer too long for a private line goes to the chat. */
  #said(
    text: string,
    job: JobRow,
    press: ButtonPress | FormAnswer,
    from: Requester,
    what: JobVerb,
    verbs: readonly JobVerb[] = [],
  ): PrivateReply {
    const { store, clock, wake } = this.#deps;
    const { address, direct } = from;
    const key = `job-${what}:${job.id}:${press.eventId}`;
    const message = { text, ...(verbs.length === 0 ? {} : { buttons: jobButtons(job, verbs) }) };
    store.outbox.put({ key, kind: 'notice', address, direct, message, person: ownerKey(from.by) }, clock.now());
    wake();
    return { text: 'Here it is.' };
  }

  #facts(from: Requester, job: JobRow) {
    return { now: this.#deps.clock.now(), tz: this.#deps.desk.readerTz(from, job) };
  }
}

/** Verbs that only read. */
const READS: readonly JobVerb[] = ['show', 'next'];
