import type { Button } from '../contract/message.ts';
import type { JobRow } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import { commandPrompt, readCrontab } from './crontab.ts';
import { jobButtons, showButton, verbsFor } from './job-buttons.ts';
import type { ByHand, JobDesk } from './job-desk.ts';
import { JobProblem, type Requester } from './job-order.ts';
import { mayEdit } from './job-rules.ts';
import { historyText, listText, nextText, showText, type TextFacts } from './job-texts.ts';
import { plainText } from './plain-text.ts';
import { readSchedule } from './read-schedule.ts';
import { Refused, refusalText } from './refusal.ts';
import { instantText } from './time-words.ts';
import { readZone } from './zones.ts';

export const VERB_LIST =
  'list, add, remind, show, next, edit, mode, pause, resume, run, accept, cancel, delete, undo, history, zone, import';

export interface VerbAnswer {
  readonly ok: boolean;
  readonly text: string;
  readonly buttons?: readonly (readonly Button[])[];
}

/** Rows of buttons that every network takes. */
const MOST_BUTTONS = 5;

/**
 * `/jobs ...` as people write it, in a chat or on the command line. Returns Markdown; empty where the card of the job is the
 * answer. Never throws for what a person got wrong.
 */
export class JobVerbs {
  readonly #desk: JobDesk;
  readonly #store: Store;

  constructor(desk: JobDesk, store: Store) {
    this.#desk = desk;
    this.#store = store;
  }

  run(args: string, from: Requester): string {
    return this.answer(args, from).text;
  }

  /** The same for programs. `ok`: it was done. */
  answer(args: string, from: Requester): VerbAnswer {
    const [, word = 'list', more = ''] = /^\s*(\S+)?\s*([\s\S]*)$/.exec(args) ?? [];
    const [verb, rest] = [word.toLowerCase(), more.trim()];
    try {
      const text = this.#do(verb, rest, from);
      const buttons = this.#buttons(verb, rest, from);
      return { ok: true, text, ...(buttons.length === 0 ? {} : { buttons }) };
    } catch (error) {
      if (error instanceof JobProblem) return { ok: false, text: error.message };
      if (error instanceof Refused) return { ok: false, text: error.refusal.hint };
      throw error;
    }
  }

  /** What can be pressed below the answer, by whoever asked. */
  #buttons(verb: string, rest: string, from: Requester): readonly (readonly Button[])[] {
    if (verb === 'list') {
      const own = this.#desk.list(from).filter((job) => mayEdit(job, from));
      return own.slice(0, MOST_BUTTONS).map(showButton);
    }
    if (verb !== 'show' || rest === '') return [];
    const job = this.#found(rest, wordOf(rest)[0], from);
    return mayEdit(job, from) ? jobButtons(job, verbsFor(job)) : [];
  }

  #do(verb: string, rest: string, from: Requester): string {
    const desk = this.#desk;
    switch (verb) {
      case 'list':
        return listText(desk.list(from), this.#store, this.#facts(from));
      case 'add':
        return this.#add(rest, from);
      case 'remind':
        return this.#remind(rest, from);
      case 'next':
        return this.#next(rest, from);
      case 'zone':
        return this.#zone(rest, from);
      case 'import':
        return this.#import(rest, from);
      case 'edit':
        return this.#edit(rest, from);
      case 'mode':
        return this.#mode(rest, from);
      default:
        return this.#about(verb, rest, from);
    }
  }

  #about(verb: string, rest: string, from: Requester): string {
    const desk = this.#desk;
    if (!(verb in ABOUT)) return `/jobs ${plainText(verb, 30)}? It takes ${VERB_LIST}.`;
    const [word, more] = wordOf(rest);
    if (word === '') return `Which job? /jobs ${verb} <id or name>`;
    const job = this.#found(rest, word, from);
    const whole = job.name === rest;
    const extra = whole || more === '' ? undefined : more;
    switch (verb as keyof typeof ABOUT) {
      case 'show':
        return showText(job, this.#store, this.#facts(from, job));
      case 'history':
        return historyText(job, this.#store, this.#facts(from, job));
      case 'pause':
        return this.#told(desk.pause(job.id, from), 'Paused');
      case 'resume':
        return this.#told(desk.resume(job.id, from), 'Resumed');
      case 'run':
        return this.#told(desk.run(job.id, from, byHand(extra)), 'Started');
      case 'accept':
        return this.#told(desk.accept(job.id, from), 'Its script may run as it is now');
      case 'cancel':
        return desk.cancel(job.id, from) ? 'It is told to stop.' : 'Nothing of it runs.';
      case 'delete':
      case 'rm':
        return `${this.#told(desk.remove(job.id, from, undefined, extra === '--now'), 'Deleted')} /jobs undo ${job.id.slice(0, 4)} brings it back for 30 days.`;
      case 'undo':
        return this.#told(desk.undo(job.id, from), 'It is back');
    }
  }

  /** Names may have blanks; ids have none. */
  #found(rest: string, word: string, from: Requester): JobRow {
    try {
      return this.#desk.find(word.replace(/^"(.*)"$/, '$1'), from);
    } catch (error) {
      if (!(error instanceof JobProblem) || error.code !== 'no_job' || rest === word) throw error;
      return this.#desk.find(rest, from);
    }
  }

  /** No model is asked, neither now nor then. */
  #remind(rest: string, from: Requester): string {
    const [when, text] = parts(rest);
    if (text === undefined)
      return 'Write /jobs remind <when> | <what to say>, for example /jobs remind in 2h | stretch';
    return this.#shown(this.#desk.create({ when, prompt: text, agent: false }, from), from);
  }

  #add(rest: string, from: Requester): string {
    const [when, prompt] = parts(rest);
    if (prompt === undefined)
      return 'Write /jobs add <when> | <what to do>, for example /jobs add every weekday at 9am | tell me the weather';
    const job = this.#desk.create({ when, prompt }, from);
    return this.#shown(job, from);
  }

  #edit(rest: string, from: Requester): string {
    const [word, more] = wordOf(rest);
    if (more === '') return 'Write /jobs edit <job> <when>, or /jobs edit <job> | <what to do>, or both.';
    const job = this.#desk.find(word.replace(/^"(.*)"$/, '$1'), from);
    const [when, prompt] = more.startsWith('|') ? ['', more.slice(1).trim()] : parts(more);
    const order = { ...(when === '' ? {} : { when }), ...(prompt === undefined ? {} : { prompt }) };
    return this.#shown(this.#desk.edit(job.id, job.rev, order, from), from);
  }

  /** What commands that need approval do in a job. */
  #mode(rest: string, from: Requester): string {
    const [, word = '', mode] = /^(.*\S)\s+(deny|ask|allowlist|approve)$/.exec(rest) ?? [];
    if (mode === undefined) return 'Write /jobs mode <job> deny or ask; an admin may also say allowlist or approve.';
    const job = this.#desk.find(word, from);
    const approvalMode = mode as NonNullable<JobRow['approvalMode']>;
    return this.#shown(this.#desk.edit(job.id, job.rev, { approvalMode }, from), from);
  }

  /** In a chat the card says it all. */
  #shown(job: JobRow, from: Requester): string {
    return from.address.platform === 'cli' ? `${showText(job, this.#store, this.#facts(from, job))}` : '';
  }

  #next(rest: string, from: Requester): string {
    if (rest === '') return 'Write /jobs next <job> or /jobs next <phrase>.';
    const read = readSchedule(rest, this.#desk.readOptions(from));
    if (read.ok) {
      const { tz } = read.schedule;
      return read.next
        .slice(0, 5)
        .map((at) => `- ${instantText(tz, at)}`)
        .join('\n');
    }
    try {
      const job = this.#desk.find(rest, from);
      return nextText(job, this.#facts(from, job));
    } catch (error) {
      if (error instanceof JobProblem && error.code === 'no_job')
        return refusalText(plainText(rest, 200), read.refusal);
      throw error;
    }
  }

  #zone(rest: string, from: Requester): string {
    if (rest === '')
      return `Your zone is ${this.#desk.readOptions(from).fallback?.tz ?? 'not known'}. Set it with /jobs zone Europe/Berlin`;
    const tz = readZone(rest);
    const others = this.#desk.setZone(tz, from);
    const kept = others.map((job) => `- ${job.id.slice(0, 4)} ${plainText(job.name, 60)}: ${job.tz}`);
    const note = kept.length === 0 ? '' : ` These jobs keep the zone they have:\n${kept.join('\n')}`;
    return `${from.direct ? 'Your' : "This chat's"} zone is ${tz} now.${note}`;
  }

  #import(rest: string, from: Requester): string {
    const lines = readCrontab(rest, this.#desk.readOptions(from));
    if (lines.length === 0) return 'Write /jobs import and a crontab line.';
    return lines
      .map((line) => {
        if (line.kind === 'refused') return `- line ${line.line}: ${line.why}`;
        return `- line ${line.line}: ${this.#imported(line, from)}`;
      })
      .join('\n');
  }

  #imported(line: Extract<ReturnType<typeof readCrontab>[number], { kind: 'job' }>, from: Requester): string {
    const { when, tz, command, warning } = line;
    try {
      const order = { when, tz, prompt: commandPrompt(command), name: command };
      const job = this.#desk.create(order, from, { paused: 'imported', quiet: true });
      return `job ${job.id.slice(0, 4)}, paused; /jobs resume ${job.id.slice(0, 4)} starts it.${warning === undefined ? '' : ` ${warning}`}`;
    } catch (error) {
      if (error instanceof JobProblem) return error.message;
      throw error;
    }
  }

  #told(job: JobRow, what: string): string {
    return `${what}: ${job.id.slice(0, 4)} ${plainText(job.name, 60)}.`;
  }

  #facts(from: Requester, job?: JobRow): TextFacts {
    return { now: this.#desk.now, tz: this.#desk.readerTz(from, job) };
  }
}

const ABOUT = {
  show: 1,
  history: 1,
  pause: 1,
  resume: 1,
  run: 1,
  accept: 1,
  cancel: 1,
  delete: 1,
  rm: 1,
  undo: 1,
} as const;

/** The first word, or what stands in quotes, and the rest. */
function wordOf(text: string): readonly [word: string, more: string] {
  const [, word = '', more = ''] = /^("[^"]+"|\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  return [word, more];
}

/** `[--chain] [words added this once]`. */
function byHand(more = ''): ByHand {
  const [, chain, extra = ''] = /^(--chain(?:\s+|$))?([\s\S]*)$/.exec(more) ?? [];
  return { chain: chain !== undefined, ...(extra === '' ? {} : { extra }) };
}

/** `<when> | <prompt>`, or the prompt on the lines below. */
function parts(text: string): readonly [when: string, prompt: string | undefined] {
  const cut = /\s*(?:\||\n)\s*/.exec(text);
  if (!cut) return [text.trim(), undefined];
  return [text.slice(0, cut.index).trim(), text.slice(cut.index + cut[0].length).trim()];
}
