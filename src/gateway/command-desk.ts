import type { InboxId } from '../contract/ids.ts';
import type { InboundMessage, PrivateReply } from '../contract/message.ts';
import type { JobVerbs } from '../schedule/job-verbs.ts';
import type { BusyMode, Progress } from '../store/chat-settings.ts';
import type { SessionRow } from '../store/sessions.ts';
import type { CommandAnswer, CommandDeps } from './commands/command.ts';
import { findCommand, unknownCommand, usableBy } from './commands/table.ts';
import { type SharedPlaces, sessionKey, sessionScope } from './session-key.ts';

export interface CommandDeskConfig {
  readonly sessions: SharedPlaces;
  readonly control: { readonly max_age_s: number };
  readonly display: { readonly progress: Progress };
  readonly busy: { readonly mode: BusyMode };
}

export interface CommandDeskDeps extends CommandDeps {
  readonly config: () => CommandDeskConfig;
  readonly jobs: { readonly verbs: Pick<JobVerbs, 'answer'> };
  readonly wake: () => void;
}

type CommandWords = NonNullable<InboundMessage['command']>;

/** Commands: who may use which, when, and what is said. They never queue behind a turn. */
export class CommandDesk {
  readonly #deps: CommandDeskDeps;

  constructor(deps: CommandDeskDeps) {
    this.#deps = deps;
  }

  /** Runs a command once, in one transaction with its row and its answer. `alone`: the answer is for the sender's eyes, and returned. */
  run(
    message: InboundMessage,
    command: CommandWords,
    admin: boolean,
    where: 'here' | 'alone',
  ): PrivateReply | undefined {
    const { store, clock } = this.#deps;
    const now = clock.now();
    const answer = store.tx(() => {
      const { id, fresh } = store.inbox.put({ kind: 'command', event: message }, now);
      if (!fresh) return undefined;
      // Before it runs: a command that counts what waits does not count itself.
      store.inbox.finish(id, 'answered', now);
      const said = this.#do(message, command, admin);
      if (where === 'here') this.#answer(id, message, said);
      return said;
    });
    answer?.after?.();
    this.#deps.wake();
    return answer && where === 'alone' && answer.text !== '' ? { text: answer.text } : undefined;
  }

  #do(message: InboundMessage, { name, args }: CommandWords, admin: boolean): CommandAnswer {
    const { store, clock, config } = this.#deps;
    const command = findCommand(name);
    if (!command) return { text: unknownCommand(name) };
    if (command.admin && !admin) return { text: `Only an admin may use /${name} here (access.admins).` };
    const late = clock.now() - message.sentAt > config().control.max_age_s * 1000;
    if (late && !command.late) return { text: `/${name} was sent before I was back; not done.` };
    const key = sessionKey(message, config().sessions);
    const session = store.sessions.current(key);
    if (command.idle && session && this.#isBusy(session)) return { text: 'A turn is running; /stop ends it.' };
    return command.run({
      ...this.#deps,
      jobs: this.#deps.jobs.verbs,
      from: message,
      key,
      session,
      scope: sessionScope(message, config().sessions),
      usable: usableBy(admin),
      admin,
      args,
      defaults: { progress: config().display.progress, busy: config().busy.mode },
    });
  }

  #isBusy({ id }: SessionRow): boolean {
    const { store, lanes } = this.#deps;
    return lanes.running(id) !== undefined || store.turns.unfinishedOf(id).some((turn) => turn.state !== 'held');
  }

  #answer(
    id: InboxId,
    { by, address, direct, messageId }: InboundMessage,
    { text, buttons = [] }: CommandAnswer,
  ): void {
    if (text === '') return;
    const message = {
      text,
      ...(direct ? {} : { replyTo: messageId }),
      ...(buttons.length === 0 ? {} : { buttons }),
    };
    const { store, clock } = this.#deps;
    const person = `${by.platform}:${by.id}`;
    store.outbox.put({ key: `answer:${id}`, kind: 'notice', address, direct, message, person }, clock.now());
  }
}
