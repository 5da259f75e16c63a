import type { Gesture, MessageRef, Person } from '../fakes/discord-person.ts';
import type { Visible } from '../fakes/discord-server.ts';
import type { World } from './world.ts';

/** A person in front of Discord. Speaks and presses as people do, and sees what the bot shows. */
export class Member {
  readonly #world: World;
  readonly person: Person;

  constructor(world: World, person: Person) {
    this.#world = world;
    this.person = person;
  }

  /** In the direct chat, or in a channel or thread by its id. */
  says(text: string, where = 'dm'): MessageRef {
    return this.person.says(where, text);
  }

  /** With a mention of the bot. */
  calls(text: string, where: string): MessageRef {
    return this.person.calls(where, text);
  }

  /** What the bot has written there. */
  sees(where = 'dm'): readonly Visible[] {
    return this.#world.discord.said(where === 'dm' ? this.person.dm.wire.id : where);
  }

  /** The newest message of the bot that matches, as soon as there is one. */
  hears(pattern: RegExp, where = 'dm'): Promise<Visible> {
    const seen = () => this.sees(where).map(({ text }) => text);
    const what = () => `${pattern} in what ${this.person.name} sees:\n${seen().join('\n---\n')}`;
    return this.#world.until(what, () => this.sees(where).findLast(({ text }) => pattern.test(text)));
  }

  /** A card with buttons that matches. */
  isAsked(pattern: RegExp, where = 'dm'): Promise<Visible> {
    const cards = () => this.sees(where).filter(({ buttons }) => buttons.length > 0);
    return this.#world.until(`a card ${pattern}`, () => cards().findLast(({ text }) => pattern.test(text)));
  }

  /** Presses and resolves with what this person alone reads of it. */
  presses(card: MessageRef, label: string): Promise<string> {
    return this.#answered(this.person.presses(card, label), `the press of ${label}`);
  }

  /** Writes into the form that a button opens. */
  async explains(card: MessageRef, label: string, text: string): Promise<string> {
    const press = this.person.presses(card, label);
    await this.#world.until(`the form of ${label}`, () => press.modal);
    return this.#answered(this.person.submits(card, press, text), `the form of ${label}`);
  }

  commands(name: string, text?: string, where = 'dm'): Promise<string> {
    return this.#answered(this.person.commands(where, name, text), `/${name}`);
  }

  #answered(gesture: Gesture, what: string): Promise<string> {
    return this.#world.until(`an answer to ${what}`, () => gesture.answer);
  }
}
