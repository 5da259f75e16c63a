import { z } from 'zod';
import { access, groups, home } from './sections/access.ts';
import { agent, files, model, providers, shell } from './sections/agent.ts';
import { approvals } from './sections/approvals.ts';
import { cron } from './sections/cron.ts';
import { discord } from './sections/discord.ts';
import { http, log } from './sections/http.ts';
import * as life from './sections/process.ts';
import { telegram } from './sections/telegram.ts';

/**
 * Every key of `config.yaml` in the order of the tables in README, with its default and meaning. The JSON schema, the
 * example file and the tables are made from this one. A new feature adds its section here and a file beside the others.
 */
export const configSchema = z.strictObject({
  access,
  groups,
  home,
  approvals,
  breaker: life.breaker,
  resume: life.resume,
  stop: life.stop,
  restart: life.restart,
  process: life.process,
  health: life.health,
  platforms: life.platforms,
  inbox: life.inbox,
  control: life.control,
  lanes: life.lanes,
  busy: life.busy,
  display: life.display,
  outbox: life.outbox,
  turns: life.turns,
  sessions: life.sessions,
  cron,
  model,
  providers,
  agent,
  shell,
  files,
  telegram,
  discord,
  http,
  log,
});

/** The file's values with defaults, before anything is looked up. */
export type WrittenConfig = z.output<typeof configSchema>;
