import type { Actor } from '../contract/message.ts';
import type { CronMode, RunContext } from '../contract/run.ts';

/** What the process was started with; read once in main.ts. Only `cron` has authority, and only where no run lives. */
export interface EnvMarkers {
  readonly cron: boolean;
  readonly gateway: boolean;
  readonly ask: boolean;
  readonly interactive: boolean;
}

export const NO_MARKERS: EnvMarkers = { cron: false, gateway: false, ask: false, interactive: false };

/** Who can say yes here. */
export type Authority =
  | { readonly who: 'person'; readonly actor: Actor | 'terminal'; readonly depth: number }
  | { readonly who: 'cron'; readonly mode: CronMode | undefined }
  | { readonly who: 'unattended' }
  | { readonly who: 'nobody' };

/** A run decides alone. Without one, only the cron marker counts; no marker ever conjures a person. */
export function authority(run: RunContext | undefined, markers: EnvMarkers): Authority {
  switch (run?.kind) {
    case 'chat':
      return { who: 'person', actor: run.actor, depth: run.depth };
    case 'cli':
      return { who: 'person', actor: 'terminal', depth: run.depth };
    case 'cron':
      return { who: 'cron', mode: run.approvalMode };
    case 'unattended':
      return { who: 'unattended' };
    case undefined:
      return markers.cron ? { who: 'cron', mode: undefined } : { who: 'nobody' };
  }
}

const TRUE = /^(1|true|yes|on)$/i;

/** The four markers of an environment; a `HERMES_*` name counts only where the `HERMOD_*` one is absent. */
export function readMarkers(env: Readonly<Record<string, string | undefined>>): EnvMarkers {
  const read = (name: string) => TRUE.test((env[`HERMOD_${name}`] ?? env[`HERMES_${name}`] ?? '').trim());
  return {
    cron: read('CRON_SESSION'),
    gateway: read('GATEWAY_SESSION'),
    ask: read('EXEC_ASK'),
    interactive: read('INTERACTIVE'),
  };
}
