import { actorKey } from '../approvals/actor-key.ts';
import { plain } from '../approvals/markdown.ts';
import type { Clock } from '../contract/clock.ts';
import type { PairingId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { Actor, ButtonPress, FormAnswer, Inbound, OutboundMessage } from '../contract/message.ts';
import type { PairingRow, PersonRow } from '../store/people.ts';
import type { Store } from '../store/store.ts';
import type { AccessVerdict } from './access.ts';
import type { CommandAnswer } from './commands/command.ts';
import { homes } from './home-places.ts';
import { putLine } from './line.ts';
import { hashCode, isCode, newPairingCode, readCode, shownCode } from './pairing-code.ts';

export interface PairingDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly time: (at: number) => string;
  /** `home.<platform>` of the configuration. */
  readonly homes: () => Readonly<Record<string, string>>;
  /** The configuration names an admin. */
  readonly hasAdmin: () => boolean;
  /** The configuration lets this person (`platform:id`) in: no code is their way in, and none takes it away. */
  readonly isListed: (person: string) => boolean;
  /** Ends what somebody has running and waiting; called in no transaction. */
  readonly endAccess: (person: string) => void;
  readonly wake: () => void;
}

export type PairingChange =
  | { readonly kind: 'done'; readonly person: string; readonly text: string }
  | { readonly kind: 'wrong' | 'locked' | 'unknown' | 'listed'; readonly text: string };

const LIFE_MS = 3_600_000;
const QUIET_MS = 600_000;
const REFUSED_MS = 86_400_000;
const MOST_PENDING = 3;
const MOST_WRONG = 5;
const SHAPE = /^h1:pa:([a-z2-7]{26}):([ar])$/;

/** Lets people in who ask for it: they get a code, the owner says yes. Of their words nothing is kept. */
export class Pairing {
  readonly #deps: PairingDeps;

  constructor(deps: PairingDeps) {
    this.#deps = deps;
  }

  /** Answers a stranger's direct message with a code, once in ten minutes; too many wait already: with silence. */
  greet({ by, address, direct }: Pick<Inbound, 'by' | 'address' | 'direct'>): void {
    const { store, clock, wake } = this.#deps;
    const now = clock.now();
    store.tx(() => {
      const code = this.offer({ by, address });
      if (code === undefined) return;
      const key = `pair:${actorKey(by)}:${now}`;
      store.outbox.put({ key, kind: 'notice', address, direct, message: { text: codeText(code) } }, now);
    });
    wake();
  }

  /** A new code for somebody, as people read it; undefined: none now. What asks for it is told at home. */
  offer({ by, address }: Pick<Inbound, 'by' | 'address'>): string | undefined {
    const { store, clock, log } = this.#deps;
    const now = clock.now();
    const person = actorKey(by);
    return store.tx(() => {
      const last = store.people.lastOf(person);
      // Either way round: a clock may have been put back since.
      if (last && Math.abs(now - last.at) < (last.state === 'refused' ? REFUSED_MS : QUIET_MS)) return undefined;
      const others = store.people.pending(now, by.platform).filter((row) => row.person !== person);
      if (others.length >= MOST_PENDING) {
        log.info({ platform: by.platform }, 'a stranger got no code: three wait already');
        return undefined;
      }
      const code = newPairingCode();
      const asked = { person, platform: by.platform, name: plain(by.name, 60), address };
      const row = store.people.ask({ ...asked, ...hashCode(code), createdAt: now, expiresAt: now + LIFE_MS });
      this.#tellHome(row);
      return shownCode(code);
    });
  }

  /** Undefined: no button of such a card. Call it inside the transaction that stores the press. */
  press(event: ButtonPress | FormAnswer, verdict: AccessVerdict): CommandAnswer | undefined {
    const [, id, choice] = SHAPE.exec(event.data) ?? [];
    if (id === undefined) return undefined;
    if (verdict.kind === 'deny' || verdict.role !== 'admin') return { text: 'Only an admin can decide this.' };
    const row = this.#deps.store.people.get(id as PairingId);
    if (!row) return { text: 'I do not know this request.' };
    return { text: choice === 'a' ? this.#admit(row, event.by) : this.#refuse(row, event.by) };
  }

  /** Somebody typed a code. Five wrong ones within an hour lock this for an hour. */
  approve(typed: string, by: Actor): PairingChange {
    const { store, clock, time, wake } = this.#deps;
    const now = clock.now();
    const change = store.tx((): PairingChange => {
      const until = this.#lockedUntil(now);
      if (until !== undefined)
        return { kind: 'locked', text: `${MOST_WRONG} wrong codes: approving is locked until ${time(until)}.` };
      const code = readCode(typed);
      const row = code === undefined ? undefined : store.people.pending(now).find((one) => isCode(code, one));
      if (!row) {
        store.people.missed(now);
        return {
          kind: 'wrong',
          text: 'Nobody waits with this code. A code is valid for an hour; the person can ask again.',
        };
      }
      store.people.forgive();
      return { kind: 'done', person: row.person, text: this.#admit(row, by) };
    });
    wake();
    return change;
  }

  list(): { readonly people: readonly PersonRow[]; readonly pending: readonly PairingRow[] } {
    const { store, clock } = this.#deps;
    return { people: store.people.list(), pending: store.people.pending(clock.now()) };
  }

  /** From the next event on they are a stranger; what they have running and waiting ends. */
  revoke(person: string): PairingChange {
    const { store, isListed, endAccess } = this.#deps;
    if (!store.people.remove(person)) {
      const listed = isListed(person);
      const text = listed
        ? `The configuration lets ${person} in: take it out of access there.`
        : `Nobody called ${person} was let in by a code. hermod pair list shows who was.`;
      return { kind: listed ? 'listed' : 'unknown', text };
    }
    endAccess(person);
    return { kind: 'done', person, text: `${person} may no longer use hermod.` };
  }

  /** An hour from the fifth on, however long before it the first was. */
  #lockedUntil(now: number): number | undefined {
    const newest = this.#deps.store.people.misses(now - 2 * LIFE_MS).slice(-MOST_WRONG);
    const [first, last] = [newest[0], newest.at(-1)];
    if (newest.length < MOST_WRONG || first === undefined || last === undefined) return undefined;
    return last - first < LIFE_MS && now < last + LIFE_MS ? last + LIFE_MS : undefined;
  }

  /** The first of all is the owner, where the configuration names none. */
  #admit(row: PairingRow, by: Actor): string {
    const { store, clock, hasAdmin } = this.#deps;
    const now = clock.now();
    if (!store.people.decide(row.id, 'approved', actorKey(by), now)) return 'This is settled already, or too old.';
    const role = hasAdmin() || store.people.hasAdmin() ? 'member' : 'admin';
    const { person, name, address } = row;
    store.people.admit({ person, name, role, address, approvedBy: actorKey(by), approvedAt: now });
    const text = role === 'admin' ? `${WELCOME} You are the admin here.` : WELCOME;
    const key = `welcome:${row.id}`;
    store.outbox.put({ key, kind: 'notice', address, direct: true, message: { text }, person }, now);
    this.#closeCards(row, `${name} (${plain(person)}) was let in by ${plain(by.name, 60)}.`);
    return `${name} (${plain(person)}) may talk to me now${role === 'admin' ? ', as the admin' : ''}.`;
  }

  #refuse(row: PairingRow, by: Actor): string {
    const { store, clock } = this.#deps;
    if (!store.people.decide(row.id, 'refused', actorKey(by), clock.now()))
      return 'This is settled already, or too old.';
    this.#closeCards(row, `${row.name} (${plain(row.person)}) was not let in (${plain(by.name, 60)}).`);
    return `${row.name} stays outside.`;
  }

  #tellHome(row: PairingRow): void {
    const { store, clock } = this.#deps;
    const [home] = homes(store, this.#deps.homes(), row.platform);
    if (!home) return;
    const card = { kind: 'card', ...home, message: pairingCard(row), expiresAt: row.expiresAt } as const;
    putLine(store, `pairing:${row.id}`, card, clock.now());
  }

  #closeCards(row: PairingRow, text: string): void {
    const { store, clock } = this.#deps;
    const card = store.outbox.get(`pairing:${row.id}`);
    if (!card) return;
    const { address, direct } = card;
    putLine(store, `pairing:${row.id}`, { kind: 'card', address, direct, message: { text } }, clock.now());
  }
}

const WELCOME = 'You are in. Write what you need; /help lists what else I understand.';

export function codeText(code: string): string {
  return `I do not know you yet. Give this code to the owner: ${code} (valid 1 h).`;
}

function pairingCard({ id, name, person }: PairingRow): OutboundMessage {
  const text = `**${name}** (${plain(person)}) wants to talk to me. Let this person in only if you know who it is.`;
  const button = (label: string, choice: 'a' | 'r') => ({ label, data: `h1:pa:${id}:${choice}` });
  return { text, buttons: [[button('Approve', 'a'), button('Refuse', 'r')]] };
}
