import { createHash } from 'node:crypto';
import type { Clock } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import type { KeyValue } from '../../contract/platform.ts';
import { DiscordError } from './failure.ts';
import { PLATFORM } from './place.ts';
import type { RestClient } from './rest-client.ts';

const STATE = 'commands';
const MAX_COMMANDS = 100;
const MAX_DESCRIPTION = 100;
/** Name of the one option that takes whatever a person writes behind a command. */
export const TEXT_OPTION = 'text';

const CHAT_INPUT = 1;
const STRING = 3;
const IN_GUILDS_AND_DIRECT = [0, 1];

export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  /** What may follow, for people; absent: nothing. */
  readonly args?: string;
}

export interface SlashDeps {
  readonly rest: RestClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly state: KeyValue;
  readonly application: string;
  /** `global` or `guild:<id>`. */
  readonly scope: string;
}

/** The list as Discord takes it; names it would refuse are left out. */
export function commandList(commands: readonly SlashCommand[]): readonly object[] {
  const legal = commands.filter(
    ({ name, description }) => /^[-_\p{Ll}\p{N}]{1,32}$/u.test(name) && description.trim() !== '',
  );
  return legal.slice(0, MAX_COMMANDS).map(({ name, description, args }) => ({
    name,
    description: description.slice(0, MAX_DESCRIPTION),
    type: CHAT_INPUT,
    contexts: IN_GUILDS_AND_DIRECT,
    ...(args === undefined ? {} : { options: [textOption(args)] }),
  }));
}

function textOption(args: string): object {
  return { name: TEXT_OPTION, description: args.slice(0, MAX_DESCRIPTION), type: STRING, required: false };
}

/** Sets the commands if they differ from what was set last. Never rejects; a limit is waited out alone until `signal` aborts. */
export async function syncCommands(
  deps: SlashDeps,
  commands: readonly SlashCommand[],
  signal: AbortSignal,
): Promise<void> {
  const { clock, log, state, application, scope } = deps;
  const list = commandList(commands);
  const hash = createHash('sha256')
    .update(JSON.stringify([application, list]))
    .digest('hex');
  const known = knownOf(state.get(STATE));
  if (signal.aborted || (known.scope === scope && known.hash === hash)) return;
  try {
    await put(deps, scope, list, signal);
    // Offered in two places a command would be listed twice.
    if (known.scope !== undefined && known.scope !== scope) await put(deps, known.scope, [], signal);
    state.set(STATE, JSON.stringify({ scope, hash }));
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof DiscordError && error.failure.kind === 'wait') {
      clock.after(error.failure.retryAfterMs, () => void syncCommands(deps, commands, signal));
      return;
    }
    log.warn(
      { platform: PLATFORM, error: String(error) },
      'The slash commands could not be set; the next start tries again.',
    );
  }
}

function put(
  { rest, application }: SlashDeps,
  scope: string,
  list: readonly object[],
  signal: AbortSignal,
): Promise<unknown> {
  const guild = /^guild:(\d+)$/.exec(scope)?.[1];
  const route =
    guild === undefined
      ? (`/applications/${application}/commands` as const)
      : (`/applications/${application}/guilds/${guild}/commands` as const);
  return rest.call({ method: 'put', route, body: list, signal });
}

function knownOf(json: string | undefined): { readonly scope?: string; readonly hash?: string } {
  try {
    return JSON.parse(json ?? '{}') as { scope?: string; hash?: string };
  } catch {
    return {};
  }
}
