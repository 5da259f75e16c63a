import type { JobId } from '../contract/ids.ts';
import type { ToolResult } from '../contract/tool.ts';
import type { JobRow, JobTarget } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import { head, nextOf, stateLine } from './echo.ts';
import type { JobDesk } from './job-desk.ts';
import { type JobOrder, JobProblem, type OrderOptions, type Requester } from './job-order.ts';
import { isFixedText } from './job-rules.ts';
import { historyText, listText, showText } from './job-texts.ts';
import { readOrder } from './order-reading.ts';
import type { Structured } from './read-schedule.ts';
import { scheduleWords } from './schedule-words.ts';
import { instantText } from './time-words.ts';

/** What the model asks; the tool has checked its shape. */
export interface ToolOrder {
  readonly action:
    | 'create'
    | 'update'
    | 'list'
    | 'get'
    | 'preview'
    | 'pause'
    | 'resume'
    | 'run'
    | 'cancel'
    | 'remove'
    | 'history';
  readonly job?: string | undefined;
  readonly when?: string | undefined;
  readonly structured?: Structured | undefined;
  readonly after?: string | undefined;
  readonly prompt?: string | undefined;
  readonly text?: string | undefined;
  readonly name?: string | undefined;
  readonly deliver?: string | undefined;
  readonly repeat?: 'forever' | 'once' | number | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly context_from?: readonly string[] | undefined;
  readonly continuity?: boolean | undefined;
  readonly rev?: number | undefined;
  readonly again?: boolean | undefined;
  readonly extra?: string | undefined;
}

const NO_EXTRA =
  'This conversation read text of strangers; run the job without extra words, or let the person add them.';
const PREVIEWED = 5;
const UNDONE = Symbol('tried');

/** The schedule tool's work. What changes something is tried first and done in the transaction that stores the call's result. */
export class JobTool {
  readonly #desk: JobDesk;
  readonly #store: Store;

  constructor(desk: JobDesk, store: Store) {
    this.#desk = desk;
    this.#store = store;
  }

  answer(order: ToolOrder, from: Requester, options: OrderOptions): ToolResult {
    try {
      return this.#answer(order, from, options);
    } catch (error) {
      if (error instanceof JobProblem) return { text: `${error.message} (${error.code})`, isError: true };
      throw error;
    }
  }

  #answer(order: ToolOrder, from: Requester, options: OrderOptions): ToolResult {
    const desk = this.#desk;
    switch (order.action) {
      case 'list':
        return said(listText(desk.list(from), this.#store, this.#facts(from)));
      case 'preview':
        return said(this.#preview(order, from));
      case 'create':
        return this.#created(order, from, options);
      default:
        return this.#about(desk.find(order.job ?? '', from), order, from, options);
    }
  }

  #about(job: JobRow, order: ToolOrder, from: Requester, options: OrderOptions): ToolResult {
    const desk = this.#desk;
    switch (order.action) {
      case 'get':
        return said(`${showText(job, this.#store, this.#facts(from, job))}\nid ${job.id}, rev ${job.rev}`);
      case 'history':
        return said(historyText(job, this.#store, this.#facts(from, job)));
      case 'update':
        return this.#tried(() =>
          this.#told(desk.edit(job.id, order.rev ?? job.rev, this.#order(order, from, job), from, options), 'Changed.'),
        );
      case 'pause':
        return this.#tried(() => this.#told(desk.pause(job.id, from), 'Paused.'));
      case 'resume':
        return this.#tried(() => this.#told(desk.resume(job.id, from), 'Resumed.'));
      case 'run':
        if (options.tainted && order.extra !== undefined) throw new JobProblem('tainted', NO_EXTRA);
        return this.#tried(() => this.#told(desk.run(job.id, from, { extra: order.extra }), 'Started.'));
      case 'remove':
        return this.#tried(() =>
          this.#told(desk.remove(job.id, from), 'Deleted; the person can take that back for 30 days.'),
        );
      case 'cancel':
        return {
          text: 'What runs of it is told to stop.',
          isError: false,
          commit: () => void desk.cancel(job.id, from),
        };
      default:
        throw new JobProblem('action', `There is no action ${order.action} for a job.`);
    }
  }

  /** The id is chosen before, so that what is told is what is stored. */
  #created(order: ToolOrder, from: Requester, options: OrderOptions): ToolResult {
    const id = this.#store.jobs.newId();
    const wanted = this.#order(order, from);
    const all = { ...options, id, ...(order.again ? { again: true } : {}) };
    return this.#tried(() =>
      this.#told(this.#desk.create(wanted, from, all), 'Stored. hermod has shown the person how it was read.'),
    );
  }

  #order(order: ToolOrder, from: Requester, job?: JobRow): JobOrder {
    const { when, structured, name, repeat, tools, continuity } = order;
    const named = (word: string): JobId => this.#desk.find(word, from).id;
    return {
      ...{ when, structured, name, repeat, tools, continuity, ...content(order, job) },
      after: order.after === undefined ? undefined : named(order.after),
      deliver: order.deliver === undefined ? undefined : [order.deliver as JobTarget],
      contextFrom: order.context_from?.map(named),
    };
  }

  #preview(order: ToolOrder, from: Requester): string {
    const { schedule, next } = readOrder(order, this.#desk.readOptions(from));
    const runs = next.slice(0, PREVIEWED).map((at) => `- ${instantText(schedule.tz, at)}`);
    return [`${scheduleWords(schedule)}, ${schedule.tz}. Nothing is stored.`, ...runs].join('\n');
  }

  #told(job: JobRow, what: string): string {
    const runs = job.state === 'scheduled' ? nextOf(job, this.#desk.now, 3).map((at) => instantText(job.tz, at)) : [];
    const next = runs.length > 0 ? `Next: ${runs.join(', ')}.` : stateLine(job);
    return [what, `${head(job)}. id ${job.id}, rev ${job.rev}.`, next].filter((line) => line !== '').join(' ');
  }

  /** Tries it without leaving a trace; the real thing follows in the transaction of the result. */
  #tried(act: () => string): ToolResult {
    let text = '';
    try {
      this.#store.tx(() => {
        text = act();
        throw UNDONE;
      });
    } catch (thrown) {
      if (thrown !== UNDONE) throw thrown;
    }
    return { text, isError: false, commit: () => void act() };
  }

  #facts(from: Requester, job?: JobRow) {
    return { now: this.#desk.now, tz: this.#desk.readerTz(from, job) };
  }
}

/** What is asked then, or what is said then. A script and what follows from it are people's. */
function content({ prompt, text }: ToolOrder, job?: JobRow): Pick<JobOrder, 'prompt' | 'agent'> {
  if (text === undefined)
    return { prompt, ...(job && prompt !== undefined && isFixedText(job) ? { agent: true } : {}) };
  if (prompt !== undefined) throw new JobProblem('text', 'Give either a prompt or a text.');
  if (job?.script) throw new JobProblem('text', 'This job has a script; people decide what it says.');
  return { prompt: text, agent: false };
}

function said(text: string): ToolResult {
  return { text, isError: false };
}
