import type { Host } from '../host.ts';
import { addJob, editJob, importJobs, sayToJobs } from './jobs-change.ts';
import { jobsPreview } from './jobs-preview.ts';
import { jobsDoctor, jobsHistory, jobsList, jobsNext, jobsShow } from './jobs-read.ts';

type Verb = (host: Host, args: readonly string[]) => Promise<number>;

const say =
  (verb: string): Verb =>
  (host, args) =>
    sayToJobs(host, verb, args);

const VERBS: Readonly<Record<string, Verb>> = {
  list: jobsList,
  show: jobsShow,
  next: jobsNext,
  history: jobsHistory,
  doctor: jobsDoctor,
  preview: jobsPreview,
  add: addJob,
  // Nobody is asked then: its words are said as they are.
  remind: (host, args) => addJob(host, ['--no-agent', ...args]),
  edit: editJob,
  import: importJobs,
  pause: say('pause'),
  resume: say('resume'),
  run: say('run'),
  accept: say('accept'),
  cancel: say('cancel'),
  remove: say('delete'),
  rm: say('delete'),
  undo: say('undo'),
  zone: say('zone'),
};

/** `hermod jobs ...`: what is scheduled, what a phrase means, and changes of it through the running daemon. */
export async function jobs(host: Host, args: readonly string[]): Promise<number> {
  const [verb = 'list', ...rest] = args;
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (run) return run(host, rest);
  host.err.write(`hermod jobs takes ${Object.keys(VERBS).join(', ')}.\n`);
  return 64;
}
