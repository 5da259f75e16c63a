import { isAbsolute, join } from 'node:path';
import type { WrittenConfig } from './schema.ts';
import type { Secrets } from './secrets.ts';

export interface Surroundings {
  /** Absolute: the home of hermod. */
  readonly home: string;
  /** Absolute: the home folder of the account, for paths that begin with `~/`. */
  readonly userHome: string;
  readonly secrets: Secrets;
}

/** The configuration everybody works with: as written, with what depends on other values looked up. Paths are absolute. */
export type Config = ReturnType<typeof resolveConfig>;

export function resolveConfig(written: WrittenConfig, place: Surroundings) {
  const { telegram, discord, model, agent, files } = written;
  const path = (value: string) => absolute(value, place);
  return {
    ...written,
    telegram: { ...telegram, enabled: telegram.enabled ?? place.secrets['TELEGRAM_BOT_TOKEN'] !== undefined },
    discord: { ...discord, enabled: discord.enabled ?? place.secrets['DISCORD_BOT_TOKEN'] !== undefined },
    model: { ...model, ...modelTimes(model) },
    agent: { ...agent, workspace: path(agent.workspace) },
    files: { ...files, roots: files.roots.map(path) },
  };
}

/** A model that thinks first is given more time. */
function modelTimes(model: WrittenConfig['model']) {
  const thinks = model.reasoning !== undefined && model.reasoning !== 'none';
  return {
    first_output_s: model.first_output_s ?? (thinks ? 300 : 90),
    idle_s: model.idle_s ?? (thinks ? 120 : 60),
    step_deadline_s: model.step_deadline_s ?? (thinks ? 900 : 300),
  };
}

function absolute(value: string, { home, userHome }: Surroundings): string {
  if (value === '~' || value.startsWith('~/')) return join(userHome, value.slice(1));
  return isAbsolute(value) ? value : join(home, value);
}
