import type { Authority, EnvMarkers } from '../context/authority.ts';
import type { CancelReason } from '../store/approvals.ts';
import type { Decision } from './decide.ts';
import { visible } from './visible.ts';
import { span } from './wording.ts';

const NO_RETRY = 'Do not retry, reword or reach the same effect another way; say what you would do next.';

export interface RefusalFacts {
  readonly authority: Authority;
  readonly markers: EnvMarkers;
  readonly config: {
    readonly cron_mode: string;
    readonly unattended_mode: string;
    readonly subagent_mode: string;
  };
}

/** What the model reads when `decide` said no. */
export function blockText({ label, rule, why }: Decision, facts: RefusalFacts): string {
  switch (label) {
    case 'block:hardline':
      return `Refused: ${why} (${rule}). hermod never runs this, whatever the settings. Run it yourself in a terminal if you mean it.`;
    case 'block:sudo-stdin':
    case 'block:user-deny':
      return `Refused: ${why}.`;
    case 'block:cron':
      return `Refused: ${rule}. Scheduled jobs may not run this; ${key(facts)}. Do not retry or work around it.`;
    case 'block:no-human':
      return `Refused: ${rule} needs a person and this call belongs to no run.${marked(facts.markers)}`;
    case 'block:person-only':
    case 'block:two-person':
      return `Refused: ${rule} needs ${label === 'block:two-person' ? 'two people' : 'a person'}; ${key(facts)}, but no mode stands in for that.`;
    default:
      return `Refused: ${rule} needs a person; ${key(facts)}.`;
  }
}

/** The key that applies to this authority, with its value. */
function key({ authority, config }: RefusalFacts): string {
  if (authority.who === 'unattended') return `approvals.unattended_mode is ${config.unattended_mode}`;
  if (authority.who !== 'cron') return `approvals.subagent_mode is ${config.subagent_mode}`;
  if (authority.mode === undefined) return `approvals.cron_mode is ${config.cron_mode}`;
  return `approvals.cron_mode is ${authority.mode}`;
}

function marked(markers: EnvMarkers): string {
  const names = [
    ...(markers.gateway ? ['HERMOD_GATEWAY_SESSION'] : []),
    ...(markers.ask ? ['HERMOD_EXEC_ASK'] : []),
    ...(markers.interactive ? ['HERMOD_INTERACTIVE'] : []),
  ];
  if (names.length === 0) return '';
  return ` ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} set, but nobody is connected to this call.`;
}

/** A person's no, with their words as data. */
export function deniedText(name: string, reason: string | undefined): string {
  const said = reason === undefined ? '' : `: <reason>${fenced(reason)}</reason>`;
  return `Refused by ${fenced(name)}${said}. ${NO_RETRY}`;
}

/** Nothing inside may look like the end of the fence. */
const fenced = (text: string) => visible(text).replaceAll('<', '\\u{3c}');

export function timeoutText(timeoutMs: number): string {
  return `Nobody answered within ${span(timeoutMs)}. ${NO_RETRY}`;
}

const CANCELLED: Readonly<Record<CancelReason, string>> = {
  stop: 'Not run: the person stopped this.',
  run: 'Not run: the run was ended.',
  reset: 'Not run: the session was reset.',
  restart: 'Not run: hermod restarted while this waited for an answer.',
  access: 'Refused: who asked may no longer use hermod.',
  undeliverable: 'Refused: the question could not be shown to anybody.',
};

export function cancelledText(by: CancelReason): string {
  return CANCELLED[by] ?? CANCELLED.stop;
}

export const RUN_ENDED = 'Refused: the run this call belongs to has ended (run_ended).';
export const CONTEXT_MISMATCH =
  'Refused: this call belongs to another run (context_mismatch). This is a bug in hermod.';
export const AUDIT_UNWRITABLE =
  'Refused: the decision could not be written down (audit_unwritable). The operator must look at the database and the disk.';
export const TOOLS_OFF =
  'Refused: tools that execute are off for the rest of this run, after what was refused before. Say what you would do next.';
export const REPEATED = `Refused: this was refused before in this run. ${NO_RETRY}`;

/** It could not be asked at all. */
export function unaskedText(rule: string, why: string): string {
  return `Refused: ${why} (${rule}).`;
}

export const USED = 'Refused: this approval was used already; the outcome is unknown. Check before repeating.';
