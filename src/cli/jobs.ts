import type { Host } from '../host.ts';
import { jobsPreview } from './jobs-preview.ts';

type Verb = (host: Host, args: readonly string[]) => Promise<number>;

const VERBS: Readonly<Record<string, Verb>> = {
  preview: jobsPreview,
};

/** `hermod jobs ...`: what is scheduled, and what a phrase means. */
export async function jobs(host: Host, args: readonly string[]): Promise<number> {
  const [verb = '', ...rest] = args;
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (run) return run(host, rest);
  host.err.write(`hermod jobs takes ${Object.keys(VERBS).join(', ')}.\n`);
  return 64;
}
