import { Refusal } from './discord-refusal.ts';
import type { Body } from './discord-wire.ts';
import type { StoredMessage, World } from './discord-world.ts';

const WINDOW_MS = 3_000;
const TOKEN_MS = 15 * 60_000;

export type InteractionKind = 'command' | 'button' | 'modal' | 'autocomplete';

export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly kind: InteractionKind;
  readonly at: number;
  /** The message with the pressed button. */
  readonly message?: StoredMessage;
  /** Type of the first response, once there is one. */
  response: number | undefined;
  /** What only this person reads, in order; edits of the first response replace its entry. */
  readonly privately: string[];
  modal: Modal | undefined;
  /** The first response has words of its own. */
  original: boolean;
}

export interface Modal {
  readonly custom_id: string;
  readonly title: string;
  readonly inputs: readonly { readonly custom_id: string; readonly max_length?: number; readonly style: number }[];
}

/** First responses each kind may get. */
const ALLOWED: Readonly<Record<InteractionKind, readonly number[]>> = {
  command: [4, 5, 9],
  button: [4, 5, 6, 7, 9],
  modal: [4, 5, 6, 7],
  autocomplete: [8],
};

/** Interactions in the three seconds of their first response and the fifteen minutes of their token. */
export class Interactions {
  readonly #world: World;
  readonly #all = new Map<string, Interaction>();

  constructor(world: World) {
    this.#world = world;
  }

  open(kind: InteractionKind, message?: StoredMessage): Interaction {
    const id = this.#world.id();
    const token = Buffer.from(`interaction:${id}:secret`).toString('base64url');
    const state = { response: undefined, privately: [], modal: undefined, original: false };
    const interaction: Interaction = {
      id,
      token,
      kind,
      at: this.#world.clock.now(),
      ...(message && { message }),
      ...state,
    };
    this.#all.set(token, interaction);
    return interaction;
  }

  /** The first response. */
  respond(id: string, token: string, { type, data }: { readonly type?: unknown; readonly data?: Body }): void {
    const interaction = this.#all.get(token);
    if (!interaction || interaction.id !== id || this.#world.clock.now() - interaction.at > WINDOW_MS)
      throw new Refusal(404, 10062, 'Unknown interaction');
    if (interaction.response !== undefined) throw new Refusal(400, 40060, 'Interaction has already been acknowledged.');
    if (!ALLOWED[interaction.kind].includes(type as number))
      throw new Refusal(400, 50035, `Invalid Form Body: type ${String(type)} answers no ${interaction.kind}`);
    interaction.response = type as number;
    if (type === 4) this.#say(interaction, data ?? {});
    interaction.original = type === 4 || type === 5;
    if (type === 9) interaction.modal = modalOf(data ?? {});
    this.#world.changed();
  }

  followUp(token: string, body: Body): object {
    const interaction = this.#living(token);
    this.#say(interaction, body);
    return { id: this.#world.id(), channel_id: '0', content: body['content'], author: this.#world.bot };
  }

  editOriginal(token: string, body: Body): object {
    const interaction = this.#living(token);
    if (!interaction.original) throw new Refusal(404, 10008, 'Unknown Message');
    if (interaction.response === 5 && interaction.privately.length === 0)
      this.#say(interaction, { ...body, flags: 64 });
    else interaction.privately[0] = String(body['content']);
    this.#world.changed();
    return { id: this.#world.id(), content: body['content'], author: this.#world.bot };
  }

  #say(interaction: Interaction, body: Body): void {
    const content = String(body['content'] ?? '');
    if (content === '' || content.length > 2000) throw new Refusal(400, 50035, 'Invalid Form Body: content');
    if (((body['flags'] as number | undefined) ?? 0) & 64) interaction.privately.push(content);
    else throw new Refusal(400, 50035, 'The fake expects answers to interactions to be ephemeral.');
    this.#world.changed();
  }

  #living(token: string): Interaction {
    const interaction = this.#all.get(token);
    if (!interaction) throw new Refusal(404, 10015, 'Unknown Webhook');
    if (this.#world.clock.now() - interaction.at > TOKEN_MS) throw new Refusal(401, 50027, 'Invalid Webhook Token');
    if (interaction.response === undefined) throw new Refusal(404, 10008, 'Unknown Message');
    return interaction;
  }
}

interface LabelComponent {
  readonly type: number;
  readonly component?: Modal['inputs'][number] & { readonly type: number };
}

function modalOf(data: Body): Modal {
  const { custom_id, title, components } = data as unknown as {
    custom_id: string;
    title: string;
    components: LabelComponent[];
  };
  if (!custom_id || custom_id.length > 100) throw new Refusal(400, 50035, 'Invalid Form Body: custom_id');
  if (!title || title.length > 45) throw new Refusal(400, 50035, 'Invalid Form Body: title');
  const inputs = components.map(({ type, component }) => {
    if (type !== 18 || component?.type !== 4) throw new Refusal(400, 50035, 'Invalid Form Body: components');
    return component;
  });
  if (inputs.length < 1 || inputs.length > 5) throw new Refusal(400, 50035, 'Invalid Form Body: components');
  return { custom_id, title, inputs };
}
