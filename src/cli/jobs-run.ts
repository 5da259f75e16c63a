import { systemClock } from '../context/system-clock.ts';
import { pause } from '../contract/clock.ts';
import type { Host } from '../host.ts';
import type { Outputs } from '../schedule/outputs.ts';
import type { FiringRow } from '../store/firings.ts';
import { ask, told } from './jobs-change.ts';
import { jobNamed, withJobsFile } from './jobs-file.ts';

export const NOT_FOUND = 4;
export const BUSY = 75;

/** Runs a job once in the running daemon and waits for its answer: 0 ok, 1 not, 4 no such job, 6 for the agent, 75 it runs already. */
export async function runByDaemon(host: Host, word: string, chain: boolean): Promise<number> {
  const before = await newest(host, word);
  if (typeof before === 'string') {
    host.err.write(`${before}\n`);
    return NOT_FOUND;
  }
  const answer = await ask(host, { args: `run ${before.job} ${chain ? '--chain' : ''}` });
  if (typeof answer === 'number') return answer;
  if (!answer.ok) return told(host, answer, false) && (/^Still running/.test(answer.text) ? BUSY : 1);
  for (;;) {
    const now = await newest(host, before.job);
    if (typeof now === 'string') return 1;
    const { firing } = now;
    if (firing && firing.id !== before.firing?.id && firing.endedAt !== null)
      return withJobsFile(host, ({ outputs }) => tellEnd(host, firing, outputs));
    await pause(systemClock, 200);
  }
}

/** What a firing said, and why it is not ok. 0 ok, 1 not. */
export function tellEnd(host: Host, { state, reason, detail, outputPath }: FiringRow, outputs: Outputs): number {
  const output = outputPath === null ? undefined : outputs.read(outputPath);
  if (output !== undefined) host.out.write(`${output}\n`);
  if (state === 'ok' || (state === 'skipped' && reason === 'gate')) return 0;
  host.err.write(
    `The job ended as ${state}${reason === null ? '' : ` (${reason})`}${detail === null ? '' : `: ${detail}`}.\n`,
  );
  return 1;
}

function newest(
  host: Host,
  word: string,
): Promise<string | { readonly job: string; readonly firing: FiringRow | undefined }> {
  return withJobsFile(host, (file) => {
    const job = jobNamed(word, file);
    return typeof job === 'string' ? job : { job: job.id, firing: file.firings.ofJob(job.id, 1)[0] };
  });
}
