import type { Clock } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import type { InboundMessage, PrivateReply } from '../../contract/message.ts';
import type { PlatformEvents } from '../../contract/platform.ts';
import { escapeText } from './escape.ts';
import { DiscordError } from './failure.ts';
import { MAX_CONTENT, MAX_FORM_TEXT } from './limits.ts';
import { mapForm, mapPress, mapSlash, placeOf } from './mapping.ts';
import { partsOf } from './parts.ts';
import type { RawInteraction } from './payloads.ts';
import { PLATFORM } from './place.ts';
import { RecentIds } from './recent-ids.ts';
import type { RestClient } from './rest-client.ts';
import type { Storing } from './storing.ts';

const KIND = { command: 2, component: 3, autocomplete: 4, form: 5 } as const;
const RESPOND = { message: 4, later: 5, silently: 6, choices: 8, form: 9 } as const;
const EPHEMERAL = 64;
const REMEMBERED = 1_000;
/** Discord waits 3 s for the first response. */
const RESPONSE_MS = 3_000;
const MAX_TITLE = 45;
export const FORM_INPUT = 'text';

const UNKNOWN = 'I do not know this request; nothing changed.';
const UNSTORED = 'I could not store that, so nothing happened. Please try again in a minute.';
const BELOW = 'Received. What there is to say follows as a message.';

export interface DeskDeps {
  readonly rest: RestClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: PlatformEvents;
  readonly storing: Storing;
  readonly bot: () => string;
  readonly application: () => string;
  /** A slash command has an id that no message has. */
  readonly unanswerable: RecentIds;
}

/** Presses, forms and slash commands: acknowledged first, from memory alone, then told, then answered to the presser alone. */
export class InteractionDesk {
  readonly #deps: DeskDeps;
  readonly #seen = new RecentIds(REMEMBERED);

  constructor(deps: DeskDeps) {
    this.#deps = deps;
  }

  /** Never rejects. */
  async take(raw: RawInteraction): Promise<void> {
    if (!this.#seen.add(raw.id)) return;
    try {
      await this.#taken(raw);
    } catch (error) {
      const reason = String(error).slice(0, 200);
      this.#deps.log.warn(
        { platform: PLATFORM, interaction: raw.id, reason },
        'An interaction cannot be read; it is ignored.',
      );
    }
  }

  async #taken(raw: RawInteraction): Promise<void> {
    switch (raw.type) {
      case KIND.component:
        return this.#component(raw);
      case KIND.form:
        return this.#form(raw);
      case KIND.command:
        return this.#command(raw);
      case KIND.autocomplete:
        return this.#respond(raw, { type: RESPOND.choices, data: { choices: [] } });
    }
  }

  async #component(raw: RawInteraction): Promise<void> {
    const data = raw.data?.custom_id ?? '';
    if (/^h\d+:/.test(data) && !data.startsWith('h1:')) return this.#respond(raw, privately(UNKNOWN));
    if (data.startsWith('h1:') && data.endsWith(':r'))
      return this.#respond(raw, { type: RESPOND.form, data: form(raw, data) });
    await this.#respond(raw, { type: RESPOND.silently });
    const { events } = this.#deps;
    await this.#tell(raw, (place) => events.press(mapPress(raw, place)));
  }

  async #form(raw: RawInteraction): Promise<void> {
    await this.#respond(raw, { type: RESPOND.silently });
    const { events } = this.#deps;
    await this.#tell(raw, (place) => events.form(mapForm(raw, place)));
  }

  async #command(raw: RawInteraction): Promise<void> {
    this.#deps.unanswerable.add(raw.id);
    await this.#respond(raw, { type: RESPOND.later, data: { flags: EPHEMERAL } });
    const place = placeOf(raw, this.#deps.bot());
    const told = await this.#deps.storing.tell(`i:${raw.id}`, () => this.#commanded(mapSlash(raw, place)));
    if (told.kind === 'told') await this.#privately(raw, 'edit', (told.value && firstPart(told.value.text)) || BELOW);
    if (told.kind === 'hopeless') await this.#privately(raw, 'edit', UNSTORED);
  }

  async #commanded(message: InboundMessage): Promise<PrivateReply | undefined> {
    const { events } = this.#deps;
    if (events.command) return events.command(message);
    await events.message(message);
    return undefined;
  }

  async #tell(
    raw: RawInteraction,
    event: (place: ReturnType<typeof placeOf>) => Promise<PrivateReply | undefined>,
  ): Promise<void> {
    const place = placeOf(raw, this.#deps.bot());
    const told = await this.#deps.storing.tell(`i:${raw.id}`, () => event(place));
    if (told.kind === 'hopeless') await this.#privately(raw, 'add', UNSTORED);
    if (told.kind === 'told' && told.value) await this.#privately(raw, 'add', escapeText(told.value.text));
  }

  /** Too late, or answered already by a repeat of ours: the press counts all the same. */
  async #respond({ id, token }: RawInteraction, body: object): Promise<void> {
    const route = `/interactions/${id}/${token}/callback` as const;
    await this.#quietly(this.#deps.rest.call({ method: 'post', route, body, open: true, timeoutMs: RESPONSE_MS }));
  }

  async #privately(raw: RawInteraction, how: 'add' | 'edit', text: string): Promise<void> {
    const hook = `/webhooks/${raw.application_id ?? this.#deps.application()}/${raw.token}` as const;
    const body = { content: text.slice(0, MAX_CONTENT), allowed_mentions: { parse: [] } };
    const call =
      how === 'add'
        ? ({ method: 'post', route: hook, body: { ...body, flags: EPHEMERAL }, open: true } as const)
        : ({ method: 'patch', route: `${hook}/messages/@original`, body, open: true } as const);
    await this.#quietly(this.#deps.rest.call(call));
  }

  async #quietly(call: Promise<unknown>): Promise<void> {
    try {
      await call;
    } catch (error) {
      const code = error instanceof DiscordError ? error.code || error.status : String(error);
      this.#deps.log.debug({ platform: PLATFORM, code }, 'A press could not be answered; it was decided all the same.');
    }
  }
}

function privately(content: string): object {
  return { type: RESPOND.message, data: { content, flags: EPHEMERAL, allowed_mentions: { parse: [] } } };
}

/** One paragraph to fill in, made from the button alone: its data goes along, its words are the title. */
function form(raw: RawInteraction, data: string): object {
  const buttons = (raw.message?.components ?? []).flatMap(({ components }) => components ?? []);
  const title = buttons.find(({ custom_id }) => custom_id === data)?.label ?? 'Your answer';
  const input = { type: 4, custom_id: FORM_INPUT, style: 2, max_length: MAX_FORM_TEXT, required: true };
  return {
    custom_id: data,
    title: title.slice(0, MAX_TITLE),
    components: [{ type: 18, label: 'In your words', component: input }],
  };
}

function firstPart(markdown: string): string {
  const [first] = partsOf({ text: markdown }, Number.POSITIVE_INFINITY);
  return first?.text ?? '';
}
