import { plain } from '../../approvals/markdown.ts';
import type { Status } from '../status.ts';
import type { Command } from './command.ts';

const WELL = 'I find nothing to mend.';
const MORE = 'hermod doctor on the machine looks at its files, too.';

/** The short form of `hermod doctor`: what the daemon itself knows to be wrong. */
export const doctor: Command = {
  name: 'doctor',
  about: 'What is to mend',
  admin: true,
  run: ({ status }) => ({ text: [...findingsOf(status()), MORE].join('\n') }),
};

function findingsOf(status: Status): readonly string[] {
  const { platforms, outbox, life, config, inboxOpen } = status;
  const dead = outbox['dead'] ?? 0;
  const lines = [
    ...status.reasons.map((reason) => `Not ready: ${plain(reason)}.`),
    ...platforms
      .filter(({ state }) => state !== 'connected')
      .map(({ name, state, reason }) => `${name} is ${state}${reason === '' ? '' : `: ${plain(reason)}`}.`),
    ...(config?.problems ?? []).map((problem) => `The configuration cannot be used: ${plain(problem)}`),
    ...(config?.waiting.length ? [`These keys wait for a restart: ${plain(config.waiting.join(', '))}.`] : []),
    ...(life.streak === null ? ['The record of restarts cannot be read; interrupted turns wait for a person.'] : []),
    ...(life.held.length > 0 ? [`Interrupted turns wait for a person: ${life.held.length}.`] : []),
    ...(life.watched ? [] : ['Nobody would end me if I froze; the watchdog is being started again.']),
    ...(dead > 0 ? [`Messages that could not be delivered: ${dead}; /status undelivered lists them.`] : []),
  ];
  if (lines.length === 0) return [WELL, `Messages without an answer: ${inboxOpen}.`];
  return lines;
}
